"""The records of two releases in files, row by row the same one, page by page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from rich.cells import cell_len

from kanon_tui.core.analysis.compare import StreamedComparison
from kanon_tui.core.pipeline.pages import LEFT_OUT, PublishedPages
from kanon_tui.core.table.pages import Pages
from kanon_tui.core.text import visible
from kanon_tui.screens.results.figure_tables import comparison_tables
from kanon_tui.screens.results.record_rows import CHANGED, RECORD, SAME
from kanon_tui.widgets.grid import Cell, GridColumn, up_to
from kanon_tui.widgets.grid_sources import MOST_SEEN, WAITING, RowNumbers, RowSource

__all__ = ["PairedPages"]

_WIDEST = 18
_SAMPLE = 300
Missed = Callable[[Pages, int], object]


class PairedPages:
    """What two releases in files made of the same records; made in a background thread."""

    def __init__(self, comparison: StreamedComparison) -> None:
        self.comparison = comparison
        results = comparison.first, comparison.second
        self.names = [name for name in results[0].columns if name in results[1].columns]
        self._places = [[one.columns.index(name) for name in self.names] for one in results]
        self.sides = [
            PublishedPages(result, comparison.before, result.columns, rows)
            for result, rows in zip(results, comparison.rows, strict=True)
        ]
        self.in_file_order: RowNumbers = comparison.in_file_order
        self.by_difference: RowNumbers = comparison.most_different
        self.tables = comparison_tables(comparison)
        self.missed: Missed = lambda pages, page: None
        """Hears of a page that is shown and not in memory."""
        self._seen: dict[int, tuple[Sequence[str], ...]] = {}
        """Records may be of more pages than are kept at a time: what was seen of them stays."""

    @property
    def different(self) -> int:
        """How many records the two publish otherwise."""
        return int(self.comparison.differs.sum())

    @property
    def name_width(self) -> int:
        """Room for the numbers beside the rows."""
        return max(len(f"{self.comparison.before.height:,}") + 2, len(RECORD) + 1)

    @cached_property
    def columns(self) -> list[GridColumn]:
        """Wide enough for the first records of either side."""
        found = []
        for column, name in enumerate(self.names):
            texts = [name]
            for side, places in zip(self.sides, self._places, strict=True):
                texts += side.page(0).head(_SAMPLE).to_series(places[column]).to_list()
            widest = max(cell_len(visible(text)) for text in texts)
            found.append(up_to(1 + _WIDEST, SAME + visible(name), 1 + widest))
        return found

    def sources(self, order: RowNumbers) -> tuple[RowSource, RowSource]:
        """Both sides in an order of the records."""
        left, right = (self._source(side, order) for side in (0, 1))
        return left, right

    def _source(self, side: int, order: RowNumbers) -> RowSource:
        def cells(row: int) -> list[Cell]:
            texts = self._texts(int(order[row]))
            if texts is None:
                return [Cell(WAITING, "muted") for _ in self.names]
            own, other = texts[side], texts[1 - side]
            return [_cell(*pair) for pair in zip(own, other, strict=True)]

        def name(row: int) -> str:
            return f"{int(order[row]) + 1:,}"

        return RowSource(self.columns, len(order), cells, name, RECORD)

    def _texts(self, record: int) -> tuple[Sequence[str], ...] | None:
        """What either publishes of a record, and what stood there; None while it is read."""
        if record in self._seen:
            return self._seen[record]
        found: list[Sequence[str]] = []
        before = self.comparison.before
        stood = [before.source.names.index(name) for name in self.names]
        for pages, places in (*zip(self.sides, self._places, strict=True), (before, stood)):
            row = pages.kept_row(record)
            if row is None:
                self.missed(pages, pages.page_of(record))
            else:
                found.append([row[place] for place in places])
        if len(found) < 3:
            return None
        if len(self._seen) >= MOST_SEEN:
            self._seen.clear()
        self._seen[record] = tuple(found)
        return self._seen[record]

    def line(self, order: RowNumbers, row: int, column: int) -> str:
        """The whole cell of the original and of both sides; nothing while it is read."""
        record = int(order[row])
        texts = self._texts(record)
        if texts is None:
            return ""
        *both, stood = (cells[column] for cells in texts)
        first, second = ("suppressed" if text == LEFT_OUT else text for text in both)
        return f"record {record + 1:,}: {self.names[column]} {stood} → ◂ {first}   ▸ {second}"

    def next_different(self, order: RowNumbers, row: int) -> int | None:
        """The next row below with a cell that differs."""
        if order is self.by_difference:
            return row + 1 if row + 1 < self.different else None
        numbers = self.comparison.in_file_order
        later = np.flatnonzero(self.comparison.differs[numbers[row + 1 :]])
        return row + 1 + int(later[0]) if len(later) else None


def _cell(text: str, other: str) -> Cell:
    if text == LEFT_OUT:
        return Cell(text, "bad")
    return Cell((SAME if text == other else CHANGED) + text, "" if text == other else "changed")
