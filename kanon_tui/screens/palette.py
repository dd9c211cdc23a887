"""The command palette."""

from __future__ import annotations

from textual import on
from textual.command import CommandPalette
from textual.message import Message
from textual.widgets import Button, Input, OptionList

from kanon_tui.widgets.dialogs import AnsweredOnce

__all__ = ["Palette"]


class Palette(CommandPalette, AnsweredOnce):
    """Textual's palette, which a second enter neither closes twice nor makes run its command again.

    Textual finds it by its id.
    """

    def __init__(self) -> None:
        super().__init__(id="--command-palette")

    @on(Input.Submitted)
    @on(Button.Pressed)
    @on(OptionList.OptionSelected)
    def ignore_when_closed(self, event: Message) -> None:
        """Ignore a second choice that arrives before the palette is gone."""
        if self.is_answered:
            event.stop()
            event.prevent_default()
