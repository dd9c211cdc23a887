"""A list from which several values are picked; what is picked has a mark, not only a colour."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from rich.segment import Segment
from textual.binding import BindingType
from textual.strip import Strip
from textual.widgets import SelectionList

from kanon_tui.widgets.choice_list import PagesWithRoom
from kanon_tui.widgets.motions import LIST_MOTIONS

__all__ = ["CheckList"]

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
