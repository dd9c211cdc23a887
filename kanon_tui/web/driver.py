"""The application's side of a served session.

Textual's driver for the web goes on after the server is gone: nobody would see the session or
could end it. Ours ends with the line to the server, however the server went. Unsaved work is kept
as after any line that drops.
"""

import os
import signal
import threading
from contextlib import suppress
from typing import Any

from textual import messages
from textual.app import App
from textual.drivers.web_driver import WebDriver

_SECONDS_TO_END = 5.0


class SessionDriver(WebDriver):
    """A web driver that ends the application when its standard input ends."""

    def __init__(self, app: App[Any], **options: Any) -> None:
        super().__init__(app, **options)
        self._served = app

    def write(self, data: str) -> None:
        """Write to the server, unless it is gone."""
        with suppress(BrokenPipeError):
            super().write(data)

    def write_meta(self, data: dict[str, object]) -> None:
        """Write a message about the session to the server, unless it is gone."""
        with suppress(BrokenPipeError):
            super().write_meta(data)

    def run_input_thread(self) -> None:
        """Read input until it ends, then end the application."""
        super().run_input_thread()
        if not self.exit_event.is_set():
            _end_for_certain()
            self._served.post_message(messages.ExitApp())


def _end_for_certain() -> None:
    """Kill the process group after some seconds, in case work does not stop when asked."""
    # Only a session that the server started leads a group of its own.
    if hasattr(os, "getpgrp") and os.getpgrp() == os.getpid():
        end = threading.Timer(_SECONDS_TO_END, os.killpg, (os.getpgrp(), signal.SIGKILL))
        end.daemon = True
        end.start()
