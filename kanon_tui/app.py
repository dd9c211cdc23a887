"""The application: modes, keys, themes, and what works on every screen."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, ClassVar

from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen

from kanon_tui.screens.base import STEPS
from kanon_tui.screens.help_dialog import Help, explanation, key_groups
from kanon_tui.screens.saving import SavingApp
from kanon_tui.screens.start import StartScreen
from kanon_tui.themes import THEMES, default_theme
from kanon_tui.widgets.step_bar import StepBar

__all__ = ["ANALYSES", "KanonApp", "launch", "screen_maker"]

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


def screen_maker(module: str, name: str) -> Callable[[], Screen[Any]]:
    """A screen that is imported when it is first shown, to keep the start quick."""

    def make() -> Screen[Any]:
        from importlib import import_module

        screen: Screen[Any] = getattr(import_module(f"kanon_tui.screens.{module}"), name)()
        return screen

    return make


class KanonApp(SavingApp):
    """Seven numbered screens over one session."""

    TITLE = "kanon"
    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = True
    ESCAPE_TO_MINIMIZE = True
    ALLOW_IN_MAXIMIZED_VIEW = "KeyBar"
    DEFAULT_MODE = "start"
    MODES: ClassVar[dict[str, str | Callable[[], Screen[Any]]]] = {
        "start": StartScreen,
        "data": screen_maker("data.screen", "DataScreen"),
        "attributes": screen_maker("attributes.screen", "AttributesScreen"),
        "hierarchies": screen_maker("hierarchies.screen", "HierarchiesScreen"),
        "rules": screen_maker("rules.screen", "RulesScreen"),
        "run": screen_maker("run.screen", "RunScreen"),
        "results": screen_maker("results.screen", "ResultsScreen"),
        "what-if": screen_maker("what_if.screen", "WhatIfScreen"),
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
        Binding("question_mark", "help", "Help", show=False, id="help.letter"),
        Binding("ctrl+q", "quit", "Quit", show=False, priority=True, id="quit"),
        Binding("ctrl+c", "copy_or_hint", "Copy", show=False, id="copy"),
    ]

    def __init__(
        self,
        file: Path | None = None,
        *,
        state_folder: Path | None = None,
        keys: dict[str, str] | None = None,
        theme: str | None = None,
    ) -> None:
        super().__init__(state_folder)
        self.file = file
        self.animation_level = "none"
        for known in THEMES:
            self.register_theme(known)
        self.theme = theme or default_theme()
        if keys:
            self.set_keymap(keys)

    def on_mount(self) -> None:
        """Open the file given, or stay on the start screen; compile ahead meanwhile."""
        if self.file is not None:
            self.open_file(self.file)
        if not self.is_headless:
            self.set_timer(2, self.compile_ahead)

    # -- actions

    def on_step_bar_clicked(self, event: StepBar.Clicked) -> None:
        self.action_step(event.step)

    def action_undo(self) -> None:
        what = self.session.undo() if self.session else None
        self.say(f"undone: {what}" if what else "nothing to undo")
        self.session_changed()

    def action_redo(self) -> None:
        what = self.session.redo() if self.session else None
        self.say(f"done again: {what}" if what else "nothing to redo")
        self.session_changed()

    def action_help(self) -> None:
        """The keys that work here, and what has the focus in plain words."""
        if isinstance(self.screen, Help):
            self.screen.dismiss(None)
        else:
            self.push_screen(Help(key_groups(self.screen), explanation(self.screen)))

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
                panel = screen_maker(module, name)
                yield SystemCommand(title, what, lambda make=panel: self.push_screen(make()))
        yield SystemCommand("Open", "Open a data file or a project (ctrl+o)", self.action_open)
        for command in super().get_system_commands(screen):
            if command.title not in ("Screenshot", "Keys"):
                yield command


def launch(file: Path | None = None) -> int:
    """Run the application on the terminal; gives 0, or 1 when it ended in an unexpected way."""
    from kanon_tui.settings import load_settings

    settings = load_settings(os.environ)
    app = KanonApp(
        file, state_folder=settings.state_folder, keys=settings.keys, theme=settings.theme
    )
    app.run()
    return app.return_code or 0
