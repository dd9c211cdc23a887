"""Columns of coded texts that grow piece by piece: one dictionary and one array of narrow numbers.

The array lies in memory, or in a file without a name that the system removes with the process,
however it ends. Polars takes either as an `Enum` column without a copy, so that a table of such
columns is read, sliced, sorted and counted in the same way wherever its numbers lie.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
import polars as pl

from kanon_tui.core.errors import InfrastructureError, InputError
from kanon_tui.core.processes.memory_limit import MemoryLimit
from kanon_tui.core.processes.workers import Workers
from kanon_tui.core.reading import size_text
from kanon_tui.core.table.cell_codes import Cells, Columns, NumberArray, narrowest, records_in
from kanon_tui.core.table.column import CHANGED
from kanon_tui.core.table.source import Source
from kanon_tui.core.table.table import Table


class GrowingColumn:
    """The texts of a column and the number of every record's text, while pieces are added."""

    def __init__(self, name: str, folder: Path | None) -> None:
        self.name = name
        self.text_bytes = 0
        """Bytes of the distinct texts."""
        self._categories = pl.Categories.random()
        self._coded = pl.Series(dtype=pl.Categorical(self._categories))
        """The texts of the latest piece; Polars forgets categories that no column uses."""
        self._numbers = NumberArray(folder, np.uint8)
        self._distinct = 0

    def append(self, cells: Cells) -> None:
        """Add the records of a piece; new texts get the next numbers."""
        self._coded = cells.texts.cast(pl.Categorical(self._categories))
        numbers = self._coded.to_physical().to_numpy()
        new = cells.texts.filter(pl.Series(numbers >= self._distinct))
        if new.len():
            self.text_bytes += int(new.estimated_size())
            self._distinct = int(numbers.max()) + 1
            wide = np.dtype(narrowest(self._distinct))
            if wide != self._numbers.type:
                self._numbers = self._numbers.widened(wide)
        self._numbers.append(numbers.astype(self._numbers.type)[cells.places])

    @property
    def distinct(self) -> int:
        """The number of distinct texts so far."""
        return self._distinct

    def series(self) -> pl.Series:
        """Return the column; its texts stand in the order of their first records."""
        texts = self._categories.to_series()
        return pl.Series(self.name, self._numbers.array()).cat.to(pl.Enum(texts))


_MOST_SPARED = 1_000_000
"""Distinct values of a column of which nothing is published, such as names, that are kept."""


def code_piece(shared: tuple[Source, Sequence[str]], piece: int) -> list[Columns]:
    """Return the cells of one piece of a source, some records at a time."""
    source, names = shared
    return list(source.columns_of(source.pieces[piece], names))


def code_source(
    source: Source,
    workers: Workers,
    memory: MemoryLimit,
    folder: Path | None = None,
    spared: Collection[str] = (),
    on_records: Callable[[int], object] = lambda _: None,
) -> Table:
    """Return the table of a source, read once; its numbers lie in a file of the folder, if given.

    Its distinct texts are in memory. Columns with more of them than fit are refused; those that may
    be `spared` are given up, since nothing of them is published. `on_records` gets the number of
    records so far; an error that it raises ends the reading.
    """
    if folder is not None:
        _check_room(source, folder)
    columns = {name: GrowingColumn(name, folder) for name in source.names}
    given_up: set[str] = set()
    records = 0
    pieces = [(piece,) for piece in range(len(source.pieces))]
    for block in chain.from_iterable(workers.map(code_piece, (source, source.names), pieces)):
        for name, column in columns.items():
            if name not in given_up:
                column.append(block[name])
            if name in spared and column.distinct > _MOST_SPARED:
                given_up.add(name)
                columns[name] = GrowingColumn(name, None)
        memory.check_texts({name: column.text_bytes for name, column in columns.items()})
        records += records_in(block)
        if records > _MOST_RECORDS:
            raise InputError(
                f"the data has more than {_MOST_RECORDS:,} records, which is as many as can be "
                "numbered; divide it"
            )
        on_records(records)
    if not source.unchanged:
        raise InputError(CHANGED)
    frame = pl.DataFrame(
        [
            _not_kept(name, records) if name in given_up else column.series()
            for name, column in columns.items()
        ]
    )
    facts = source.facts
    options = source.options
    return Table.from_file(frame, facts, options, spill=folder, given_up=frozenset(given_up))


_MOST_RECORDS = 2**31 - 1
_NOT_KEPT = "…"
"""The text in every cell of a column that was given up."""


def _not_kept(name: str, records: int) -> pl.Series:
    """Return a column that says in every cell that it was not kept; it takes no memory."""
    return pl.Series(name, np.zeros(records, dtype=np.uint8)).cat.to(pl.Enum([_NOT_KEPT]))


_BYTES_PER_CELL = 4


def _check_room(source: Source, folder: Path) -> None:
    """Refuse a folder whose disk has no room for the numbers of a source's cells."""
    needed = source.facts.bytes
    if source.records:
        needed = min(needed, source.records * len(source.names) * _BYTES_PER_CELL)
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise InfrastructureError(
            f"{folder}: the coded table takes up to {size_text(needed)} on the disk, and "
            f"{size_text(free)} are free; make room, or name another place for the release"
        )
