"""The command line that makes a release again, to copy or to save."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Button, Label, Static

from kanon_tui.core.text import visible
from kanon_tui.screens.copying import send
from kanon_tui.screens.host import Hosted
from kanon_tui.widgets.dialogs import Dialog

__all__ = ["CommandDialog"]


class CommandDialog(Hosted, Dialog):
    """The command and whether it makes the same release; gives True to save it to a file."""

    HELP = """## The command line

What makes this release again without the application, from the same project file. `y` sends it to
the terminal, `s` writes it to a file. What keeps it from being exact, such as unsaved changes,
stands below it.
"""

    DEFAULT_CSS = """
    CommandDialog > Vertical { width: 90; }
    CommandDialog VerticalScroll { height: auto; max-height: 12; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "copy", "Copy"),
        Binding("s", "save", "Save to a file"),
    ]

    def __init__(self, command: str, problem: str) -> None:
        super().__init__()
        self.command, self.problem = command, problem

    def compose(self) -> ComposeResult:
        """Command, what stands in the way, what can be done with it."""
        with Vertical():
            yield Label("Command line that makes this release again", classes="title")
            with VerticalScroll(can_focus=False):
                yield Static(Text(visible(self.command)), id="command")
            if self.problem:
                yield Static(Text(f"! Not yet exact: {self.problem}."), classes="error")
            else:
                yield Static(Text("✓ It makes the same release."), classes="good")
            with Horizontal(id="buttons"):
                yield Button("Copy (y)", id="copy", compact=True)
                yield Button("Save to a file (s)", id="save", compact=True)
                yield Button("Close", id="close", variant="primary", compact=True)

    def action_copy(self) -> None:
        send(self.host, self, self.command, "the command line")

    def action_save(self) -> None:
        self.dismiss(True)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "copy":
            self.action_copy()
        else:
            self.dismiss(event.button.id == "save")
