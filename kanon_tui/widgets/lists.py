"""Lists of options, dropdowns and scrolling texts whose motions can be bound to other keys."""

from typing import Any, ClassVar, TypeVar

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.strip import Strip
from textual.widgets import OptionList, Select, SelectionList

T = TypeVar("T")

MOTIONS = (
    ("up", "Up", "move.up"),
    ("down", "Down", "move.down"),
    ("pageup", "Page up", "move.page-up"),
    ("pagedown", "Page down", "move.page-down"),
    ("home", "First", "list.first"),
    ("end", "Last", "list.last"),
)
"""Key, description and id of the bindings that move in lists and scrolling panes."""


def _motions(*actions: str) -> list[BindingType]:
    return [
        Binding(key, action, description, show=False, id=id_)
        for (key, description, id_), action in zip(MOTIONS, actions, strict=True)
    ]


LIST_MOTIONS = _motions("cursor_up", "cursor_down", "page_up", "page_down", "first", "last")


class ScrollPane(VerticalScroll):
    """A pane whose content scrolls."""

    BINDINGS: ClassVar[list[BindingType]] = _motions(
        "scroll_up", "scroll_down", "page_up", "page_down", "scroll_home", "scroll_end"
    )


class ChoiceList(OptionList):
    """A list of options; page keys do nothing until it is laid out, where Textual's raise."""

    BINDINGS: ClassVar[list[BindingType]] = LIST_MOTIONS

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether an action is possible; pages are only once there is room for one."""
        return not action.startswith("page_") or bool(self.scrollable_content_region)


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
        Binding("pageup", "page('up')", "Page up", show=False, priority=True),
        Binding("pagedown", "page('down')", "Page down", show=False, priority=True),
    ]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return whether an action is possible; page keys are the screen's while it is closed."""
        return self.expanded if action == "page" else True

    def action_page(self, direction: str) -> None:
        options = self.query_one(OptionList)
        if options.scrollable_content_region:
            getattr(options, f"action_page_{direction}")()
