"""From a project to a verified, measured release.

    result = anonymize("census.yaml")
    result.table, result.report, result.write("release.csv")

`start` prepares a run for a caller that pulls its steps (the application, a notebook, the progress
bar of the command line). `conclude` turns a run into a `Result`: recode, measure, write, verify. A
`Publisher` says where the release goes: into memory, or into files beyond memory. A release that
does not verify has no result.
"""

from __future__ import annotations

import html as markup
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from kanon_tui.core.algorithms import find_algorithm
from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.declaration import with_parameters
from kanon_tui.core.metrics.measure import measure
from kanon_tui.core.pipeline.attributes import as_project
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.publishing import Publisher
from kanon_tui.core.pipeline.release_files import copy_files
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.project.project import Project
from kanon_tui.core.report.finished_run import FinishedRun, Seconds, timed
from kanon_tui.core.report.formats import document_bytes, report_bytes
from kanon_tui.core.report.mapping import report_mapping
from kanon_tui.core.report.sections import Section
from kanon_tui.core.report.story import annex_document
from kanon_tui.core.table.atomic_files import written_together
from kanon_tui.core.table.databases import write_address
from kanon_tui.core.table.file_kinds import TABLE_ENDINGS
from kanon_tui.core.table.table import Table, as_table, packed
from kanon_tui.core.table.target import Target, WrittenFile, partitioned
from kanon_tui.core.table.writing import check_target, put_table
from kanon_tui.core.task.task import Algorithm, RunContext, Task

if TYPE_CHECKING:
    import pandas as pd


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

        Of a release in files the verified files are copied. With `partition_by` the path is a
        folder of Parquet files by the published cells of these columns: `sex=F/part-00000.parquet`.
        """
        columns = [partition_by] if isinstance(partition_by, str) else partition_by
        if columns:
            target = Target(Path(path), folder=True)
            target.check(force, ())
            with partitioned(self.written, target, columns, force):
                return
        if self.in_files:
            self.copy_to(Target.parse(str(path)), force)
            return
        check_target(Path(path), TABLE_ENDINGS, force)
        self.write_files(Path(path), None, force)

    def copy_to(self, target: Target, force: bool = False) -> None:
        """Copy the verified files of a release to a file, or to a folder of parts."""
        if self.target is None:
            raise InputError("this release was not written; run again to write it")
        copy_files(self.files, self.target, target, force)

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
        self.write_files(None, Path(path), force, texts, utility, public)

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
    ) -> None:
        """Write release, further `texts` by path, and report: all files or none.

        None leaves the release or the report out. The address of a database writes the release
        there, in one transaction, before the files get their names.
        """
        texts = texts or {}
        address = release if isinstance(release, str) else ""
        release = None if isinstance(release, str) else release
        paths = [path for path in (release, *texts, report) if path is not None]
        if not paths:
            if address:
                write_address(address, self.written, force)
            return
        with written_together(paths, force) as files:
            if release is not None:
                with timed(self.phases, "write"):  # before the report, which has this time in it
                    put_table(self.written, files[0], release, self.task.csv_format(release))
                    files[0].flush()
            for file, text in zip(files[release is not None :], texts.values(), strict=False):
                file.write(text)
            if report is not None:
                aside = () if release is None else (WrittenFile.from_path(Path(files[0].name)),)
                named = replace(self, files=aside)  # whose hash the report has
                files[-1].write(report_bytes(named, report, utility, public))
            if address:
                write_address(address, self.written, force)

    def _repr_html_(self) -> str:
        """Return the HTML that a notebook shows; only figures of a release in files."""
        if self.in_files:
            return f"<p>{markup.escape(repr(self))}</p>"
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
) -> Run:
    """Return a run that is ready to be pulled: read, check and join what the project names.

    `table` replaces the data file of the project, `task` all preparation. Runs on the same records
    may share the counts of a `context`.
    """
    project = as_project(project)
    algorithm = chosen_algorithm(project)
    phases: Seconds = {}
    if task is None:
        with timed(phases, "read"):
            tokens = project.data.read_options.missing_tokens
            given = project.read_data() if table is None else as_table(table, tokens)
        with timed(phases, "prepare"):
            task = prepare(project, given)
            if table is None:  # no caller has the texts, which take four times the memory
                task = replace(task, table=packed(task.table))
            del given
    run = Run(task, algorithm, context)
    run.phases |= phases
    return run


def anonymize(
    project: Project | str | Path, table: pl.DataFrame | pd.DataFrame | Table | None = None
) -> Result:
    """Run a project to its end and return the verified release with its measures."""
    project = as_project(project)
    return conclude(start(project, table), project)


def conclude(
    run: Run, project: Project | None = None, publisher: Publisher | None = None
) -> Result:
    """Return the result of a run, which is first run to its end.

    `publisher` keeps the release in memory unless it is a `FilePublisher`.
    """
    grouping = run.required_grouping()
    publisher = publisher or Publisher()
    task, phases = run.task, {**run.phases, "search": run.seconds}
    with publisher.opened(task):
        with timed(phases, "recode"):
            release = publisher.recode(task, grouping)
        with timed(phases, "measure"):
            measures = measure(release, getattr(run.algorithm, "class_attribute", None))
        with timed(phases, "write"):
            facts = publisher.write(release)
        with timed(phases, "verify"):
            publisher.verify(release)
        if task.key_file is not None:
            task.key_file.keep()
        result = Result(
            task, run.algorithm, grouping, release, run.seconds, measures, project, phases, **facts
        )
        return replace(result, files=publisher.place(result))
