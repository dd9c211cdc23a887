"""What grids can show: the rows of a Polars frame of texts, or rows made one by one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import polars as pl
from rich.cells import cell_len

from kanon_tui.widgets.column_layout import up_to
from kanon_tui.widgets.grid import WIDEST, Cell, GridColumn, printable

__all__ = ["WITH_ROOM", "FrameSource", "RowSource", "column_widths"]

WITH_ROOM = 200
"""Cells per column at most where there is room."""

SAMPLE = 300
"""Rows at the top that decide how wide the columns are."""


def column_widths(frame: pl.DataFrame, most: int = WIDEST) -> list[int]:
    """A width for every column that fits its title and its values, up to a limit.

    Characters are counted for all values, terminal cells (some are two wide) for the first ones.
    """
    head = frame.head(SAMPLE)
    longest = frame.select(pl.all().str.len_chars().max()).row(0) if frame.height else ()
    widths = []
    for x, name in enumerate(frame.columns):
        shown = [cell_len(printable(value)) for value in head[name]]
        whole = int(longest[x] or 0) if longest else 0
        widths.append(min(most, max([1, cell_len(printable(name)), whole, *shown])))
    return widths


class FrameSource:
    """Every row of a frame; cells that are missing are marked, and shown as · when empty."""

    def __init__(
        self,
        frame: pl.DataFrame,
        missing: Collection[str] = (),
        right: Collection[str] = (),
    ) -> None:
        self.frame = frame
        self.missing = frozenset(missing)
        self.height = frame.height
        self.columns: Sequence[GridColumn] = [
            up_to(WIDEST, printable(name), width, name in right)
            for name, width in zip(frame.columns, column_widths(frame, WITH_ROOM), strict=True)
        ]

    def rows(self, start: int, stop: int) -> list[list[Cell]]:
        return [
            [
                Cell(value or "·", "missing") if value in self.missing else Cell(value)
                for value in row
            ]
            for row in self.frame.slice(start, stop - start).iter_rows()
        ]

    def row_name(self, row: int) -> str:
        """Records are counted from 1."""
        return f"{row + 1:,}"

    def find(self, text: str, after: int, columns: Sequence[str] | None = None) -> int | None:
        """The next row after `after` with the text in a cell; at the end from the top again."""
        names = columns or self.frame.columns
        wanted = text.casefold()
        hits = self.frame.select(
            pl.any_horizontal(
                pl.col(name).str.to_lowercase().str.contains(wanted, literal=True) for name in names
            ).arg_true()
        ).to_series()
        later = hits.filter(hits > after)
        found = later if later.len() else hits
        return int(found[0]) if found.len() else None


class RowSource:
    """A grid source whose rows are made one by one."""

    def __init__(
        self,
        columns: Sequence[GridColumn],
        height: int,
        cells: Callable[[int], Sequence[Cell]],
        name: Callable[[int], str],
        name_title: str = "",
    ) -> None:
        self.columns = columns
        self.height = height
        self.name_title = name_title
        self._cells, self._name = cells, name

    def rows(self, start: int, stop: int) -> list[Sequence[Cell]]:
        return [self._cells(row) for row in range(start, stop)]

    def row_name(self, row: int) -> str:
        return self._name(row)
