"""Two results side by side: the same records as either publishes them, and every figure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from rich.cells import cell_len
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from kanon_tui.core.analysis.compare import Comparison, StreamedComparison
from kanon_tui.core.numeric import Flags
from kanon_tui.core.pipeline.pages import LEFT_OUT, PublishedPages
from kanon_tui.core.text import visible
from kanon_tui.screens.base import toggle_zoom
from kanon_tui.screens.results.figures import FigurePanel, comparison_tables
from kanon_tui.screens.results.memory_records import (
    CHANGED,
    CLASS,
    RECORD,
    SAME,
    SAMPLE,
    MemoryRecords,
    marked_column,
)
from kanon_tui.screens.results.record_source import Missed
from kanon_tui.screens.results.twin_grids import LOOK_AGAIN, TwinGrids, WantedPages, read_pages
from kanon_tui.services.host import Hosted
from kanon_tui.widgets.dialogs import Modal
from kanon_tui.widgets.grid import Cell, GridColumn
from kanon_tui.widgets.grid_sources import MOST_SEEN, WAITING, RowNumbers, RowSource
from kanon_tui.widgets.key_bar import KeyBar

__all__ = ["CompareScreen", "PairedFiles", "PairedMemory", "PairedRecords"]


class PairedRecords(ABC):
    """The records of two releases, row by row the same one; made in a background thread."""

    names: Sequence[str]
    columns: Sequence[GridColumn]
    name_width: int
    """Width of the numbers beside the rows."""
    titles = (RECORD, RECORD)
    """What the numbers beside the rows count, left and right."""
    in_file_order: RowNumbers
    by_difference: RowNumbers
    differs: Flags
    """By number of a record whether the two publish it differently."""

    def __init__(self, comparison: Comparison | StreamedComparison) -> None:
        self.comparison = comparison
        self.tables = comparison_tables(comparison)
        self.missed: Missed = lambda pages, page: None
        """Called with a page that is shown and not in memory."""

    @abstractmethod
    def texts(self, record: int) -> Sequence[Sequence[str]] | None:
        """Return a record as the left and the right release and the original have it.

        None while it is being read; a record that is left out has `LEFT_OUT` in every cell.
        """

    @abstractmethod
    def number(self, record: int) -> int:
        """Return the number of a record as screen 1 counts."""

    def row_name(self, side: int, record: int) -> str:
        """Return the number beside a row."""
        return f"{self.number(record):,}"

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
            return self.row_name(side, int(order[row]))

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
        return f"record {self.number(record):,}: {name} {original} → ◂ {first}   ▸ {second}"

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


class PairedMemory(PairedRecords):
    """Two releases in memory; records are counted among those both runs worked on."""

    titles = (RECORD, CLASS)

    def __init__(self, comparison: Comparison) -> None:
        super().__init__(comparison)
        self._sides = (MemoryRecords(comparison.first), MemoryRecords(comparison.second))
        self._records = comparison.records
        self.names = [name for name in self._sides[0].names if name in self._sides[1].names]
        self.columns = [
            marked_column(name, max(side.widest(name) for side in self._sides))
            for name in self.names
        ]
        self.name_width = self._sides[0].name_width
        count = len(self._records[0])
        self.in_file_order, self.by_difference = np.arange(count), comparison.most_different
        none = np.zeros(count, dtype=bool)
        self.differs = np.logical_or.reduce([none, *comparison.differs.values()])

    def number(self, record: int) -> int:
        return int(self._sides[0].numbers[self._records[0][record]])

    def row_name(self, side: int, record: int) -> str:
        rows, number = self._sides[side], int(self._records[side][record])
        return rows.class_name(number) if side else rows.record_name(number)

    def texts(self, record: int) -> Sequence[Sequence[str]]:
        released = [
            [LEFT_OUT if rows.left_out(number) else rows.text(name, number) for name in self.names]
            for rows, number in (
                (rows, int(records[record]))
                for rows, records in zip(self._sides, self._records, strict=True)
            )
        ]
        first = int(self._records[0][record])
        return *released, [self._sides[0].original_text(name, first) for name in self.names]


class PairedFiles(PairedRecords):
    """Two releases in files, page by page; records are counted as in the data."""

    def __init__(self, comparison: StreamedComparison) -> None:
        super().__init__(comparison)
        results, before = (comparison.first, comparison.second), comparison.before
        self.names = [name for name in results[0].columns if name in results[1].columns]
        columns = (*(one.columns for one in results), before.source.names)
        pages = [
            PublishedPages(result, before, result.columns, rows)
            for result, rows in zip(results, comparison.rows, strict=True)
        ]
        places = [[own.index(name) for name in self.names] for own in columns]
        self._sides = list(zip((*pages, before), places, strict=True))
        """Pages of both releases and of the original, and the places of `names` in them."""
        self.columns = [self._column(column) for column in range(len(self.names))]
        self.name_width = max(len(f"{before.height:,}") + 2, len(RECORD) + 1)
        self.in_file_order = comparison.in_file_order
        self.by_difference: RowNumbers = comparison.most_different
        self.differs = comparison.differs
        self._seen: dict[int, Sequence[Sequence[str]]] = {}
        """Records on the screen may be on more pages than are kept, so those seen are kept too."""

    def _column(self, column: int) -> GridColumn:
        """Return a column that fits the first records of either release."""
        texts: list[str] = []
        for pages, places in self._sides[:2]:
            texts += pages.page(0).head(SAMPLE).to_series(places[column]).to_list()
        widest = max((cell_len(visible(text)) for text in texts), default=1)
        return marked_column(self.names[column], widest)

    def number(self, record: int) -> int:
        return record + 1

    def texts(self, record: int) -> Sequence[Sequence[str]] | None:
        if record in self._seen:
            return self._seen[record]
        found = []
        for pages, places in self._sides:
            row = pages.kept_row(record)
            if row is None:
                self.missed(pages, pages.page_of(record))
            else:
                found.append([row[place] for place in places])
        if len(found) < len(self._sides):
            return None
        if len(self._seen) >= MOST_SEEN:
            self._seen.clear()
        self._seen[record] = found
        return found


class CompareScreen(Hosted, Modal):
    """Two results side by side, with their figures below."""

    HELP = """## Compare two results

The same records as the left and the right result publish them; `•` marks cells that differ. Below,
every figure of both: *◂ better* and *▸ better* point to the side that did better. `f` goes on to
the attributes, those that differ most first, and to the rules with the share of records that keep
them.

`s` sorts the records by how much they differ, `n` goes to the next that differs, `tab` goes from
pane to pane, `z` enlarges one, `esc` goes back.

Example: press `f` to see in which attribute the two differ most, then move to its column above and
press `n`.
"""
    DEFAULT_CSS = """
    CompareScreen { background: $background; }
    CompareScreen #verdict { height: auto; padding: 0 1; }
    CompareScreen FigurePanel { height: 45%; border-subtitle-color: $text-muted; }
    CompareScreen #one-record { height: auto; max-height: 2; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss_none", "back", key_display="esc"),
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
        self._wanted = WantedPages()
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
        self.rows.missed = self._wanted.missed
        self.set_interval(LOOK_AGAIN, self._read_wanted)
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

    def _read_wanted(self) -> None:
        grids = self.query_one(TwinGrids)

        def read(_: object) -> None:
            grids.left.refresh()
            grids.right.refresh()
            self._tell(grids.row, grids.column)

        wanted = self._wanted.take()
        if wanted:

            def work() -> None:
                for pages, numbers in wanted.items():
                    read_pages(pages, numbers)

            self.compute(work, read, group="pages")

    @on(TwinGrids.Moved)
    def moved(self, event: TwinGrids.Moved) -> None:
        self._tell(event.row, event.column)

    def _tell(self, row: int, column: int) -> None:
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
