"""Bytes as they come from a terminal, through Textual's parser and driver."""

from __future__ import annotations

from typing import Any

from textual._xterm_parser import XTermParser
from textual.app import App

ENTER, ESCAPE = "\r", "\x1b[27u"
"""As a terminal sends them; escape in the form that needs no wait to be told from a sequence."""


def send_packet(app: App[Any], data: str) -> None:
    """All of this arrives at once: nothing is worked out between its keys."""
    assert app._driver is not None
    for message in XTermParser().feed(data):
        app._driver.process_message(message)
