"""Rows of files that are looked through as a whole: for a text, for some cells, or one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.numeric import Flags, Int64s
from kanon_tui.core.table.pages import Pages

__all__ = ["SearchedPages"]

_WHOLE = 100
"""Pages that are read at once where all rows are looked through."""


class SearchedPages(Pages):
    """Pages of texts under names."""

    names: tuple[str, ...]

    def stretches(self, stop: Callable[[], bool] = lambda: False) -> Iterator[pl.DataFrame]:
        """All rows, some at a time; ends early when nobody waits any more."""
        for begin, end in self._stretches(-1, 1):
            if stop():
                return
            yield self.read(begin, end)

    def rows_with(
        self,
        cells: Mapping[str, str],
        near: int,
        count: int,
        columns: Sequence[str] = (),
        stop: Callable[[], bool] = lambda: False,
    ) -> tuple[Int64s, pl.DataFrame]:
        """The numbers of the rows with these cells, of which there are so many, and some columns.

        In sorted files they are next to one another, so that it is looked around one of them first.
        """
        around = range(max(near - count, 0), min(near + count, self.height))
        step = self.size * _WHOLE
        if len(around) <= step:
            found = self._rows_with(cells, around.start, around.stop, columns)
            if len(found[0]) >= count:
                return found
        parts: list[tuple[Int64s, pl.DataFrame]] = []
        seen = 0
        for begin, end in self._stretches(-1, 1):
            if seen >= count:
                break
            if stop():
                raise InputError("stopped")
            parts.append(self._rows_with(cells, begin, end, columns))
            seen += len(parts[-1][0])
        return np.concatenate([part[0] for part in parts]), pl.concat([part[1] for part in parts])

    def _rows_with(
        self, cells: Mapping[str, str], begin: int, end: int, columns: Sequence[str]
    ) -> tuple[Int64s, pl.DataFrame]:
        frame = self.read(begin, end)
        same = frame.select(pl.all_horizontal(frame[name] == text for name, text in cells.items()))
        flags = same.to_series()
        return begin + np.flatnonzero(flags.to_numpy()), frame.filter(flags).select(columns)

    def find(
        self, text: str, row: int, direction: int = 1, stop: Callable[[], bool] = lambda: False
    ) -> int | None:
        """The next row after or before this one with a text in a cell, whatever its case.

        At the end it goes on from the other one; None where no row has it.
        """
        wanted = text.casefold()

        def has_text(cells: pl.DataFrame) -> Flags:
            hits = cells.select(
                pl.any_horizontal(
                    column.str.to_lowercase().str.contains(wanted, literal=True)
                    for column in cells.iter_columns()
                )
            )
            return hits.to_series().to_numpy()

        return self.next_row(has_text, row, direction, stop)

    def next_row(
        self,
        flags: Callable[[pl.DataFrame], Flags],
        row: int,
        direction: int = 1,
        stop: Callable[[], bool] = lambda: False,
    ) -> int | None:
        """The next row after or before this one that is flagged, or else from the other end on."""
        for begin, end in self._stretches(row, direction):
            if stop():
                return None
            places = np.flatnonzero(flags(self.read(begin, end)))
            if len(places):
                return begin + int(places[0 if direction > 0 else -1])
        return None

    def _stretches(self, row: int, direction: int) -> Iterator[tuple[int, int]]:
        """All rows, some at a time: those beyond this one, then those up to it."""
        step, height = self.size * _WHOLE, self.height
        if direction > 0:
            for low, high in ((row + 1, height), (0, row + 1)):
                for begin in range(low, high, step):
                    yield begin, min(begin + step, high)
            return
        for low, high in ((0, row), (row, height)):
            for end in range(high, low, -step):
                yield max(end - step, low), end
