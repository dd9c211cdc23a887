"""One of many texts: type a part of it, pick from what is left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, Label, OptionList, Static
from textual.widgets.option_list import Option

from kanon_tui.screens.dialogs import Dialog
from kanon_tui.widgets.choice_list import ChoiceList
from kanon_tui.widgets.grid import printable

__all__ = ["Pick"]

MOST = 200
"""Options listed at once; typing narrows them down."""


class Pick(Dialog):
    """Gives one of the texts, or None."""

    HELP = """## One of many

Type a part of what you look for: the list keeps what has it, what begins with it first. `↑` `↓`
move while you type, `enter` takes the line under the cursor, `esc` leaves.
"""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "go(1)", show=False),
        Binding("up", "go(-1)", show=False),
    ]

    def __init__(self, title: str, texts: Sequence[str], value: str = "", hint: str = "") -> None:
        super().__init__()
        self._title, self._texts, self._value, self._hint = title, texts, value, hint
        self._listed: list[str] = []

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Label(Text(printable(self._title)), classes="title")
            yield Input(self._value, placeholder="type a part of it", select_on_focus=True)
            yield ChoiceList(id="found")
            yield Static(id="more", classes="hint")

    def on_mount(self) -> None:
        self._find(self._value)

    @on(Input.Changed)
    def typed(self, event: Input.Changed) -> None:
        self._find(event.value)

    def _find(self, typed: str) -> None:
        """What begins with the text, then what has it anywhere."""
        wanted = typed.casefold()
        hits = [text for text in self._texts if wanted in text.casefold()]
        hits.sort(key=lambda text: not text.casefold().startswith(wanted))
        self._listed = hits[:MOST]
        found = self.query_one("#found", OptionList)
        found.clear_options()
        found.add_options([Option(Text(printable(text) or "·"), id=text) for text in self._listed])
        found.highlighted = 0 if self._listed else None
        more = f"{len(hits) - MOST:,} more; type to narrow down. " if len(hits) > MOST else ""
        self.query_one("#more", Static).update(
            Text(more + (self._hint or "↑ ↓ choose, enter takes it") if hits else "none has this")
        )

    def action_go(self, step: int) -> None:
        """Through the list while the typing goes on."""
        found = self.query_one("#found", OptionList)
        if found.highlighted is not None:
            found.highlighted = max(0, min(found.highlighted + step, len(self._listed) - 1))

    @on(Input.Submitted)
    def submit(self) -> None:
        place = self.query_one("#found", OptionList).highlighted
        if place is not None:
            self.dismiss(self._listed[place])

    @on(OptionList.OptionSelected)
    def picked(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_id)  # its number may count in a list that is gone
