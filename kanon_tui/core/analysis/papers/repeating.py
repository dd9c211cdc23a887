"""Run what an entry names: printed figures beside ours, and claims on any table."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

from kanon_tui.core.analysis.feasibility import feasibility
from kanon_tui.core.analysis.papers.entry import (
    CurveClaim,
    Entry,
    Method,
    PrintedFigures,
    Simulation,
)
from kanon_tui.core.analysis.papers.relations import RELATIONS
from kanon_tui.core.errors import InputError, NotReachedError
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import Result, conclude, start
from kanon_tui.core.project.project import Project, with_overrides
from kanon_tui.core.project.samples import samples_folder
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.table import Table

_STANDARD_ERRORS = 3
"""How far a simulated rate may be from a printed one."""
_LABEL = "class_attribute"
"""The parameter that names the column whose values should agree inside a class."""
_SHARE_OF_RANGE = 4
"""Where a table has no limits, ranges of numbers may be a quarter of their domain wide."""


@dataclass(frozen=True)
class FigureComparison:
    """A printed figure beside ours, and the command that gives ours."""

    what: str
    printed: float
    ours: float
    command: str

    @property
    def agrees(self) -> bool:
        """Whether both are the same, rounded as the document rounds."""
        return abs(self.printed - self.ours) < 1e-9


@dataclass(frozen=True)
class ClaimVerdict:
    """The curves of a claim on one table, and whether it holds there."""

    claim: CurveClaim
    points: tuple[int, ...]
    series: Mapping[str, tuple[float, ...]]
    holds: bool
    notes: tuple[str, ...] = ()

    @property
    def axis(self) -> str:
        """The quantity that the points are drawn over."""
        return "records" if self.claim.over_records else "k"


class Releases:
    """Releases of one project, made once each."""

    def __init__(self, project: Project, table: Table | None = None) -> None:
        self._project = project
        self.table = project.read_data() if table is None else table
        self._made: dict[tuple[str, int | None, int | None], Result] = {}

    def release(self, method: Method | None, k: int | None, records: int | None = None) -> Result:
        """Return the release of a method on the first records, or on all."""
        key = ("" if method is None else method.words, k, records)
        if key not in self._made:
            project = with_method(self._project, method, k)
            table = self.table
            if records is not None:
                table = replace(table, frame=table.frame.head(records))
            self._made[key] = conclude(start(project, table), project)
        return self._made[key]


def with_method(project: Project, method: Method | None, k: int | None) -> Project:
    """Return a project with the algorithm of a method and this k, nothing suppressed by choice."""
    if method is None:
        return with_overrides(project, k=k)
    parameters = list(method.parameters.items())
    changed = with_overrides(project, algorithm=method.algorithm, parameters=parameters, k=k)
    return replace(changed, privacy=replace(changed.privacy, max_suppression=0.0))


def study(name: str) -> Project:
    """Return a project of the bundled data by its path below sample_data."""
    return Project.load(samples_folder() / name)


def figure_of(result: Result, measure: str) -> float:
    """Return a figure of a report by its keys: `metrics.ncp`."""
    value: Any = result.report
    for key in measure.split("."):
        if not isinstance(value, Mapping) or key not in value:
            raise InputError(f"papers: a report has no '{measure}'; name its keys with dots")
        value = value[key]
    if value is None:
        raise InputError(
            f"papers: there is no {measure} without classes of people; name a sensitive attribute "
            f"with --sensitive"
        )
    return float(value)


def compare(entry: Entry) -> Iterator[FigureComparison]:
    """Yield every printed figure of an entry beside that of a run."""
    for figures in entry.figures:
        yield from _compare_runs(figures)
    if entry.simulation is not None:
        yield _compare_rates(entry.simulation)


def _compare_runs(figures: PrintedFigures) -> Iterator[FigureComparison]:
    releases = Releases(study(figures.project))
    values_of_k: Sequence[int | None] = figures.k or (None,)
    commands = figures.commands()
    for k, printed, command in zip(values_of_k, figures.printed, commands, strict=True):
        result = releases.release(figures.method, k)
        ours = round(figure_of(result, figures.measure), 4)
        yield FigureComparison(f"{figures.what}, k = {result.task.k:,}", printed, ours, command)


def _compare_rates(simulation: Simulation) -> FigureComparison:
    simulated = feasibility(
        simulation.attributes,
        simulation.k,
        simulation.records,
        repeats=simulation.repeats,
        seed=0,
    )
    ours = round(100 * simulated.success_rate, 1)
    return FigureComparison(
        "tables that reach k, %", simulation.printed, ours, simulation.command()
    )


def within_chance(simulation: Simulation) -> bool:
    """Return whether a printed rate is within three standard errors of ours."""
    share = simulation.ours / 100
    error = 100 * sqrt(share * (1 - share) / simulation.repeats)
    return abs(simulation.ours - simulation.printed) <= _STANDARD_ERRORS * error


def repeat_claim(claim: CurveClaim) -> ClaimVerdict:
    """Return the curves of a claim on the data of its document, or the nearest that is public."""
    return verdict_on(claim, Releases(study(claim.project)))


def try_claim(claim: CurveClaim, project: Project) -> ClaimVerdict:
    """Return the curves of a claim on the table of a user.

    Values of k above the number of records are left out, and so are numbers of records.
    """
    table = project.read_data()
    notes: list[str] = []
    if claim.is_about_limits and not has_limits(project):
        project, note = with_width_limits(project, table)
        notes.append(note)
    fitted = _fitted(with_label_of(claim, project, notes), table.height)
    return verdict_on(fitted, Releases(project, table), tuple(notes))


def with_label_of(claim: CurveClaim, project: Project, notes: list[str]) -> CurveClaim:
    """Return the claim with the sensitive attribute of a project as the label of its methods.

    Methods that need a label are left out where there is none, which a note says.
    """
    sensitive = [name for name, spec in project.attributes.items() if spec.role is Role.SENSITIVE]
    methods: dict[str, Method] = {}
    for name, method in claim.methods.items():
        if _LABEL not in method.parameters:
            methods[name] = method
        elif sensitive:
            parameters = {**method.parameters, _LABEL: sensitive[0]}
            methods[name] = replace(method, parameters=parameters)
        else:
            notes.append(f"{name} is left out: it needs a label, which --sensitive names")
    return replace(claim, methods=methods)


def _fitted(claim: CurveClaim, height: int) -> CurveClaim:
    """Return the claim with the points that a table of this height has."""
    if claim.over_records:
        sizes = tuple(height * quarter // 4 for quarter in (1, 2, 3, 4))
        if sizes[0] < claim.k[0]:
            raise InputError(
                f"papers: a quarter of {height:,} records is fewer than k = {claim.k[0]:,}; name a "
                f"larger table"
            )
        return replace(claim, records=sizes)
    possible = tuple(k for k in claim.k if k <= height)
    needed = RELATIONS[claim.relation].of_points
    missing = [k for k in needed if k not in possible]
    if missing or not possible:
        least = max(needed, default=min(claim.k))
        raise InputError(
            f"papers: the table has {height:,} records, and this claim is about k up to {least:,}; "
            f"name a larger table"
        )
    return replace(claim, k=possible, records=())


def has_limits(project: Project) -> bool:
    """Return whether an attribute of a project has a limit of generalisation."""
    return any(
        bool(spec.magvals) or spec.max_width is not None for spec in project.attributes.values()
    )


def with_width_limits(project: Project, table: Table) -> tuple[Project, str]:
    """Return the project with a limit for every number, and a sentence that says so."""
    attributes = dict(project.attributes)
    limited: list[str] = []
    for attribute in prepare(project, table).quasi:
        if attribute.column.kind is not Kind.NUMERIC or attribute.domain_width <= 0:
            continue
        width = attribute.domain_width / _SHARE_OF_RANGE
        spec = attributes[attribute.name]
        attributes[attribute.name] = replace(spec, kind=Kind.NUMERIC, max_width=width)
        limited.append(f"{attribute.name} {width:,.4g}")
    if not limited:
        raise InputError(
            "papers: this claim is about limits, the table has no numbers that could get one, and "
            "no limits are named; name a project with magvals or max_width"
        )
    note = f"no limits are named, so that ranges may be a quarter wide: {', '.join(limited)}"
    return replace(project, attributes=attributes), note


def verdict_on(claim: CurveClaim, releases: Releases, notes: tuple[str, ...] = ()) -> ClaimVerdict:
    """Return the curves of a claim on some table."""
    series: dict[str, tuple[float, ...]] = {}
    for name, method in claim.methods.items():
        try:
            series[name] = tuple(
                figure_of(releases.release(method, k, records), claim.measure)
                for k, records in _points_of(claim)
            )
        except NotReachedError as error:
            raise NotReachedError(f"papers: {name} has no release of this table: {error}") from None
    points = claim.records if claim.over_records else claim.k
    curves = [dict(zip(points, figures, strict=True)) for figures in series.values()]
    return ClaimVerdict(claim, points, series, RELATIONS[claim.relation].is_true(curves), notes)


def _points_of(claim: CurveClaim) -> list[tuple[int, int | None]]:
    """Return k and the number of records of every point, None for all records."""
    if claim.over_records:
        return [(claim.k[0], records) for records in claim.records]
    records = claim.records[0] if claim.records else None
    return [(k, records) for k in claim.k]
