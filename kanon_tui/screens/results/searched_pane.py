"""A pane of records in which a text is looked for: a line opens below it, `n` goes on."""

from __future__ import annotations

from abc import abstractmethod

from textual import on
from textual.containers import Vertical
from textual.widgets import Input

from kanon_tui.screens.host import Hosted

__all__ = ["SearchedPane"]


class SearchedPane(Hosted, Vertical):
    """Subclasses show `finder` below their records, and go to the next one with `looked_for`."""

    DEFAULT_CSS = """
    SearchedPane { width: 1fr; height: 1fr; }
    SearchedPane .find { display: none; height: 1; border: none; padding: 0 1; }
    """

    def __init__(self, id: str | None, find_id: str) -> None:
        super().__init__(id=id)
        self.looked_for = ""
        """What `n` goes on to find."""
        self.finder = Input(placeholder="find …", id=find_id, classes="find", compact=True)

    @property
    def looking(self) -> bool:
        """Whether something is looked for that takes long, and escape stops."""
        return False

    def stop_looking(self) -> None:
        """Nobody waits for it any more."""

    @property
    def finding(self) -> bool:
        """Whether the find line is open."""
        return bool(self.finder.display)

    def open_find(self) -> None:
        self.finder.display = True
        self.finder.focus()

    def close_find(self) -> None:
        self.finder.display = False
        self.focus_rows()

    @on(Input.Submitted, ".find")
    def find(self, event: Input.Submitted) -> None:
        """The next record with the text."""
        event.stop()
        self.close_find()
        self.looked_for = event.value
        self.find_next(1)

    @abstractmethod
    def focus_rows(self) -> None:
        """Let keys move in the records."""

    @abstractmethod
    def find_next(self, direction: int) -> None:
        """Go to the next record with `looked_for`, if there is something to look for."""
