"""The line at the bottom: the keys that work now, the most important first, and help always."""

from __future__ import annotations

from typing import Any

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.binding import Binding
from textual.screen import Screen
from textual.widget import Widget

__all__ = ["KeyBar"]

HELP = ("F1 ?", "help", "f1")
"""What is shown of it, what it does, and the key that a click presses."""
SIGNS = {"plus": "+", "minus": "-", "slash": "/"}
"""Keys whose names do not tell what they type."""
SHORT_HELP = ("F1", "", "f1")


class KeyBar(Widget):
    """Textual's footer lets the keys on the right fall off a narrow terminal, help first of all.

    Here help has its place, keys follow in the order of their declaration as far as there is
    room, and the number of those that found none stands before it: help lists them all.
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
        """From and to which cell a key stands, for the mouse."""

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_changed)

    def on_unmount(self) -> None:
        self.screen.bindings_updated_signal.unsubscribe(self)

    def _bindings_changed(self, screen: Screen[Any]) -> None:
        if screen is self.screen:
            self.refresh()

    def keys(self) -> list[tuple[Binding, bool]]:
        """The bindings to show and whether they can be used, one for each action."""
        found: dict[str, tuple[Binding, bool]] = {}
        for key, active in self.screen.active_bindings.items():
            if active.binding.show and active.binding.action != "help" and not self._types(key):
                found.setdefault(active.binding.action, (active.binding, active.enabled))
        return list(found.values())

    def _types(self, key: str) -> bool:
        """Whether a field that has the focus takes the key; Textual knows not all signs."""
        field, sign = self.screen.focused, SIGNS.get(key)
        return sign is not None and field is not None and field.check_consume_key(key, sign)

    def render(self) -> Text:
        """As many keys as fit, how many do not, and help on the right."""
        width = self.size.width
        keys = self.keys()
        right = HELP if width >= 24 else SHORT_HELP
        help_width = cell_len(" ".join(filter(None, right[:2]))) + 2
        shown = len(keys)
        while shown and _width(self._pieces(keys[:shown], len(keys))) + help_width > width:
            shown -= 1
        line, self._spans = Text(), []
        for key, description, pressed, muted in self._pieces(keys[:shown], len(keys)):
            self._append(line, key, description, pressed, muted)
        line.append(" " * max(width - cell_len(line.plain) - help_width, 0))
        self._append(line, *right, False)
        line.no_wrap, line.overflow = True, "crop"
        return line

    def _pieces(
        self, keys: list[tuple[Binding, bool]], known: int
    ) -> list[tuple[str, str, str, bool]]:
        pieces = [
            (self.app.get_key_display(one), one.description, one.key, not enabled)
            for one, enabled in keys
        ]
        if len(keys) < known:
            pieces.append(("…", f"{known - len(keys)} more", HELP[2], False))
        return pieces

    def _append(self, line: Text, key: str, description: str, pressed: str, muted: bool) -> None:
        begin = cell_len(line.plain)
        dim = self.get_component_rich_style("key-bar--muted", partial=True)
        bold = self.get_component_rich_style("key-bar--key", partial=True)
        line.append(f" {key} ", dim if muted else bold)
        if description:
            line.append(f"{description} ", dim if muted else "")
        self._spans.append((begin, cell_len(line.plain), pressed))

    def on_click(self, event: events.Click) -> None:
        """Press the key under the mouse."""
        for begin, end, key in self._spans:
            if begin <= event.x < end:
                self.app.simulate_key(key)


def _width(pieces: list[tuple[str, str, str, bool]]) -> int:
    return sum(
        cell_len(key) + 2 + (cell_len(description) + 1 if description else 0)
        for key, description, _, _ in pieces
    )
