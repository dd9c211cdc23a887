"""A streaming run under remote control: its passes as they go, its search as any run is watched.

One thread runs it (`WatchedStream.run`), others look at `passes` and `live`, and give orders.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

from kanon_tui.core.engine.result import StreamedResult
from kanon_tui.core.engine.sampled_table import SampledTable
from kanon_tui.core.engine.stream import run_stream, workers_of
from kanon_tui.core.engine.target import Target
from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.project.project import Project
from kanon_tui.core.run.live import LiveRun
from kanon_tui.core.run.run import Run, State

__all__ = ["PASSES", "Pass", "StoppedError", "WatchedStream"]

PASSES: Mapping[str, str] = {
    "look": "look at the data",
    "count values": "count values",
    "count tuples": "count combinations",
    "search": "search",
    "recode": "recode and sort",
    "measure": "measure",
    "write": "write",
    "verify": "prove what was written",
}
"""What the engine does, in its order, and what people call it."""


class StoppedError(NotReachedError):
    """Somebody did not want the release any more."""

    def __init__(self) -> None:
        super().__init__("stopped; nothing was written")


@dataclass(frozen=True)
class Pass:
    """A pass as far as it is."""

    name: str
    begun: float
    share: float = 0.0
    ended: float | None = None

    def seconds(self) -> float:
        """How long it took, or takes by now."""
        return (time.monotonic() if self.ended is None else self.ended) - self.begun


class WatchedStream:
    """Orders for a streaming run, and the picture of it."""

    def __init__(
        self,
        project: Project,
        target: Target,
        force: bool,
        watch: Callable[[Run], LiveRun],
        known: SampledTable | None = None,
        room: Callable[[], AbstractContextManager[None]] = nullcontext,
        trust: bool = False,
    ) -> None:
        """`watch` makes the live run of a search that begins; what is `known` is not counted.

        `room` is entered while it runs: who started it makes room for it in memory. `trust` says
        that whoever started it agrees to the scheduler of the project.
        """
        self.project, self.target, self.force = project, target, force
        self._watch, self._known, self._room, self._trust = watch, known, room, trust
        self.passes: tuple[Pass, ...] = ()
        """Those that have begun, replaced as a whole."""
        self.live: LiveRun | None = None
        """The search, once it has begun."""
        self.over = False
        self._stopped = False

    @property
    def stopping(self) -> bool:
        """Whether it was told to leave nothing behind."""
        return self._stopped and not self.over

    def cancel(self) -> None:
        """A search ends with the best so far, which is written; whatever else leaves nothing."""
        live = self.live
        if live is not None and live.run.state in (State.READY, State.RUNNING):
            live.cancel()
        else:
            self._stopped = True

    def stop(self) -> None:
        """Leave nothing behind, wherever it is."""
        self._stopped = True
        if self.live is not None:
            self.live.cancel()

    def run(self, abandoned: Callable[[], bool] = lambda: False) -> StreamedResult:
        """All passes; `abandoned` says nobody waits any more."""

        def progress(what: str, share: float) -> None:
            if self._stopped or abandoned():
                raise StoppedError
            self._note(what, share)

        def finish(run: Run) -> None:
            self.live = self._watch(run)
            if self.live.paused:
                self.live.step()
            self.live.drive(abandoned)
            progress("search", 1.0)

        try:
            progress("look", 0.0)
            with self._room(), workers_of(self.project, self.target, self._trust) as workers:
                return run_stream(
                    self.project,
                    workers,
                    self.target,
                    force=self.force,
                    progress=progress,
                    finish=finish,
                    watched=True,
                    known=self._known,
                )
        finally:
            self.over = True

    def _note(self, what: str, share: float) -> None:
        now = time.monotonic()
        *before, last = self.passes or (Pass("", now),)
        if last.name == what:
            self.passes = (*before, replace(last, share=share))
        elif what:
            ended = [replace(last, share=1.0, ended=now)] if last.name else []
            self.passes = (*before, *ended, Pass(what, now, share))
