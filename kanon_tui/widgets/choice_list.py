"""A list of options that bears keys before it is drawn; its motions have names."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import BindingType
from textual.widgets import OptionList

from kanon_tui.widgets.motions import LIST_MOTIONS

__all__ = ["ChoiceList"]


class ChoiceList(OptionList):
    """Textual's own raises when a page key comes while it has no room yet, such as in a burst."""

    BINDINGS: ClassVar[list[BindingType]] = LIST_MOTIONS

    def action_page_up(self) -> None:
        if self.scrollable_content_region:
            super().action_page_up()  # type: ignore[no-untyped-call]

    def action_page_down(self) -> None:
        if self.scrollable_content_region:
            super().action_page_down()  # type: ignore[no-untyped-call]
