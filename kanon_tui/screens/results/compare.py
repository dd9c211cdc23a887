"""Two results side by side: the same records as either publishes them, and every figure."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from kanon_tui.core.analysis.compare import Comparison
from kanon_tui.core.text import visible
from kanon_tui.screens.base import toggle_zoom
from kanon_tui.screens.host import Hosted
from kanon_tui.screens.results.figure_panel import FigurePanel
from kanon_tui.screens.results.figure_tables import comparison_tables
from kanon_tui.screens.results.paired_pages import PairedPages
from kanon_tui.screens.results.record_rows import (
    CHANGED,
    CLASS,
    RECORD,
    SAME,
    RecordRows,
    shared_columns,
)
from kanon_tui.screens.results.twin_grids import TwinGrids
from kanon_tui.screens.results.wanted_pages import LOOK_AGAIN, WantedPages, read_pages
from kanon_tui.widgets.dialogs import Modal
from kanon_tui.widgets.grid import Cell
from kanon_tui.widgets.grid_sources import RowNumbers, RowSource
from kanon_tui.widgets.key_bar import KeyBar

__all__ = ["CompareScreen", "PairedRows"]


class PairedRows:
    """The records of two results, row by row the same one; made in a background thread."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        self.sides = (RecordRows(comparison.first), RecordRows(comparison.second))
        self.names = [name for name in self.sides[0].names if name in self.sides[1].names]
        self.columns = shared_columns(self.names, *self.sides)
        every = np.zeros(len(comparison.records[0]), dtype=bool)
        self.in_file_order: RowNumbers = np.arange(len(comparison.records[0]))
        self.differs = np.logical_or.reduce([every, *comparison.differs.values()])
        """Which of the common records are published otherwise in any column."""
        self.by_difference: RowNumbers = comparison.most_different
        self.tables = comparison_tables(comparison)

    @property
    def different(self) -> int:
        """How many records the two publish otherwise."""
        return int(self.differs.sum())

    @property
    def name_width(self) -> int:
        """Room for the numbers beside the rows."""
        return self.sides[0].name_width

    def line(self, order: RowNumbers, row: int, column: int) -> str:
        """The whole cell of the original and of both sides."""
        place = int(order[row])
        records = [int(side[place]) for side in self.comparison.records]
        name = self.names[column]
        first, second = (
            "suppressed" if rows.suppressed[record] else rows.text(name, record)
            for rows, record in zip(self.sides, records, strict=True)
        )
        before = self.sides[0].original[name][records[0]]
        number = self.sides[0].numbers[records[0]]
        return f"record {number:,}: {name} {before} → ◂ {first}   ▸ {second}"

    def next_different(self, order: RowNumbers, row: int) -> int | None:
        """The next row below with a cell that differs."""
        later = np.flatnonzero(self.differs[np.asarray(order)[row + 1 :]])
        return row + 1 + int(later[0]) if len(later) else None

    def sources(self, order: RowNumbers) -> tuple[RowSource, RowSource]:
        """Both sides in an order of the common records."""
        left, right = (self._source(side, order) for side in (0, 1))
        return left, right

    def _source(self, side: int, order: RowNumbers) -> RowSource:
        rows, records = self.sides[side], self.comparison.records[side]

        def cells(row: int) -> list[Cell]:
            place, record = int(order[row]), int(records[order[row]])
            if rows.suppressed[record]:
                shown = dict(zip(rows.names, rows.published_cells(record), strict=True))
                return [shown[name] for name in self.names]
            return [self._cell(rows.text(name, record), name, place) for name in self.names]

        name, title = ((rows.record_name, RECORD), (rows.class_name, CLASS))[side]
        return RowSource(
            self.columns, len(order), cells, lambda row: name(int(records[order[row]])), title
        )

    def _cell(self, text: str, name: str, place: int) -> Cell:
        flags = self.comparison.differs.get(name)
        differs = flags is not None and bool(flags[place])
        return Cell((CHANGED if differs else SAME) + text, "changed" if differs else "")


class CompareScreen(Hosted, Modal):
    """Left the one result, right the other."""

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

    def __init__(self, rows: PairedRows | PairedPages, titles: tuple[str, str]) -> None:
        super().__init__()
        self.rows, self._titles = rows, titles
        self.order: RowNumbers = rows.by_difference
        self._wanted = WantedPages()
        self.shown = next(iter(rows.tables))
        """Which table of figures is shown."""

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(id="verdict")
            yield TwinGrids()
            yield Static(id="one-record")
            yield FigurePanel()
        yield KeyBar()

    def on_mount(self) -> None:
        """Records that differ most come first; those in files are read when they are seen."""
        if isinstance(self.rows, PairedPages):
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
        """The next table: figures, attributes, rules."""
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
        """The whole cell of the original and of both sides."""
        self._tell(event.row, event.column)

    def _tell(self, row: int, column: int) -> None:
        if row < len(self.order):
            line = self.rows.line(self.order, row, column)
            self.query_one("#one-record", Static).update(Text(visible(line)))

    def action_sort(self) -> None:
        """File order, or those that differ most first; the cursor goes to the top."""
        by_file = self.order is self.rows.in_file_order
        self.order = self.rows.by_difference if by_file else self.rows.in_file_order
        self._fill(0)

    def action_next(self) -> None:
        """The next record with a cell that differs."""
        grids = self.query_one(TwinGrids)
        found = self.rows.next_different(self.order, grids.row)
        if found is not None:
            grids.go_to(found)
        else:
            self.notify("no further record differs", timeout=3)

    def action_dismiss_none(self) -> None:
        """Back from a zoomed pane, then to the result."""
        if self.maximized is not None:
            self.minimize()
        else:
            self.dismiss(None)
