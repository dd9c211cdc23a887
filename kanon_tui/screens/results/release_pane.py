"""A release that is in its files: paged through, found in, told about row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual import on
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Input
from textual.worker import get_current_worker

from kanon_tui.core.analysis.classes_by_cells import ClassesByCells
from kanon_tui.core.analysis.why.reasons import Reasons, Why
from kanon_tui.core.engine.release_pages import ReleasePages
from kanon_tui.core.engine.result import StreamedResult
from kanon_tui.core.errors import InputError
from kanon_tui.core.text import count_of, visible
from kanon_tui.screens.copying import Copyable
from kanon_tui.screens.host import Hosted, in_a_sentence
from kanon_tui.screens.results.described import Described
from kanon_tui.widgets.column_layout import up_to
from kanon_tui.widgets.grid import Cell, Grid, GridColumn, printable

__all__ = ["ReleasePane"]

WIDEST = 24
SAMPLE = 300
WAITING = "…"


class PagedRows:
    """What the grid shows: rows of pages that are in memory; others are asked for."""

    name_title = "row"

    def __init__(self, pages: ReleasePages, columns: Sequence[GridColumn]) -> None:
        self.pages, self.columns, self.height = pages, columns, pages.height
        self.wanted: int | None = None
        """The page that was looked for last and is not in memory."""

    def rows(self, start: int, stop: int) -> Sequence[Sequence[Cell]]:
        """The cells of these rows, or marks of waiting."""
        return [self._cells(row) for row in range(start, stop)]

    def _cells(self, row: int) -> list[Cell]:
        number = self.pages.page_of(row)
        page = self.pages.kept(number)
        if page is None:
            self.wanted = number
            return [Cell(WAITING, "muted") for _ in self.columns]
        return [Cell(text or "·") for text in page.row(row % self.pages.page_rows)]

    def row_name(self, row: int) -> str:
        """The number of the row, counted from 1."""
        return f"{row + 1:,}"


class ReleasePane(Hosted, Vertical):
    """The written release in one grid."""

    DEFAULT_CSS = """
    ReleasePane { width: 1fr; height: 1fr; display: none; }
    ReleasePane #find-in-files { display: none; height: 1; border: none; padding: 0 1; }
    """
    LOOK_AGAIN: ClassVar[float] = 1 / 20
    """Seconds between two looks at which page is wanted."""
    reasons: Reasons | None = None
    only_class: int | None = None
    NOT_HERE = "the release is in its files and shown as they have it; {what}"

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id, classes="pane")
        self.result: StreamedResult | None = None
        self.pages: ReleasePages | None = None
        self.classes_by_cells: ClassesByCells | None = None
        self.looked_for = ""
        self.problem = ""
        """What is wrong with the files; said once."""
        self.grid = Grid(id="written")
        self.finder = Input(placeholder="find …", id="find-in-files", compact=True)

    def compose(self) -> Iterable[Widget]:
        yield self.grid
        yield self.finder

    def on_mount(self) -> None:
        """Pages that were painted as waiting are read."""
        self.set_interval(self.LOOK_AGAIN, self._read_wanted)

    # -- what is shown

    def show(self, result: StreamedResult) -> None:
        """Look over the files in the background, then show the first rows."""
        self.result, self.pages, self.classes_by_cells, self.problem = result, None, None, ""
        name = visible(result.target.path.name) if result.target else ""
        self.border_title = Text(f"released · {name} · looking over it …")

        def opened(found: tuple[ReleasePages, ClassesByCells]) -> None:
            if self.result is result:
                self.pages, self.classes_by_cells = found
                self.border_title = Text(f"released · {name}")
                width = max(len(f"{self.pages.height:,}") + 1, 5)
                self.grid.show(PagedRows(self.pages, self._columns(self.pages)), name_width=width)
                self.grid.go_to(0)

        def work() -> tuple[ReleasePages, ClassesByCells]:
            worker = get_current_worker()
            pages = ReleasePages(result, stop=lambda: worker.is_cancelled)
            pages.page(0)
            return pages, ClassesByCells(result)

        self.compute(work, opened, group="pages", failed=self._lost)

    def _columns(self, pages: ReleasePages) -> list[GridColumn]:
        head = pages.page(0).head(SAMPLE)
        found = []
        for name in pages.names:
            some = [*head[name], *self._labels(name)]
            widest = max((cell_len(printable(text)) for text in some), default=1)
            title = printable(name)
            found.append(up_to(WIDEST, title, max(cell_len(title), widest)))
        return found

    def _labels(self, name: str) -> Sequence[str]:
        """Some of what is published of a quasi-identifier, from all over: pages differ."""
        result = self.result
        assert result is not None
        for attribute, cells in zip(result.task.quasi, result.release.cells, strict=True):
            if attribute.name == name:
                return cells.texts[:: max(len(cells.texts) // SAMPLE, 1)]
        return ()

    def _lost(self, error: Exception) -> None:
        """The files are not what was proved: say it once, and show what is in memory."""
        said = in_a_sentence(error)
        if said != self.problem:
            self.problem = said
            self.border_title = Text("released · ! its files are not what was proved")
            self.host.show_error("The written release cannot be shown", error)
        self.post_message(Described(Text(printable(said))))

    def _read_wanted(self) -> None:
        """Read the page that was painted as waiting; a newer wish replaces an older one."""
        source, result = self.grid.source, self.result
        if not isinstance(source, PagedRows) or source.wanted is None or self.problem:
            return
        wanted, source.wanted = source.wanted, None

        def read(_: object) -> None:
            if self.result is result:
                self.grid.refresh()
                self._describe()

        self.compute(lambda: source.pages.page(wanted), read, group="page", failed=self._lost)

    def focus_rows(self) -> None:
        self.grid.focus()

    # -- the row under the cursor

    @property
    def column(self) -> str:
        """The name of the column under the cursor."""
        return self.pages.names[self.grid.column] if self.pages is not None else ""

    def _row(self) -> tuple[str, ...] | None:
        """The cells under the cursor; None while their page is read."""
        if self.pages is None or not self.pages.height:
            return None
        page = self.pages.kept(self.pages.page_of(self.grid.row))
        return None if page is None else page.row(self.grid.row % self.pages.page_rows)

    @on(Grid.Moved)
    def moved(self, event: Grid.Moved) -> None:
        event.stop()
        self._describe()

    def _describe(self) -> None:
        """The row, its class and the whole cell."""
        row, pages, classes = self._row(), self.pages, self.classes_by_cells
        if row is None or pages is None or classes is None:
            return
        number, column = self.grid.row, self.column
        text = row[self.grid.column]

        def told(found: tuple[int, int] | None) -> None:
            if (self.grid.row, self.column) != (number, column) or self.pages is not pages:
                return
            line = f"row {number + 1:,} of {pages.height:,}: "
            if found is not None:
                here, size = found
                line += f"class {here + 1:,} of {classes.count:,}, {count_of(size, 'record')} · "
            shown = Text.assemble(line, (printable(column), "bold"), f" {printable(text)}")
            self.post_message(Described(shown))

        cells = dict(zip(pages.names, row, strict=True))
        self.compute(lambda: classes.find(cells), told, group="class")

    @on(Grid.Chosen)
    def chosen(self, event: Grid.Chosen) -> None:
        event.stop()
        self.host.say(self.why_not)

    def copyable(self) -> Copyable | None:
        """What the cursor is on; of a column the rows of its page."""
        row, pages = self._row(), self.pages
        if row is None or pages is None:
            return None
        page, column = pages.page_of(self.grid.row), self.column
        return Copyable(
            pages.names, column, lambda: row, lambda: pages.page(page)[column].to_list()
        )

    # -- going to a row

    def number_of(self, text: str) -> int:
        """The row with a typed number; raises when the release has none."""
        digits = text.replace(",", "").strip()
        wanted = int(digits) if digits.isdecimal() and digits.isascii() else 0
        height = self.pages.height if self.pages is not None else 0
        if not 1 <= wanted <= height:
            raise InputError(f"write the number of a row of the release, up to {height:,}")
        return wanted - 1

    def go_to_record(self, row: int) -> None:
        self.grid.go_to(row)

    def next_record(self, direction: int) -> None:
        """The next row with what was looked for."""
        if self.looked_for:
            self._find_next(direction)
        else:
            self.host.say(self.NOT_HERE.format(what="/ finds a text in them, n the next row"))

    def next_suppressed(self) -> None:
        suppressed = self.result.measures.suppressed_records if self.result is not None else 0
        told = count_of(suppressed, "record") + " suppressed"
        self.host.say(self.NOT_HERE.format(what=f"{told}, which only the figures tell"))

    def sort_records(self) -> None:
        self.host.say(self.NOT_HERE.format(what="another order needs all rows in memory"))

    def switch_class(self) -> None:
        self.host.say(self.NOT_HERE.format(what="the line below tells how large its class is"))

    # -- finding

    @property
    def finding(self) -> bool:
        """Whether the find line is open."""
        return bool(self.finder.display)

    def open_find(self) -> None:
        self.finder.display = True
        self.finder.focus()

    def close_find(self) -> None:
        self.finder.display = False
        self.grid.focus()

    @on(Input.Submitted, "#find-in-files")
    def find(self, event: Input.Submitted) -> None:
        """The next row with the text."""
        event.stop()
        self.close_find()
        self.looked_for = event.value
        self._find_next(1)

    def _find_next(self, direction: int) -> None:
        pages, wanted, row = self.pages, self.looked_for, self.grid.row
        if pages is None or not wanted:
            return

        def look() -> int | None:
            worker = get_current_worker()
            return pages.find(wanted, row, direction, lambda: worker.is_cancelled)

        def found(place: int | None) -> None:
            if place is None:
                self.host.say(f"'{wanted}' is in no row")
            elif self.pages is pages:
                self.grid.go_to(place)

        self.compute(look, found, group="find", failed=self._lost)

    # -- why

    @property
    def why_not(self) -> str:
        """Why there is no explanation of the cell under the cursor."""
        what = "why looks at the records before and after, which are not in memory together"
        return self.NOT_HERE.format(what=what)

    def question(self) -> Callable[[], Why] | None:
        """There is none."""
        return None
