"""Sources of rows for a grid: cells that are made, a frame, pages of a file beyond memory."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from copy import copy
from typing import Any

import numpy as np
import polars as pl
from rich.cells import cell_len

from kanon_tui.core.numeric import Int64s
from kanon_tui.core.pipeline.pages import FramePages, Pages, RowNumbers, rows_with_text
from kanon_tui.core.text import visible
from kanon_tui.widgets.grid import WIDEST, Cell, GridColumn, GridSource, up_to

WITH_ROOM = 200
"""Cells per column at most if there is room."""

SAMPLE = 300
"""Rows at the top that the widths of columns are measured on."""


def column_widths(frame: pl.DataFrame, most: int = WIDEST) -> list[int]:
    """Return a width for every column that fits its title and values, up to `most`.

    Characters are counted for all values; terminal cells, of which some characters take two, for
    the first rows.
    """
    head = frame.head(SAMPLE)
    widths = []
    for column in frame.iter_columns():
        texts = column.dtype.categories if isinstance(column.dtype, pl.Enum) else column
        longest = texts.str.len_chars().max()
        shown = [cell_len(visible(value)) for value in head[column.name]]
        whole = longest if isinstance(longest, int) else 0
        widths.append(min(most, max([1, cell_len(visible(column.name)), whole, *shown])))
    return widths


class CellTable(GridSource):
    """A grid source whose cells are all made, with a name for every row or none.

    The first column says what a row is about and stays in view.
    """

    frozen = 1

    def __init__(
        self,
        columns: Sequence[GridColumn],
        cells: Sequence[Sequence[Cell]],
        names: Sequence[str] = (),
        name_width: int = 0,
    ) -> None:
        self.columns = columns
        self.cells = cells
        self.height = len(cells)
        self._names = names
        self.name_width = name_width

    def line(self, row: int) -> Sequence[Cell]:
        return self.cells[row]

    def row_name(self, row: int) -> str:
        return self._names[row] if self._names else ""


WAITING = "…"
MOST_SEEN = 1_000


class PagedRows(GridSource):
    """Rows in pages; `missed` is called with a visible page that is not in memory."""

    def __init__(
        self,
        pages: Pages,
        columns: Sequence[GridColumn],
        missed: Callable[[Pages, int], object] = lambda *_: None,
        *,
        missing: Collection[str] = ("",),
        numbers: RowNumbers | None = None,
        places: Sequence[int] | None = None,
        name_title: str = "",
        name_width: int = 8,
        name: Callable[[int], str] = lambda number: f"{number + 1:,}",
    ) -> None:
        """Show the rows `numbers` and the columns `places`, or all; mark `missing` cells.

        `name` returns the text beside a row of the pages, `name_width` is its least width.
        """
        self.pages = pages
        self.columns = columns
        self.height = pages.height if numbers is None else len(numbers)
        self.name_width = max(len(f"{pages.height:,}") + 1, name_width)
        self.name_title = name_title
        self._name = name
        self._missed = missed
        self._missing = frozenset(missing)
        self._numbers = numbers
        self._places = places
        self.names = list(pages.names) if places is None else [pages.names[x] for x in places]
        self._seen: dict[int, tuple[str, ...]] = {}
        """Rows that were shown; single rows may be of more pages than are kept in memory."""

    def number(self, row: int) -> int:
        """Return the row of the pages that is shown in a row."""
        return row if self._numbers is None else int(self._numbers[row])

    def line(self, row: int) -> list[Cell]:
        """Return the cells of a row, or … while its page is read; empty cells are ·."""
        record = self.record(row)
        if record is None:
            self._missed(self.pages, self.pages.page_of(self.number(row)))
            return [Cell(WAITING, "muted") for _ in self.columns]
        return [Cell(v or "·", "missing") if v in self._missing else Cell(v) for v in record]

    def record(self, row: int) -> list[str] | None:
        """Return the cells of a row; None while its page is not in memory."""
        number = self.number(row)
        cells = self._seen.get(number) or self.pages.cached_row(number)
        if cells is None:
            return None
        if self._numbers is not None:
            if len(self._seen) >= MOST_SEEN:
                self._seen.clear()
            self._seen[number] = cells
        places = range(len(cells)) if self._places is None else self._places
        return [str(cells[place]) for place in places]

    def column_cells(self, row: int, column: int) -> list[str]:
        """Return the cells of a column that are shown; of files those on the page of a row."""
        if self.pages.in_memory:
            numbers = np.arange(self.height) if self._numbers is None else self._numbers
            rows = self.pages.take(np.asarray(numbers))
        else:
            rows = self.pages.page(self.pages.page_of(self.number(row)))
        return rows.to_series(column if self._places is None else self._places[column]).to_list()

    def row_name(self, row: int) -> str:
        """Return the name of a row, such as its number in the pages, counted from 1."""
        return self._name(self.number(row))


class FrameSource(PagedRows):
    """Rows of a frame in memory, all or `records` in their order."""

    def __init__(
        self,
        frame: pl.DataFrame,
        missing: Collection[str] = (),
        right: Collection[str] = (),
        **names: Any,
    ) -> None:
        self.frame = frame
        self.records: Int64s | None = None
        columns = [
            up_to(WIDEST, visible(name), width, name in right)
            for name, width in zip(frame.columns, column_widths(frame, WITH_ROOM), strict=True)
        ]
        super().__init__(FramePages(frame), columns, missing=missing, **names)

    def arranged(self, records: Int64s) -> FrameSource:
        """Return some rows of the frame in another order."""
        source = copy(self)
        source.records = source._numbers = records
        source.height = len(records)
        source._seen = {}
        return source

    def matches(self, text: str) -> Int64s:
        """Return the rows that have the text in a cell, ignoring case."""
        flags = rows_with_text(self.frame, text)
        return np.flatnonzero(flags if self.records is None else flags[self.records])

    def row_of(self, record: int) -> int | None:
        """Return the row in which a row of the frame is shown, or None."""
        if self.records is None:
            return record
        hits = np.flatnonzero(self.records == record)
        return int(hits[0]) if len(hits) else None
