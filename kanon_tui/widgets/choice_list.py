"""A list of options that bears keys before it is drawn."""

from __future__ import annotations

from textual.widgets import OptionList

__all__ = ["ChoiceList"]


class ChoiceList(OptionList):
    """Textual's own raises when a page key comes while it has no room yet, such as in a burst."""

    def action_page_up(self) -> None:
        if self.scrollable_content_region:
            super().action_page_up()  # type: ignore[no-untyped-call]

    def action_page_down(self) -> None:
        if self.scrollable_content_region:
            super().action_page_down()  # type: ignore[no-untyped-call]
