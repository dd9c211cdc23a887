"""Counting the values of a table beyond memory while the screens are used."""

from collections.abc import Callable

from textual.timer import Timer

from kanon_tui.core.editing.counting import Counted, count, counting_of
from kanon_tui.core.editing.session import Session
from kanon_tui.core.pipeline.sampled_table import CountingStoppedError, TableCounting
from kanon_tui.services.background import Background

PERIOD = 0.5
"""Seconds between two reports of progress."""


class TableCounter:
    """Counts what is not yet counted of one session's table, one pass at a time."""

    def __init__(
        self,
        background: Background,
        counted: Callable[[Counted], object],
        failed: Callable[[Exception], object],
        progressed: Callable[[], object],
    ) -> None:
        self._background = background
        self._counted, self._failed, self._progressed = counted, failed, progressed
        self._pass: TableCounting | None = None
        self._session: Session | None = None
        """The session whose table is being counted, or could not be."""
        self._timer: Timer | None = None

    @property
    def progress(self) -> str:
        """`12,000,000 of about 50,000,000 records counted`; empty while nothing is counted."""
        return "" if self._pass is None else self._pass.progress

    @property
    def is_counting(self) -> bool:
        """Whether a pass is under way."""
        return self._pass is not None

    def count(self, session: Session) -> None:
        """Count what the session needs; a pass for another session stops."""
        if session is not self._session:
            self.stop()
        elif self._pass is not None:
            return  # what else is needed is counted when this pass ends
        counting = counting_of(session)
        if counting is None:
            return
        self._session, self._pass = session, counting

        def counted(found: Counted) -> None:
            if self._pass is counting:
                self._end()
                session.take_counts(found.table, found.completed)
                self._counted(found)

        def failed(error: Exception) -> None:
            if self._pass is counting:
                self._pass = None  # the session stays: it is not counted again
                self._show_progress(False)
                if not isinstance(error, CountingStoppedError):
                    self._failed(error)

        self._show_progress(True)
        self._background.compute(
            self._background.app,
            lambda: count(session, counting),
            counted,
            group="count",
            failed=failed,
        )

    def stop(self) -> None:
        """Stop counting: the table is closed."""
        if self._pass is not None:
            self._pass.stop()
        self._end()

    def _end(self) -> None:
        self._pass = self._session = None
        self._show_progress(False)

    def _show_progress(self, on: bool) -> None:
        if self._timer is not None:
            self._timer.stop()
        app = self._background.app
        self._timer = app.set_interval(PERIOD, self._progressed) if on else None
