"""Counting the values of a table beyond memory while the screens are used."""

from collections.abc import Callable

from kanon_tui.core.editing.counting import Counted, count, counting_of
from kanon_tui.core.editing.session import Session
from kanon_tui.core.pipeline.sampled_table import CountingStoppedError, TableCounting
from kanon_tui.services.background import Background


class TableCounter:
    """Counts what is not yet counted of one session's table, one pass at a time."""

    def __init__(
        self,
        background: Background,
        counted: Callable[[Counted], object],
        failed: Callable[[Exception], object],
    ) -> None:
        self._background, self._counted, self._failed = background, counted, failed
        self._pass: TableCounting | None = None
        self._session: Session | None = None
        """The session whose table is being counted, or could not be."""

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
                self._pass = self._session = None
                session.take_counts(found.table, found.completed)
                self._counted(found)

        def failed(error: Exception) -> None:
            if self._pass is counting:
                self._pass = None  # the session stays: it is not counted again
                if not isinstance(error, CountingStoppedError):
                    self._failed(error)

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
        self._pass = self._session = None
