"""A run that was started while a table beyond memory is being counted waits for it."""

from __future__ import annotations

from collections.abc import Callable

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Label, Static

from kanon_tui.screens.base import StepScreen
from kanon_tui.screens.dialogs import Dialog
from kanon_tui.screens.host import Hosted

__all__ = ["CountingWait", "once_counted"]


class CountingWait(Hosted, Dialog):
    """Says how far the counting is and closes when it has ended; gives whether it has."""

    HELP = """## The values are being counted

The file is larger than the memory that is allowed. What is shown of it at first is a sample; a run
needs the values of all records, and they are counted behind the screens.

The run goes on by itself when they are counted. `esc` takes it back; the counting continues, and
screen 1 says how far it is. Example: fifty million records in a Parquet file take about a minute.
"""

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Label("One moment: all values are being counted", classes="title")
            yield Static(id="progress", markup=False)
            yield Static("It goes on by itself. esc does not run.", classes="hint")

    def on_mount(self) -> None:
        self.show_counting(self.host.counting_line)

    def show_counting(self, line: str) -> None:
        self.query_one("#progress", Static).update(line)
        self.refresh_session()

    @on(events.ScreenResume)
    def look_again(self) -> None:
        """Somebody was told meanwhile that the file cannot be counted."""
        self.refresh_session()

    def refresh_session(self) -> None:
        """Close when there is nothing more to wait for."""
        if not self.session.uncounted():
            self.dismiss(True)
        elif not self.host.is_counting:
            self.dismiss(None)


def once_counted(screen: StepScreen, go_on: Callable[[], object]) -> None:
    """Go on now, or when all values of a table beyond memory are counted."""
    if screen.session.uncounted() and screen.host.is_counting:
        screen.ask(CountingWait(), lambda counted: go_on() if counted else None)
    else:
        go_on()
