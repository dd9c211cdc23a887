"""A dialog to choose several of a list: space marks, enter takes the marked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Label, OptionList, Static

from kanon_tui.screens.dialogs import Dialog
from kanon_tui.widgets.choice_list import ChoiceList
from kanon_tui.widgets.grid import printable

__all__ = ["ChooseSeveral"]


class ChooseSeveral(Dialog):
    """Gives the marked names in the order of the list, at least one, or None."""

    HELP = """## Several of a list

`space` marks the line under the cursor (✓) or takes its mark away; `enter` takes all that are
marked, at least one. `esc` leaves everything as it was.
"""
    DEFAULT_CSS = """
    ChooseSeveral OptionList, ChooseSeveral OptionList:focus { border: none; padding: 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "mark", "Mark"),
        Binding("enter", "accept", "Take the marked", priority=True),
    ]

    def __init__(self, title: str, names: Sequence[str], marked: Iterable[str]) -> None:
        super().__init__()
        self._title, self._names, self._marked = title, names, set(marked)

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Label(Text(printable(self._title)), classes="title")
            yield ChoiceList(*map(self._line, self._names))
            yield Static(Text("space marks, enter takes the marked, esc leaves"), classes="hint")

    def on_mount(self) -> None:
        self.query_one(OptionList).highlighted = 0

    def _line(self, name: str) -> Text:
        return self.line(name, "✓" if name in self._marked else "·")

    def line(self, name: str, mark: str) -> Text:
        """How one of the list is shown."""
        return Text(f"{mark} {printable(name)}")

    def action_mark(self) -> None:
        """Mark the one under the cursor, or take its mark away."""
        listed = self.query_one(OptionList)
        if listed.highlighted is not None:
            self._toggle(listed.highlighted)

    @on(OptionList.OptionSelected)
    def mark_clicked(self, event: OptionList.OptionSelected) -> None:
        """A click marks too; enter, which also selects, is taken by `action_accept`."""
        self._toggle(event.option_index)

    def _toggle(self, place: int) -> None:
        self._marked ^= {self._names[place]}
        line = self._line(self._names[place])
        self.query_one(OptionList).replace_option_prompt_at_index(place, line)

    def action_accept(self) -> None:
        """Give the marked; at least one is needed."""
        if self._marked:
            self.dismiss([name for name in self._names if name in self._marked])
        else:
            self.query_one(".hint", Static).update(Text("mark at least one with space"))
