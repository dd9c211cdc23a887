"""Measure the risk of a table by three models of the attacker, also within a population.

Formulas of risks are in `privacy/risk`. Of a population table every printed row is asked
how many of its people it covers:

- k-map: the fewest people of the population that a row covers. Every row must fit k people, who
  need not be in the table.
- δ-presence: the share of those people who are in the table, f / F, lowest and highest over the
  rows. Near 1, somebody who fits is known to be in the table; somebody who fits no row is known not
  to be (`not_covered`).

Reference: Sweeney, k-anonymity (2002), for k-map, which ARX and El Emam and Dankar (2008) use
alike; Nergiz, Atzori and Clifton, Hiding the presence of individuals (2007).

How many people of a population are unique, estimated from the classes of a sample of it.

A record that is unique in a sample is in danger only where it is unique in the population as well.
The sample is taken for a simple random one of n people out of N; π = n / N. c₁, c₂, … are the
numbers of classes with one person, two people and so on, u is the number of classes.

- Zayatz: a sample unique comes from a population class of j people with a probability that follows
  from hypergeometric sampling, the distribution of class sizes in the population being taken for
  that of the sample. Uniques: c₁ · P(unique in the population | unique in the sample) / π.
- Pitman: class sizes follow Ewens and Pitman's random partition with parameters θ and α, fitted to
  the sample by maximum likelihood. Uniques: Γ(θ + 1) / Γ(θ + α) · N^α.
- SNB (slide negative binomial): the K classes of the population have 1 + NB(α, p) people each, of
  whom everybody is sampled with probability π. K, α and p are fitted so that N, u and c₁ are met.
  Uniques: K · p^α.
- the rule of Dankar et al.: for π up to 0.1 Pitman, or Zayatz where it does not converge; above,
  the smaller of Zayatz and SNB. Clinical data sets decided it; other data may not be like them.

None of the models is told by the data: estimates may be far off where a population is not like its
model, or the sample not random. None where there is no solution; 0 without sample uniques.

Reference: Zayatz, Estimation of the number of unique population elements using a sample (1991);
Hoshino, Applying Pitman's sampling formula to microdata disclosure risk assessment (2001); Chen and
Keller-McNulty, Estimation of identification disclosure risk in microdata (1998); Dankar, El Emam,
Neisa and Roffey, Estimating the re-identification risk of clinical data sets (2012). ARX uses the
same models and rule (RiskModelPopulationUniqueness); it fits SNB in another way.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass, replace
from math import exp, lgamma, log
from typing import Any

import numpy as np

from kanon_tui.core.analysis.attack.matching import DistinctRows, PublishedRows
from kanon_tui.core.analysis.published_cells import PublishedTable, check_column
from kanon_tui.core.errors import InputError
from kanon_tui.core.numeric import Floats, Int64s
from kanon_tui.core.optional import require
from kanon_tui.core.privacy.risk import MODELS, THRESHOLD, RiskFigures, risk_figures
from kanon_tui.core.project.project import Project
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.report.formats import section_html
from kanon_tui.core.report.sections import Section, figure
from kanon_tui.core.table.column import Column, GroupValues, Kind, Role
from kanon_tui.core.table.column_coding import by_value
from kanon_tui.core.table.table import Table, as_table
from kanon_tui.core.text import count_of


@dataclass(frozen=True)
class Presence:
    """The k-map and δ-presence of a table within a table of the population."""

    k_map: int
    lowest: float
    highest: float
    not_covered: int
    """People of the population whom no row covers."""


@dataclass(frozen=True, eq=False)
class CoveredPeople:
    """The people of a population table who fit the rows of another one."""

    by_row: Int64s
    """People per row; where rows overlap, somebody may be counted for several."""
    not_covered: int
    everybody: int
    """People of the population table."""


@dataclass(frozen=True, eq=False)
class KnownPopulation:
    """The facts known of the population that a table is a part of."""

    size: int | None = None
    weights: str | None = None
    """A column of the table: how many people of the population each record stands for."""
    covered: CoveredPeople | None = None
    """By a table of its people."""
    drawn: int | None = None
    """How many of it are in the sample, where not all of them are published."""


_NOTHING_KNOWN = KnownPopulation()


@dataclass(frozen=True)
class PopulationRisk:
    """The risk of a table."""

    records: int
    people: int
    classes: int
    population: int | None
    by: str
    """The source of the population's size: `table`, `weights`, `size` or `nothing`."""
    threshold: float
    models: dict[str, RiskFigures]
    uniques: Uniqueness | None
    sample_uniques: int
    presence: Presence | None

    def _repr_html_(self) -> str:
        """Return the HTML that a notebook shows: the sections of `kanon-tui risk`."""
        return "\n".join(map(section_html, risk_sections(self)))

    def mapping(self) -> dict[str, Any]:
        """Return the figures as plain data, for JSON."""
        found = asdict(self)
        presence = found["presence"] or {}
        more = {"population_uniques": found.pop("uniques"), "k_map": presence.pop("k_map", None)}
        names = {"by": "population_by", "models": "risk"}
        plain = {names.get(name, name): value for name, value in found.items()}
        return {**plain, **more, "presence": presence or None}


def population_risk(
    table: Table,
    rows: DistinctRows,
    person: Column | None = None,
    known: KnownPopulation = _NOTHING_KNOWN,
    threshold: float = THRESHOLD,
) -> PopulationRisk:
    """Return the risk of a table with these distinct rows of quasi-identifiers."""
    sizes = rows.sizes.astype(np.int64)
    people = table.height
    if person is not None:
        sizes = GroupValues.from_records(rows.row_of, person.codes, len(rows.sizes)).distinct
        people = len(person.values)
    weights: Floats | None = None
    if known.weights is not None and known.covered is None:
        each = _weights(table, known.weights)
        if person is not None:  # a person counts once, with the mean of her weights
            each = each / person.counts[person.codes]
        weights = np.asarray(np.bincount(rows.row_of, each, len(sizes)), dtype=np.float64)
    return risk_of_classes(known, threshold, sizes, weights, (table.height, people))


def risk_of_classes(
    known: KnownPopulation,
    threshold: float,
    sizes: Int64s,
    weights: Floats | None = None,
    extent: tuple[int, int] | None = None,
) -> PopulationRisk:
    """Return the risk of classes with `sizes` people; `weights` has the sum of weights of each.

    `extent` are all records and people, where they are not the people of the classes.
    """
    records, people = extent or (int(sizes.sum()),) * 2
    larger, by, size = _in_population(sizes, people, known, weights)
    if size is not None:
        check_population(size, known.drawn or people)
    scale = {name: sizes.astype(np.float64) if name == "prosecutor" else larger for name in MODELS}
    presence = None
    if known.covered is not None:
        shares = sizes / np.maximum(known.covered.by_row, 1)
        if not len(shares):
            raise InputError("the table has no records; use one that has some")
        lowest = float(shares.min())
        highest = float(np.minimum(shares, 1.0).max())
        fewest = int(known.covered.by_row.min())
        presence = Presence(fewest, lowest, highest, known.covered.not_covered)
    return PopulationRisk(
        records=records,
        people=people,
        classes=len(sizes),
        population=size,
        by=by,
        threshold=threshold,
        models={name: risk_figures(sizes, scale[name], threshold) for name in MODELS},
        uniques=None if size is None else uniqueness(sizes, size),
        sample_uniques=int((sizes == 1).sum()),
        presence=presence,
    )


def check_population(size: int, people: int) -> None:
    """Refuse a population that is smaller than the table."""
    if size < people:
        raise InputError(
            f"the population has {size:,} people, but the table has {people:,}; it is a part of it"
        )


def release_risk(
    result: FinishedRun,
    project: Project,
    known: KnownPopulation = _NOTHING_KNOWN,
    population: Table | None = None,
    name: str = "the population table",
    threshold: float = THRESHOLD,
) -> PopulationRisk:
    """Return the risk of the published rows.

    People and survey weights are those of the original records: whoever has the project knows whose
    every row is, also where no column of the release tells. The sample of the population is the
    whole table, as in a required risk: suppressed people were drawn as well.
    """
    task = result.task
    release = result.release
    classes = as_table(release.published_class_cells, task.table.missing_tokens)
    if not classes.height:
        raise InputError("the release has no records; run again with less suppression")
    rows, covered = covered_people(PublishedTable(project, task, classes), population, name)
    known = replace(known, drawn=task.people, covered=covered)
    order = release.order
    kept = task.table.kept
    row_of = rows.row_of[release.published_classes[order]]
    printed = DistinctRows(rows.codes, row_of, np.bincount(row_of))
    stood = order if kept is None else kept[order]
    original = replace(task.table, frame=task.table.frame[order], kept=stood)
    person = None if task.repeated is None else person_column(original, task.repeated.name)
    return population_risk(original, printed, person, known, threshold)


def survey_weights(project: Project, columns: Collection[str]) -> str | None:
    """Return the column of a table that has the role weight in a project; None without one."""
    found = (n for n, spec in project.attributes.items() if spec.role is Role.WEIGHT)
    return next((name for name in found if name in columns), None)


def _in_population(
    sizes: Int64s, people: int, known: KnownPopulation, weights: Floats | None
) -> tuple[Floats, str, int | None]:
    """Return the people who look like each class, what they are counted by, and the population."""
    if known.covered is not None:
        covered = known.covered.by_row
        if (covered < 1).any():
            raise InputError(
                f"{count_of(int((covered < 1).sum()), 'row fits', 'rows fit')} nobody of the "
                f"population table; use one of the people that the table is a part of"
            )
        return covered.astype(np.float64), "table", known.size or known.covered.everybody
    if weights is not None:
        size = known.size or round(float(weights.sum()))
        larger = np.asarray(np.maximum(weights, sizes), dtype=np.float64)
        return larger, "weights", max(size, people)
    if known.size is not None:
        return np.asarray(sizes * (known.size / (known.drawn or people))), "size", known.size
    return sizes.astype(np.float64), "nothing", None


def _weights(table: Table, name: str) -> Floats:
    check_column(name, table.names, "the table")
    column = table.column(name, Kind.NUMERIC)
    weights = column.value_numbers[column.codes]
    if not (weights > 0).all():
        raise _weight_problem(name)
    return weights


def _weight_problem(name: str) -> InputError:
    """Return the error for a column that cannot be survey weights."""
    return InputError(
        f"{name}: a survey weight is a number above 0, and some are not; correct them or leave the "
        f"records out"
    )


def covered_people(
    release: PublishedTable, population: Table | None, called: str
) -> tuple[DistinctRows, CoveredPeople | None]:
    """Return the rows of a table, and the people of a given population that they cover."""
    names = [attribute.name for attribute in release.task.quasi]
    if population is None:
        columns = (release.table.column(name, Kind.CATEGORICAL) for name in names)
        return DistinctRows.from_codes([column.codes for column in columns]), None
    for name in names:
        check_column(name, release.table.names, release.name)
        check_column(name, population.names, called)
    published = PublishedRows.from_table(release, names)
    found = published.covering_of(population)
    known = found.records.sizes
    rows = published.rows
    covered = np.bincount(found.row, known[found.record], len(rows.sizes)).astype(np.int64)
    missed = int(known.sum() - known[np.unique(found.record)].sum())
    return rows, CoveredPeople(covered, missed, population.height)


def person_column(table: Table, name: str) -> Column:
    """Return the column of persons, with one code per value."""
    check_column(name, table.names, "the table")
    return by_value(table.column(name, Kind.CATEGORICAL), table.missing_tokens)


_KNOWN_BY = {
    "table": "counted in a table",
    "weights": "by survey weights",
    "size": "of a given size, the table being a random sample of it",
    "nothing": "not known: journalist and marketer risk are the highest they can be",
}
_ASSUMED = {
    "table": "The population table is taken to hold everybody, with values as an outsider knows "
    "them.",
    "weights": "Survey weights are taken to say how many people of the population a record stands "
    "for.",
    "size": "The table is taken for a simple random sample: every class is as much larger in the "
    "population as the population is larger than the table.",
    "nothing": "Nothing is assumed: a class is taken to hold all who look like it.",
}
_ATTACKERS = (
    "A prosecutor knows that the person is in the release, a journalist only that she is in the "
    "population; a marketer tries to find everybody, and what counts is the average."
)
_ESTIMATED = (
    "Estimates take the table for a simple random sample. Zayatz: class sizes are distributed as "
    "here; Pitman: as in a random partition; SNB: as a negative binomial. No data tell which is "
    "right, and each may be far off. The rule of Dankar et al. was found on clinical data."
)


def risk_sections(found: PopulationRisk) -> list[Section]:
    """Return the risk by every model with estimates, and what the figures assume."""
    size = "" if found.population is None else f" of {found.population:,}"
    counted = [
        f"{found.records:,} records of {found.people:,} people in {found.classes:,} classes",
        f"population{size}: {_KNOWN_BY[found.by]}",
    ]
    rows = [
        [name, figure(own.highest), figure(own.average), f"{own.share:.1%}"]
        for name, own in found.models.items()
    ]
    columns = ("risk", "highest", "average", f"above {found.threshold:g}")
    assumed = [_ATTACKERS, _ASSUMED[found.by], *([_ESTIMATED] if found.uniques else [])]
    return [
        Section("How likely people are found", counted, columns, rows, _estimates(found)),
        Section("What is assumed", assumed),
    ]


def _estimates(found: PopulationRisk) -> list[str]:
    """Return sentences on uniques here and in the population, k-map and presence."""
    lines = [f"unique here: {found.sample_uniques:,}"]
    if found.uniques is not None:
        uniques = found.uniques
        models = {"Zayatz": uniques.zayatz, "Pitman": uniques.pitman, "SNB": uniques.snb}
        listed = ", ".join(
            f"{name} {'no solution' if value is None else f'{value:,.0f}'}"
            for name, value in models.items()
        )
        lines.append(f"unique in the population, estimated: {listed}")
        if uniques.by is not None and uniques.dankar is not None:
            lines.append(f"by the rule of Dankar et al.: {uniques.dankar:,.0f} ({uniques.by})")
    if found.presence is not None:
        own = found.presence
        lines += [
            f"k-map: every row fits at least {own.k_map:,} people of the population",
            f"presence: {own.lowest:.3g} to {own.highest:.3g} of those who fit a row are in the "
            f"table; {own.not_covered:,} people fit none",
        ]
    return lines


_SMALL_SAMPLE = 0.1


@dataclass(frozen=True)
class Uniqueness:
    """Uniques of the population by every model; None where one has no answer."""

    zayatz: float | None
    pitman: float | None
    snb: float | None
    dankar: float | None
    by: str | None
    """The model that the rule of Dankar et al. chose."""


def uniqueness(sizes: Int64s, population: int) -> Uniqueness:
    """Return the estimates for a population, from the class sizes of a sample of it."""
    n = int(sizes.sum())
    if not (sizes == 1).any():
        return Uniqueness(0.0, 0.0, 0.0, 0.0, None)
    found = {
        "zayatz": zayatz(sizes, population),
        "pitman": pitman(sizes, population),
        "snb": slide_negative_binomial(sizes, population),
    }
    order = ["pitman", "zayatz"]
    if n / population > _SMALL_SAMPLE:
        order = sorted(("snb", "zayatz"), key=lambda one: found[one] or float("inf"))
    by = next((one for one in order if found[one] is not None), None)
    return Uniqueness(**found, dankar=found[by] if by else None, by=by)


_POPULATION = "estimating the risk in a population"


def zayatz(sizes: Int64s, population: int) -> float | None:
    """Return Zayatz's estimate of the uniques of a population; None where there is none."""
    hypergeom = require("scipy.stats", _POPULATION).hypergeom
    n = int(sizes.sum())
    kinds, counts = np.unique(sizes, return_counts=True)
    one_drawn = hypergeom.pmf(1, population, kinds, n)  # exactly one of a class of each size
    weight = float((counts * one_drawn).sum())
    unique = float((sizes == 1).sum())
    if not weight:
        return None
    certain = unique * float(hypergeom.pmf(1, population, 1, n)) / weight
    return unique * certain / (n / population)


def pitman(sizes: Int64s, population: int) -> float | None:
    """Return the uniques by Pitman's model, at the maximum of its likelihood."""
    n = int(sizes.sum())
    classes = len(sizes)
    kinds, counts = np.unique(sizes[sizes > 1], return_counts=True)
    up_to_classes = np.arange(1, classes, dtype=np.float64)
    up_to_n = np.arange(1, n, dtype=np.float64)
    below = np.arange(1, int(sizes.max()), dtype=np.float64)

    def slopes(at: Floats) -> tuple[float, float]:
        """Return the derivatives of the likelihood by θ and α."""
        theta, alpha = at
        parts = 1 / (theta + up_to_classes * alpha)
        running = np.concatenate([[0.0], np.cumsum(1 / (below - alpha))])
        by_alpha = (up_to_classes * parts).sum() - (counts * running[kinds - 1]).sum()
        return parts.sum() - (1 / (theta + up_to_n)).sum(), by_alpha

    solved = _solved(slopes, _start(sizes, n, classes), (1.0, 0.5), (10.0, 0.1))
    if solved is None:
        return None
    theta, alpha = solved
    estimate = exp(lgamma(theta + 1) - lgamma(theta + alpha) + alpha * log(population))
    return estimate if 0 <= estimate <= population else None


def _start(sizes: Int64s, n: int, classes: int) -> tuple[float, float]:
    """Return Hoshino's first guess of θ and α."""
    one = float((sizes == 1).sum())
    c = one * (one - 1) / max(float((sizes == 2).sum()), 1.0)
    below = 2 * one * classes + one * c - n * c
    theta = (n * classes * c - one * (n - 1) * (2 * classes + c)) / below if below else 1.0
    alpha = (theta * (one - n) + (n - 1) * one) / (n * classes)
    if not (0 < alpha < 1 and theta > -alpha):
        return 1.0, 0.5
    return theta, alpha


def _solved(
    slopes: Callable[[Floats], tuple[float, float]], *starts: tuple[float, float]
) -> tuple[float, float] | None:
    """Return where both slopes are 0, from the first start that leads to allowed values."""
    root = require("scipy.optimize", _POPULATION).root
    for start in starts:
        with np.errstate(all="ignore"):  # steps may leave the allowed values
            found = root(slopes, start, tol=1e-12)
        theta, alpha = map(float, found.x)
        if np.abs(found.fun).max() < 1e-6 and 0 < alpha < 1 and theta > -alpha:
            return theta, alpha
    return None


def slide_negative_binomial(sizes: Int64s, population: int) -> float | None:
    """Return the uniques by the slide negative binomial model, fitted to N, classes and uniques."""
    n = int(sizes.sum())
    classes = len(sizes)
    unique = int((sizes == 1).sum())
    pi = n / population
    if pi >= 1:
        return float(unique)

    def fitted(p: float) -> tuple[float, float, float] | None:
        """Return K, α and the expected sample uniques, such that N and the classes are met."""
        left = 1 - (1 - p) * (1 - pi)

        def expected(alpha: float) -> float:
            k = population / (1 + alpha * (1 - p) / p)
            return float(k * (1 - (1 - pi) * (p / left) ** alpha))

        alpha = _root(lambda a: expected(a) - classes, 1e-9, 1e9)
        if alpha is None:
            return None
        k = population / (1 + alpha * (1 - p) / p)
        none = (p / left) ** alpha
        ones = k * none * pi * (1 + alpha * (1 - pi) * (1 - p) / left)
        return k, alpha, ones

    def missing(p: float) -> float:
        found = fitted(p)
        return float("nan") if found is None else found[2] - unique

    grid = np.concatenate([np.geomspace(1e-6, 0.5, 60), 1 - np.geomspace(0.5, 1e-6, 60)[1:]])
    values = [missing(float(p)) for p in grid]
    for low, high, one, two in zip(grid, grid[1:], values, values[1:], strict=False):
        if one * two <= 0:  # false where one of them has no answer
            p = _root(missing, float(low), float(high))
            found = fitted(p) if p is not None else None
            if p is not None and found is not None:
                return float(found[0] * p ** found[1])
    return None


def _root(function: Callable[[float], float], low: float, high: float) -> float | None:
    """Return a zero of a function between two positive numbers; None without a change of sign."""
    brentq = require("scipy.optimize", _POPULATION).brentq
    try:
        return exp(brentq(lambda at: function(exp(at)), log(low), log(high), xtol=1e-13))
    except ValueError:
        return None
