"""A whole run over pieces of the data: count, search, recode, write, prove, measure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from kanon_tui.core.algorithms import find_algorithm
from kanon_tui.core.data.part_files import part_files
from kanon_tui.core.engine.choice import memory_limit
from kanon_tui.core.engine.counted_task import counted_of
from kanon_tui.core.engine.memory import MemoryLimit
from kanon_tui.core.engine.prepare import (
    Prepared,
    check_streamable,
    columns_needed,
    prepare_counted,
    prepare_stream,
)
from kanon_tui.core.engine.release import check_target, release_stream
from kanon_tui.core.engine.result import StreamedResult
from kanon_tui.core.engine.sampled_table import SampledTable
from kanon_tui.core.engine.scheduler import check_trusted
from kanon_tui.core.engine.target import Target
from kanon_tui.core.engine.workers import Here, Progress, Workers
from kanon_tui.core.fields.declaration import with_parameters
from kanon_tui.core.project.project import Project
from kanon_tui.core.report.phases import Seconds, timed
from kanon_tui.core.run.result import as_project
from kanon_tui.core.run.run import Run
from kanon_tui.core.task.steps import RunContext

__all__ = ["run_stream", "stream", "workers_of"]

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
        yield Here()
        return
    from kanon_tui.core.engine.cluster import cluster

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
    memory = memory_limit(project).beside_what_is_held()
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
