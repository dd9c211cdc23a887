"""Screens are as large as the terminal is now, however fast somebody draws at its border."""

from __future__ import annotations

from textual import events
from textual.app import App

__all__ = ["SizedByTerminal"]


class SizedByTerminal:
    """A screen that passes over a size that the terminal no longer has.

    Textual lays a screen out in the size that it is told of, and the layout tells the screen that
    size once more. With two sizes under way at a time each would bring back the other for ever. A
    size that is out of date is always followed by the one that holds.
    """

    app: App[object]

    async def _on_resize(self, event: events.Resize) -> None:
        if event.size != self.app.size:
            event.prevent_default()
