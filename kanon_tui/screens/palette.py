"""The command palette, and the actions of a screen as commands."""

from collections.abc import Iterator
from typing import Any

from textual import on
from textual.app import App, SystemCommand
from textual.command import CommandPalette
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Button, Input, OptionList

from kanon_tui.widgets.dialogs import AnsweredOnce


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


def screen_commands(screen: Screen[Any]) -> Iterator[SystemCommand]:
    """Yield the actions of a screen that can be taken now, with their keys."""
    app: App[Any] = screen.app
    listed = set()
    for active in screen.active_bindings.values():
        binding, node = active.binding, active.node
        is_motion = (binding.id or "move.").startswith(("move.", "list."))
        if node is app or is_motion or not active.enabled or binding.action in listed:
            continue
        if binding.action.startswith("app."):
            continue  # the application lists it, whatever the screen
        listed.add(binding.action)
        title = binding.tooltip or binding.description
        yield SystemCommand(
            title[:1].upper() + title[1:],
            f"{app.get_key_display(binding)} on this screen",
            lambda action=binding.action, at=node: app.call_later(app.run_action, action, at),
        )
