"""The application: modes, bindings, themes, and the actions of every screen."""

import asyncio
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from textual import events
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.filter import LineFilter
from textual.notifications import SeverityLevel
from textual.reactive import reactive
from textual.screen import Screen
from textual.widget import AwaitMount

from kanon_tui.core.analysis.registry import ANALYSES
from kanon_tui.core.errors import InputError, check_known, in_screen_words
from kanon_tui.core.table.writing import write_private
from kanon_tui.screens.base import STEPS, send
from kanon_tui.screens.help_dialog import Help, Palette, explanation, key_groups, screen_commands
from kanon_tui.screens.opening import StartScreen, ask_for_file, open_file
from kanon_tui.services.host import Host
from kanon_tui.services.saving import Saving
from kanon_tui.services.status import Status
from kanon_tui.services.typed_keys import TypedKeys
from kanon_tui.services.unexpected_end import UnexpectedEnd
from kanon_tui.signals import code_of, leaving_at_signals, terminal_restorer
from kanon_tui.themes import THEMES, default_theme
from kanon_tui.widgets.bars import StepBar
from kanon_tui.widgets.line_filters import line_filters
from kanon_tui.widgets.path_dialog import AskPath, ask_target
from kanon_tui.widgets.status_line import NO_MESSAGE, StatusMessage

COUNTING_PERIOD = 0.5
"""Seconds between two reports of the counting of a large table."""


def screen_maker(place: str) -> Callable[[], Screen[Any]]:
    """Return a function that imports and makes the screen `MODULE:CLASS`.

    Screens are imported when they are first shown, to keep the start quick.
    """

    def make() -> Screen[Any]:
        from importlib import import_module

        module, name = place.split(":")
        screen: Screen[Any] = getattr(import_module(f"kanon_tui.screens.{module}"), name)()
        return screen

    return make


class KanonApp(App[None]):
    """Seven numbered screens over one session; what it does beside them are services."""

    TITLE = "kanon"
    CSS_PATH = "app.tcss"
    ENABLE_COMMAND_PALETTE = True
    ESCAPE_TO_MINIMIZE = True
    ALLOW_IN_MAXIMIZED_VIEW = "KeyBar, StatusLine"
    DEFAULT_MODE = "start"
    MODES: ClassVar[dict[str, str | Callable[[], Screen[Any]]]] = {
        "start": StartScreen,
        "data": screen_maker("data.screen:DataScreen"),
        "attributes": screen_maker("attributes.screen:AttributesScreen"),
        "hierarchies": screen_maker("hierarchies.screen:HierarchiesScreen"),
        "rules": screen_maker("rules.screen:RulesScreen"),
        "run": screen_maker("run.screen:RunScreen"),
        "results": screen_maker("results.screen:ResultsScreen"),
        "what-if": screen_maker("what_if.screen:WhatIfScreen"),
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

    status_message: reactive[StatusMessage] = reactive(NO_MESSAGE, always_update=True)
    """The latest message, which the status line of every screen shows."""

    def __init__(
        self,
        file: Path | None = None,
        *,
        state_folder: Path = Path(os.devnull),  # in which nothing can be kept
        keys: dict[str, str] | None = None,
        theme: str | None = None,
        present: bool = False,
    ) -> None:
        super().__init__()
        self.typed_keys = TypedKeys(self, super().on_event, lambda: self.host.background.holds_keys)
        self.status = Status(self, self._show_status)
        self.host = Host(self, self.typed_keys, state_folder)
        self.saving = Saving(self.host)
        self._end = UnexpectedEnd(self.error_console)
        self._file = file
        self._presents = present
        self._loop: asyncio.AbstractEventLoop | None = None
        self._theme_of_mode: dict[str, str] = {}
        self.animation_level = "none"
        for built_in_theme in THEMES:
            self.register_theme(built_in_theme)
        self.theme = self._parsed_theme = theme or default_theme()
        self.stylesheet.set_variables(self.get_css_variables())  # for the parsing at the start
        self.set_keymap(keys or {})

    def on_mount(self) -> None:
        """Open the file given on the command line, or stay on the start screen."""
        self._loop = asyncio.get_running_loop()
        self.set_interval(COUNTING_PERIOD, self.host.show_counting_progress)
        if self._file is not None:
            open_file(self.host, self._file, then=self._present if self._presents else lambda: None)

    def _present(self) -> None:
        """Run the opened project step by step, as in front of a class."""
        self.switch_mode("run")
        self.call_after_refresh(lambda: getattr(self.screen, "present", lambda: None)())

    def on_unmount(self) -> None:
        self.host.close()

    async def on_event(self, event: events.Event) -> None:
        """Pass keys on one at a time, other events at once."""
        if isinstance(event, events.Key) and not event.is_forwarded:
            self.status.key_was_pressed()
            await self.typed_keys.receive(event)
        else:
            await super().on_event(event)

    def switch_mode(self, mode: str) -> AwaitMount:
        """Show another mode; questions that come up late still find the one that is left."""
        self.host.background.leave_mode()
        self._theme_of_mode.setdefault(mode, self._theme_of_mode.get(self.current_mode, ""))
        return super().switch_mode(mode)

    def refresh_css(self, animate: bool = True) -> None:
        """Parse and apply all styles, unless the shown mode has those of the theme.

        Textual asks for it twice whenever a mode is shown for the first time, and at the start,
        when they are parsed already.
        """
        is_first = not self._theme_of_mode
        styled_for = self._theme_of_mode.get(self.current_mode)
        self._theme_of_mode[self.current_mode] = self.theme
        if is_first and self.theme == self._parsed_theme:
            self.stylesheet.update(self, animate=animate)
        elif styled_for != self.theme:
            super().refresh_css(animate)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return the filters that every drawn line passes."""
        return line_filters(super().get_line_filters(), self.native_ansi_color)

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """Show a message on the status line: ours and those of Textual, as they are written."""
        if title:
            message = f"{title}: {message}"
        self.call_later(self.status.announce, message, severity)

    def _show_status(self, message: StatusMessage) -> None:
        self.status_message = message

    def bell(self) -> None:
        """Ring the bell; Textual rings it too when an exception is about to end the application."""
        self._end.note(sys.exception())
        super().bell()

    # -- actions

    async def run_action(self, *arguments: Any, **options: Any) -> bool:
        """Perform an action; show the reason where it refuses what it is asked."""
        try:
            return await super().run_action(*arguments, **options)
        except InputError as error:
            self.host.notify(in_screen_words(error), "warning")
            return True

    def action_step(self, step: str) -> None:
        self.host.go_to_step(step)

    def action_open(self) -> None:
        ask_for_file(self.host)

    def action_save(self) -> None:
        self.saving.save()

    async def action_quit(self) -> None:
        self.saving.quit()

    def action_command_palette(self) -> None:
        if not isinstance(self.screen, Palette):
            self.push_screen(Palette())

    def action_picture(self) -> None:
        """Write the screen as it is drawn now to an SVG file."""
        svg = self.export_screenshot(title="kanon")

        def write(path: Path) -> None:
            self.host.background.write(
                lambda: write_private(path, svg, force=True),
                lambda _: self.host.notify(f"wrote {path.name}; it shows values of the table"),
            )

        name = f"{self.current_mode}.svg"
        title = "Write the picture to"
        ask_target(self.host, AskPath(title, name, endings=(".svg",), ending=".svg"), write)

    def on_step_bar_clicked(self, event: StepBar.Clicked) -> None:
        self.action_step(event.step)

    def action_screen_by_digit(self, digit: str) -> None:
        """Show a numbered screen from a dialog, where bindings of the application do not work."""
        self.action_step(next(step for key, step, _ in STEPS if key == digit))

    def action_undo(self) -> None:
        what = self.host.session.undo() if self.host.session else None
        self.host.notify(f"undone: {what}" if what else "nothing to undo")
        self.host.session_changed()

    def action_redo(self) -> None:
        what = self.host.session.redo() if self.host.session else None
        self.host.notify(f"redone: {what}" if what else "nothing to redo")
        self.host.session_changed()

    def leave_by_signal(self, number: int) -> bool:
        """Ask the running application to end because of a signal; return False if none runs."""
        if not self.is_running or self._loop is None:
            return False
        self._loop.call_soon_threadsafe(self._leave_now, code_of(number))
        return True

    def _leave_now(self, code: int) -> None:
        """End without a question; unsaved changes are kept for the next start."""
        if self.host.session is not None:
            self.host.recovery.keep(self.host.session)
        self.exit(return_code=code)

    def action_help(self) -> None:
        """Show the keys that work now and an explanation of the focused pane."""
        if isinstance(self.screen, Help):
            self.screen.dismiss(None)
        else:
            self.push_screen(Help(key_groups(self.screen), explanation(self.screen)))

    def action_copy_or_hint(self) -> None:
        """Copy the selected text, or say which key quits, since ctrl+c does not."""
        selected = self.screen.get_selected_text()
        if selected:
            send(self.host, self, lambda: selected, "the selected text")
        else:
            self.host.notify("ctrl+q quits; esc goes back")

    def action_analysis(self, name: str) -> None:
        """Open the panel of an analysis over the screen."""
        if self.host.session is not None:
            from kanon_tui.screens.analyses.generic import panel_of

            self.push_screen(panel_of(name))

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Yield what the command palette offers: our commands, then Textual's own."""
        if self.host.session is not None:
            for key, step, title in STEPS:
                yield SystemCommand(
                    f"{key} {title}",
                    f"Go to the {title} screen",
                    lambda s=step: self.action_step(s),
                )
            yield SystemCommand("Save", "Write the project file (ctrl+s)", self.action_save)
            yield SystemCommand("Undo", "Take back the last edit (ctrl+z)", self.action_undo)
            yield SystemCommand("Redo", "Do it again (ctrl+y)", self.action_redo)
            for analysis in ANALYSES.values():
                where = f" ({analysis.key} on Results)" if analysis.key else ""
                yield SystemCommand(
                    analysis.title,
                    f"{analysis.question}{where}",
                    partial(self.action_analysis, analysis.name),
                )
        yield SystemCommand(
            "Picture", "Write this screen, with the values on it, as SVG", self.action_picture
        )
        yield from screen_commands(screen)
        yield SystemCommand("Open", "Open a data file or a project (ctrl+o)", self.action_open)
        for command in super().get_system_commands(screen):
            if command.title not in ("Screenshot", "Keys"):
                yield command


def binding_names() -> set[str]:
    """Return the ids of all bindings that can have other keys; imports every screen."""
    import pkgutil
    from importlib import import_module

    import kanon_tui.screens

    for module in pkgutil.walk_packages(kanon_tui.screens.__path__, "kanon_tui.screens."):
        import_module(module.name)
    names = set()
    waiting = [DOMNode]
    while waiting:
        node = waiting.pop()
        waiting += node.__subclasses__()
        if node.__module__.startswith("kanon_tui"):
            bindings = Binding.make_bindings(node.__dict__.get("BINDINGS", ()))
            names |= {binding.id for binding in bindings if binding.id}
    return names


def launch(file: Path | None = None, *, mouse: bool = True, present: bool = False) -> int:
    """Run the application and return its exit code.

    0 after quitting, 1 after an unexpected exception, more than 128 after a signal.
    """
    from kanon_tui.settings import load_settings

    settings = load_settings(os.environ)
    names = binding_names() if settings.keys else set()
    for name in settings.keys:
        check_known(name, names, f"settings.yaml: keys: there is nothing named '{name}'")
    app = KanonApp(
        file, state_folder=settings.state_folder, keys=settings.keys, theme=settings.theme,
        present=present,
    )  # fmt: skip
    with leaving_at_signals(app.leave_by_signal, terminal_restorer()):
        app.run(mouse=mouse and settings.mouse)
    return app.return_code or 0
