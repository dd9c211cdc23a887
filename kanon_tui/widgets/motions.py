"""Keys that move, with names: the same motion has the same name wherever it is."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

__all__ = ["LIST_MOTIONS", "ScrollPane"]

LIST_MOTIONS: list[BindingType] = [
    Binding("up", "cursor_up", "Up", show=False, id="move.up"),
    Binding("down", "cursor_down", "Down", show=False, id="move.down"),
    Binding("pageup", "page_up", "Page up", show=False, id="move.page-up"),
    Binding("pagedown", "page_down", "Page down", show=False, id="move.page-down"),
    Binding("home", "first", "First", show=False, id="list.first"),
    Binding("end", "last", "Last", show=False, id="list.last"),
]
"""Of lists of options; Textual's own have no names."""


class ScrollPane(VerticalScroll):
    """A text that scrolls."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "scroll_up", "Up", show=False, id="move.up"),
        Binding("down", "scroll_down", "Down", show=False, id="move.down"),
        Binding("pageup", "page_up", "Page up", show=False, id="move.page-up"),
        Binding("pagedown", "page_down", "Page down", show=False, id="move.page-down"),
        Binding("home", "scroll_home", "First", show=False, id="list.first"),
        Binding("end", "scroll_end", "Last", show=False, id="list.last"),
    ]
