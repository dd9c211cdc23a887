"""Short messages of the application: one at a time, for some seconds or until it was read."""

from collections.abc import Callable

from textual.app import App
from textual.timer import Timer

from kanon_tui.core.text import visible_lines
from kanon_tui.widgets.status_line import NO_MESSAGE, StatusMessage

SHOWN = 4.0
"""Seconds that a message is shown. A warning stays after them, until the next key."""


class Status:
    """The latest message: another one takes its place, so that messages never pile up.

    A warning may come while nobody looks at the screen: it goes with a key, and not with the keys
    of the first seconds, which were typed before somebody could read it.
    """

    def __init__(self, app: App[None], show: Callable[[StatusMessage], None]) -> None:
        self._app = app
        self._show = show
        self._message = NO_MESSAGE
        self._timer: Timer | None = None

    def announce(self, text: str, severity: str) -> None:
        """Show a message in place of the one before."""
        self._message = StatusMessage(visible_lines(text), severity)
        self._show(self._message)
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._app.set_timer(SHOWN, self._end_of_time)

    @property
    def may_be_dismissed(self) -> bool:
        """Return whether the message was shown long enough for a key to take it away."""
        return self._timer is None

    def key_was_pressed(self) -> None:
        """Take a warning away that was shown for some seconds."""
        if self.may_be_dismissed:
            self._clear()

    def _end_of_time(self) -> None:
        self._timer = None
        if not self._message.is_serious:
            self._clear()

    def _clear(self) -> None:
        if self._message is not NO_MESSAGE:
            self._message = NO_MESSAGE
            self._show(NO_MESSAGE)
