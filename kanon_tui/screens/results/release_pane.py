"""A release that is in its files: paged through, found in, told about row by row.

Beside it stand the records that were read, where rows tell which these are: in the order of the
input, with no record left out. `s` shows them in any case: the records as they were read, and
beside each the row that was written of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from rich.text import Text
from textual import on
from textual.widget import Widget
from textual.worker import get_current_worker

from kanon_tui.core.analysis.why.in_files import class_before, why_attribute, why_row
from kanon_tui.core.analysis.why.reasons import Why
from kanon_tui.core.errors import InputError
from kanon_tui.core.numeric import Int64s
from kanon_tui.core.pipeline.file_result import StreamedResult
from kanon_tui.core.table.pages import Pages
from kanon_tui.core.text import count_of, visible
from kanon_tui.screens.copying import Copyable
from kanon_tui.screens.host import in_a_sentence
from kanon_tui.screens.results.described import Described
from kanon_tui.screens.results.looking_pane import LookingPane, Stop
from kanon_tui.screens.results.open_release import OpenRelease
from kanon_tui.screens.results.release_orders import (
    AS_READ,
    AS_WRITTEN,
    ArrangedRelease,
    ReleaseOrders,
)
from kanon_tui.screens.results.twin_grids import TwinGrids
from kanon_tui.screens.results.wanted_pages import LOOK_AGAIN, WantedPages, read_pages
from kanon_tui.widgets.grid_sources import PagedRows

__all__ = ["ReleasePane"]

NO_CLASS = "this row is of no class: its record is suppressed"


class ReleasePane(LookingPane):
    """The written release, and beside it what was read where that can be told."""

    DEFAULT_CSS = """
    ReleasePane { display: none; }
    """

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id, "find-in-files")
        self.result: StreamedResult | None = None
        self.orders: ReleaseOrders | None = None
        self.arranged: ArrangedRelease | None = None
        """What is shown, in which order."""
        self._asked_order = AS_WRITTEN
        self.only_class: int | None = None
        self.problem = ""
        """What is wrong with the files; said once."""
        self.grids = TwinGrids(alone=True)
        self.grid = self.grids.right
        self._wanted = WantedPages()

    def compose(self) -> Iterable[Widget]:
        yield self.grids
        yield self.finder

    def on_mount(self) -> None:
        """Pages that were painted as waiting are read."""
        self.set_interval(LOOK_AGAIN, self._read_wanted)

    # -- what is shown

    def show(self, result: StreamedResult) -> None:
        """Look over the files in the background, then show the first rows."""
        self.result, self.orders, self.arranged = result, None, None
        self.only_class, self.problem, self._asked_order = None, "", AS_WRITTEN
        self.stop_looking()
        self.entitle("looking over it …")

        def opened(found: OpenRelease) -> None:
            if self.result is result:
                self.orders = ReleaseOrders(found)
                self._arrange(ArrangedRelease(AS_WRITTEN, found))

        def work() -> OpenRelease:
            worker = get_current_worker()
            return OpenRelease.of(result, lambda: worker.is_cancelled)

        self.compute(work, opened, group="pages", failed=self.lost)

    @property
    def open(self) -> OpenRelease | None:
        """What is paged through, once the files are looked over."""
        return None if self.arranged is None else self.arranged.open

    @property
    def pages(self) -> Pages | None:
        """Its rows."""
        return None if self.open is None else self.open.pages

    def _arrange(self, arranged: ArrangedRelease) -> None:
        """Show all rows in an order, from its top."""
        self.arranged, self._asked_order, self.only_class = arranged, arranged.name, None
        self._lay_out(0)

    def _lay_out(self, place: int, numbers: Int64s | None = None) -> None:
        """Show all rows, or those with these numbers, with the cursor at a place among them."""
        assert self.arranged is not None
        shown = self.arranged.rows if numbers is None else numbers
        left, right = self.arranged.open.sources(
            self._wanted.missed, shown, "record" if self._as_read else "row"
        )
        self._wanted.clear()
        self.grids.show(left, right, place, right.name_width)
        if self.grids.alone and self.grids.left.has_focus:
            self.focus_rows()
        self.entitle()
        self._describe()

    def entitle(self, doing: str = "") -> None:
        parts = ["released"]
        if self.arranged is not None and self.arranged.name != AS_WRITTEN:
            parts.append(self.arranged.name)
        if self.only_class is not None:
            parts.append(f"class {self.only_class + 1:,}")
        if self.result is not None and self.result.target is not None:
            parts.append(self.result.target.path.name)
        self.grids.title("original", " · ".join([*parts, *([doing] if doing else [])]))

    def lost(self, error: Exception) -> None:
        """The files are not what was proved: say it once, and show what is in memory."""
        if self._as_read:
            self._lost_before(error)
            return
        said = in_a_sentence(error)
        if said != self.problem:
            self.problem = said
            self.entitle("! its files are not what was proved")
            self.host.show_error("The written release cannot be shown", error)
        self.post_message(Described(Text(visible(said))))

    def _read_wanted(self) -> None:
        """Read the pages that were painted as waiting; a newer wish replaces an older one."""
        opened, wanted = self.open, self._wanted.take()
        if opened is None or self.problem:
            return

        def read(_: object) -> None:
            if self.open is opened:
                self.grids.left.refresh()
                self.grids.right.refresh()
                self._describe()

        for pages, numbers in wanted.items():
            before = pages is opened.before
            self.compute(
                partial(read_pages, pages, numbers),
                read,
                group="page before" if before else "page",
                failed=self._lost_before if before else self.lost,
            )

    def _lost_before(self, error: Exception) -> None:
        """What was read is not there any more; the release still is."""
        if self.open is None or self.open.before is None or self.orders is None:
            return
        row = 0 if self._as_read else self.row
        self._arrange(self.orders.alone())
        self.go_to_record(row)
        self.host.fail(error)

    @property
    def _as_read(self) -> bool:
        """Whether the records are shown in their own order."""
        return self.arranged is not None and self.arranged.name == AS_READ

    def focus_rows(self) -> None:
        (self.grids.right if self.grids.alone else self.grids.left).focus()

    # -- the row under the cursor

    @property
    def row(self) -> int:
        """The row of the release under the cursor."""
        source = self.grid.source
        if not isinstance(source, PagedRows) or not source.height:
            return 0
        return source.number(min(self.grids.row, source.height - 1))

    @property
    def column(self) -> str:
        """The column under the cursor, as the task calls it."""
        return "" if self.result is None else self.result.columns[self.grids.column]

    def _cells(self) -> dict[str, str] | None:
        """The cells under the cursor by their columns in the files; None while they are read."""
        return None if self.open is None else self.open.cells(self.row)

    @on(TwinGrids.Moved)
    def moved(self, event: TwinGrids.Moved) -> None:
        event.stop()
        self._describe()

    def _describe(self) -> None:
        """The row, its class and the whole cell."""
        opened, cells = self.open, self._cells()
        if opened is None or cells is None:
            return
        row, column = self.row, self.column
        text = list(cells.values())[self.grids.column]

        def told(found: tuple[int, int] | None) -> None:
            if (self.row, self.column) != (row, column) or self.open is not opened:
                return
            what = "record" if self._as_read else "row"
            line = f"{what} {row + 1:,} of {opened.pages.height:,}: "
            if found is not None:
                here, size = found
                classes = opened.classes.count
                line += f"class {here + 1:,} of {classes:,}, {count_of(size, 'record')} · "
            shown = Text.assemble(line, (visible(column), "bold"), f" {visible(text)}")
            self.post_message(Described(shown))

        self.compute(lambda: opened.classes.find(cells), told, group="class")

    def copyable(self) -> Copyable | None:
        """What the cursor is on, of the side that has the focus; of a column its page."""
        opened, row, place = self.open, self.row, self.grids.column
        if opened is None or self.result is None:
            return None
        before = opened.before if self.grids.left.has_focus else None
        pages, places = opened.side(before is not None)
        cells = pages.kept_row(row)
        if cells is None:
            return None
        return Copyable(
            self.result.columns,
            self.column,
            lambda: [cells[each] for each in places],
            lambda: pages.page(pages.page_of(row)).to_series(places[place]).to_list(),
        )

    # -- going to a row

    def number_of(self, text: str) -> int:
        """The row with a typed number; raises when the release has none."""
        digits = text.replace(",", "").strip()
        wanted = int(digits) if digits.isdecimal() and digits.isascii() else 0
        height = self.open.pages.height if self.open is not None else 0
        if not 1 <= wanted <= height:
            raise InputError(f"write the number of a row of the release, up to {height:,}")
        return wanted - 1

    def go_to_record(self, row: int) -> None:
        """Show a row among all others."""
        if self.arranged is None:
            return
        place = self.arranged.place_of(row)
        if self.only_class is None:
            self.grids.go_to(place)
        else:
            self.only_class = None
            self._lay_out(place)

    def next_record(self, direction: int) -> None:
        """The next row with what was looked for."""
        if self.looked_for:
            self.find_next(direction)
        else:
            self.host.say("the release is in its files: / finds a text in them, n the next row")

    def next_suppressed(self) -> None:
        """The next row of stars, or record that is left out."""
        opened, result, row = self.open, self.result, self.row
        if opened is None or result is None:
            return
        suppressed = result.measures.suppressed_records
        if suppressed and not self._as_read and result.task.output.suppressed == "drop":
            told = count_of(suppressed, "record is", "records are")
            self.host.say(f"{told} suppressed and not in the files; s shows them {AS_READ}")
            return

        def found(place: int | None) -> None:
            if place is None:
                self.host.say("no record is suppressed")
            else:
                self.go_to_record(place)

        self.look(lambda stop: opened.next_suppressed(row, stop), found, "finding")

    def sort_records(self) -> None:
        """The next order, from its top: who sorts wants to see what comes first."""
        orders = self.orders
        if orders is None or self.looking:
            return
        name = self._asked_order = orders.after(self._asked_order)
        self.look(lambda stop: orders.arranged(name, stop), self._arrange, name, self._no_order)

    def _no_order(self, error: Exception) -> None:
        """What is shown stays, unless the files are not what was proved."""
        try:
            for file in () if self.result is None else self.result.files:
                file.check()
        except InputError as lost:
            self.lost(lost)
        else:
            self.host.fail(error)

    # -- what takes all rows: stopped by escape, and by whatever is looked for next

    def find_next(self, direction: int) -> None:
        """The next row with the text."""
        opened, wanted, row = self.open, self.looked_for, self.row
        if opened is None or not wanted:
            return

        def found(place: int | None) -> None:
            if place is None:
                self.host.say(f"'{visible(wanted)}' is in no row")
            else:
                self.go_to_record(place)

        find = opened.pages.find
        self.look(lambda stop: find(wanted, row, direction, stop), found, "finding")

    def switch_class(self) -> None:
        """Only the rows of the class under the cursor, or all again."""
        opened, cells, row = self.open, self._cells(), self.row
        if self.only_class is not None:
            self.go_to_record(row)
        elif opened is not None and cells is not None:

            def found(answer: tuple[int, Int64s] | None) -> None:
                if answer is None:
                    self.host.say(NO_CLASS)
                    return
                self.only_class, numbers = answer
                self._lay_out(int((numbers < row).sum()), numbers)

            self.look(lambda stop: opened.rows_like(cells, row, stop), found, "its class")

    def ask_before(self, show: Callable[[Why], object]) -> None:
        """What the records of the class under the cursor had before, attribute by attribute."""
        opened, cells, row, result = self.open, self._cells(), self.row, self.result
        if opened is None or cells is None or result is None:
            return

        def look(stop: Stop) -> Why | None:
            found = opened.contents(cells, row, stop)
            return None if found is None else class_before(result, *found)

        def found(why: Why | None) -> None:
            if why is None:
                self.host.say(NO_CLASS)
            else:
                show(why)

        self.look(look, found, "its class")

    # -- why

    @property
    def why_not(self) -> str:
        """Why there is no explanation of the cell under the cursor."""
        return f"{self.column} is no quasi-identifier: published as it is"

    def attribute_question(self, x: int) -> Callable[[], Why] | None:
        """The work that tells how far a quasi-identifier is generalised."""
        result = self.result
        return None if result is None else lambda: why_attribute(result, x)

    def question(self) -> Callable[[], Why] | None:
        """The work that tells of the row under the cursor; None where nothing was generalised."""
        opened, cells, result = self.open, self._cells(), self.result
        if opened is None or cells is None or result is None:
            return None
        names = [attribute.name for attribute in result.task.quasi]
        if self.column not in names:
            return None
        x = names.index(self.column)
        return lambda: why_row(result, opened.classes, cells, x)
