"""The records of a release beside the original ones: page, sort, find, explain, copy."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from rich.text import Text
from textual import events, on
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widget import Widget

from kanon_tui.core.analysis.why.reasons import Explanation
from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.pages import Pages
from kanon_tui.core.pipeline.run import Result
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.text import visible
from kanon_tui.screens.results.release_records import (
    AS_READ,
    Arrangement,
    FileRecords,
    MemoryRecords,
    NoRecordError,
    Stop,
)
from kanon_tui.services.background import cancellation_check
from kanon_tui.services.host import Hosted, PageReader, error_sentence
from kanon_tui.widgets.dialogs import ask_text
from kanon_tui.widgets.grid import Grid, GridSource
from kanon_tui.widgets.grid_sources import CellTable


class TwinGrids(Horizontal):
    """Two grids with equal columns and rows, one cursor and one scroll position."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.left = Grid(id="left")
        self.right = Grid(id="right")

    def compose(self) -> Iterable[Widget]:
        with Vertical(id="left-pane", classes="pane"):
            yield self.left
        with Vertical(classes="pane"):
            yield self.right

    def on_mount(self) -> None:
        """Let one grid follow when the other scrolls, by wheel, bar or cursor."""
        self._tie(self.left, self.right)
        self._tie(self.right, self.left)

    def _tie(self, grid: Grid, other: Grid) -> None:
        def follow() -> None:
            if (other.scroll_x, other.scroll_y) != (grid.scroll_x, grid.scroll_y):
                other.scroll_to(grid.scroll_x, grid.scroll_y, animate=False)

        self.watch(grid, "scroll_y", follow, init=False)
        self.watch(grid, "scroll_x", follow, init=False)

    # -- what is shown

    def title(self, left: str, right: str) -> None:
        """Write the titles of both sides; the texts are shown as they are."""
        for grid, text in ((self.left, left), (self.right, right)):
            assert isinstance(grid.parent, Widget)
            grid.parent.border_title = Text(visible(text))

    def show(self, left: GridSource | None, right: GridSource, row: int) -> None:
        """Show other records, with the cursor on this row and in the column where it was.

        Names of rows are equally wide on both sides. Without a left side the right one has the
        whole width.
        """
        self.set_class(left is None, "-alone")
        for grid, source in ((self.left, left), (self.right, right)):
            if source is not None:
                grid.show(source, keep_cursor=True)
        self.go_to(row)

    def repaint(self) -> None:
        """Draw the rows again, which were read meanwhile."""
        self.left.refresh()
        self.right.refresh()

    def clear(self) -> None:
        """Show an empty right side alone."""
        self.show(None, CellTable([], []), 0)

    @property
    def alone(self) -> bool:
        """Whether only the right side is shown."""
        return self.has_class("-alone")

    # -- the cursor

    @property
    def row(self) -> int:
        return self.leader.row

    @property
    def column(self) -> int:
        return self.leader.column

    @property
    def leader(self) -> Grid:
        """The side whose cursor the other follows."""
        return self.right if self.right.has_focus or self.alone else self.left

    def go_to(self, row: int, column: int | None = None) -> None:
        self.leader.go_to(row, column)

    @on(Grid.Moved)
    def moved(self, event: Grid.Moved) -> None:
        """Move the cursor of the other side as well; moves that this causes are not passed on."""
        leader = self.leader
        if event.grid is not leader:
            event.stop()
            return
        other = self.left if leader is self.right else self.right
        if not self.alone and (other.row, other.column) != (leader.row, leader.column):
            other.go_to(leader.row, leader.column)


T = TypeVar("T")
RecordSource = MemoryRecords | FileRecords
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
        self.source: RecordSource | None = None
        """The records of the result, once they are ready."""
        self.shown = Arrangement("", 0)
        self._all = self.shown
        """All records in the order that is shown, to go back to from a single class."""
        self._asked_order = ""
        self.wanted = ""
        """The text that `n` goes on to find."""
        self.problem = ""
        """What is wrong with the files; shown once."""
        self.is_searching = False
        """Whether escape has something to stop."""
        self._described_width = 0
        self._reader = PageReader(self, self._show_pages, self._show_page_error)
        self.grids = TwinGrids()

    def compose(self) -> Iterable[Widget]:
        yield self.grids

    # -- what is shown

    def show(self, result: FinishedRun) -> None:
        """Show a result; what needs all records is made in the background.

        Keys that come meanwhile are about its records: they wait for a result in memory. The order
        and the record under the cursor stay from one result in memory to the next.
        """
        self.result, self.source, self.problem = result, None, ""
        in_files, order = result.in_files, self._asked_order
        if in_files:
            self.grids.clear()
            self._focus_front_grid()
        self.stop_searching()
        self.set_title("reading the records …")

        def prepare() -> tuple[RecordSource, Arrangement]:
            stop = cancellation_check()
            source = _source_of(result, stop)
            first = order if source.in_memory and order in source.orders else source.orders[0]
            return source, source.arranged(first, stop)

        def prepared(found: tuple[RecordSource, Arrangement]) -> None:
            if self.result is result:
                self.source, shown = found
                self._show_all(shown, self.record if self.source.in_memory else None)

        covers = self if self.screen.is_active and not in_files else None
        self.compute(prepare, prepared, group="rows", failed=self.show_read_error, covers=covers)

    def _show_all(self, arrangement: Arrangement, record: int | None = None) -> None:
        """Show all records in an order, with the cursor on a record or at the top."""
        self._all, self._asked_order = arrangement, arrangement.order
        self._lay_out(arrangement, record)

    def _lay_out(self, arrangement: Arrangement, record: int | None) -> None:
        """Fill both grids, with the cursor on a record if it is shown, else at the top."""
        assert self.source is not None
        self.shown = arrangement
        place = None if record is None else arrangement.place_of(record)
        left, right = self.source.grids(arrangement, self._reader.missed)
        self._reader.clear()
        self.grids.show(left, right, place or 0)
        self._focus_front_grid()
        self.set_title()
        self._describe()

    def set_title(self, doing: str = "") -> None:
        """Write the title: the order, the class, the file, and what is being done."""
        parts = ["released", *(self.source.title(self.shown) if self.source is not None else ())]
        self.grids.title("original", " · ".join([*parts, *([doing] if doing else [])]))

    def focus_rows(self) -> None:
        """Let keys move in the records."""
        (self.grids.right if self.grids.alone else self.grids.left).focus()

    def _focus_front_grid(self) -> None:
        if self.grids.alone and self.grids.left.has_focus:
            self.focus_rows()

    # -- files

    def _show_pages(self) -> None:
        self.grids.repaint()
        self._describe()

    def _show_page_error(self, pages: Pages, error: Exception) -> None:
        """Say which side cannot be read; pages that are no longer shown do not matter."""
        if isinstance(self.source, FileRecords):
            sides = self.source.sides(self.shown)
            if pages is sides.before:
                self._drop_originals(error)
            elif pages is sides.pages:
                self.show_read_error(error)

    def show_read_error(self, error: Exception) -> None:
        """Say once that the files changed; figures and what is in memory stay."""
        if self.result is None or not self.result.in_files:
            self.host.fail(error)
        elif self.source is not None and self.shown.order == AS_READ:
            self._drop_originals(error)
        else:
            sentence = error_sentence(error)
            if sentence != self.problem:
                self.problem = sentence
                self.set_title("! its files have changed")
                self.host.show_error("The written release cannot be shown", error)
            self.post_message(self.Described(Text(visible(sentence))))

    def _drop_originals(self, error: Exception) -> None:
        """Show the release alone: the records that were read have changed."""
        if isinstance(self.source, FileRecords) and not self.grids.alone:
            record = 0 if self.shown.order == AS_READ else self.record
            self._show_all(self.source.without_originals(), record)
            self.host.fail(error)

    # -- the record under the cursor

    @property
    def record(self) -> int:
        """The record under the cursor: its number in the run, or its row in the files."""
        height = self.shown.height
        return self.shown.number(min(self.grids.row, height - 1)) if height else 0

    @property
    def column(self) -> str:
        """The column under the cursor."""
        names = self.source.names if self.source is not None else ()
        return names[min(self.grids.column, len(names) - 1)] if names else ""

    @on(Grid.Moved)
    def moved(self, event: Grid.Moved) -> None:
        event.stop()
        self._describe()

    def on_resize(self, event: events.Resize) -> None:
        """Describe the cell in as many words as fit in another width.

        The description itself changes the height: it must not bring about another one.
        """
        if event.size.width != self._described_width:
            self._described_width = event.size.width
            self._describe()

    def _describe(self) -> None:
        """Post the line about the cell; a reason follows when it is counted."""
        source, shown, cell = self.source, self.shown, (self.record, self.column)
        if source is None or not shown.height:
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

    def ask_before(self, show: Callable[[Explanation], object]) -> None:
        """Find the original values of the class under the cursor, of a release in files."""
        source, shown, record = self.source, self.shown, self.record
        if isinstance(source, FileRecords) and shown.height:
            self._search(lambda stop: source.before(shown, record, stop), show, "its class")

    # -- orders and classes

    def sort_records(self) -> None:
        """Show the next order from its top."""
        source = self.source
        if source is None:
            return
        names = source.orders
        order = self._asked_order = names[(names.index(self._asked_order) + 1) % len(names)]

        self._search(
            lambda stop: source.arranged(order, stop), self._show_all, order, self._no_order
        )

    def _no_order(self, error: Exception) -> None:
        """Keep what is shown, unless the files have changed."""
        try:
            for file in () if self.result is None else self.result.files:
                file.check()
        except InputError as changed:
            self.show_read_error(changed)
        else:
            self.host.fail(error)

    def switch_class(self) -> None:
        """Show only the class of the record under the cursor, or all records again."""
        source, shown, record = self.source, self.shown, self.record
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
            self.grids.go_to(place)

    def next_record(self, direction: int) -> None:
        """Go to the next record with the text, else to the next that changed in this column."""
        source = self.source
        if self.wanted:
            self.find_next(direction)
        elif source is not None:
            column, place = self.column, self.grids.row
            self._go_to_next(lambda: source.next_changed(self.shown, place, column, direction))

    def next_suppressed(self) -> None:
        """Go to the next suppressed record."""
        source, shown, place = self.source, self.shown, self.grids.row
        if source is None or not shown.height:
            return
        if source.in_memory:
            self._go_to_next(lambda: source.next_suppressed(shown, place, lambda: False))
        else:
            self._search(
                lambda stop: source.next_suppressed(shown, place, stop),
                self._go_to_shown,
                "finding",
            )

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
        source, shown, text, place = self.source, self.shown, self.wanted, self.grids.row
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
        done: Callable[[T], Any],
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
                (failed or self.show_read_error)(error)

        self.compute(
            lambda: work(cancellation_check()), partial(answered, done),
            group=SEARCH, failed=partial(answered, show_failure),
        )  # fmt: skip


def _source_of(result: FinishedRun, stop: Stop) -> RecordSource:
    """Return the records of a result, in memory or in files."""
    if result.in_files:
        return FileRecords(result, stop)
    assert isinstance(result, Result)
    return MemoryRecords(result)
