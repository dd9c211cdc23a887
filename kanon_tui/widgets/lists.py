"""Lists of options, dropdowns and scrolling texts whose motions can be bound to other keys."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.strip import Strip
from textual.widgets import OptionList, Select, SelectionList

__all__ = ["CheckList", "ChoiceList", "Dropdown", "ScrollPane"]

T = TypeVar("T")

LIST_MOTIONS: list[BindingType] = [
    Binding("up", "cursor_up", "Up", show=False, id="move.up"),
    Binding("down", "cursor_down", "Down", show=False, id="move.down"),
    Binding("pageup", "page_up", "Page up", show=False, id="move.page-up"),
    Binding("pagedown", "page_down", "Page down", show=False, id="move.page-down"),
    Binding("home", "first", "First", show=False, id="list.first"),
    Binding("end", "last", "Last", show=False, id="list.last"),
]
"""Textual's bindings of lists, with ids."""


class ScrollPane(VerticalScroll):
    """A pane whose content scrolls."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "scroll_up", "Up", show=False, id="move.up"),
        Binding("down", "scroll_down", "Down", show=False, id="move.down"),
        Binding("pageup", "page_up", "Page up", show=False, id="move.page-up"),
        Binding("pagedown", "page_down", "Page down", show=False, id="move.page-down"),
        Binding("home", "scroll_home", "First", show=False, id="list.first"),
        Binding("end", "scroll_end", "Last", show=False, id="list.last"),
    ]


class ChoiceList(OptionList):
    """A list of options; page keys do nothing until it is laid out, where Textual's raise."""

    BINDINGS: ClassVar[list[BindingType]] = LIST_MOTIONS

    def action_page_up(self) -> None:
        if self.scrollable_content_region:
            super().action_page_up()  # type: ignore[no-untyped-call]

    def action_page_down(self) -> None:
        if self.scrollable_content_region:
            super().action_page_down()  # type: ignore[no-untyped-call]


class CheckList(SelectionList[T], ChoiceList):
    """A list from which several values are picked; ✓ marks them, where Textual has a colour."""

    BINDINGS: ClassVar[list[BindingType]] = LIST_MOTIONS

    def render_line(self, y: int) -> Strip:
        """Return a line with ✓ or a blank in its button."""
        line = super().render_line(y)
        index = self.scroll_offset.y + y
        if index >= self.option_count:
            return line
        is_picked = self.get_option_at_index(index).value in self.selected
        left, inside, *rest = line  # the edges of the button are segments of their own
        return Strip([left, Segment("✓" if is_picked else " ", inside.style), *rest])


class Dropdown(Select[Any]):
    """A line that opens to one of a few options; page keys wait until the options are laid out."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pageup", "page_up", "Page up", show=False, priority=True),
        Binding("pagedown", "page_down", "Page down", show=False, priority=True),
    ]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether an action is possible; page keys are the screen's while it is closed."""
        return self.expanded if action.startswith("page_") else True

    def action_page_up(self) -> None:
        options = self.query_one(OptionList)
        if options.scrollable_content_region:
            options.action_page_up()  # type: ignore[no-untyped-call]

    def action_page_down(self) -> None:
        options = self.query_one(OptionList)
        if options.scrollable_content_region:
            options.action_page_down()  # type: ignore[no-untyped-call]
