"""The base of numbered screens: step bar, panes, key bar, zoom; finding rows and copying cells.

Rows are found by a text: `/` asks for it, `n` and `N` go on to the next and the one before.

A program in a terminal cannot see the clipboard. It sends the text in an escape sequence (OSC 52,
in base64, so that no text can control the terminal), inside tmux through tmux, and says that the
text was sent; whether the terminal keeps it is unknown.
"""

import asyncio
import os
import shutil
import subprocess
from abc import abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import ClassVar, cast

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.geometry import Size
from textual.widget import Widget

from kanon_tui.core.editing.readiness import Readiness, State, readiness
from kanon_tui.core.editing.session import Session
from kanon_tui.core.errors import InputError
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.text import visible
from kanon_tui.services.host import Host, Hosted
from kanon_tui.widgets.bars import UNSAVED, KeyBar, StepBar
from kanon_tui.widgets.dialogs import Confirm, SizedByTerminal, ask_text, choose, confirm
from kanon_tui.widgets.grid import Grid, GridSource
from kanon_tui.widgets.grid_sources import PagedRows

STEPS: tuple[tuple[str, str, str], ...] = (
    ("1", "data", "Data"),
    ("2", "attributes", "Attributes"),
    ("3", "hierarchies", "Hierarchies"),
    ("4", "rules", "Rules"),
    ("5", "run", "Run"),
    ("6", "results", "Results"),
    ("7", "what-if", "What-if"),
)
"""Key, name and title of the numbered screens."""


FEWEST_LINES = 18
"""Lines of a terminal below which a screen shows its main table alone."""


class StepScreen(Hosted, SizedByTerminal):
    """A numbered screen. Subclasses define `body` (their panes) and `show` (fill them)."""

    STEP: ClassVar[str]
    result: FinishedRun | None = None
    """The run whose release is shown; None on screens that show none."""
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 (as Textual has it)
    VERTICAL_BREAKPOINTS = [(0, "-short"), (30, "-tall")]  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [Binding("z", "zoom", "Zoom", show=False, id="zoom")]

    def __init__(self) -> None:
        super().__init__()
        self._styled_for: tuple[object, ...] = ()
        self._filled_for = Size()

    def compose(self) -> ComposeResult:
        yield StepBar()
        yield from self.body()
        yield KeyBar()

    @abstractmethod
    def body(self) -> Iterable[Widget]:
        """Return the panes of the screen."""

    @abstractmethod
    def show(self, session: Session) -> None:
        """Fill the panes from the session; called when it has changed or the screen appears."""

    @on(events.Resize)
    def fill_for_another_size(self, event: events.Resize) -> None:
        """Fill the panes again; hide those beside the main table in a low terminal, and say so."""
        tiny = event.size.height < FEWEST_LINES
        if tiny and not self.has_class("-tiny") and STEPS[0][1] == self.STEP:
            self.host.notify(
                f"{event.size.width}×{event.size.height} is small: 80×24 shows all panes"
            )
        self.set_class(tiny, "-tiny")
        if self._filled_for and event.size != self._filled_for:
            self.call_after_refresh(self.refresh_session)  # panes have their sizes then

    async def on_screen_resume(self, event: events.ScreenResume) -> None:
        """Show what may have changed while another screen was in front.

        Textual refreshes styles before and paints after this. The event loop gets a turn between
        the three, so that a key waits for one of them at most. Styles are refreshed only if those
        of the application have changed since the screen was composed or last in front.
        """
        styled_for = self.app.theme, frozenset(self.app.classes), self.app.app_focus
        event.refresh_styles = self._styled_for not in ((), styled_for)
        self._styled_for = styled_for
        await asyncio.sleep(0)
        self.refresh_session()
        await asyncio.sleep(0)

    def on_screen_suspend(self) -> None:
        """Take over what was typed before another screen is shown."""
        if self.host.session is not None and self.is_mounted:
            self.take_typed()

    def refresh_session(self) -> None:
        if self.host.session is None or not self.is_mounted:
            return
        self._filled_for = self.size
        self._fill_step_bar(self.host.session)
        self.show(self.host.session)

    def _fill_step_bar(self, session: Session) -> None:
        """Show name, steps and k; the states of the steps are computed in the background."""
        bar = self.query_one(StepBar)
        title = session.project.name + (UNSAVED if session.dirty else "")
        k = f"k={session.project.privacy.k}"
        unknown = Readiness(State.NOT_YET)
        known = {step: state for _, step, _, state in bar.steps}

        def show(states: Mapping[str, Readiness]) -> None:
            steps = tuple((*step, states.get(step[1], unknown)) for step in STEPS)
            bar.update(self.STEP, title, k, steps)

        show(known)
        self.host.background.compute(bar, lambda: readiness(session), show, group="readiness")


LARGEST = 50_000
"""Bytes; many terminals silently drop a longer OSC 52."""
PATIENCE = 2.0
"""Seconds for tmux to answer."""


def ask_what_to_copy(
    screen: Hosted,
    tables: Mapping[str, PagedRows],
    row: int,
    name: str,
    identifiers: Collection[str] = (),
) -> None:
    """Ask whether to copy the cell, the row or the column of a name, and send it.

    There may be several tables with the same rows, by a word for each. A row is copied without its
    identifiers, and a question comes before a column of them.
    """
    choices: list[tuple[str, Callable[[], object]]] = []
    for what in ("cell", "row", "column"):
        for which, rows in tables.items():
            title, make = _copy_of(what, which, rows, row, name, identifiers)
            if make is not None:
                identifies = what != "row" and name in identifiers
                offer = partial(_offer_copy, screen, make, title, visible(name), identifies)
                choices.append((title, offer))
    hint = "It is sent to the terminal; whether the clipboard has it then, only the terminal knows."
    if choices:
        choose(screen, "Copy", choices, hint)


def _offer_copy(
    screen: Hosted, make: Callable[[], str], title: str, column: str, identifies: bool
) -> None:
    """Copy at once, or after a question where what is copied names people."""
    copy = partial(send, screen.host, cast("DOMNode", screen), make, title)
    if not identifies:
        copy()
        return
    text = f"{column} is an identifier: a copy of it leaves Kanon and names people."
    confirm(screen, Confirm("Copy an identifier?", text, "Copy it", "Leave it"), copy)


def _copy_of(
    what: str, which: str, rows: PagedRows, row: int, name: str, identifiers: Collection[str]
) -> tuple[str, Callable[[], str] | None]:
    """Return a title, and what makes the text; None while its page is read, or without a column."""
    names = list(rows.names)
    cells = rows.record(row) if row < rows.height else None
    column = visible(name)
    if cells is None or name not in names:
        return "", None
    x = names.index(name)
    if what == "cell":
        return f"the {which}cell of {column}", lambda: cells[x]
    if what == "row":
        without = " without its identifiers" if identifiers else ""
        published = [cell for cell, own in zip(cells, names, strict=True) if own not in identifiers]
        return f"the {which}row{without}", lambda: "\t".join(map(_field, published))
    return (
        f"the {which}column {column}, as it is shown",
        lambda: "\n".join(map(_field, rows.column_cells(row, x))),
    )


def send(host: Host, owner: DOMNode, make: Callable[[], str], what: str) -> None:
    """Make a text in the background, send it to the terminal or to tmux around it, and say so."""

    def work() -> str | None:
        text = check_size(make())
        return None if to_tmux(text) else text

    def sent(text: str | None) -> None:
        if text is not None:
            host.app.copy_to_clipboard(text)
        host.notify(f"sent to the terminal: {what}")

    host.background.compute(owner, work, sent, group="copy")


def check_size(text: str) -> str:
    """Return the text if terminals take one of its size; raise `InputError` otherwise."""
    size = len(text.encode("utf-8", "replace"))
    if size > LARGEST:
        raise InputError(
            f"that is {size:,} bytes, and terminals take about {LARGEST:,}; "
            f"filter the rows, or export to a file"
        )
    return text


def to_tmux(text: str) -> bool:
    """Hand a text to tmux, which passes it on; return False if there is no tmux."""
    command = shutil.which("tmux")
    if not os.environ.get("TMUX") or command is None:
        return False
    with suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(
            [command, "load-buffer", "-w", "-"], input=text.encode("utf-8", "replace"),
            timeout=PATIENCE, capture_output=True, check=False,
        )  # fmt: skip
        return done.returncode == 0
    return False


def _field(cell: str) -> str:
    """Return a cell of a row, quoted where it would break the row."""
    if any(sign in cell for sign in '\t\n\r"'):
        return '"' + cell.replace('"', '""') + '"'
    return cell


class FindingScreen(StepScreen):
    """A numbered screen with a table in which rows are found. Matches are counted once."""

    FIND: ClassVar[str]
    """The title of the question."""

    def __init__(self) -> None:
        super().__init__()
        self.wanted = ""
        """The text that was looked for last."""
        self.matches: Sequence[int] = ()
        """The rows that have it."""
        self._searched: GridSource | None = None
        """The rows that were looked through for `matches`."""

    @abstractmethod
    def to_search(self) -> tuple[Grid, GridSource | None]:
        """Return the grid, and the rows to look through."""

    def rows_with(self, source: GridSource, text: str) -> Sequence[int]:
        """Return the rows that have a text in a cell, ignoring case; made in a thread."""
        wanted = text.casefold()
        rows = range(source.height)
        return [x for x in rows if any(wanted in c.text.casefold() for c in source.line(x))]

    def show_match(self, place: int) -> None:
        """Go to one of the matches."""
        self.to_search()[0].go_to(int(self.matches[place]))
        self.host.notify(f"{place + 1:,} of {len(self.matches):,} with '{self.wanted}'")

    def look_for(self, text: str) -> None:
        """Go to the next row with another text; an empty one forgets the matches."""
        self.wanted = text
        self._searched = None
        self.matches = ()
        if text:
            self.action_find_next(1)

    def action_find(self) -> None:
        """Ask for a text and go to the next row with it."""
        ask_text(self, self.FIND, self.look_for, str, self.wanted)

    def action_find_next(self, direction: int) -> None:
        """Go to the next row below or above with the text, and around the end."""
        (grid, source), text = self.to_search(), self.wanted
        if not text or source is None:
            self.action_find()
            return

        def found(rows: Sequence[int]) -> None:
            self.matches = rows
            self._searched = source
            if not len(rows):
                self.host.notify(f"'{text}' is not found here")
            elif direction > 0:
                self.show_match(bisect_right(rows, grid.row) % len(rows))
            else:
                self.show_match((bisect_left(rows, grid.row) - 1) % len(rows))

        if self._searched is source:
            found(self.matches)
        else:
            self.compute(lambda: self.rows_with(source, text), found, group="find", covers=grid)
