"""Run one table under several algorithms and values of k.

    for point in sweep("census.yaml", ["global", "mondrian"], [2, 5, 10]):
        print(point.algorithm, point.k, point.ncp)

A point is a whole run: the release is recoded, verified and measured as any other. Points come as
they finish. One that finds no release says why instead of ending the sweep.

Points run in threads, one per core. Threads share the coded table and what full-domain searches
have counted (`SharedCounts`), start at once and stop within a step; the kernels that most of the
time goes into release the interpreter lock. Helper processes would have to be given the table
first, and could share nothing afterwards. On a cluster every point is a job (`points_by`).

A plot has the values of k at even distances: 2, 3, 5, 10, 25, 50, 100 are chosen by the factor
between them. Figures start at 0, so that heights can be compared.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from kanon_tui.core.algorithms import find_algorithm
from kanon_tui.core.errors import InputError, KanonError, check_known
from kanon_tui.core.fields.declaration import with_parameters
from kanon_tui.core.lattice.pre_pruning import string_figures
from kanon_tui.core.optional import require
from kanon_tui.core.pipeline.prepare import as_project, prepare
from kanon_tui.core.pipeline.run import Result, Run, State, conclude, start
from kanon_tui.core.processes.workers import Workers, cores
from kanon_tui.core.project.project import AlgorithmChoice, Project
from kanon_tui.core.report.chart import Line
from kanon_tui.core.report.formats import section_html
from kanon_tui.core.report.sections import Section
from kanon_tui.core.table.column import Role
from kanon_tui.core.table.table import Table, as_table
from kanon_tui.core.task.task import Grouping, RunContext, Task

if TYPE_CHECKING:
    import pandas as pd

DEFAULT_KS = (2, 3, 5, 10, 25, 50, 100)
_MEASURED = ("ncp", "rv", "il", "classes", "suppressed_records")
"""Measures of a release that a point has."""
_LONGEST_WAIT = 0.2
"""Seconds to wait for a point before looking for Ctrl-C: a longer wait may not be interrupted."""


@dataclass(frozen=True)
class SweepPoint:
    """One algorithm at one k: the figures of its release, or why there is none."""

    algorithm: str
    k: int
    ncp: float | None = None
    rv: float | None = None
    il: float | None = None
    classes: int | None = None
    suppressed_records: int | None = None
    seconds: float | None = None
    """Time inside the algorithm, while other points of the sweep were running."""
    error: str | None = None
    subset: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """Of a sweep over subsets of the attributes: their names and how many strings they have."""
    grouping: Grouping | None = field(default=None, repr=False, compare=False)
    """What the algorithm decided, from which `Sweep.open` makes the full result."""

    @property
    def figures(self) -> dict[str, Any]:
        """The point as plain values, ready for a table or JSON."""
        names = (each.name for each in fields(self) if each.name not in ("subset", "grouping"))
        return {**self.subset, **{name: getattr(self, name) for name in names}}


def k_values(text: str) -> tuple[int, ...]:
    """Return the values of k in a text like `2, 5, 10`; sorted, each once."""
    parts = [part.strip() for part in text.split(",")]
    for part in parts:
        if not part.isascii() or not part.isdigit() or len(part) > 18 or int(part) < 1:
            raise InputError(f"k: '{part}' is not a whole number of at least 1; write 2,5,10")
    return tuple(sorted({int(part) for part in parts}))


def sweep(
    project: Project | str | Path,
    algorithms: Sequence[str] | None = None,
    ks: Sequence[int] = DEFAULT_KS,
    table: pl.DataFrame | pd.DataFrame | Table | None = None,
    workers: int | None = None,
) -> Sweep:
    """Return a sweep that is ready to be iterated; leaving the loop cancels the rest.

    Without `algorithms` the project's own is tried. `table` takes the place of the data file, and
    `workers` of the number of cores.
    """
    project = as_project(project)
    tokens = project.data.read_options.missing_tokens
    # With k = 1 the task can be prepared whatever the project's own k is.
    lenient = replace(project, privacy=replace(project.privacy, k=1))
    task = prepare(lenient, None if table is None else as_table(table, tokens))
    return Sweep(project, task, algorithms or [project.algorithm.name], ks, workers)


def with_attributes(project: Project, names: Sequence[str]) -> Project:
    """Return the project with these quasi-identifiers; the others are left out of the release."""
    quasi = [name for name, spec in project.attributes.items() if spec.role is Role.QUASI]
    for name in names:
        check_known(name, quasi, f"attributes: '{name}' is not a quasi-identifier")
    attributes = {
        name: replace(spec, role=Role.IDENTIFIER) if name in quasi and name not in names else spec
        for name, spec in project.attributes.items()
    }
    return replace(project, attributes=attributes)


def with_strings(
    points: Iterable[SweepPoint], asked: Sweep, names: Sequence[str]
) -> list[SweepPoint]:
    """Return the points of a subset of the attributes, with the number of its strings."""
    found = []
    for point in points:
        task = replace(asked.task, privacy=replace(asked.task.privacy, k=point.k))
        figures = string_figures(task)
        subset = {"attributes": ",".join(names), "strings": figures.pop("all")}
        found.append(replace(point, subset=subset | figures))
    return found


class Sweep:
    """The points of a sweep, which are run once; `cancel` from any thread keeps what is done.

    Every algorithm has its values of k in rising order. Whenever a core is free, an algorithm that
    has no point at work gets its next one, and of several the one that has had least time so far:
    first each gets one, and afterwards the quick ones do not wait for the slow.
    """

    def __init__(
        self,
        project: Project,
        task: Task,
        algorithms: Sequence[str],
        ks: Sequence[int],
        workers: int | None = None,
    ) -> None:
        if not algorithms or not ks:
            raise InputError("sweep: it needs at least one algorithm and one value of k")
        if min(ks) < 1:
            raise InputError(f"sweep: k is {min(ks)}; it must be at least 1")
        self.project = project
        self.task = task
        self._shared: dict[Hashable, Any] = {}
        self.algorithms = tuple(dict.fromkeys(algorithms))
        self.ks = tuple(sorted(set(ks)))
        for name in self.algorithms:
            params = _project_at(project, name, 1).algorithm.params
            with_parameters(find_algorithm(name, "algorithms"), params, name)
        self._workers = max(min(workers or cores(), self.total), 1)
        self._waiting = {name: deque(self.ks) for name in self.algorithms}
        self._spent = dict.fromkeys(self.algorithms, 0.0)
        self._cancelled = False
        self.points: list[SweepPoint] = []
        """The points that are finished, in the order in which they were."""

    @property
    def total(self) -> int:
        """The number of points."""
        return len(self.algorithms) * len(self.ks)

    def cancel(self) -> None:
        """Stop after the steps that are under way."""
        self._cancelled = True

    def __iter__(self) -> Iterator[SweepPoint]:
        """Yield the points that are finished, then the others as they finish."""
        yield from list(self.points)
        running: dict[Future[SweepPoint | None], tuple[str, int, float]] = {}
        with ThreadPoolExecutor(self._workers) as pool:
            try:
                while self._submit(pool, running):
                    done, _ = wait(running, _LONGEST_WAIT, FIRST_COMPLETED)
                    for future in done:
                        name, _, started = running.pop(future)
                        self._spent[name] += time.perf_counter() - started
                        point = future.result()
                        if point is not None:
                            self.points.append(point)
                            yield point
            finally:
                self.cancel()
        self._shared.clear()  # its memory is not needed any more

    def _submit(
        self, pool: Executor, running: dict[Future[SweepPoint | None], tuple[str, int, float]]
    ) -> bool:
        """Start points on free cores, of the algorithm with fewest at work and then least time.

        Return whether any is at work.
        """
        while not self._cancelled and len(running) < self._workers and any(self._waiting.values()):
            at_work = [name for name, _, _ in running.values()]
            name = min(
                (name for name in self.algorithms if self._waiting[name]),
                key=lambda name: (at_work.count(name), self._spent[name]),
            )
            k = self._waiting[name].popleft()
            running[pool.submit(self._point, name, k)] = (name, k, time.perf_counter())
        return bool(running)

    def in_order(self, points: Iterable[SweepPoint]) -> list[SweepPoint]:
        """Return points by algorithm, in the order asked for, and rising k."""
        place = {name: number for number, name in enumerate(self.algorithms)}
        return sorted(points, key=lambda point: (place[point.algorithm], point.k))

    def frame(self) -> pl.DataFrame:
        """Run the points that are still to do, and return all as a frame for plots and tables."""
        return pl.DataFrame(
            [point.figures for point in self.in_order(self)], infer_schema_length=None
        )

    def plot(self, figure: str = "ncp") -> Any:
        """Run the points that are still to do, and return an Altair chart of a figure against k.

        Every algorithm has a line. Altair is in the extra `plots`.
        """
        names = [metric.name for metric in METRICS]
        check_known(figure, names, f"'{figure}' is no figure of a sweep")
        altair = require("altair", "a chart")
        chart = altair.Chart(self.frame().select("algorithm", "k", figure)).mark_line(point=True)
        return chart.encode(x="k:O", y=f"{figure}:Q", color="algorithm:N")

    def _repr_html_(self) -> str:
        """Return the HTML that a notebook shows: the finished points, and how many are to do."""
        points = self.in_order(self.points)
        waiting = self.total - len(points)
        sentences = [f"{len(points)} of {self.total} points are finished."]
        if waiting:
            sentences.append("frame() runs the others.")
        rows = [
            [point.algorithm, str(point.k), *(metric.shown(point) for metric in METRICS)]
            for point in points
        ]
        titles = ["algorithm", "k", *(metric.title for metric in METRICS)]
        return section_html(Section(f"Sweep of {self.project.title}", sentences, titles, rows))

    def fits(self, project: Project) -> bool:
        """Return whether its points are what a project would give now, wherever that is saved."""
        one = _without_place(self.project)
        other = _without_place(project)
        return all(_project_at(one, n, 1) == _project_at(other, n, 1) for n in self.algorithms)

    def open(self, point: SweepPoint) -> Result:
        """Return the full result of a finished point: recoded, verified and measured again."""
        if point.grouping is None or point.seconds is None:
            raise InputError(f"{point.algorithm}, k = {point.k}: there is no release to open")
        run = self._run(point.algorithm, point.k)
        run.state = State.FINISHED
        run.grouping = point.grouping
        run.seconds = point.seconds
        return conclude(run, _project_at(self.project, point.algorithm, point.k))

    def _point(self, name: str, k: int) -> SweepPoint | None:
        """Run one point and return it; None when the sweep was cancelled meanwhile."""
        run = self._run(name, k)
        try:
            if k > self.task.n:
                raise InputError(
                    f"k is {k:,} but the table has only {self.task.n:,} records; choose k of at "
                    f"most {self.task.n:,}"
                )
            for _ in run:
                if self._cancelled:
                    run.cancel()
                    return None
            measures = conclude(run).measures
        except KanonError as error:
            return SweepPoint(name, k, error=str(error))
        figures = {name: getattr(measures, name) for name in _MEASURED}
        return SweepPoint(name, k, **figures, seconds=run.seconds, grouping=run.grouping)

    def _run(self, name: str, k: int) -> Run:
        task = replace(self.task, privacy=replace(self.task.privacy, k=k))
        context = RunContext(shared=self._shared)
        return start(_project_at(self.project, name, k), task=task, context=context)


def _project_at(project: Project, name: str, k: int) -> Project:
    """Return the project that a point is the run of.

    Parameters belong to the project's own algorithm; the others keep their defaults.
    """
    choice = project.algorithm if project.algorithm.name == name else AlgorithmChoice(name)
    return replace(project, privacy=replace(project.privacy, k=k), algorithm=choice)


def _without_place(project: Project) -> Project:
    return replace(project, path=None, data=replace(project.data, path=""))


@dataclass(frozen=True)
class Metric:
    """A figure that can be plotted against k."""

    name: str
    """The field of `SweepPoint`."""
    title: str
    meaning: str
    whole: bool = False
    """Whether it counts something."""
    more_is_better: bool = False

    def figure_of(self, point: SweepPoint) -> float | None:
        """Return the figure of a point; None where it has no release."""
        value: float | None = getattr(point, self.name)
        return value

    def shown(self, point: SweepPoint) -> str:
        """Return the figure in words; a dash where there is none."""
        value = self.figure_of(point)
        digits = {"ncp": 3, "rv": 3, "seconds": 2}.get(self.name, 0)
        return "–" if value is None else f"{value:,.{digits}f}"


METRICS: tuple[Metric, ...] = (
    Metric("ncp", "NCP", "detail lost: 0 nothing, 1 everything"),
    Metric("rv", "RV", "research value, more is better", more_is_better=True),
    Metric("il", "IL", "information loss, summed over the records"),
    Metric(
        "classes",
        "classes",
        "groups that look alike, more is finer",
        whole=True,
        more_is_better=True,
    ),
    Metric("suppressed_records", "suppressed", "records left out", whole=True),
    Metric("seconds", "seconds", "time inside the algorithm"),
)


def lines_of(
    points: Iterable[SweepPoint], metric: Metric, algorithms: Sequence[str], ks: Sequence[int]
) -> tuple[Line, ...]:
    """Return a line for every algorithm, also for one that has no points yet."""
    known = {(point.algorithm, point.k): metric.figure_of(point) for point in points}
    return tuple(Line(name, tuple(known.get((name, k)) for k in ks)) for name in algorithms)


def best_at(points: Iterable[SweepPoint], metric: Metric, k: int) -> tuple[SweepPoint, ...]:
    """Return the points at a value of k that are best by a metric.

    One, or several that are equal.
    """
    known = [(metric.figure_of(point), point) for point in points if point.k == k]
    values = [value for value, _ in known if value is not None]
    if not values:
        return ()
    best = max(values) if metric.more_is_better else min(values)
    return tuple(point for value, point in known if value == best)


def points_by(workers: Workers, sweep: Sweep) -> Iterator[SweepPoint]:
    """Yield the figures of all points, in the order asked for.

    Groupings stay where they were found.
    """
    jobs = [(name, k) for name in sweep.algorithms for k in sweep.ks]
    yield from workers.map(sweep_point, (sweep.project, sweep.task), jobs)


def sweep_point(shared: tuple[Project, Task], algorithm: str, k: int) -> SweepPoint:
    """Return one point, run in one thread."""
    (point,) = Sweep(*shared, [algorithm], [k], workers=1)
    return replace(point, grouping=None)
