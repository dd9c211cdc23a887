"""The line at the bottom: the keys that work now, the most important first, and help."""

from typing import Any

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.binding import Binding
from textual.screen import Screen
from textual.widget import Widget

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
        field, sign = self.screen.focused, SIGNS.get(key)
        return sign is not None and field is not None and field.check_consume_key(key, sign)

    def render(self) -> Text:
        """Return as many keys as fit, the number of the others, and help on the right."""
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
