"""The line at the bottom: the keys that work now, the most important first, and help."""

from typing import Any

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
        keys, width = self.keys(), self.size.width
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
        line, self._spans = Text(no_wrap=True, overflow="crop"), []
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
