"""Lists of options, dropdowns and scrolling texts whose motions can be bound to other keys."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar, cast

from rich.segment import Segment
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.strip import Strip
from textual.widgets import OptionList, Select, SelectionList
from textual.widgets._select import SelectCurrent, SelectOverlay

__all__ = ["LIST_MOTIONS", "CheckList", "ChoiceList", "Dropdown", "PagesWithRoom", "ScrollPane"]

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


class PagesWithRoom:
    """Textual's own raises when a page key comes while it has no room yet, such as in a burst."""

    def action_page_up(self) -> None:
        self._if_drawn("action_page_up")

    def action_page_down(self) -> None:
        self._if_drawn("action_page_down")

    def _if_drawn(self, action: str) -> None:
        if cast("OptionList", self)._index_to_line:
            getattr(super(), action)()


class ChoiceList(PagesWithRoom, OptionList):
    """Options to choose from."""

    BINDINGS: ClassVar[list[BindingType]] = LIST_MOTIONS


class _Opened(PagesWithRoom, SelectOverlay):
    """The options of a dropdown that is open."""


class Dropdown(Select[Any]):
    """One of a few options, in a line that opens."""

    def compose(self) -> ComposeResult:
        """As Textual has it, with a list that bears keys."""
        yield SelectCurrent(self.prompt)
        yield _Opened(type_to_search=self._type_to_search).data_bind(compact=Select.compact)


T = TypeVar("T")

_INNER = 1  # which segment of a line is the inside of its button


class CheckList(PagesWithRoom, SelectionList[T]):
    """Textual draws the same X for both states, in another colour."""

    BINDINGS: ClassVar[list[BindingType]] = LIST_MOTIONS

    def render_line(self, y: int) -> Strip:
        """The line with ✓ or nothing in its button."""
        line = super().render_line(y)
        index = self.scroll_offset.y + y
        if index >= self.option_count:
            return line
        picked = self.get_option_at_index(index).value in self.selected
        segments = list(line)
        segments[_INNER] = Segment("✓" if picked else " ", segments[_INNER].style)
        return Strip(segments)
