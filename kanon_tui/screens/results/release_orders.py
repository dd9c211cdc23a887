"""The orders in which the rows of a release in files are shown; each is made when it is asked for.

As written, by class, the smallest class first, and as read: the records in the order of the data,
with the rows that were written of them beside them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.engine_choice import memory_limit
from kanon_tui.core.pipeline.pages import PublishedPages, RankedRows, ranked_rows, records_of
from kanon_tui.screens.results.open_release import OpenRelease

__all__ = ["AS_READ", "AS_WRITTEN", "ArrangedRelease", "ReleaseOrders"]

AS_WRITTEN, BY_CLASS, SMALLEST_FIRST, AS_READ = (
    "as written",
    "by class",
    "smallest class first",
    "as read",
)


@dataclass(frozen=True, eq=False)
class ArrangedRelease:
    """What is paged through, and which row comes when; None for all as they follow."""

    name: str
    open: OpenRelease
    rows: RankedRows | None = None

    def place_of(self, row: int) -> int:
        """Where a row is shown."""
        return row if self.rows is None else self.rows.place_of(row)


class ReleaseOrders:
    """The orders of one release; what was made once is kept."""

    def __init__(self, written: OpenRelease) -> None:
        self._written = written
        self._by_class: RankedRows | None = None
        self._read: OpenRelease | None = None
        read = () if written.before is not None else (AS_READ,)
        self.names: tuple[str, ...] = (AS_WRITTEN, BY_CLASS, SMALLEST_FIRST, *read)

    def after(self, name: str) -> str:
        """The order that follows one."""
        return self.names[(self.names.index(name) + 1) % len(self.names)]

    def arranged(self, name: str, stop: Callable[[], bool]) -> ArrangedRelease:
        """An order, which may take a pass over all rows; `stop` says nobody waits any more."""
        if name == AS_READ:
            return ArrangedRelease(name, self._as_read())
        if name == AS_WRITTEN:
            return ArrangedRelease(name, self._written)
        rows = self._ranked(stop)
        if name == SMALLEST_FIRST:
            last = self._written.classes.count
            sizes = rows.sizes.copy()
            sizes[last:] = np.iinfo(np.int64).max  # the suppressed come last
            rows = rows.in_turn(np.argsort(sizes, kind="stable"))
        return ArrangedRelease(name, self._written, rows)

    def alone(self) -> ArrangedRelease:
        """The written rows without the records, which are not what was read any more."""
        self._written, self._read = self._written.alone(), None
        self.names = tuple(name for name in self.names if name != AS_READ)
        return ArrangedRelease(AS_WRITTEN, self._written)

    def _ranked(self, stop: Callable[[], bool]) -> RankedRows:
        if self._by_class is None:
            written = self._written
            assert written.result.project is not None
            memory = memory_limit(written.result.project).beside_what_is_held()
            classes = written.classes
            stretches = written.pages.stretches(stop)
            self._by_class = ranked_rows(stretches, classes.numbers_of, classes.row_sizes, memory)
        return self._by_class

    def _as_read(self) -> OpenRelease:
        if self._read is None:
            written = self._written
            records = records_of(written.result)
            if records is None:
                raise InputError(
                    "the data is not what was read any more, or nobody knows how many records it "
                    "has; the release is shown as it was written"
                )
            pages = PublishedPages(written.result, records, written.pages.names)
            self._read = replace(written, pages=pages, before=records)
        return self._read
