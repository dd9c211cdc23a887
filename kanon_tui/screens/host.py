"""The application as screens see it: the open session, its edits, opening files, saying things.

Screens never import the application itself, which imports them. What they need of it is here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

from rich.text import Text
from textual import work
from textual.dom import DOMNode
from textual.filter import LineFilter, Monochrome, NoColor
from textual.screen import Screen
from textual.worker import WorkerFailed

from kanon_tui.core.data.file_kinds import DATA_ENDINGS
from kanon_tui.core.editing.recent_files import RecentFiles
from kanon_tui.core.editing.recovery import RecoveryStore, UnsavedWork
from kanon_tui.core.editing.run_history import EarlierRun, RunHistory, earlier_run
from kanon_tui.core.editing.session import Session, open_session
from kanon_tui.core.errors import OUT_OF_MEMORY, KanonError
from kanon_tui.core.project.project import Project
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.text import visible_lines
from kanon_tui.screens.counting import CountingApp
from kanon_tui.screens.dialogs import Confirm, Message, Modal
from kanon_tui.screens.path_dialog import AskPath
from kanon_tui.screens.typing_ahead import LONGEST_HOLD
from kanon_tui.widgets.hidden_characters import HiddenCharacters

__all__ = ["HostApp", "Hosted"]

T = TypeVar("T")

NO_COLOR = NoColor()

OPENED = (*DATA_ENDINGS, ".yaml", ".yml")
"""Types that are listed when a file is to be opened; any other can be typed."""


class HostApp(CountingApp):
    """One session at a time; errors as sentences that hold no values of the data."""

    def __init__(self, state_folder: Path | None = None) -> None:
        super().__init__()
        self._hidden_characters = HiddenCharacters()
        self.session: Session | None = None
        self.recent = RecentFiles(state_folder)
        self.recovery = RecoveryStore(state_folder)
        self.history = RunHistory(state_folder)
        self.earlier_runs: tuple[EarlierRun, ...] = ()
        """Runs on this project before it was opened, the latest first."""
        self.kept_by_panels: dict[str, Any] = {}
        """What panels that were closed begin with when they are opened again in this session."""

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return what every drawn line passes; the last keeps data from steering the terminal.

        With `NO_COLOR` Textual turns colours into greys. The 16 colours of a terminal have no red,
        green and blue to compute a grey from and all become black, so a theme of these has none.
        """
        filters = super().get_line_filters()
        if self.native_ansi_color:
            filters = [NO_COLOR if isinstance(one, Monochrome) else one for one in filters]
        return [*filters, self._hidden_characters]

    # -- opening

    def action_open(self) -> None:
        self._ask_file(str(self.session.data_path.parent) + "/" if self.session else "")

    def _ask_file(self, path: str, problem: str = "") -> None:
        """Ask for a file to open; one that cannot be opened is asked for again, with the reason."""

        def failed(path: Path, error: Exception) -> None:
            self._ask_file(str(path), in_a_sentence(error))

        self.ask(
            self,
            AskPath("Open a data file or a project", path, endings=OPENED, problem=problem),
            lambda path: self.open_file(path, partial(failed, path)) if path else None,
        )

    def open_file(self, path: Path, failed: Callable[[Exception], object] | None = None) -> None:
        """Read a data file or a project in the background, then show it."""
        unsaved = self.recovery.unsaved_work(path)
        if unsaved is None:
            self._open(path, None, False, failed)
            return

        def answered(answer: bool | None) -> None:
            if answer is not None:
                self._open(path, unsaved, answer, failed)

        self.ask(
            self,
            Confirm(
                "Continue where you were?",
                f"{path.name} has unsaved changes from {unsaved.when:%Y-%m-%d %H:%M}, which were "
                f"never written to its file.",
                yes="Continue",
                no="Discard them",
            ),
            answered,
        )

    def _open(
        self,
        path: Path,
        unsaved: UnsavedWork | None,
        take_up: bool,
        failed: Callable[[Exception], object] | None,
    ) -> None:
        def opened(session: Session) -> None:
            self.recent.add(path)
            self.replace_session(session)
            if unsaved is not None:
                # Only now is it safe to let go of the file: the session has it, and keeps it.
                self.recovery.keep(session)
                self.recovery.discard(unsaved)
            self.show_opened()

        self.compute(
            self,
            unsaved.session if unsaved is not None and take_up else lambda: open_session(path),
            opened,
            group="open",
            failed=failed
            or (lambda error: self.show_error("This file could not be opened", error)),
            covers=self.screen,
            holds_keys=math.inf,
        )

    def show_opened(self) -> None:
        """A file was opened: look at it."""
        self.switch_mode("data")

    # -- the session

    def action_step(self, step: str) -> None:
        """Go to a numbered screen; what lies over this one is left first, as `esc` would.

        What is being filled in stays: a digit may belong to it.
        """
        over = self.screen_stack[1:]
        closing = [one for one in over if isinstance(one, Modal) and not one.is_form]
        if self.session is None:
            self.bell()
        elif len(closing) < len(over):
            self.say("esc leaves this first")
        else:
            for dialog in reversed(closing):
                dialog.dismiss(None)
            self.switch_mode(step)

    def edit(self, project: Project, what: str) -> None:
        """Make an undoable edit and let every pane follow."""
        if self.session is not None and self.session.edit(project, what):
            self.session_changed()

    def replace_session(self, session: Session) -> None:
        """Go on with another session, such as the same file read in another way.

        Dialogs and panels that are open anywhere ask about the session that is left: they close.
        """
        for stack in list(self._screen_stacks.values()):
            for screen in stack[1:]:
                if isinstance(screen, Modal):
                    screen.dismiss(None)
        if self.session is not None:
            self.session.closed = True
        self.kept_by_panels.clear()
        self.session, self.earlier_runs = session, self.history.runs(session.project)
        self.session_changed()

    def add_result(self, session: Session, result: FinishedRun) -> None:
        """A run has ended: its release for this sitting, its figures for later ones."""
        session.results.append(result)
        self.keep_run(session, result)

    def keep_run(self, session: Session, result: FinishedRun) -> None:
        """Remember settings and figures of a run; nothing of the data."""
        project = session.project
        self._write_run(project, earlier_run(result, project, datetime.now()))

    @work(thread=True, group="history")
    def _write_run(self, project: Project, run: EarlierRun) -> None:
        """In a thread: a folder on another machine takes a while."""
        self.history.add(project, run)

    def session_changed(self) -> None:
        """Refresh the screen in front, and keep the edits in case the line drops."""
        if self.session is None:
            return
        for screen in self.screen_stack:
            if isinstance(screen, Hosted):
                screen.refresh_session()
        self._keep_unsaved(self.session)
        self.count_table()

    def show_counting(self) -> None:
        """How far the counting of a table beyond memory is, on the screen in front."""
        for screen in self.screen_stack:
            if isinstance(screen, Hosted) and self.session is not None:
                screen.show_counting(self.counting_line)

    @work(thread=True, exclusive=True, group="keep")
    def _keep_unsaved(self, session: Session) -> None:
        """In a thread: a large hierarchy takes a while to write."""
        self.recovery.keep(session)

    def on_unmount(self) -> None:
        """However it ends: what is unsaved by now is kept, and nobody works on it any more."""
        self.stop_counting()
        if self.session is not None:
            self.session.closed = True
        if self.session is not None:
            self.recovery.keep(self.session)
        self.recovery.close()

    # -- saying things

    def say(self, text: str, severity: str = "information") -> None:
        """A short message that goes away by itself; the text is shown as it is."""
        self.notify(visible_lines(text), severity=severity, markup=False, timeout=4)  # type: ignore[arg-type]

    def fail(self, error: Exception) -> None:
        """Show what went wrong as a sentence."""
        self.show_error("That did not work", error)

    def show_error(self, title: str, error: Exception) -> None:
        """A dialog with one clear sentence; unexpected errors never show values of the data."""
        self.push_screen(Message(title, in_a_sentence(error)))

    def _fatal_error(self) -> None:
        """Leave with a sentence. Textual would print a traceback with the values of variables,
        and values of a table of people must not reach a terminal log or a crash file."""
        self.bell()
        if self.session is not None:
            self.recovery.keep(self.session)
        error: BaseException | None = self._exception
        if isinstance(error, WorkerFailed):
            error = error.error
        where = ""
        if error is not None and error.__traceback__ is not None:
            trace = error.__traceback__
            while trace.tb_next is not None:
                trace = trace.tb_next
            where = f" in {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
        self._exit_renderables.append(
            Text(
                f"kanon-tui stopped because of an unexpected {type(error).__name__}{where}. "
                f"Unsaved changes are kept and offered at the next start."
            )
        )
        self._close_messages_no_wait()


def in_a_sentence(error: Exception) -> str:
    """What went wrong; of what nobody expected the name only, which holds no values."""
    if isinstance(error, KanonError):
        return error.on_screen
    if isinstance(error, MemoryError):
        return OUT_OF_MEMORY[0].upper() + OUT_OF_MEMORY[1:] + "."
    return f"An unexpected {type(error).__name__} happened; nothing was changed or lost."


class Hosted:
    """A screen or widget that works with the session. Put it before the Textual class."""

    @property
    def host(self) -> HostApp:
        app = cast("DOMNode", self).app
        assert isinstance(app, HostApp)
        return app

    @property
    def session(self) -> Session:
        """The open session; hosted screens but the start exist only with one."""
        assert self.host.session is not None
        return self.host.session

    def refresh_session(self) -> None:
        """The session changed."""

    def show_counting(self, line: str) -> None:
        """Counting a table beyond memory has come so far."""

    def compute(
        self,
        work: Callable[[], T],
        done: Callable[[T], object],
        *,
        group: str,
        failed: Callable[[Exception], object] | None = None,
        holds_keys: bool = False,
    ) -> None:
        """Do work in a thread and call `done` with what it gives; a newer one replaces it.

        With `holds_keys` it opens what the keys that come meanwhile are for. What was found for one
        session is not told to the next. Work that must hear of its end in any case asks the host
        itself.
        """
        host, session = self.host, self.host.session

        def of_this_session(callback: Callable[[Any], object]) -> Callable[[Any], None]:
            def deliver(answer: Any) -> None:
                if host.session is session:
                    callback(answer)

            return deliver

        host.compute(
            cast("DOMNode", self),
            work,
            of_this_session(done),
            group=group,
            failed=of_this_session(failed or host.fail),
            holds_keys=LONGEST_HOLD if holds_keys else 0.0,
        )

    def ask(self, dialog: Screen[Any], answered: Callable[[Any], object] = lambda _: None) -> None:
        """Open a dialog and call `answered` with what it gives."""
        self.host.ask(cast("DOMNode", self), dialog, answered)
