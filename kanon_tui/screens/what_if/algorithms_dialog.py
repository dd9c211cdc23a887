"""Which algorithms a sweep compares: a list with marks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Label, OptionList, Static
from textual.widgets.option_list import Option

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.screens.dialogs import Dialog

__all__ = ["PickAlgorithms"]


class PickAlgorithms(Dialog):
    """Several of all algorithms; gives their names in the order of the contents page, or None."""

    DEFAULT_CSS = """
    PickAlgorithms OptionList, PickAlgorithms OptionList:focus {
        max-height: 16; border: none; padding: 0;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "mark", "Mark"),
        Binding("enter", "accept", "Take the marked", priority=True),
    ]

    def __init__(self, chosen: Sequence[str]) -> None:
        super().__init__()
        self._marked = set(chosen)

    def compose(self) -> ComposeResult:
        """The list."""
        with Vertical():
            yield Label(Text("Algorithms to compare"), classes="title")
            yield OptionList(*(Option(self._line(name), id=name) for name in ALGORITHMS))
            yield Static(Text("space marks, enter takes the marked, esc leaves"), classes="hint")

    def on_mount(self) -> None:
        """Begin at the top."""
        self.query_one(OptionList).highlighted = 0

    def _line(self, name: str) -> Text:
        mark = "✓" if name in self._marked else "·"
        return Text.assemble((f"{mark} {name:<13}", "bold"), (ALGORITHMS[name].title, "dim"))

    def action_mark(self) -> None:
        """Mark the algorithm under the cursor, or take its mark away."""
        listed = self.query_one(OptionList)
        if listed.highlighted is not None:
            self._toggle(list(ALGORITHMS)[listed.highlighted])

    @on(OptionList.OptionSelected)
    def clicked(self, event: OptionList.OptionSelected) -> None:
        """The same with the mouse."""
        self._toggle(list(ALGORITHMS)[event.option_index])

    def _toggle(self, name: str) -> None:
        self._marked ^= {name}
        self.query_one(OptionList).replace_option_prompt(name, self._line(name))

    def action_accept(self) -> None:
        """At least one is needed."""
        if self._marked:
            self.dismiss([name for name in ALGORITHMS if name in self._marked])
        else:
            self.query_one(".hint", Static).update(Text("mark at least one with space"))
