"""The application as screens see it: the open session, its edits, messages, background work.

Screens never import the application itself, which imports them. They inherit from `Hosted` and
reach a `Host` through it. It also counts the values of a table beyond memory and reads the pages of
files that a grid shows.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar, cast

from textual.app import App
from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.widgets import Static

from kanon_tui.core.editing.counting import CountingOutcome, count, counting_of
from kanon_tui.core.editing.session import Session
from kanon_tui.core.editing.state_folder import (
    ChosenViews,
    EarlierRun,
    RecentFiles,
    RecoveryStore,
    RunHistory,
    earlier_run,
)
from kanon_tui.core.errors import OUT_OF_MEMORY, KanonError
from kanon_tui.core.pipeline.pages import Pages
from kanon_tui.core.pipeline.sampled_table import CountingStoppedError, TableCoding
from kanon_tui.core.project.project import Project
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.text import visible
from kanon_tui.services.background import Background
from kanon_tui.services.typed_keys import TypedKeys
from kanon_tui.widgets.dialogs import Dialog, Message, Modal

T = TypeVar("T")


class TableCounter:
    """Counts what is not yet counted of one session's table, one pass at a time."""

    def __init__(
        self,
        background: Background,
        counted: Callable[[CountingOutcome], object],
        failed: Callable[[Exception], object],
    ) -> None:
        self._background = background
        self._counted = counted
        self._failed = failed
        self._pass: TableCoding | None = None
        self._session: Session | None = None
        """The session whose table is being counted, or could not be."""

    @property
    def progress(self) -> str:
        """`12,000,000 of about 50,000,000 records counted`; empty while nothing is counted."""
        return "" if self._pass is None else self._pass.progress

    @property
    def is_counting(self) -> bool:
        """Whether a pass is under way."""
        return self._pass is not None

    def count(self, session: Session) -> None:
        """Count what the session needs; a pass for another session stops."""
        if session is not self._session:
            self.stop()
        elif self._pass is not None:
            return  # what else is needed is counted when this pass ends
        counting = counting_of(session)
        if counting is None:
            return
        self._session = session
        self._pass = counting

        def counted(found: CountingOutcome) -> None:
            if self._pass is counting:
                self._pass = self._session = None
                session.take_counts(found.table, found.completed)
                self._counted(found)

        def failed(error: Exception) -> None:
            if self._pass is counting:
                self._pass = None  # the session stays: it is not counted again
                if not isinstance(error, CountingStoppedError):
                    self._failed(error)

        background, work = self._background, lambda: count(session, counting)
        background.compute(background.app, work, counted, group="count", failed=failed)

    def stop(self) -> None:
        """Stop counting: the table is closed."""
        if self._pass is not None:
            self._pass.stop()
        self._pass = self._session = None


class Host:
    """One session at a time, and the services that work on it."""

    def __init__(self, app: App[Any], keys: TypedKeys, state_folder: Path) -> None:
        self.app = app
        self.background = Background(app, keys, self.fail)
        self.counting = TableCounter(self.background, self._counted, self.fail)
        self.session: Session | None = None
        self.recent = RecentFiles(state_folder)
        self.chosen_views = ChosenViews(state_folder)
        self.recovery = RecoveryStore(state_folder)
        self.history = RunHistory(state_folder)
        self.earlier_runs: tuple[EarlierRun, ...] = ()
        """Runs on this project before it was opened, the latest first."""
        self.kept_by_panels: dict[str, Any] = {}
        """State of closed panels that they begin with when they are opened again."""

    # -- the session

    def replace_session(self, session: Session) -> None:
        """Continue with another session, such as the same file read with other options.

        Dialogs and panels that are open in any mode belong to the session before: they close.
        """
        for stack in self.background.stacks().values():
            for screen in stack[1:]:
                if isinstance(screen, Modal):
                    screen.dismiss(None)
        if self.session is not None:
            self.session.closed = True
        self.kept_by_panels.clear()
        self.session, self.earlier_runs = session, self.history.runs(session.project)
        self.session_changed()

    def edit(self, project: Project, what: str) -> None:
        """Replace the project as one undoable edit and refresh every pane."""
        if self.session is not None and self.session.edit(project, what):
            self.session_changed()

    def session_changed(self) -> None:
        """Refresh the screens in front, and keep unsaved edits in case the program is ended."""
        session = self.session
        if session is None:
            return
        for screen in self.app.screen_stack:
            if isinstance(screen, Hosted):
                screen.refresh_session()
        # Large hierarchies and network folders take a while; closing keeps what this did not.
        keep = partial(self.recovery.keep, session)
        self.background.compute(
            self.app, keep, lambda _: None, group="keep", failed=self._show_not_kept
        )
        self.counting.count(session)

    def _show_not_kept(self, error: Exception) -> None:
        self.notify(f"A crash would lose these edits, save them (ctrl+s): {error}", "warning")

    def add_result(self, session: Session, result: FinishedRun) -> None:
        """Add a finished run to the session, and its figures to the history."""
        session.results.append(result)
        self.keep_run(session, result)

    def keep_run(self, session: Session, result: FinishedRun) -> None:
        """Add the settings and figures of a run to the history; nothing of the data."""
        project = session.project
        run = earlier_run(result, project, datetime.now())
        self.background.write(lambda: self.history.add(project, run), lambda _: None)

    def choose_view(self, size: str, view: str) -> None:
        """Remember which view of results a user wants in a terminal of this size."""
        self.chosen_views.choose(size, view)
        self.background.write(self.chosen_views.write, lambda _: None)

    def close(self) -> None:
        """Stop counting and keep unsaved edits, however the application ends."""
        self.counting.stop()
        if self.session is not None:
            self.session.closed = True
            self.recovery.keep(self.session)
        self.recovery.close()

    def go_to_step(self, step: str) -> None:
        """Show a numbered screen; dialogs over the current one close, unless they hold input."""
        over = self.app.screen_stack[1:]
        closing = [one for one in over if isinstance(one, Modal) and not one.is_form]
        if self.session is None:
            self.app.bell()
        elif len(closing) < len(over):
            self.notify("esc leaves this first")
        else:
            for dialog in reversed(closing):
                dialog.dismiss(None)
            self.app.switch_mode(step)

    # -- counting

    def _counted(self, found: CountingOutcome) -> None:
        if found.messages:
            self.notify("\n".join(map(visible, found.messages)), "warning")
        self.session_changed()

    def show_counting_progress(self) -> None:
        """Show on the screens in front how far the counting is, if there is one."""
        for screen in self.app.screen_stack if self.counting.is_counting else ():
            if isinstance(screen, Hosted) and screen.is_mounted:
                screen.show_counting(self.counting.progress)

    # -- questions and messages

    def ask(self, dialog: Screen[Any], answered: Callable[[Any], object]) -> None:
        """Open a dialog that belongs to no screen and call `answered` with its result, if any.

        The question that is in front already is not asked twice, as by ctrl+q held down.
        """
        front = self.app.screen
        if not (isinstance(front, Dialog) and front.asks_like(dialog)):
            self.background.ask(self.app, dialog, answered)

    def notify(self, text: str, severity: SeverityLevel = "information") -> None:
        """Show a short message on the status line, in place of the one before."""
        self.app.notify(text, severity=severity)

    def fail(self, error: Exception) -> None:
        """Show an error in a dialog."""
        self.show_error("That did not work", error)

    def show_error(self, title: str, error: Exception) -> None:
        """Show an error in a dialog under a title."""
        self.app.push_screen(Message(title, error_sentence(error)))


def error_sentence(error: Exception) -> str:
    """Return a sentence about an error; of an unexpected one its type only, which is no data."""
    if isinstance(error, KanonError):
        return error.on_screen
    if isinstance(error, MemoryError):
        return OUT_OF_MEMORY[0].upper() + OUT_OF_MEMORY[1:] + "."
    return f"An unexpected {type(error).__name__} happened; nothing was changed or lost."


class HasHost(Protocol):
    """An application with a host."""

    host: Host


class Hosted:
    """A screen or widget that works with the session. It stands before the Textual base class."""

    @property
    def host(self) -> Host:
        """The session and services of the application."""
        return cast("HasHost", cast("DOMNode", self).app).host

    @property
    def session(self) -> Session:
        """The open session; hosted screens other than the start screen exist only with one."""
        assert self.host.session is not None
        return self.host.session

    def edit(self, project: Project, what: str) -> None:
        """Replace the project as one undoable edit and refresh every pane."""
        self.host.edit(project, what)

    def edit_attributes(self, names: Iterable[str], what: str, **changes: Any) -> None:
        """Change fields of attributes in one undoable edit."""
        if self.session.change_attributes(names, what, **changes):
            self.host.session_changed()

    def refresh_session(self) -> None:
        """Show the session as it is now; called when it has changed."""

    def show_counting(self, line: str) -> None:
        """Show the progress of counting a table beyond memory."""

    def take_typed(self) -> bool:
        """Take over what stands in the fields; return False if some of it is not valid."""
        return True

    def compute(
        self, work: Callable[[], T], done: Callable[[T], object], *, group: str, **options: Any
    ) -> None:
        """Do work in a thread and call `done` with its result; a newer job of `group` replaces it.

        The options are those of `Background.compute`. A result for one session is not delivered to
        the next. Work whose end must be noticed in any case goes through `host.background`.
        """
        background = self.host.background
        owner = cast("DOMNode", self)
        host = self.host
        session = self.host.session
        options["is_wanted"] = lambda: host.session is session
        background.compute(owner, work, done, group=group, **options)

    def load(self, work: Callable[[], T], show: Callable[[T], object]) -> None:
        """Do work under a loading mark, then call `show`, which opens a dialog with the result.

        Keys that come meanwhile wait for that dialog; escape stops waiting for the work.
        """
        self.ask(Loading(work), lambda made: show(*made))

    def ask(
        self,
        dialog: Screen[Any],
        answered: Callable[[Any], object] = lambda _: None,
        left: Callable[[], object] = lambda: None,
    ) -> None:
        """Open a dialog and call `answered` with its result, or `left` if it has none."""
        self.host.background.ask(cast("DOMNode", self), dialog, answered, left)


class Loading(Hosted, Modal):
    """Waits for the content of a dialog; gives it in a tuple, or None after escape or a failure.

    Nothing is drawn before the loading mark, which comes when the work takes longer than a moment.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Stop waiting")]

    def __init__(self, work: Callable[[], Any]) -> None:
        super().__init__()
        self._work = work

    def on_mount(self) -> None:
        """Begin to work; close when the work is done or has failed."""

        def failed(error: Exception) -> None:
            self.dismiss(None)
            self.host.fail(error)

        done = self.dismiss
        group = "content"
        self.compute(lambda: (self._work(),), done, group=group, failed=failed, covers=self)


class PreviewDialog(Hosted, Dialog):
    """A dialog that shows in `#preview` what would come of its fields, computed in a thread."""

    def preview(
        self, work: Callable[[], T], done: Callable[[T], object], *, covers: bool = False
    ) -> None:
        """Call `done` with what is computed, or show why nothing is.

        Where it `covers` the dialog, since it closes it or brings other fields, keys typed
        meanwhile wait for that, a preview does not replace it, and quitting asks first.
        """

        def failed(error: Exception) -> None:
            if not isinstance(error, KanonError):
                self.host.fail(error)
                return
            self.query_one("#preview", Static).update("")
            self.show_error(error)

        group, covered = ("accept", self) if covers else ("preview", None)
        self.compute(work, done, group=group, failed=failed, covers=covered, edits=covers)


MOST_PAGES = 20
"""Pages that are read together: rows in another order are on many pages."""


class PageReader:
    """Reads, in the background, the pages that were painted as waiting; the newest replace others.

    `shown` is called when pages have been read, `failed` with the pages that cannot be read.
    """

    def __init__(
        self,
        owner: Hosted,
        shown: Callable[[], object],
        failed: Callable[[Pages, Exception], object],
    ) -> None:
        self._owner = owner
        self._shown = shown
        self._failed = failed
        self._wanted: dict[Pages, list[int]] = {}

    def missed(self, pages: Pages, page: int) -> None:
        """Note a page that is shown and not in memory, and read it soon."""
        if not self._wanted:
            cast("DOMNode", self._owner).call_later(self._read)
        wanted = self._wanted.setdefault(pages, [])
        if page not in wanted:
            wanted.append(page)

    def clear(self) -> None:
        """Forget the pages that are wanted: something else is shown."""
        self._wanted.clear()

    def _read(self) -> None:
        for pages, numbers in self._wanted.items():
            self._owner.compute(
                partial(_read_pages, pages, numbers[-MOST_PAGES:]),
                lambda _: self._shown(),
                group=f"pages {id(pages)}",
                failed=partial(self._failed, pages),
            )
        self._wanted = {}


def _read_pages(pages: Pages, numbers: list[int]) -> None:
    for number in numbers:
        pages.page(number)
