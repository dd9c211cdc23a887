"""The line of messages: the latest one takes the place of the keys at the bottom for a while."""

from dataclasses import dataclass

from rich.text import Text
from textual import events
from textual.reactive import reactive
from textual.widget import Widget

INFORMATION = "information"


@dataclass(frozen=True)
class StatusMessage:
    """A short message and how serious it is: `information`, `warning` or `error`."""

    text: str = ""
    severity: str = INFORMATION

    @property
    def is_serious(self) -> bool:
        """Return whether the message stays until somebody is there to read it."""
        return self.severity != INFORMATION


NO_MESSAGE = StatusMessage()


class StatusLine(Widget):
    """Shows the latest message over the line of keys; a long one takes lines above it, too.

    Every screen has one. They all show `status_message` of the application.
    """

    DEFAULT_CSS = """
    StatusLine {
        layer: status; dock: bottom; display: none;
        width: 100%; height: auto; max-height: 6; padding: 0 1;
        background: $surface; color: $foreground; text-style: bold;
    }
    StatusLine.-shown { display: block; }
    StatusLine.-serious { color: $text-warning; }
    """
    message: reactive[StatusMessage] = reactive(NO_MESSAGE, layout=True)

    def on_mount(self) -> None:
        self.watch(self.app, "status_message", self.show)

    def show(self, message: StatusMessage) -> None:
        """Show a message in place of the one before; an empty one shows the keys again."""
        self.message = message
        self.set_class(bool(message.text), "-shown")
        self.set_class(message.is_serious, "-serious")

    def render(self) -> Text:
        """Return the message; a mark tells a warning where there are no colours."""
        if self.message.is_serious:
            return Text(f"! {self.message.text}")
        return Text(self.message.text)

    def on_click(self, event: events.Click) -> None:
        """Show the keys again."""
        event.stop()
        self.show(NO_MESSAGE)
