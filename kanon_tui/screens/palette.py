"""The command palette, which runs a command once."""

from __future__ import annotations

from typing import Any

from textual.await_complete import AwaitComplete
from textual.command import CommandPalette

from kanon_tui.widgets.dialogs import AnsweredOnce

__all__ = ["Palette"]


class Palette(CommandPalette, AnsweredOnce):
    """Textual's palette; a second enter neither closes what lies below nor runs its command again.

    Textual knows it by its id.
    """

    def __init__(self) -> None:
        super().__init__(id="--command-palette")

    def dismiss(self, result: Any = None) -> AwaitComplete:
        """Close; the command that was chosen is taken up first, and then forgotten."""
        self.call_next(self._forget_command)
        return super().dismiss(result)

    def _forget_command(self) -> None:
        self._selected_command = None
