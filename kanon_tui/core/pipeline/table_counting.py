"""Counting the columns of a table beyond memory while somebody works on its sample.

One pass over its pieces, in a thread of its own; who waits is told how far it is, and can stop it
between two pieces. A column with more values than fit is left to the sample, and the others go on.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.sampled_table import SampledTable, sample_table
from kanon_tui.core.processes.memory_limit import MemoryLimit
from kanon_tui.core.table.source import open_source
from kanon_tui.core.table.value_counts import Counting, Counts, count_values, merge_counts

__all__ = ["CountingStoppedError", "TableCounting"]

_MERGED_AT_A_TIME = 8
_LOOKS = 2
"""How often a CSV file is walked over before its pieces are known."""


class CountingStoppedError(Exception):
    """Nobody waits for the numbers any more."""


class TableCounting:
    """One pass over a table, told of and stopped from other threads."""

    def __init__(
        self, table: SampledTable, path: Path, names: Sequence[str], memory: MemoryLimit
    ) -> None:
        self._table, self._path, self._memory = table, path, memory
        self.names = tuple(names)
        self.records = 0
        """Records counted so far."""
        self._looked_at = 0
        self._stopped = threading.Event()

    def stop(self) -> None:
        """End it soon: `run` raises then."""
        self._stopped.set()

    @property
    def stopped(self) -> bool:
        """Whether nobody waits for it."""
        return self._stopped.is_set()

    @property
    def progress(self) -> str:
        """`looking through the file, 40%`, then `12,000,000 of 50,000,000 records counted`."""
        table = self._table
        if self._looked_at and not table.exact and table.facts is not None:
            share = min(self._looked_at / max(table.facts.bytes * _LOOKS, 1), 1)
            return f"looking through the file, {share:.0%}"
        about = "" if table.exact else "about "
        whole = max(table.height, self.records)
        return f"{self.records:,} of {about}{whole:,} records counted"

    def run(self) -> SampledTable:
        """The table with these columns counted; raises `CountingStoppedError` when stopped."""
        table = self._table = self._surveyed()
        assert table.source is not None
        counting = Counting(table.source, self.names)
        whole: Counts = {}
        waiting: list[Counts] = []
        for piece in range(len(table.source.pieces)):
            self._go_on()
            records, _, found = count_values(counting, piece)
            self.records += records
            waiting.append(found)
            if len(waiting) >= _MERGED_AT_A_TIME:
                whole, waiting = merge_counts([whole, *waiting]), []
                counting = self._within_memory(counting, whole)
        whole = merge_counts([whole, *waiting])
        counting = self._within_memory(counting, whole)
        self._go_on()
        left = frozenset(name for name in self.names if name not in whole)
        return replace(
            table,
            records=self.records,
            exact=True,
            counts={**table.counts, **{name: whole[name] for name in counting.names}},
            too_many=table.too_many | left,
        )

    def _surveyed(self) -> SampledTable:
        """The table with the pieces of its source, which a CSV file does not have at first."""
        table = self._table
        assert table.source is not None
        if table.source.pieces:
            return table
        source = open_source(self._path, table.source.options, heard=self._hear)
        spaces = source.facts.space_after_delimiter
        if table.facts is not None and spaces != table.facts.space_after_delimiter:
            # The beginning has a space after every delimiter, the rest has not: they are text.
            options = replace(source.options, space_after_delimiter=bool(spaces))
            table = replace(sample_table(self._path, options), counts=table.counts)
        if source.names != tuple(table.names):
            raise InputError("the names of its columns changed while it was read; open it again")
        records = source.records or table.records
        return replace(table, source=source, records=records, exact=bool(source.records))

    def _hear(self, size: int) -> None:
        self._looked_at += size
        self._go_on()

    def _go_on(self) -> None:
        if self._stopped.is_set():
            raise CountingStoppedError

    def _within_memory(self, counting: Counting, whole: Counts) -> Counting:
        """Go on without the column that takes most, as long as all do not fit."""
        while (largest := self._memory.too_many_values(whole)) is not None:
            del whole[largest]
            names = tuple(name for name in counting.names if name != largest)
            counting = replace(counting, names=names)
        return counting
