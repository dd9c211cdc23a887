"""Two results side by side: the same records as either publishes them, and every figure."""

from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
from rich.cells import cell_len
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from kanon_tui.core.analysis.compare import Comparison, file_records
from kanon_tui.core.numeric import Flags
from kanon_tui.core.pipeline.pages import (
    LEFT_OUT,
    FramePages,
    MemoryPages,
    Pages,
    PublishedPages,
    RowNumbers,
)
from kanon_tui.core.text import visible
from kanon_tui.screens.base import toggle_zoom
from kanon_tui.screens.results.figures import FigurePanel, comparison_tables
from kanon_tui.screens.results.memory_records import (
    CHANGED,
    CLASS,
    RECORD,
    SAME,
    SAMPLE,
    SUPPRESSED,
    Missed,
    marked_column,
)
from kanon_tui.screens.results.records_pane import TwinGrids
from kanon_tui.services.host import Hosted, PageReader
from kanon_tui.widgets.bars import KeyBar
from kanon_tui.widgets.dialogs import Modal
from kanon_tui.widgets.grid import Cell, Grid, GridColumn
from kanon_tui.widgets.grid_sources import MOST_SEEN, WAITING, RowSource


class PairedRecords:
    """The records of two releases, row by row the same one; made in a background thread.

    A record that is left out has `LEFT_OUT` in every cell.
    """

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        one, other = comparison.first.columns, comparison.second.columns
        self.names = [name for name in one if name in other]
        self._pages = _pages(comparison)
        """Left and right release and the original."""
        self._places = [[pages.names.index(n) for n in self.names] for pages in self._pages]
        self.columns = [self._column(name) for name in self.names]
        self.tables = comparison_tables(comparison)
        self._row_names, self.titles = _row_names(comparison)
        """The names of a record left and right, and what they count."""
        self.by_difference: RowNumbers = comparison.most_different
        self.in_file_order: RowNumbers = comparison.in_file_order
        self.differs: Flags = comparison.record_differs
        last = self.number(len(self.in_file_order) - 1) if len(self.in_file_order) else ""
        self.name_width = max(len(last) + 2, len(RECORD) + 1)
        """Width of the numbers beside the rows."""
        self.missed: Missed = lambda pages, page: None
        """Called with a page that is shown and not in memory."""
        self._seen: dict[int, Sequence[Sequence[str]]] = {}
        """Records on the screen may be on more pages than are kept, so those seen are kept too."""

    def _column(self, name: str) -> GridColumn:
        """Return a column that fits the first records of either release."""
        texts: list[str] = []
        for pages in self._pages[:2] if len(self.comparison.in_file_order) else ():
            texts += pages.page(0).head(SAMPLE)[name].to_list()
        return marked_column(name, max((cell_len(visible(text)) for text in texts), default=1))

    def number(self, record: int) -> str:
        """Return the number of a record as screen 1 counts."""
        return self._row_names[0](record).removeprefix(SUPPRESSED)

    def texts(self, record: int) -> Sequence[Sequence[str]] | None:
        """Return a record in the left and the right release and the original; None while read."""
        if record not in self._seen:
            found = []
            for pages, places in zip(self._pages, self._places, strict=True):
                row = pages.cached_row(record)
                if row is None:
                    self.missed(pages, pages.page_of(record))
                else:
                    found.append([row[place] for place in places])
            if len(found) < len(self._pages):
                return None
            if len(self._seen) >= MOST_SEEN:
                self._seen.clear()
            self._seen[record] = found
        return self._seen[record]

    @property
    def different(self) -> int:
        """The number of records that the two publish differently."""
        return int(self.differs.sum())

    def sources(self, order: RowNumbers) -> tuple[RowSource, RowSource]:
        """Return both sides in an order of the records."""
        return self._source(0, order), self._source(1, order)

    def _source(self, side: int, order: RowNumbers) -> RowSource:
        def cells(row: int) -> list[Cell]:
            texts = self.texts(int(order[row]))
            if texts is None:
                return [Cell(WAITING, "muted") for _ in self.names]
            return [_cell(*pair) for pair in zip(texts[side], texts[1 - side], strict=True)]

        def name(row: int) -> str:
            return self._row_names[side](int(order[row]))

        return RowSource(self.columns, len(order), cells, name, self.titles[side])

    def line(self, order: RowNumbers, row: int, column: int) -> str:
        """Return the whole cell of the original and of both sides; "" while it is read."""
        record = int(order[row])
        texts = self.texts(record)
        if texts is None:
            return ""
        first, second, original = (cells[column] for cells in texts)
        first, second = ("suppressed" if each == LEFT_OUT else each for each in (first, second))
        name = self.names[column]
        return f"record {self.number(record)}: {name} {original} → ◂ {first}   ▸ {second}"

    def next_different(self, order: RowNumbers, row: int) -> int | None:
        """Return the next row below with a cell that differs."""
        if not isinstance(order, np.ndarray):  # ranked rows: those that differ come first
            return row + 1 if row + 1 < self.different else None
        later = np.flatnonzero(self.differs[order[row + 1 :]])
        return row + 1 + int(later[0]) if len(later) else None


def _cell(text: str, other: str) -> Cell:
    if text == LEFT_OUT:
        return Cell(text, "bad")
    return Cell((SAME if text == other else CHANGED) + text, "" if text == other else "changed")


def _pages(comparison: Comparison) -> tuple[Pages, Pages, Pages]:
    """Return the left and the right release and the original, record by record."""
    results = comparison.first, comparison.second
    if comparison.files is not None:
        before = comparison.files.before
        left, right = (
            PublishedPages(result, before, result.columns, lookup)
            for result, lookup in zip(results, comparison.files.lookups, strict=True)
        )
        return left, right, before
    one, other = comparison.records
    original = comparison.first.task.table.frame
    original = original if len(one) == original.height else original[one]
    return MemoryPages(results[0], one), MemoryPages(results[1], other), FramePages(original)


RowNames = tuple[Callable[[int], str], Callable[[int], str]]


def _row_names(comparison: Comparison) -> tuple[RowNames, tuple[str, str]]:
    """Return what names a record left and right, and the titles: its number, and its class."""

    def record_in_files(record: int) -> str:
        return f"{record + 1:,}"

    if comparison.files is not None:
        return (record_in_files, record_in_files), (RECORD, RECORD)
    (one, other), numbers = comparison.records, file_records(comparison.first) + 1
    suppressed, classes = comparison.first.release.suppressed, comparison.second.release.classes

    def record_in_run(record: int) -> str:
        number = one[record]
        return f"{SUPPRESSED if suppressed[number] else ''}{numbers[number]:,}"

    def class_in_run(record: int) -> str:
        number = int(classes[other[record]])
        return SUPPRESSED if number < 0 else f"{number + 1:,}"

    return (record_in_run, class_in_run), (RECORD, CLASS)


class CompareScreen(Hosted, Modal):
    """Two results side by side, with their figures below."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss_none", "back"),
        Binding("C", "dismiss_none", "compare", show=False),
        Binding("s", "sort", "sort", id="compare.sort"),
        Binding("n", "next", "next", id="compare.next"),
        Binding("f", "figures", "figures", id="compare.figures"),
        Binding("z", "zoom", "zoom", id="compare.zoom"),
    ]

    def __init__(self, rows: PairedRecords, titles: tuple[str, str]) -> None:
        super().__init__()
        self.rows, self._titles = rows, titles
        self.order: RowNumbers = rows.by_difference
        self.shown = next(iter(rows.tables))
        """The title of the table of figures that is shown."""

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(id="verdict")
            yield TwinGrids()
            yield Static(id="one-record")
            yield FigurePanel()
        yield KeyBar()

    def on_mount(self) -> None:
        """Show the records that differ most first; those in files are read when they are seen."""
        self.rows.missed = PageReader(self, self._show_pages, self._show_page_error).missed
        self.query_one(TwinGrids).title(*self._titles)
        self._show_figures()
        self._verdict()
        self._fill(0)
        self.query_one(TwinGrids).left.focus()

    def _show_figures(self) -> None:
        titles = list(self.rows.tables)
        place = f"{titles.index(self.shown) + 1} of {len(titles)}"
        panel = self.query_one(FigurePanel)
        panel.show(self.shown, self.rows.tables[self.shown])
        panel.border_subtitle = f"{place} · f: {self._next_figures()}"

    def _next_figures(self) -> str:
        titles = list(self.rows.tables)
        return titles[(titles.index(self.shown) + 1) % len(titles)]

    def action_figures(self) -> None:
        """Show the next table: figures, attributes, rules."""
        self.shown = self._next_figures()
        self._show_figures()

    def action_zoom(self) -> None:
        toggle_zoom(self)

    def _verdict(self) -> None:
        comparison = self.rows.comparison
        wins = [one.better for one in comparison.figures]
        different = self.rows.different
        text = Text(f"{different:,} of {len(self.order):,} records differ")
        text.append(f" · ◂ better in {wins.count(-1)} figures · ▸ better in {wins.count(1)}")
        if comparison.attributes and different:
            text.append(f" · they differ most in {visible(comparison.attributes[0].name)}")
        self.query_one("#verdict", Static).update(text)

    def _fill(self, row: int) -> None:
        width = self.rows.name_width
        self.query_one(TwinGrids).show(*self.rows.sources(self.order), row, width)

    def _show_pages(self) -> None:
        grids = self.query_one(TwinGrids)
        grids.repaint()
        self._describe_record(grids.row, grids.column)

    def _show_page_error(self, pages: Pages, error: Exception) -> None:
        self.host.fail(error)

    @on(Grid.Moved)
    def moved(self, event: Grid.Moved) -> None:
        self._describe_record(event.row, event.column)

    def _describe_record(self, row: int, column: int) -> None:
        if row < len(self.order):
            line = self.rows.line(self.order, row, column)
            self.query_one("#one-record", Static).update(Text(visible(line)))

    def action_sort(self) -> None:
        """Switch between file order and most different first; the cursor goes to the top."""
        by_file = self.order is self.rows.in_file_order
        self.order = self.rows.by_difference if by_file else self.rows.in_file_order
        self._fill(0)

    def action_next(self) -> None:
        """Go to the next record with a cell that differs."""
        grids = self.query_one(TwinGrids)
        found = self.rows.next_different(self.order, grids.row)
        if found is not None:
            grids.go_to(found)
        else:
            self.notify("no further record differs", timeout=3)

    def action_dismiss_none(self) -> None:
        """Go back from a zoomed pane, then to the result."""
        if self.maximized is not None:
            self.minimize()
        else:
            self.dismiss(None)
