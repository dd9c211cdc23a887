"""The records of a release beside the original ones: page, sort, find, explain, copy."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from rich.text import Text
from textual import events, on
from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget

from kanon_tui.core.analysis.why.reasons import Explanation
from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.pages import Pages
from kanon_tui.core.pipeline.run import Result
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.text import visible
from kanon_tui.screens.results.headings import WITH_BAR, WITHOUT_BAR
from kanon_tui.screens.results.record_views import (
    CLASSES,
    PAIRS,
    TABLES,
    VIEWS,
    ClassRows,
    PairRows,
    RecordsView,
    tables,
)
from kanon_tui.screens.results.release_records import (
    FILE_ORDER,
    Arrangement,
    NoRecordError,
    ReleaseRows,
    ResultRecords,
    Stop,
)
from kanon_tui.screens.results.twin_grids import TwinGrids, write_title
from kanon_tui.services.background import cancellation_check
from kanon_tui.services.host import Hosted, PageReader
from kanon_tui.widgets.dialogs import ask_text
from kanon_tui.widgets.grid import Grid
from kanon_tui.widgets.grid_sources import PagedRows

T = TypeVar("T")
WIDE = 100
"""Columns of a terminal from which on pairs are shown unless another view was chosen."""
SEARCH = "search"
"""The group of the work through all records."""


class RecordsPane(Hosted, Vertical):
    """Both grids with the cursor on one record, and a line to find a text."""

    @dataclass
    class Described(Message):
        """A line about the cell under the cursor."""

        text: Text

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.result: FinishedRun | None = None
        self.source: ResultRecords | None = None
        """The records of the result, once they are ready."""
        self.shown = Arrangement("", 0)
        self._all = self.shown
        """All records in the order that is shown, to go back to from a single class."""
        self._asked_order = ""
        self.wanted = ""
        """The text that `n` goes on to find."""
        """What is wrong with the files; shown once."""
        self.is_searching = False
        """Whether escape has something to stop."""
        self._described_width = 0
        self._reader = PageReader(self, self._show_pages, self._show_page_error)
        self._view = ""
        self.grids = TwinGrids()
        """Original and release as two tables."""
        self.table = Grid(id="table")
        """Original and release in one table."""
        self.sides: tuple[ReleaseRows | None, ReleaseRows] | None = None
        """Original and release with all columns."""

    def compose(self) -> Iterable[Widget]:
        with Vertical(id="table-pane", classes="pane"):
            yield self.table
        yield self.grids

    # -- the view

    @property
    def _size_class(self) -> str:
        return "wide" if self.screen.size.width >= WIDE else "narrow"

    @property
    def view(self) -> str:
        """The view that was chosen for terminals of this size, or the one that suits it."""
        chosen = self.host.chosen_views.view(self._size_class)
        view = chosen if chosen in VIEWS else {"wide": PAIRS, "narrow": CLASSES}[self._size_class]
        return view if view in self.possible_views else PAIRS

    @property
    def possible_views(self) -> Sequence[str]:
        """The views that the records can be shown in."""
        return VIEWS

    def next_view(self) -> None:
        """Show the next view of the same records, and remember it for this size."""
        views = self.possible_views
        view = views[(views.index(self.view) + 1) % len(views)]
        self.host.choose_view(self._size_class, view)
        self._show_view()

    def _show_view(self) -> None:
        """Show the records in the view that is chosen now, with the cursor where it was."""
        source = self.source
        if source is None or self.view == self._view:
            return
        order = self._order_in_view(source)
        if self.shown.only_class is None and order != self.shown.order:
            record = self.record
            self._search(
                lambda stop: source.arranged(order, stop),
                lambda arrangement: self._show_all(arrangement, record),
                order,
            )
        else:
            self._lay_out(self.shown, self.record)

    def _order_in_view(self, source: ResultRecords) -> str:
        """Return the order that was asked for, or one in which classes are together."""
        orders = self._orders_in_view(source)
        return self._asked_order if self._asked_order in orders else orders[0]

    def _orders_in_view(self, source: ResultRecords) -> Sequence[str]:
        if self.view == CLASSES:
            return [order for order in source.orders if order != FILE_ORDER]
        return source.orders

    @property
    def front(self) -> Grid:
        """The grid whose cursor counts."""
        return self.grids.leader if self._view == TABLES else self.table

    # -- what is shown

    def show(self, result: FinishedRun) -> None:
        """Show a result; what needs all records is made in the background.

        Keys that come meanwhile are about its records: they wait for a result in memory. The order
        and the record under the cursor stay from one result in memory to the next.
        """
        self.result = result
        self.source = None
        self.stop_searching()
        self.set_title("reading the records …")

        def prepare() -> tuple[ResultRecords, Arrangement]:
            stop = cancellation_check()
            assert isinstance(result, Result)
            source = ResultRecords(result)
            return source, source.arranged(self._order_in_view(source), stop)

        def prepared(made: tuple[ResultRecords, Arrangement]) -> None:
            if self.result is result:
                self.source, arrangement = made
                self._show_all(arrangement, self.record if self.shown.height else None)
                self._show_view()

        covers = self if self.screen.is_active else None
        self.compute(prepare, prepared, group="rows", failed=self.host.fail, covers=covers)

    def _show_all(self, arrangement: Arrangement, record: int | None = None) -> None:
        """Show all records in an order, with the cursor on a record or at the top."""
        self._all = arrangement
        self._lay_out(arrangement, record)

    def _lay_out(self, arrangement: Arrangement, record: int | None) -> None:
        """Fill the grids in front, with the cursor on a record if it is shown, else at the top."""
        source = self.source
        assert source is not None
        column = self.column
        had_focus = self.front.has_focus
        self._view = self.view
        self.shown = arrangement
        self.set_class(self._view == TABLES, "-tables")
        place = (None if record is None else arrangement.place_of(record)) or 0
        missed = self._reader.missed
        self._reader.clear()
        before = source.rows_before(arrangement, missed, source.columns)
        after = source.rows_after(arrangement, missed, source.columns)
        self.sides = before, after
        if self._view == TABLES:
            left, right = tables(source, arrangement, missed)
            self.grids.show(left, right, place)
        else:
            self._show_table(source, place)
        self._focus_front_grid()
        if had_focus and not self.front.has_focus:
            self.focus_rows()
        if column in self.front.column_names:
            self.front.go_to(self.front.row, self.front.column_names.index(column))
        self.set_title()
        self._describe()

    def _show_table(self, source: ResultRecords, place: int) -> None:
        """Show pairs or classes."""
        assert self.sides is not None
        before, after = self.sides
        rows: RecordsView = PairRows(source, self.shown, before, after)
        if self._view == CLASSES and before is not None:
            rows = ClassRows(source, self.shown, before, after)
        self.table.show(rows, keep_cursor=True)
        row = rows.row_at(place)
        at_top = self._view == CLASSES and place == 0
        self.table.go_to(0 if at_top else row)

    @property
    def tables_to_copy(self) -> dict[str, PagedRows]:
        """The side that has the focus, or both with a word for each."""
        if self._view == TABLES and isinstance(self.front.source, PagedRows):
            return {"": self.front.source}
        if self.sides is None:
            return {}
        before, after = self.sides
        if before is None:
            return {"": after}
        return {"released ": after, "original ": before}

    @property
    def place(self) -> int:
        """The place in the arrangement that the cursor is on."""
        rows = self.table.source
        if self._view == TABLES or not isinstance(rows, RecordsView):
            return self.front.row
        return rows.place(self.table.row)

    def _go_to_place(self, place: int) -> None:
        rows = self.table.source
        if self._view == TABLES or not isinstance(rows, RecordsView):
            self.grids.go_to(place)
        else:
            self.table.go_to(rows.row_at(place))

    def set_title(self, doing: str = "") -> None:
        """Write the title: the sum of kept and lost, the order, the class, and what is done."""
        parts = []
        short = []
        long = []
        if self.source is not None:
            parts = [Text(visible(part)) for part in self.source.title(self.shown)]
            short = [self.source.headings.sum(self, WITHOUT_BAR)]
            long = [self.source.headings.sum(self, WITH_BAR)]
        working = [Text(visible(doing))] if doing else []
        dot = Text(" · ")
        one_table = [Text(self._view or "released"), *long, *parts, *working]
        write_title(self.table, dot.join(one_table))
        if self.grids.alone:
            self.grids.title(Text(""), dot.join([Text("released"), *short, *parts, *working]))
        else:
            left = dot.join([Text("original"), *parts])
            self.grids.title(left, dot.join([Text("released"), *short, *working]))

    def focus_rows(self) -> None:
        """Let keys move in the records."""
        if self._view != TABLES:
            self.table.focus()
        else:
            (self.grids.right if self.grids.alone else self.grids.left).focus()

    def _focus_front_grid(self) -> None:
        """Take the focus from a grid that is no longer shown."""
        hidden = [self.table]
        if self._view != TABLES:
            hidden = [self.grids.left, self.grids.right]
        elif self.grids.alone:
            hidden = [self.table, self.grids.left]
        if any(grid.has_focus for grid in hidden):
            self.focus_rows()

    # -- pages

    def _show_pages(self) -> None:
        self.grids.repaint()
        self.table.refresh()
        self._describe()

    def _show_page_error(self, pages: Pages, error: Exception) -> None:
        """Say that a page could not be made."""
        self.host.fail(error)

    # -- the record under the cursor

    @property
    def record(self) -> int:
        """The record under the cursor: its number in the run."""
        height = self.shown.height
        return self.shown.number(min(self.place, height - 1)) if height else 0

    @property
    def column(self) -> str:
        """The column under the cursor."""
        return self.front.column_name

    @on(Grid.Moved)
    def moved(self, event: Grid.Moved) -> None:
        event.stop()
        self._describe()

    def on_resize(self, event: events.Resize) -> None:
        """Show the view that suits another width, and describe the cell in as many words as fit.

        The description itself changes the height: it must not bring about another one.
        """
        if event.size.width != self._described_width:
            self._described_width = event.size.width
            self._show_view()
            self._describe()

    def _describe(self) -> None:
        """Post the line about the cell; a reason follows when it is counted."""
        source = self.source
        shown = self.shown
        cell = (self.record, self.column)
        if source is None or not shown.height:
            return
        rows = self.table.source
        if self._view != TABLES and isinstance(rows, RecordsView):
            description = rows.description(self.table.row, self.column)
            if description is not None:
                self.workers.cancel_group(self, "because")
                self.post_message(self.Described(description))
                return
        text, work = source.describe(shown, *cell, self)
        if text is not None:
            self.post_message(self.Described(text))

        def complete(text: Text) -> None:
            if (self.record, self.column) == cell and self.shown is shown:
                self.post_message(self.Described(text))

        if work is not None:
            self.compute(work, complete, group="because")

    def question(self) -> Callable[[], Explanation] | None:
        """Return the work that explains the cell; None where nothing was generalised."""
        if self.source is None or not self.shown.height:
            return None
        return self.source.question(self.shown, self.record, self.column)

    def attribute_question(self, x: int) -> Callable[[], Explanation] | None:
        """Return the work that explains a quasi-identifier over the whole table."""
        return None if self.source is None else self.source.attribute_question(x)

    # -- orders and classes

    def sort_records(self) -> None:
        """Show the next order from its top."""
        source = self.source
        if source is None:
            return
        names = self._orders_in_view(source)
        order = names[(names.index(self._order_in_view(source)) + 1) % len(names)]
        self._asked_order = order

        self._search(lambda stop: source.arranged(order, stop), self._show_all, order)

    def switch_class(self) -> None:
        """Show only the class of the record under the cursor, or all records again."""
        source = self.source
        shown = self.shown
        record = self.record
        if source is None or not shown.height:
            return
        if shown.only_class is not None:
            self.go_to_record(record)
            return

        def found(arrangement: Arrangement) -> None:
            self._lay_out(arrangement, record)

        self._search(lambda stop: source.class_of(shown, record, stop), found, "its class")

    # -- going to a record

    def number_of(self, text: str) -> int:
        """Return the record with a typed number; raises InputError if there is none."""
        if self.source is None:
            raise InputError("the records are still being read; try again in a moment")
        return self.source.number_of(self.shown, text)

    def ask_number(self) -> None:
        """Ask for a record number, as screen 1 counts."""
        ask_text(self, "Go to record", self.go_to_record, self.number_of)

    def go_to_record(self, record: int) -> None:
        """Show a record among all others."""
        if self.source is not None and self.shown is not self._all:
            self._lay_out(self._all, record)
        elif self.source is not None:
            self._go_to_shown(record)

    def _go_to_shown(self, record: int) -> None:
        """Go to a record; one that is not of the class that is shown alone is shown among all."""
        place = self.shown.place_of(record)
        if place is None:
            self.go_to_record(record)
        else:
            self._go_to_place(place)

    def next_record(self, direction: int) -> None:
        """Go to the next record with the text, else to the next that changed in this column."""
        source = self.source
        if self.wanted:
            self.find_next(direction)
        elif source is not None:
            column = self.column
            place = self.place
            self._go_to_next(lambda: source.next_changed(self.shown, place, column, direction))

    def next_suppressed(self) -> None:
        """Go to the next suppressed record."""
        source = self.source
        shown = self.shown
        place = self.place
        if source is None or not shown.height:
            return
        self._go_to_next(lambda: source.next_suppressed(shown, place, lambda: False))

    def _go_to_next(self, find: Callable[[], int]) -> None:
        """Go to a record that is found at once, so that keys in quick succession all count."""
        try:
            self._go_to_shown(find())
        except NoRecordError as error:
            self.host.notify(error.on_screen)

    # -- finding a text

    def ask_find(self) -> None:
        """Ask for a text and go to the next record with it."""

        def take(text: str) -> None:
            self.wanted = text
            self.find_next(1)

        ask_text(self, "Find a text in all cells", take, str, self.wanted)

    def find_next(self, direction: int) -> None:
        """Go to the next record with the text that was looked for."""
        source = self.source
        shown = self.shown
        text = self.wanted
        place = self.place
        if source is not None and text and shown.height:
            self._search(
                lambda stop: source.find(shown, place, text, direction, stop),
                self._go_to_shown,
                "finding",
            )

    # -- work through all records: stopped by escape, and by the next such work

    def stop_searching(self) -> None:
        """Let the work through all records end soon; its answer is dropped."""
        self.is_searching = False
        self.workers.cancel_group(self, SEARCH)
        self.set_title()

    def _search(
        self,
        work: Callable[[Stop], T],
        take_answer: Callable[[T], Any],
        doing: str,
        failed: Callable[[Exception], Any] | None = None,
    ) -> None:
        """Work through all records in the background; a newer call replaces an older one."""
        self.is_searching = True
        self.set_title(f"{doing} … esc stops")

        def answered(callback: Callable[[Any], Any], answer: Any) -> None:
            self.is_searching = False
            self.set_title()
            callback(answer)

        def show_failure(error: Exception) -> None:
            if isinstance(error, NoRecordError):
                self.host.notify(error.on_screen)
            else:
                (failed or self.host.fail)(error)

        self.compute(
            lambda: work(cancellation_check()), partial(answered, take_answer),
            group=SEARCH, failed=partial(answered, show_failure),
        )  # fmt: skip
