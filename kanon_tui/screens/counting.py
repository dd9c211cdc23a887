"""Counting a table beyond memory behind the screens: how far it is, and what it brings."""

from __future__ import annotations

from textual.timer import Timer

from kanon_tui.core.editing.counting import Counted, count, counting_of
from kanon_tui.core.editing.session import Session
from kanon_tui.core.pipeline.sampled_table import CountingStoppedError, TableCounting
from kanon_tui.core.text import visible
from kanon_tui.screens.background import BackgroundApp

__all__ = ["CountingApp"]

_PERIOD = 0.5
"""Seconds between two looks at how far it is."""


class CountingApp(BackgroundApp):
    """Counts what is not counted of the open table, one pass at a time."""

    session: Session | None

    def __init__(self) -> None:
        super().__init__()
        self._counting: TableCounting | None = None
        self._counted_for: Session | None = None
        """Whose table is being counted, or could not be."""
        self._ticking: Timer | None = None

    @property
    def counting_line(self) -> str:
        """`12,000,000 of about 50,000,000 records counted`; empty where nothing is counted."""
        return "" if self._counting is None else self._counting.progress

    @property
    def is_counting(self) -> bool:
        """Whether a pass is under way."""
        return self._counting is not None

    def count_table(self) -> None:
        """Count what the open session needs; what was counted for another one ends."""
        session = self.session
        if session is not self._counted_for:
            self.stop_counting()
        elif self._counting is not None:
            return  # what else is needed is seen when this pass ends
        counting = None if session is None else counting_of(session)
        if session is None or counting is None:
            return
        self._counted_for, self._counting = session, counting

        def counted(found: Counted) -> None:
            if self.session is not session:
                return
            self._end()
            session.take_counts(found.table, found.completed)
            for sentence in found.news:
                self.say(visible(sentence), "warning")
            self.session_changed()

        def failed(error: Exception) -> None:
            if self._counting is counting:
                self._counting = None  # and not begun again for this session
                self._tick(False)
            if self.session is session and not isinstance(error, CountingStoppedError):
                self.fail(error)

        self._tick(True)
        self.compute(self, lambda: count(session, counting), counted, group="count", failed=failed)

    def stop_counting(self) -> None:
        """Nobody waits for it: the table is closed."""
        if self._counting is not None:
            self._counting.stop()
        self._end()

    def _end(self) -> None:
        self._counting = self._counted_for = None
        self._tick(False)

    def _tick(self, on: bool) -> None:
        if self._ticking is not None:
            self._ticking.stop()
        self._ticking = self.set_interval(_PERIOD, self.show_counting) if on else None

    def show_counting(self) -> None:
        """Show on the screen in front how far it is."""
        raise NotImplementedError

    def session_changed(self) -> None:
        """Let every pane follow."""
        raise NotImplementedError

    def say(self, text: str, severity: str = "information") -> None:
        """A short message that goes away by itself."""
        raise NotImplementedError
