"""A whole run over pieces of the data: count, search, recode, write, verify, measure.

`stream` runs to the end. `WatchedStream` lets one thread run it while others look at its passes and
its search, and give orders.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.pipeline.engine_choice import memory_limit, workers_of
from kanon_tui.core.pipeline.live import LiveRun
from kanon_tui.core.pipeline.prepare import as_project, count_project, prepare, with_notes
from kanon_tui.core.pipeline.publishing import FilePublisher, check_streamed_target
from kanon_tui.core.pipeline.run import (
    Result,
    Run,
    State,
    chosen_algorithm,
    conclude,
    start,
)
from kanon_tui.core.pipeline.sampled_table import SampledTable
from kanon_tui.core.processes.interruption import Stop, never
from kanon_tui.core.processes.memory_limit import MemoryLimit
from kanon_tui.core.processes.workers import Progress
from kanon_tui.core.project.guesses import settle_guesses
from kanon_tui.core.project.project import Project
from kanon_tui.core.report.finished_run import Seconds, timed
from kanon_tui.core.table.writing import Target
from kanon_tui.core.task.task import RunContext

MOST_DRAWN = 200_000
"""Distinct tuples of the largest table whose search is drawn: pictures keep arrays of that length
for every step."""


def stream(
    project: Project | str | Path,
    out: str | Path | None = None,
    report: str | Path | None = None,
    force: bool = False,
    trust: bool = False,
    insecure: bool = False,
    accept_guesses: bool = False,
) -> Result:
    """Anonymise a project over pieces of its data, for tables larger than memory.

    Parameters
    ----------
    project : Project or path
        The project, or its file.
    out : path, optional
        The release: `release.csv` and `release.parquet` are files, `release` and `release/` a
        folder of Parquet parts. Without it only the figures are kept.
    report : path, optional
        The report: .json, .md, .html or .pdf.
    force : bool
        Whether to replace existing files.
    trust : bool
        Whether to use the Dask scheduler that the project names.
    insecure : bool
        Whether that scheduler may be one without TLS.
    accept_guesses : bool
        Whether roles that nobody named may be guessed.

    Returns
    -------
    Result
        The verified release in its files, with its figures.

    Raises
    ------
    InputError
        If the data or a setting is wrong, a role is only guessed, or the project needs more memory
        than it may take.
    NotReachedError
        If no release has the required privacy.
    """
    project = as_project(project)
    target = None if out is None else Target.parse(str(out))
    if project.run.engine != "dask":
        project = replace(project, run=replace(project.run, engine="stream"))
    chosen_algorithm(project)  # refused before anything is read
    if target is not None:
        target.check(force, project.inputs)
    with workers_of(project, target, trust, insecure) as workers, workers.stopped_by_errors():
        context = RunContext(helpers=workers.helpers)
        run = start(project, None, None, context, accept_guesses, workers)
        result = conclude(run, run.project)
    report_path = None if report is None else Path(report)
    if target is not None and target.folder:
        with result.parts(target, force):
            result.write_files(None, report_path, force)
        return result
    place = None if target is None else target.address or target.path
    result.write_files(place, report_path, force)
    return result


def run_stream(
    project: Project,
    publisher: FilePublisher,
    finish: Callable[[Run], object] = lambda run: run.finish(),
    watched: bool = False,
    known: SampledTable | None = None,
    accept_guesses: bool = False,
) -> Result:
    """Run a project over pieces by the workers of a publisher and return the written release.

    `finish` pulls the search to its end, `watched` says that its steps are shown. Columns that are
    counted in the `known` table are not counted again. Roles that are only guessed are refused
    unless they are accepted.
    """
    chosen_algorithm(project)  # refused before anything is read
    workers, target = publisher.workers, publisher.target
    if target is not None:
        target.check(publisher.force, project.inputs)
        check_streamed_target(target, None)
    memory = memory_limit(project).with_held_memory()
    progress = publisher.progress = _freeing_memory(publisher.progress, memory)
    phases: Seconds = {}
    try:
        with timed(phases, "read"):
            table = count_project(project, workers, memory, progress, known=known)
        settled = settle_guesses(project, table, accept_guesses)
        project = settled.project
        task = prepare(project, table, progress=progress, phases=phases)
        task = with_notes(task, settled.notes)
        drawn = watched and task.rows <= MOST_DRAWN
        context = RunContext(helpers=workers.helpers, watched=drawn)
        run = start(project, task=task, context=context)
        run.phases |= phases
        workers.begin("search", progress)
        finish(run)
        return conclude(run, project, publisher)
    finally:
        workers.begin("", None)


def _freeing_memory(progress: Progress, memory: MemoryLimit) -> Progress:
    """Return a progress callback that gives freed memory back when another pass begins."""
    current = ""

    def report(what: str, share: float) -> None:
        nonlocal current
        if what != current:
            current = what
            memory.tidy()
        progress(what, share)

    return report


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
"""The passes of a streaming run in their order, with their titles."""


class StoppedError(NotReachedError):
    """The run was stopped; nothing was written."""

    def __init__(self) -> None:
        super().__init__("stopped; nothing was written")


@dataclass(frozen=True)
class Pass:
    """The progress of one pass."""

    name: str
    begun: float
    share: float = 0.0
    ended: float | None = None

    def seconds(self) -> float:
        """Return the seconds that the pass took, or has taken so far."""
        return (time.monotonic() if self.ended is None else self.ended) - self.begun


@dataclass(eq=False)
class WatchedStream:
    """A streaming run that other threads control and watch."""

    project: Project
    target: Target
    force: bool
    watch: Callable[[Run], LiveRun]
    """Makes the live run of its search."""
    known: SampledTable | None = None
    """Columns that are counted here are not counted again."""
    free_memory: Callable[[], AbstractContextManager[None]] = nullcontext
    """Entered while the run works."""
    trust: bool = False
    """Whether the user agrees to the scheduler of the project."""
    passes: tuple[Pass, ...] = ()
    """The passes that have begun; replaced as a whole."""
    live: LiveRun | None = None
    """The live run of the search, once it has begun."""
    over: bool = False
    _stopped: bool = False

    @property
    def stopping(self) -> bool:
        """Whether the run was asked to stop without a release, and is still running."""
        return self._stopped and not self.over

    def cancel(self) -> None:
        """End a search with the best grouping so far; stop any other pass without a release."""
        live = self.live
        if live is not None and live.run.state in (State.READY, State.RUNNING):
            live.cancel()
        else:
            self._stopped = True

    def stop(self) -> None:
        """Stop without a release, in any pass."""
        self._stopped = True
        if self.live is not None:
            self.live.cancel()

    def run(self, abandoned: Stop = never) -> Result:
        """Run all passes and return the result; `abandoned` may end it."""

        def progress(what: str, share: float) -> None:
            if self._stopped or abandoned():
                raise StoppedError
            self._note(what, share)

        def finish(run: Run) -> None:
            self.live = self.watch(run)
            if self.live.paused:
                self.live.step()
            self.live.drive(abandoned)
            progress("search", 1.0)

        try:
            progress("look", 0.0)
            with self.free_memory(), workers_of(self.project, self.target, self.trust) as workers:
                publisher = FilePublisher(workers, self.target, None, self.force, progress)
                return run_stream(self.project, publisher, finish, True, self.known)
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
