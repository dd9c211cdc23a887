"""Lists of options that bear keys before they are drawn; their motions have names."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import OptionList, Select
from textual.widgets._select import SelectCurrent, SelectOverlay

from kanon_tui.widgets.motions import LIST_MOTIONS

__all__ = ["ChoiceList", "Dropdown", "PagesWithRoom"]


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
