"""A whole run over pieces of the data: count, search, recode, write, verify, measure.

`stream` runs to the end. `WatchedStream` lets one thread run it while others look at its passes and
its search, and give orders.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from kanon_tui.core.algorithms import find_algorithm
from kanon_tui.core.dask.cluster import check_trusted
from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.fields.declaration import with_parameters
from kanon_tui.core.pipeline.counted_prepare import (
    Prepared,
    check_streamable,
    columns_needed,
    prepare_counted,
    prepare_stream,
)
from kanon_tui.core.pipeline.counted_task import counted_of
from kanon_tui.core.pipeline.engine_choice import memory_limit
from kanon_tui.core.pipeline.file_release import check_target, release_stream
from kanon_tui.core.pipeline.file_result import StreamedResult
from kanon_tui.core.pipeline.live import LiveRun
from kanon_tui.core.pipeline.result import as_project
from kanon_tui.core.pipeline.run import Run, State
from kanon_tui.core.pipeline.sampled_table import SampledTable
from kanon_tui.core.processes.memory_limit import MemoryLimit
from kanon_tui.core.processes.workers import LocalWorkers, Progress, Workers
from kanon_tui.core.project.project import Project
from kanon_tui.core.report.finished_run import Seconds, timed
from kanon_tui.core.table.data_files import part_files
from kanon_tui.core.table.target import Target
from kanon_tui.core.task.steps import RunContext

__all__ = ["PASSES", "Pass", "StoppedError", "WatchedStream", "run_stream", "stream", "workers_of"]

MOST_DRAWN = 200_000
"""Distinct combinations of the largest table whose search is drawn: pictures keep every step, which
has its place in memory for each of them."""


def stream(
    project: Project | str | Path,
    out: str | Path | None = None,
    report: str | Path | None = None,
    force: bool = False,
    trust: bool = False,
    insecure: bool = False,
) -> StreamedResult:
    """Anonymise a project over pieces of its data into a file or a folder of parts.

    `release.csv` and `release.parquet` are files; `release` and `release/` a folder of Parquet
    parts. Without `out` nothing is kept but the figures. `trust` lets the run go to the Dask
    scheduler that the project names, `insecure` to one without TLS.
    """
    project = as_project(project)
    target = None if out is None else Target.parse(str(out))
    with workers_of(project, target, trust, insecure) as workers:
        return run_stream(project, workers, target, None if report is None else Path(report), force)


@contextmanager
def workers_of(
    project: Project, target: Target | None, trust: bool = False, insecure: bool = False
) -> Iterator[Workers]:
    """Who does the work of a project: this process, or a cluster that sees the release.

    `trust` says that whoever starts the run agrees to the scheduler of the project, `insecure` that
    it may be one without TLS.
    """
    if project.run.engine != "dask":
        yield LocalWorkers()
        return
    from kanon_tui.core.dask.cluster import cluster

    check_trusted(project.run.scheduler, trust)
    with cluster(project.run.scheduler, target, insecure) as workers:
        workers.see(part_files(project.data_path))
        yield workers


def run_stream(
    project: Project,
    workers: Workers,
    target: Target | None = None,
    report: Path | None = None,
    force: bool = False,
    progress: Progress = lambda what, share: None,
    finish: Callable[[Run], object] = lambda run: run.finish(),
    watched: bool = False,
    known: SampledTable | None = None,
) -> StreamedResult:
    """A run by these workers; `finish` pulls the search to its end, `watched` if it shows it.

    What is `known` of the table is not counted again.
    """
    choice = project.algorithm
    algorithm = with_parameters(find_algorithm(choice.name), choice.params, choice.name)
    if target is not None:
        target.check(force, project.inputs)
        check_target(target, None)
    memory = memory_limit(project).with_held_memory()
    progress = _tidied(progress, memory)
    try:
        prepared = _prepared(project, workers, memory, progress, known)
        drawn = watched and prepared.task.rows <= MOST_DRAWN
        run = Run(prepared.task, algorithm, RunContext(helpers=workers.helpers, watched=drawn))
        workers.begin("search", progress)
        finish(run)
        return release_stream(prepared, run, workers, target, report, force, progress)
    finally:
        workers.begin("", None)


def _tidied(progress: Progress, memory: MemoryLimit) -> Progress:
    """What one pass has freed is not held through the next."""
    now = ""

    def told(what: str, share: float) -> None:
        nonlocal now
        if what != now:
            now = what
            memory.tidy()
        progress(what, share)

    return told


def _prepared(
    project: Project,
    workers: Workers,
    memory: MemoryLimit,
    progress: Progress,
    known: SampledTable | None,
) -> Prepared:
    """Count what is not known yet."""
    if known is None or known.source is None or not _is_as_known(known):
        return prepare_stream(project, workers, memory, progress)
    check_streamable(project)
    memory.check_start()
    source, phases = known.source, Seconds()
    with timed(phases, "read"):
        table = counted_of(known, workers, memory)
        workers.begin("count values", progress)
        table.count(columns_needed(project, source))
    return prepare_counted(project, source, table, workers, memory, progress, phases, coarsen=True)


def _is_as_known(known: SampledTable) -> bool:
    """Whether all records were counted, of files that have the same size still."""
    assert known.source is not None
    return known.exact and bool(known.source.pieces) and known.source.unchanged


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
