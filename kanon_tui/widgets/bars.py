"""The line on top (project, numbered screens, k) and the line of keys at the bottom."""

from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual import events
from textual.binding import Binding
from textual.message import Message
from textual.screen import Screen
from textual.widget import Widget

from kanon_tui.core.editing.readiness import Readiness
from kanon_tui.core.text import visible
from kanon_tui.widgets.drawing import theme_style

HELP = ("F1 ?", "help", "f1")
"""How help is shown, what it does, and the key that a click presses."""
SIGNS = {"plus": "+", "minus": "-", "slash": "/"}
"""Characters of keys whose names differ from them."""
SHORT_HELP = ("F1", "", "f1")


class KeyBar(Widget):
    """The keys of the screen in the order of their bindings, as many as fit, and help.

    Textual's footer cuts off the keys on the right of a narrow terminal, help first. Here help
    always has its place, and before it the number of keys that did not fit.
    """

    ALLOW_SELECT = False
    COMPONENT_CLASSES = {"key-bar--key", "key-bar--muted"}  # noqa: RUF012 (as Textual has it)
    DEFAULT_CSS = """
    KeyBar {
        dock: bottom; height: 1;
        background: $footer-background; color: $footer-foreground;
    }
    KeyBar > .key-bar--key { color: $footer-key-foreground; text-style: bold; }
    KeyBar > .key-bar--muted { color: $text-muted; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._spans: list[tuple[int, int, str]] = []
        """First cell, end and key of every key shown, for the mouse."""

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_changed)

    def on_unmount(self) -> None:
        self.screen.bindings_updated_signal.unsubscribe(self)

    def _bindings_changed(self, screen: Screen[Any]) -> None:
        if screen is self.screen:
            self.refresh()

    def keys(self) -> list[tuple[Binding, bool]]:
        """Return the bindings to show and whether they can be used, one per action."""
        found: dict[str, tuple[Binding, bool]] = {}
        for key, active in self.screen.active_bindings.items():
            if active.binding.show and active.binding.action != "help" and not self._types(key):
                found.setdefault(active.binding.action, (active.binding, active.enabled))
        return list(found.values())

    def _types(self, key: str) -> bool:
        """Return whether the focused field takes the key as text, which Textual misses for some."""
        field = self.screen.focused
        sign = SIGNS.get(key)
        return sign is not None and field is not None and field.check_consume_key(key, sign)

    def render(self) -> Text:
        """Return as many keys as fit, the number of the others, and help on the right."""
        keys = self.keys()
        width = self.size.width
        right = self._piece(*(HELP if width >= 24 else SHORT_HELP))
        pieces = [
            self._piece(self.app.get_key_display(one), one.description, one.key, not enabled)
            for one, enabled in keys
        ]
        for count in range(len(pieces), -1, -1):
            shown = pieces[:count]
            if count < len(pieces):
                shown.append(self._piece("…", f"{len(pieces) - count} more", HELP[2]))
            blank = width - sum(text.cell_len for text, _ in (*shown, right))
            if blank >= 0:
                break
        line = Text(no_wrap=True, overflow="crop")
        self._spans = []
        for text, key in (*shown, (Text(" " * max(blank, 0)), ""), right):
            self._spans.append((line.cell_len, line.cell_len + text.cell_len, key))
            line.append_text(text)
        return line

    def _piece(
        self, key: str, description: str, pressed: str, muted: bool = False
    ) -> tuple[Text, str]:
        """Return how a key is shown, and the key that a click presses."""
        dim = self.get_component_rich_style("key-bar--muted", partial=True)
        bold = self.get_component_rich_style("key-bar--key", partial=True)
        text = Text.assemble((f" {key} ", dim if muted else bold))
        if description:
            text.append(f"{description} ", dim if muted else "")
        return text, pressed

    def on_click(self, event: events.Click) -> None:
        """Press the key under the mouse."""
        for begin, end, key in self._spans:
            if key and begin <= event.x < end:
                self.app.simulate_key(key)


UNSAVED = "*"
"""Mark after the name of a project with unsaved changes."""
WHOLE = "whole"
SHORTENED = "shortened"
CURRENT = "current"
SHORT = {"Attributes": "Attrib.", "Hierarchies": "Hierarch."}
"""Titles that are used if the whole ones do not fit."""
LAYOUTS = ((True, WHOLE), (False, WHOLE), (False, SHORTENED), (True, CURRENT), (False, CURRENT))
"""Whether blanks surround the steps, and which titles are shown; the first that fits is used."""
SHORTEST = 3
"""Cells of the shortest name that is still shown."""


class StepBar(Widget):
    """Project name, the numbered steps with their state, and k."""

    DEFAULT_CSS = """
    StepBar { dock: top; height: 1; background: $panel; color: $foreground; }
    """

    @dataclass
    class Clicked(Message):
        """A step was clicked."""

        step: str

    def __init__(self) -> None:
        super().__init__()
        self.current = ""
        self.title = "kanon"
        self.k = ""
        self.steps: tuple[tuple[str, str, str, Readiness], ...] = ()
        """(key, step, title, state) of every step."""
        self._spans: list[tuple[int, int, str]] = []

    def update(
        self, current: str, title: str, k: str, steps: tuple[tuple[str, str, str, Readiness], ...]
    ) -> None:
        self.current = current
        self.title = title
        self.k = k
        self.steps = steps
        self.refresh()

    def render(self) -> Text:
        """Return the line in the first layout that fits."""
        room = self.size.width - (len(self.k) + 2 if self.k else 0)
        for airy, titles in LAYOUTS:
            steps, spans = self._steps(airy, titles)
            left = room - cell_len(steps.plain)
            if left >= self._least_name:
                break
        name = self._short_name(left)
        line = Text(name, "bold").append_text(steps)
        self._spans = [(x + cell_len(name), end + cell_len(name), step) for x, end, step in spans]
        if self.k and self.size.width >= cell_len(line.plain) + len(self.k) + 2:
            line.append(" " * (self.size.width - cell_len(line.plain) - len(self.k) - 1))
            line.append(self.k, "bold")
        line.no_wrap = True
        line.overflow = "crop"
        return line

    @property
    def _least_name(self) -> int:
        """Cells that the name needs at least, with the mark of unsaved changes."""
        return 2 if self.title.endswith(UNSAVED) else 1

    def _short_name(self, room: int) -> str:
        """Return the project's name in this many cells, shortened if needed, with its mark."""
        name = visible(self.title)
        if cell_len(name) + 2 <= room:
            return f" {name} "
        mark = UNSAVED if name.endswith(UNSAVED) else ""
        short = room - len(mark) - 2  # a blank before it, and … for what is cut off
        if short < SHORTEST:
            return f" {mark}"
        return f" {set_cell_size(name, short)}…{mark}"

    def _steps(self, airy: bool, titles: str) -> tuple[Text, list[tuple[int, int, str]]]:
        """Return the steps in a layout, and first cell, end and name of each."""
        line = Text()
        spans = []
        blank = " " if airy else ""
        for key, step, title, state in self.steps:
            current = step == self.current
            begin = cell_len(line.plain)
            style = "reverse bold" if current else ""
            line.append(" ", "" if not airy else style)
            shown = title if titles == WHOLE or current else SHORT.get(title, title)
            if titles == CURRENT and not current:
                shown = ""
            line.append(f"{key} {shown}".rstrip() + blank, style)
            line.append(
                state.mark, style if current else theme_style(self, state.colour, bold=True)
            )
            line.append(blank, style)
            spans.append((begin, cell_len(line.plain), step))
        return line, spans

    def on_click(self, event: events.Click) -> None:
        """Post the step under the mouse."""
        for begin, end, step in self._spans:
            if begin <= event.x < end:
                self.post_message(self.Clicked(step))
