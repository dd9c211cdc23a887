"""From a project to a verified, measured release.

    result = anonymize("census.yaml")
    result.table, result.report, result.write("release.csv")

A `Run` is an algorithm as a sequence of steps that a caller pulls: draining it is full speed,
iterating it is live progress, one `next` is the step-by-step demo, not calling `next` is pause, and
`cancel` keeps the best found so far where the algorithm has one.

`start` prepares a run for a caller that pulls its steps (the application, a notebook, the progress
bar of the command line). `conclude` turns a run into a `Result`: recode, measure, write, verify. A
`Publisher` says where the release goes: into memory, or into files beyond memory. A release that
does not verify has no result.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from kanon_tui.core.algorithms import find_algorithm
from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.fields.declaration import with_parameters
from kanon_tui.core.metrics.measure import measure
from kanon_tui.core.pipeline.engine_choice import (
    beyond_memory,
    check_arrays,
    memory_limit,
    read_records,
    searches_values,
)
from kanon_tui.core.pipeline.prepare import as_project, prepare, with_notes
from kanon_tui.core.pipeline.verification import check_published, verify_release
from kanon_tui.core.project.guesses import settle_guesses
from kanon_tui.core.project.project import Project
from kanon_tui.core.release.recode import recode
from kanon_tui.core.report.finished_run import FinishedRun, Seconds, timed
from kanon_tui.core.report.formats import document_bytes, is_internal, report_bytes
from kanon_tui.core.report.mapping import report_mapping
from kanon_tui.core.report.sections import Section
from kanon_tui.core.report.story import annex_document
from kanon_tui.core.table.atomic_files import written_together
from kanon_tui.core.table.formats import TABLE_ENDINGS
from kanon_tui.core.table.table import Table, as_table, packed
from kanon_tui.core.table.writing import (
    ROWS,
    Target,
    WrittenFile,
    check_target,
    in_parts,
    partitioned,
    put_checked,
)
from kanon_tui.core.task.task import Algorithm, Family, Grouping, RunContext, Step, Steps, Task

if TYPE_CHECKING:
    import pandas as pd

    from kanon_tui.core.lessons.lesson import Lesson
    from kanon_tui.core.pipeline.distinct_search import DistinctSearch
    from kanon_tui.core.processes.workers import Progress, Workers


class State(StrEnum):
    """The state of a run."""

    READY = "ready"
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"
    FAILED = "failed"


@dataclass(frozen=True)
class RunStep(Step):
    """A step of a run, which knows the table that it is about and so can be told about."""

    task: Task = field(kw_only=True)

    @cached_property
    def lesson(self) -> Lesson:
        """The words and choice that tell a viewer about the step."""
        from kanon_tui.core.lessons.telling import lesson_of

        return lesson_of(self.event, self.task)

    @property
    def sentence(self) -> str:
        """The sentence about the decision."""
        return self.lesson.sentence


class Run(Iterator[RunStep]):
    """One run of an algorithm on a task."""

    def __init__(
        self,
        task: Task,
        algorithm: Algorithm,
        context: RunContext | None = None,
        project: Project | None = None,
        search: DistinctSearch | None = None,
    ) -> None:
        """Take a task; with `search`, the algorithm works on its distinct rows."""
        self.task = task
        self._search = search
        self.algorithm = algorithm
        self.project = project
        """The project that it was made from; no role of it is only guessed."""
        self.context = RunContext() if context is None else context
        self.state = State.READY
        self.seconds = 0.0
        """Time spent inside the algorithm; pauses between steps do not count."""
        self.phases: Seconds = {}
        """Seconds of the phases before the search: reading and preparing."""
        self.steps = 0
        self.last: RunStep | None = None
        self.grouping: Grouping | None = None
        self._task = _searched_task(search.task if search else task, algorithm)
        self._generator = _steps(algorithm, self._task, self.context)

    def __next__(self) -> RunStep:
        if self.state not in (State.READY, State.RUNNING):
            raise StopIteration
        self.state = State.RUNNING
        started = time.perf_counter()
        try:
            step = next(self._generator)
        except StopIteration as stop:
            self.state = State.FINISHED
            self.grouping = self._of_records(stop.value)
            raise StopIteration from None
        except BaseException:
            self.state = State.FAILED
            raise
        finally:
            self.seconds += time.perf_counter() - started
        self.steps += 1
        self.last = RunStep(step.event, step.counters, step.progress, step.keep, task=self._task)
        return self.last

    def finish(self) -> Grouping | None:
        """Run to the end at full speed; return None if a cancelled run has nothing to keep."""
        for _ in self:
            pass
        return self.grouping

    def required_grouping(self) -> Grouping:
        """Run to the end and return the grouping; raise if a cancelled run has none to keep."""
        grouping = self.finish()
        if grouping is None:
            raise NotReachedError(
                f"{self.algorithm.name}: stopped before it had found a release; nothing was written"
            )
        return grouping

    def cancel(self) -> Grouping | None:
        """Stop, and return the best grouping so far, if there is one."""
        if self.state in (State.READY, State.RUNNING):
            self._generator.close()
            self.state = State.CANCELLED
            if self.last is not None and self.last.keep is not None:
                self.grouping = self._of_records(self.last.keep())
        return self.grouping

    def _of_records(self, grouping: Grouping) -> Grouping:
        """Return a grouping that the algorithm has found as one of the records."""
        return grouping if self._search is None else self._search.of_records(grouping)


def _searched_task(task: Task, algorithm: Algorithm) -> Task:
    """Return the task with the k that the classes of a clustering need."""
    if algorithm.family is not Family.CLUSTERING or task.subsets is None:
        return task
    k = max(task.k, task.subsets.k)  # classes of so many keep it, and no cell need be looked at
    return replace(task, privacy=replace(task.privacy, k=k, subset_k=None))


def _steps(algorithm: Algorithm, task: Task, context: RunContext) -> Steps:
    """Return the steps of the algorithm and of the repair and refining that follow it."""
    if algorithm.family is Family.CLUSTERING:
        from kanon_tui.core.pipeline.blocks import clustering_steps

        return clustering_steps(algorithm, task, context)
    if task.privacy.suppress == "cells":
        from kanon_tui.core.lattice.cell_suppression import hidden_cell_steps

        return hidden_cell_steps(algorithm.steps(task, context), task)
    return algorithm.steps(task, context)


@dataclass(frozen=True, eq=False, repr=False)
class Result(FinishedRun):
    """A release that was verified and measured: in memory, or in files beyond memory."""

    @cached_property
    def report(self) -> dict[str, Any]:
        """The figures of the run as a plain mapping, ready for JSON."""
        return report_mapping(self)

    def write(
        self, path: str | Path, force: bool = False, partition_by: str | Sequence[str] = ()
    ) -> None:
        """Write the published table (.csv, .tsv, .parquet ...) completely or not at all.

        With `partition_by` the path is a
        folder of Parquet files by the published cells of these columns: `sex=F/part-00000.parquet`.
        """
        columns = [partition_by] if isinstance(partition_by, str) else partition_by
        if columns:
            target = Target(Path(path), folder=True)
            target.check(force, ())
            with partitioned(self.written, target, columns, force):
                return
        target = Target.parse(str(path))
        if target.folder:
            target.check(force, ())
            with self.parts(target, force):
                return
        check_target(Path(path), TABLE_ENDINGS, force)
        self.write_files(Path(path), None, force)

    def parts(
        self, target: Target, force: bool = False, rows_each: int = ROWS
    ) -> AbstractContextManager[None]:
        """Return a context that writes a folder of parts; it gets its name after the block."""
        ending = target.ending
        csv = None if ending == ".parquet" else self.task.csv_format(Path(f"release{ending}"))
        return in_parts(self.written, target, csv, force, rows_each)

    def write_report(
        self,
        path: str | Path,
        force: bool = False,
        utility: Sequence[Section] = (),
        public: bool | None = None,
        annex: str | Path | None = None,
    ) -> None:
        """Write the report (.json, .md, .html or .pdf) completely or not at all.

        `utility` are sections on utility, risks and attacks, as `kanon_tui.evidence(result)` gives
        them. `public` leaves out whatever depends on the input; None does so in HTML. `annex` is a
        further file: hash of the input, seed and command, which stay inside.
        """
        texts = {} if annex is None else {Path(annex): self.annex(Path(annex))}
        self.write_files(None, Path(path), force, texts, utility, public, texts)

    def annex(self, path: Path) -> bytes:
        """Return the internal annex of the report in the format of a file name's ending."""
        return document_bytes(annex_document(self), path)

    def write_files(
        self,
        release: Path | str | None,
        report: Path | None,
        force: bool = False,
        texts: Mapping[Path, bytes] | None = None,
        utility: Sequence[Section] = (),
        public: bool | None = None,
        private: Collection[Path | None] = (),
    ) -> None:
        """Write release, further `texts` by path, and report: all files or none.

        None leaves the release or the report out. The address of a database writes the release
        there, in one transaction, before the files get their names. The owner alone can read
        `private` ones of the files.
        """
        texts = texts or {}
        address = release if isinstance(release, str) else ""
        release = None if isinstance(release, str) else release
        paths = [path for path in (release, *texts, report) if path is not None]
        closed = [path for path in paths if path in private]
        if report is not None and is_internal(report, public):
            closed.append(report)
        with written_together(paths, force, closed) as files:
            if release is not None:
                with timed(self.phases, "write"):  # before the report, which has this time in it
                    csv = self.task.csv_format(release)
                    put_checked(self.written, files[0], release, csv)
            for file, text in zip(files[release is not None :], texts.values(), strict=False):
                file.write(text)
            if report is not None:
                aside = () if release is None else (WrittenFile.from_path(Path(files[0].name)),)
                named = replace(self, files=aside)  # whose hash the report has
                files[-1].write(report_bytes(named, report, utility, public))
            if address:
                from kanon_tui.core.table.databases import write_address

                write_address(address, self.written, force)

    def _repr_html_(self) -> str:
        """Return the HTML that a notebook shows."""
        from kanon_tui.core.report.notebook import notebook_html

        return notebook_html(self)


def chosen_algorithm(project: Project) -> Algorithm:
    """Return the algorithm of a project with its parameters; refuse wrong ones."""
    choice = project.algorithm
    return with_parameters(find_algorithm(choice.name), choice.params, choice.name)


def start(
    project: Project | str | Path,
    table: pl.DataFrame | pd.DataFrame | Table | None = None,
    task: Task | None = None,
    context: RunContext | None = None,
    accept_guesses: bool = False,
    workers: Workers | None = None,
    progress: Progress | None = None,
) -> Run:
    """Prepare a run, which yields a step per decision.

    Parameters
    ----------
    project : Project or path
        The project, or its file.
    table : frame, optional
        Records that take the place of the data file of the project.
    task : Task, optional
        The prepared task of an earlier run on the same records; nothing is read or prepared again.
    context : RunContext, optional
        How the algorithm runs: ``kn.RunContext(1)`` yields every decision. Runs on the same records
        that share a context share their counts.
    accept_guesses : bool
        Whether roles that nobody named may be guessed, as `anonymize` does. The `project` of the
        run has them.
    workers : Workers, optional
        Who reads data in pieces; the threads of this process where none are given.
    progress : callable, optional
        Called with the name of a pass over the data, and the share of it that is done.

    Returns
    -------
    Run
        An iterator over steps. Each has an `event`, a small dataclass that says what happened, and
        a `sentence` about it, made when it is read. `kn.conclude` turns the run into a release.

    Raises
    ------
    InputError
        If the data or a setting is wrong, or a role is only guessed.

    Examples
    --------
    >>> import kanon_tui as kn, polars as pl
    >>> people = pl.DataFrame({"age": [21, 22, 38, 39]})
    >>> mapping = {"data": {"path": "-"}, "attributes": {"age": {"role": "quasi"}}}
    >>> project = kn.Project.from_dict(mapping).with_(k=2, algorithm="mondrian")
    >>> [step.kind for step in kn.run(project, people, context=kn.RunContext(1))]
    ['cut', 'close', 'close']
    """
    project = as_project(project)
    algorithm = chosen_algorithm(project)
    phases: Seconds = {}
    search: DistinctSearch | None = None
    memory = memory_limit(project)
    if task is None:
        if beyond_memory(project):
            memory = memory.with_held_memory()
        with timed(phases, "read"):
            tokens = project.data.read_options.missing_tokens
            records = (
                read_records(project, workers, progress, memory)
                if table is None
                else as_table(table, tokens)
            )
        with timed(phases, "prepare"):
            settled = settle_guesses(project, records, accept_guesses)
            project = settled.project
            task = with_notes(prepare(project, records), settled.notes)
            if table is None:  # no caller has the texts, which take four times the memory
                task = replace(task, table=packed(task.table))
            del records
        if searches_values(project, algorithm):
            from kanon_tui.core.pipeline.distinct_search import distinct_search

            check_arrays(project, memory, task, 0)
            with timed(phases, "prepare"):
                search = distinct_search(task, project.algorithm, memory, progress)
            memory.tidy()
        else:
            check_arrays(project, memory, task, algorithm.bytes_per_record)
    run = Run(task, algorithm, context, project, search)
    run.phases |= phases
    return run


def anonymize(
    project: Project | str | Path, table: pl.DataFrame | pd.DataFrame | Table | None = None
) -> Result:
    """Run a project to its end and return the verified release with its measures."""
    run = start(project, table)
    return conclude(run, run.project)


def conclude(run: Run, project: Project | None = None) -> Result:
    """Return the result of a run, which is first run to its end."""
    grouping = run.required_grouping()
    task = run.task
    phases = {**run.phases, "search": run.seconds}
    with timed(phases, "recode"):
        release = recode(task, grouping)
        check_published(release)
        _ = release.coded  # computed here, so that its time counts as recoding
    with timed(phases, "measure"):
        measures = measure(release, getattr(run.algorithm, "class_attribute", None))
    with timed(phases, "verify"):
        verify_release(release)
    if task.key_file is not None:
        task.key_file.keep()
    return Result(task, run.algorithm, grouping, release, run.seconds, measures, project, phases)
