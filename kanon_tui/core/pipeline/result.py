"""From a project to a verified, measured release.

    result = anonymize("census.yaml")
    result.table, result.report, result.write("release.csv")

`start` prepares a run that somebody else pulls (the application, a notebook, the progress bar of
the command line); `conclude` turns a run into a `Result`: recode, verify, measure. There is no
`Result` of a release that does not verify.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from kanon_tui.core.algorithms import find_algorithm
from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.fields.declaration import with_parameters
from kanon_tui.core.metrics.measure import measure
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.privacy.verify import People, RiskClaim, overlapping, verify, verify_pseudonyms
from kanon_tui.core.project.project import DataSource, Project
from kanon_tui.core.release.formulas import escape_formulas
from kanon_tui.core.release.recode import Release, recode
from kanon_tui.core.report.finished_run import FinishedRun, Seconds, timed
from kanon_tui.core.report.formats import report_text
from kanon_tui.core.report.mapping import report_mapping
from kanon_tui.core.report.sections import Section
from kanon_tui.core.table.column import end_text
from kanon_tui.core.table.table import Table, as_table, packed
from kanon_tui.core.table.writing import write_table, write_text
from kanon_tui.core.task.steps import RunContext
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import plural

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Result", "anonymize", "as_project", "conclude", "starred_class", "start"]

PROJECT_ENDINGS = (".yaml", ".yml")


@dataclass(frozen=True, eq=False, repr=False)
class Result(FinishedRun):
    """A release that was verified and measured."""

    @cached_property
    def report(self) -> dict[str, Any]:
        """The figures of the run as a plain mapping, ready for JSON."""
        return report_mapping(self)

    def write(self, path: str | Path, force: bool = False) -> None:
        """Write the published table: .csv, .tsv or .parquet, whole or not at all."""
        path = Path(path)
        with timed(self.phases, "write"):
            write_table(path, self.written, force, self.task.csv_format(path))

    def write_report(
        self, path: str | Path, force: bool = False, utility: Sequence[Section] = ()
    ) -> None:
        """Write the report: .json, .md or .html, whole or not at all.

        `utility` are the sections of `kanon_tui.utility_sections(kanon_tui.utility(result))`.
        """
        path = Path(path)
        write_text(path, report_text(self, path, utility), force)

    def _repr_html_(self) -> str:
        """What a notebook shows of it."""
        from kanon_tui.core.report.notebook import notebook_html

        return notebook_html(self)


def as_project(project: Project | str | Path) -> Project:
    """A project as it is, a project file (.yaml) loaded, or a new project for a data file."""
    if isinstance(project, Project):
        return project
    path = Path(project)
    if path.suffix.lower() in PROJECT_ENDINGS:
        return Project.load(path)
    return Project(data=DataSource(path=str(path)))


def start(
    project: Project | str | Path,
    table: pl.DataFrame | pd.DataFrame | Table | None = None,
    task: Task | None = None,
    context: RunContext | None = None,
) -> Run:
    """A run that is ready to be pulled: read, check and join everything the project names.

    `table` takes the place of the project's data file; `task` of all preparation. Runs
    on the same records may share a `context`'s counts.
    """
    project = as_project(project)
    choice = project.algorithm
    algorithm = with_parameters(find_algorithm(choice.name), choice.params, choice.name)
    phases: Seconds = {}
    if task is None:
        with timed(phases, "read"):
            tokens = project.data.read_options.missing_tokens
            given = project.read_data() if table is None else as_table(table, tokens)
        with timed(phases, "prepare"):
            task = prepare(project, given)
            if table is None:  # nobody else has the texts, which take four times the memory
                task = replace(task, table=packed(task.table))
            del given
    run = Run(task, algorithm, context)
    run.phases |= phases
    return run


def anonymize(
    project: Project | str | Path, table: pl.DataFrame | pd.DataFrame | Table | None = None
) -> Result:
    """Run a project to its end and give the verified release with its measures."""
    project = as_project(project)
    return conclude(start(project, table), project)


def conclude(run: Run, project: Project | None = None) -> Result:
    """The result of a run, which is first run to its end if it is not there yet."""
    grouping = run.finish()
    if grouping is None:
        raise NotReachedError(
            f"{run.algorithm.name}: stopped before it had found a release; nothing was written"
        )
    task, phases = run.task, {**run.phases, "search": run.seconds}
    with timed(phases, "recode"):
        release = recode(task, grouping)
        _ = release.coded  # it is put together when first asked for
    with timed(phases, "verify"):
        _verify(release)
    with timed(phases, "measure"):
        measures = measure(release, getattr(run.algorithm, "class_attribute", None))
    return Result(task, run.algorithm, grouping, release, run.seconds, measures, project, phases)


def _personal_k(release: Release, starred: bool = True) -> list[float] | None:
    """The k that the person of every published row asks for; nan where for none."""
    column = release.task.personal_k
    if column is None or column.numbers is None:
        return None
    records = release.order if starred else release.order[~release.suppressed[release.order]]
    return [float(asked) for asked in column.numbers[column.codes[records]]]


def _people(release: Release, starred: bool = True) -> People | None:
    """Whose every published row is, and the original to count against; None: everybody has one."""
    task, table = release.task, release.task.table
    if task.repeated is None:
        return None
    records = release.order if starred else release.order[~release.suppressed[release.order]]
    return People(
        of_rows=table.texts(task.repeated.name).gather(records).to_list(),
        of_table=table.texts(task.repeated.name).to_list(),
        original={column.name: table.texts(column.name).to_list() for column in task.sensitive},
    )


def _verify_disjoint(release: Release) -> None:
    """Prove from printed cells that ranges do not overlap, where that is asked for."""
    task = release.task
    if task.overlap or release.grouping.levels is not None:
        return
    for attribute in task.quasi:
        column = attribute.column
        if not attribute.ordered or attribute.publishes_one_value or column.numbers is None:
            continue
        numbers = dict(zip(column.values, column.numbers.tolist(), strict=True))
        for text, number in list(numbers.items()):
            numbers.setdefault(end_text(column, text), number)
        if overlapping(release.coded[column.name], numbers):
            raise NotReachedError(
                f"the release does not verify: ranges of {column.name} overlap; nothing was written"
            )


def _risk(task: Task) -> RiskClaim | None:
    """What is required of the release as a whole; the highest risk is proven as k."""
    risk = task.release_risk
    if risk is None:
        return None
    return RiskClaim(risk.measure, risk.max, risk.scale(task.people), risk.threshold, str(risk))


def _verify(release: Release) -> None:
    task = release.task
    _verify_disjoint(release)
    quasi = [attribute.name for attribute in task.quasi]
    claims = [each.claim(task.table.missing_tokens) for each in task.sensitive_requirements]
    # Rows of nothing but * are no release, however many there are.
    published = release.coded.clear() if release.suppressed.all() else release.coded
    try:
        people = _people(release)
        verify(
            published,
            quasi,
            task.left_out,
            task.k,
            claims,
            _personal_k(release),
            people=people,
            risk=_risk(task),
        )
        for name in task.pseudonymised:
            raw, tokens = task.table.texts(name), task.table.missing_tokens
            verify_pseudonyms(published, quasi, name, raw, tokens, task.k)
        if task.output.formulas == "escape":  # what is written is counted as well
            places = [published.columns.index(name) for name in quasi]
            escaped = escape_formulas(published)
            printed = [escaped.columns[place] for place in places]
            verify(escaped, printed, (), task.k, people=people)
    except NotReachedError:
        suppressed = int(release.suppressed.sum())
        starred = task.output.suppressed == "star" and 0 < suppressed < task.n
        if not starred:
            raise
        if suppressed >= task.k:
            shown = published.filter(~release.suppressed[release.order])
            asked = _personal_k(release, starred=False)
            people = _people(release, starred=False)
            verify(
                shown, quasi, task.left_out, task.k, claims, asked, people=people, risk=_risk(task)
            )
        raise starred_class(suppressed, task.k) from None


def starred_class(suppressed: int, k: int) -> NotReachedError:
    """The refusal of a release whose suppressed records would be a class that may not be."""
    why = f"k is {k}" if suppressed < k else "which does not keep what is required beyond k"
    return NotReachedError(
        f"suppressed: star would publish a class of {suppressed} suppressed "
        f"{plural(suppressed, 'record')}, {why}; use suppressed: drop to leave them out",
        on_screen=f"the {suppressed} suppressed {plural(suppressed, 'record')}, published as "
        f"stars, would be a class of their own, {why}; leave suppressed records out instead",
    )
