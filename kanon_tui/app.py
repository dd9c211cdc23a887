"""The application: modes, keys, themes, and the session all screens share. No logic of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, ClassVar

from textual import work
from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.screen import Screen

from kanon_tui.core.editing.readiness import Readiness, State, readiness
from kanon_tui.core.editing.recovery import Abandoned, Desk
from kanon_tui.core.editing.session import Session, open_session
from kanon_tui.core.project.project import Project
from kanon_tui.screens.base import STEPS, StepScreen
from kanon_tui.screens.dialogs import AskPath, Confirm, Help
from kanon_tui.screens.host import WorkingApp
from kanon_tui.screens.start import StartScreen
from kanon_tui.themes import THEMES, default_theme
from kanon_tui.widgets.step_bar import StepBar

__all__ = ["KanonApp", "launch"]

ANALYSES = (
    (
        "Linking attack",
        "Who can be found with an outsider's table",
        "analyses.attack",
        "AttackScreen",
    ),
    ("k feasibility", "How many records k needs", "analyses.feasibility", "FeasibilityScreen"),
    ("Decision trees", "What trees learn from the release", "analyses.trees", "PartitionScreen"),
)
"""Title, explanation, module and class of the panels that the command palette opens."""


def _screen(module: str, name: str) -> Callable[[], Screen[Any]]:
    """A screen that is imported when it is first shown, to keep the start quick."""

    def make() -> Screen[Any]:
        from importlib import import_module

        screen: Screen[Any] = getattr(import_module(f"kanon_tui.screens.{module}"), name)()
        return screen

    return make


class KanonApp(WorkingApp):
    """Seven numbered screens over one session."""

    TITLE = "kanon"
    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = True
    ESCAPE_TO_MINIMIZE = True
    DEFAULT_MODE = "start"
    MODES: ClassVar[dict[str, str | Callable[[], Screen[Any]]]] = {
        "start": StartScreen,
        "data": _screen("data.screen", "DataScreen"),
        "attributes": _screen("attributes.screen", "AttributesScreen"),
        "hierarchies": _screen("hierarchies.screen", "HierarchiesScreen"),
        "rules": _screen("rules.screen", "RulesScreen"),
        "run": _screen("run.screen", "RunScreen"),
        "results": _screen("results.screen", "ResultsScreen"),
        "what-if": _screen("what_if.screen", "WhatIfScreen"),
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            binding
            for key, step, title in STEPS
            for binding in (
                Binding(key, f"step('{step}')", title, show=False, id=f"step.{step}"),
                Binding(f"alt+{key}", f"step('{step}')", title, show=False, priority=True),
            )
        ),
        Binding("ctrl+s", "save", "Save", show=False, priority=True, id="save"),
        Binding("ctrl+z", "undo", "Undo", show=False, id="undo"),
        Binding("ctrl+y", "redo", "Redo", show=False, id="redo"),
        Binding("ctrl+o", "open", "Open", show=False, priority=True, id="open"),
        Binding("f1", "help", "Help", priority=True, id="help"),
        Binding("ctrl+q", "quit", "Quit", show=False, priority=True, id="quit"),
        Binding("ctrl+c", "copy_or_hint", "Copy", show=False, id="copy"),
    ]

    def __init__(
        self,
        file: Path | None = None,
        *,
        desk: Desk | None = None,
        keys: dict[str, str] | None = None,
        theme: str | None = None,
    ) -> None:
        super().__init__()
        self.file = file
        self.desk = desk or Desk(None)
        self.session: Session | None = None
        self.animation_level = "none"
        for made in THEMES:
            self.register_theme(made)
        self.theme = theme or default_theme()
        if keys:
            self.set_keymap(keys)

    # -- opening

    def on_mount(self) -> None:
        """Open the file given, or stay on the start screen; compile ahead meanwhile."""
        if self.file is not None:
            self.open_file(self.file)
        if not self.is_headless:
            self.set_timer(2, self.compile_ahead)

    def open_file(self, path: Path) -> None:
        """Read a data file or a project in the background, then show it."""
        lost = self.desk.abandoned_for(path)
        if lost is not None:
            self.push_screen(
                Confirm(
                    "Continue where you were?",
                    f"{path.name} has unsaved changes from {lost.when:%Y-%m-%d %H:%M}, when the "
                    f"program ended without saving.",
                    yes="Continue",
                    no="Discard them",
                ),
                lambda answer: self._open(path, lost if answer else None, answer),
            )
        else:
            self._open(path, None, True)

    def _open(self, path: Path, lost: Abandoned | None, answer: bool | None) -> None:
        if answer is None:
            return

        def work() -> Session:
            if lost is not None:
                return lost.session()
            return open_session(path)

        def opened(session: Session) -> None:
            if answer is False:
                self.desk.discard(path)
            self.session = session
            self.desk.remember(path)
            self.switch_mode("data")
            self.session_changed()

        self.screen.loading = True
        self.compute(work, opened, group="open", failed=self._open_failed)

    def _open_failed(self, error: Exception) -> None:
        self.show_error("This file could not be opened", error)

    # -- the session

    def edit(self, project: Project, what: str) -> None:
        """Make an undoable edit and let every pane follow."""
        if self.session is not None and self.session.edit(project, what):
            self.session_changed()

    def replace_session(self, session: Session) -> None:
        """Go on with another session, such as the same file read in another way."""
        self.session = session
        self.session_changed()

    def session_changed(self) -> None:
        """Refresh the screen in front and keep the work aside."""
        if self.session is None:
            return
        for screen in self.screen_stack:
            if isinstance(screen, StepScreen):
                screen.refresh_session()
        self._keep_aside(self.session)

    @work(thread=True, exclusive=True, group="keep")
    def _keep_aside(self, session: Session) -> None:
        """In case the line drops; a large hierarchy takes a while to write."""
        self.desk.keep(session)

    def keep_unsaved(self) -> None:
        """Put the session aside for the next start, whatever happens next."""
        if self.session is not None:
            self.desk.keep(self.session)

    def fill_step_bar(self, bar: StepBar, current: str) -> None:
        """Name, steps and k; the states are worked out in the background."""
        session = self.session
        assert session is not None
        title = session.project.name + ("*" if session.dirty else "")
        k = f"k={session.project.privacy.k}"
        unknown = Readiness(State.NOT_YET)
        known = {step: state for _, step, _, state in bar.steps}
        bar.update(current, title, k, tuple((*step, known.get(step[1], unknown)) for step in STEPS))

        def show(states: dict[str, Readiness]) -> None:
            bar.update(current, title, k, tuple((*step, states[step[1]]) for step in STEPS))

        self.compute(lambda: readiness(session), show, group="readiness", node=bar)

    # -- actions

    def action_step(self, step: str) -> None:
        """Go to a numbered screen."""
        if self.session is None:
            self.bell()
            return
        if isinstance(self.screen, (StepScreen, StartScreen)):
            self.switch_mode(step)

    def on_step_bar_clicked(self, event: StepBar.Clicked) -> None:
        """The same with the mouse."""
        self.action_step(event.step)

    def action_undo(self) -> None:
        """Take back the last edit."""
        what = self.session.undo() if self.session else None
        self.say(f"undone: {what}" if what else "nothing to undo")
        self.session_changed()

    def action_redo(self) -> None:
        """Do it again."""
        what = self.session.redo() if self.session else None
        self.say(f"done again: {what}" if what else "nothing to redo")
        self.session_changed()

    def action_save(self) -> None:
        """Write the project file; a new project is asked for its name."""
        session = self.session
        if session is None:
            return
        if session.project.path is not None:
            self._save(session.project.path)
            return
        proposed = session.data_path.with_suffix("").with_suffix(".yaml")
        self.push_screen(
            AskPath("Save the project as", str(proposed)),
            lambda path: self._save_as(path) if path else None,
        )

    def _save_as(self, path: Path) -> None:
        if path.suffix.lower() not in (".yaml", ".yml"):
            path = path.with_name(path.name + ".yaml")
        if path.exists():
            self.push_screen(
                Confirm("Replace it?", f"{path.name} exists already.", "Replace", "Keep it"),
                lambda answer: self._save(path) if answer else None,
            )
        else:
            self._save(path)

    def _save(self, path: Path) -> None:
        session = self.session
        assert session is not None

        def saved(written: Path) -> None:
            self.desk.discard(written)
            self.desk.remember(written)
            self.say(f"saved {written.name}")
            self.session_changed()

        self.compute(lambda: session.save(path), saved, group="save")

    def action_open(self) -> None:
        """Open another file."""
        folder = str(self.session.data_path.parent) + "/" if self.session else ""
        self.push_screen(
            AskPath("Open a data file or a project", folder),
            lambda path: self.open_file(path) if path else None,
        )

    async def action_quit(self) -> None:
        """Leave; unsaved work is asked about once."""
        if self.session is None or not self.session.dirty:
            self._leave()
            return
        self.push_screen(
            Confirm(
                "Leave without saving?",
                "The project has changes that are not in its file (ctrl+s saves).",
                yes="Leave",
                no="Stay",
            ),
            lambda answer: self._leave() if answer else None,
        )

    def _leave(self) -> None:
        if self.session is not None:
            self.desk.discard(self.session.project.path or self.session.data_path)
        self.exit()

    def action_help(self) -> None:
        """Explain what has the focus, in plain words, with the keys that work."""
        if isinstance(self.screen, Help):
            self.pop_screen()
            return
        self.push_screen(Help(self._help_text()))

    def _help_text(self) -> str:
        nodes: list[DOMNode] = [*self.focused.ancestors_with_self] if self.focused else []
        texts = [str(node.HELP).strip() for node in [*nodes, self.screen] if _help(node)]
        keys = ["", "### Keys", "", "| key | does |", "|---|---|"]
        for key, active in self.screen.active_bindings.items():
            shown = self.get_key_display(active.binding)
            if active.enabled and active.binding.description and key != "ctrl+c":
                keys.append(f"| `{shown}` | {active.binding.description} |")
        return "\n\n".join(dict.fromkeys(texts)) + "\n" + "\n".join(dict.fromkeys(keys))

    def action_copy_or_hint(self) -> None:
        """Copy the selection; ctrl+c does not quit, so say what does."""
        selected = self.screen.get_selected_text()
        if selected:
            self.copy_to_clipboard(selected)
        else:
            self.say("ctrl+q quits; esc goes back")

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """What the command palette offers besides Textual's own."""
        if self.session is not None:
            for key, step, title in STEPS:
                yield SystemCommand(
                    f"{key} {title}",
                    f"Go to the {title} screen",
                    lambda s=step: self.action_step(s),
                )
            yield SystemCommand("Save", "Write the project file (ctrl+s)", self.action_save)
            yield SystemCommand("Undo", "Take back the last edit (ctrl+z)", self.action_undo)
            yield SystemCommand("Redo", "Do it again (ctrl+y)", self.action_redo)
            for title, what, module, name in ANALYSES:
                panel = _screen(module, name)
                yield SystemCommand(title, what, lambda make=panel: self.push_screen(make()))
        yield SystemCommand("Open", "Open a data file or a project (ctrl+o)", self.action_open)
        for command in super().get_system_commands(screen):
            if command.title not in ("Screenshot", "Keys"):
                yield command

    def say(self, text: str, severity: str = "information") -> None:
        """A short message that goes away by itself; the text is shown as it is."""
        self.notify(text, severity=severity, markup=False, timeout=4)  # type: ignore[arg-type]


def _help(node: DOMNode) -> str | None:
    return getattr(node, "HELP", None)


def launch(file: Path | None = None) -> None:
    """Run the application on the terminal."""
    from kanon_tui.settings import load_settings

    settings = load_settings(os.environ)
    KanonApp(file, desk=Desk(settings.state_folder), keys=settings.keys, theme=settings.theme).run()
