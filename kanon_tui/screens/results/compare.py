"""Two results side by side: the same records as either publishes them, and every figure."""

from collections.abc import Callable, Sequence
from typing import ClassVar, TypeVar

import numpy as np
from rich.cells import cell_len
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from kanon_tui.core.analysis.compare import Comparison, compare, file_records
from kanon_tui.core.numeric import Flags
from kanon_tui.core.pipeline.pages import (
    LEFT_OUT,
    FramePages,
    MemoryPages,
    Pages,
    RowNumbers,
)
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.text import visible
from kanon_tui.screens.panel import AnalysisScreen
from kanon_tui.screens.results.figures import FigurePanel, comparison_tables
from kanon_tui.screens.results.release_records import (
    CHANGED,
    CLASS,
    RECORD,
    SAME,
    SAMPLE,
    SUPPRESSED,
    Missed,
    marked_column,
)
from kanon_tui.screens.results.twin_grids import TwinGrids
from kanon_tui.services.host import PageReader
from kanon_tui.widgets.grid import Cell, Grid, GridColumn
from kanon_tui.widgets.grid_sources import PagedRows

R = TypeVar("R", bound=PagedRows)


class PairedRows(PagedRows):
    """The records as one of two releases has them; cells of which the other differs are marked."""

    other: PagedRows

    def line(self, row: int) -> list[Cell]:
        """Return the cells of a record, or … until both releases are read."""
        texts = self.record(row)
        other_texts = self.other.record(row)
        if texts is None or other_texts is None:
            return PagedRows.line(self if texts is None else self.other, row)
        return [_cell(*pair) for pair in zip(texts, other_texts, strict=True)]


def _cell(text: str, other_text: str) -> Cell:
    if text == LEFT_OUT:
        return Cell(text, "bad")
    return Cell(
        (SAME if text == other_text else CHANGED) + text, "" if text == other_text else "changed"
    )


class PairedRecords:
    """The records of two releases, row by row the same one; made in a background thread.

    A record that is left out has `LEFT_OUT` in every cell.
    """

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        first_columns = comparison.first.columns
        second_columns = comparison.second.columns
        self.names = [name for name in first_columns if name in second_columns]
        self._pages = _pages(comparison)
        """Left and right release and the original."""
        self.columns = [self._column(name) for name in self.names]
        self.tables = comparison_tables(comparison)
        self._row_names, self._titles = _row_names(comparison)
        """The names of a record left and right, and what they count."""
        self.by_difference: RowNumbers = comparison.most_different
        self.in_file_order: RowNumbers = comparison.in_file_order
        self.differs: Flags = comparison.record_differs

    def _column(self, name: str) -> GridColumn:
        """Return a column that fits the first records of either release."""
        texts: list[str] = []
        for pages in self._pages[:2] if len(self.comparison.in_file_order) else ():
            texts += pages.page(0).head(SAMPLE)[name].to_list()
        return marked_column(name, max((cell_len(visible(text)) for text in texts), default=1))

    @property
    def different(self) -> int:
        """The number of records that the two publish differently."""
        return int(self.differs.sum())

    def sides(self, order: RowNumbers, missed: Missed) -> tuple[PairedRows, PairedRows, PagedRows]:
        """Return left and right release and the original in an order of the records."""
        last = self._number(len(order) - 1) if len(order) else ""

        def side(kind: type[R], number: int) -> R:
            pages = self._pages[number]
            made = kind(
                pages, self.columns, missed,
                numbers=order, places=[pages.names.index(name) for name in self.names],
                name_title=self._titles[number % 2], name=self._row_names[number % 2],
            )  # fmt: skip
            made.name_width = max(len(last) + 2, len(RECORD) + 1)
            return made

        left = side(PairedRows, 0)
        right = side(PairedRows, 1)
        left.other, right.other = right, left
        return left, right, side(PagedRows, 2)

    def _number(self, record: int) -> str:
        """Return the number of a record as screen 1 counts."""
        return self._row_names[0](record).removeprefix(SUPPRESSED)

    def line(self, sides: Sequence[PagedRows], row: int, column: int) -> str:
        """Return the whole cell of the original and of both sides; "" while it is read."""
        sides[-1].line(row)  # the original is shown nowhere else, and may have to be read
        texts = [cells[column] for side in sides if (cells := side.record(row)) is not None]
        if len(texts) < len(sides):
            return ""
        first, second = ("suppressed" if text == LEFT_OUT else text for text in texts[:2])
        number = self._number(sides[0].number(row))
        name = self.names[column]
        return f"record {number}: {name} {texts[2]} → ◂ {first}   ▸ {second}"

    def next_different(self, order: RowNumbers, row: int) -> int | None:
        """Return the next row below with a cell that differs."""
        if not isinstance(order, np.ndarray):  # ranked rows: those that differ come first
            return row + 1 if row + 1 < self.different else None
        later = np.flatnonzero(self.differs[order[row + 1 :]])
        return row + 1 + int(later[0]) if len(later) else None


def _pages(comparison: Comparison) -> tuple[Pages, Pages, Pages]:
    """Return the left and the right release and the original, record by record."""
    results = comparison.first, comparison.second
    first_rows, second_rows = comparison.records
    original = comparison.first.task.table.frame
    original = original if len(first_rows) == original.height else original[first_rows]
    return (
        MemoryPages(results[0], first_rows),
        MemoryPages(results[1], second_rows),
        FramePages(original),
    )


RowNames = tuple[Callable[[int], str], Callable[[int], str]]


def _row_names(comparison: Comparison) -> tuple[RowNames, tuple[str, str]]:
    """Return what names a record left and right, and the titles: its number, and its class."""
    (first_records, second_records), numbers = (
        comparison.records,
        file_records(comparison.first) + 1,
    )
    suppressed = comparison.first.release.suppressed
    classes = comparison.second.release.classes

    def record_in_run(record: int) -> str:
        number = first_records[record]
        return f"{SUPPRESSED if suppressed[number] else ''}{numbers[number]:,}"

    def class_in_run(record: int) -> str:
        number = int(classes[second_records[record]])
        return SUPPRESSED if number < 0 else f"{number + 1:,}"

    return (record_in_run, class_in_run), (RECORD, CLASS)


class CompareScreen(AnalysisScreen):
    """Two results side by side, with their figures below."""

    TITLE = "compare"
    PANES: ClassVar = {"#left": ""}
    NEEDS: ClassVar = dict.fromkeys(("sort", "next", "figures"), "rows")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("C", "back", "compare", show=False),
        Binding("q", "back", "back", show=False),
        Binding("s", "sort", "sort", id="compare.sort"),
        Binding("n", "next", "next", id="compare.next"),
        Binding("f", "figures", "figures", id="compare.figures"),
        Binding("z", "zoom", "Zoom", id="compare.zoom"),
    ]

    def __init__(self, first: FinishedRun, second: FinishedRun) -> None:
        super().__init__()
        self.results = first, second
        self.rows: PairedRecords | None = None
        self.order: RowNumbers = np.arange(0)
        self._sides: tuple[PagedRows, ...] = ()
        self.shown = 0
        """The number of the table of figures that is shown."""
        self._reader = PageReader(self, self._show_pages, lambda _, error: self.host.fail(error))

    def body(self) -> ComposeResult:
        yield TwinGrids()
        yield Static(id="one-record")
        yield FigurePanel()

    def begin(self) -> None:
        """Compare the results, and show the records that differ most first."""
        first, second = (Text(visible(self.session.run_title(result))) for result in self.results)
        self.query_one(TwinGrids).title(first, second)

        def show(rows: PairedRecords) -> None:
            self.rows = rows
            self._show_figures(0)
            self._fill(rows.by_difference)

        self.in_background(lambda: PairedRecords(compare(*self.results)), show, "comparing")

    def _show_figures(self, number: int) -> None:
        assert self.rows is not None
        tables = list(self.rows.tables.items())
        self.shown = number % len(tables)
        panel = self.query_one(FigurePanel)
        panel.show(*tables[self.shown])
        following, _ = tables[(self.shown + 1) % len(tables)]
        panel.border_subtitle = f"{self.shown + 1} of {len(tables)} · f: {following}"

    def action_figures(self) -> None:
        """Show the next table: figures, attributes, rules."""
        self._show_figures(self.shown + 1)

    def status(self) -> Text:
        """Return the number of records that differ, and who is better how often."""
        if self.rows is None:
            return Text(self.TITLE, "bold")
        comparison = self.rows.comparison
        different = self.rows.different
        wins = [difference.better for difference in comparison.figures]
        text = Text(f"{different:,} of {len(self.order):,} records differ")
        text.append(f" · ◂ better in {wins.count(-1)} figures · ▸ better in {wins.count(1)}")
        if comparison.attributes and different:
            text.append(f" · they differ most in {visible(comparison.attributes[0].name)}")
        return text

    def _fill(self, order: RowNumbers) -> None:
        assert self.rows is not None
        self.order = order
        left, right, _ = self._sides = self.rows.sides(order, self._reader.missed)
        self.query_one(TwinGrids).show(left, right, 0)

    def _show_pages(self) -> None:
        self.query_one(TwinGrids).repaint()
        self._describe_record()

    @on(Grid.Moved)
    def _describe_record(self) -> None:
        grids = self.query_one(TwinGrids)
        if self.rows is not None and grids.row < len(self.order):
            line = self.rows.line(self._sides, grids.row, grids.column)
            self.query_one("#one-record", Static).update(Text(visible(line)))

    def action_sort(self) -> None:
        """Switch between file order and most different first; the cursor goes to the top."""
        assert self.rows is not None
        by_file = self.order is self.rows.in_file_order
        self._fill(self.rows.by_difference if by_file else self.rows.in_file_order)

    def action_next(self) -> None:
        """Go to the next record with a cell that differs."""
        assert self.rows is not None
        grids = self.query_one(TwinGrids)
        next_row = self.rows.next_different(self.order, grids.row)
        if next_row is not None:
            grids.go_to(next_row)
        else:
            self.host.notify("no further record differs")
