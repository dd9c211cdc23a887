"""Privacy figures of a release, and of any table that is already anonymised.

Per sensitive attribute every model of `core/privacy` gives the figure of its worst class; t is the
distance from the whole input table. Suppressed records are in no class. A `Disclosure` counts the
people whose class tells a sensitive value, which k does not prevent.

Reference: CKA for MAGVals; `core/privacy` for the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from math import floor
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from kanon_tui.core.errors import InputError, check_known
from kanon_tui.core.metrics.cells import CellGroups
from kanon_tui.core.numeric import TIE, Flags, Floats, Int32s, Int64s
from kanon_tui.core.privacy.k_anonymity import small_k_warning, smallest_size
from kanon_tui.core.privacy.models import MODELS
from kanon_tui.core.privacy.requirements import ColumnRequirement, PeopleRequirement
from kanon_tui.core.release.distinct_rows import number_rows
from kanon_tui.core.release.recode import Release
from kanon_tui.core.table.column import Column, GroupValues, Kind
from kanon_tui.core.table.column_coding import by_value
from kanon_tui.core.table.profile import repeated_people
from kanon_tui.core.table.role_guesses import guess_attributes
from kanon_tui.core.table.table import Table, as_table
from kanon_tui.core.text import count_of

LIKELY = 0.9
"""The share of one value in a class above which the class almost reveals it."""


@dataclass(frozen=True)
class Disclosure:
    """The people whose class discloses their value of one sensitive attribute, whatever k is."""

    revealed: int = 0
    """People in classes where everybody whose value is known has the same one."""
    likely: int = 0
    """People in classes where one value has a share above `LIKELY`, but not all."""
    highest_share: float = 0.0
    """The highest share of a value below 1 in any class."""

    @classmethod
    def from_shares(cls, shares: Floats, people: Int64s) -> Disclosure:
        """Count the people of classes by the share of their most frequent value.

        `shares` and `people` have shape (n_classes,).
        """
        certain = shares > 1.0 - TIE
        likely = ~certain & (shares > LIKELY + TIE)
        highest = float(shares[~certain].max(initial=0.0))
        return cls(int(people[certain].sum()), int(people[likely].sum()), highest)

    def __add__(self, other: Disclosure) -> Disclosure:
        """Return the counts of two sets of classes together."""
        return Disclosure(
            self.revealed + other.revealed,
            self.likely + other.likely,
            max(self.highest_share, other.highest_share),
        )

    def sentences(self, attribute: str) -> list[str]:
        """Return sentences on the sensitive values that classes disclose; empty where none do."""
        sentences = []
        if self.revealed:
            who = count_of(self.revealed, "person", "people")
            sentences.append(f"{who}: their class reveals {attribute}")
        if self.likely:
            share = floor(self.highest_share * 10_000) / 10_000
            who = count_of(self.likely, "person", "people")
            sentences.append(
                f"{who}: their class almost reveals {attribute}, one value has a share of up to "
                f"{share:g}"
            )
        return sentences


@dataclass(frozen=True, eq=False)
class RequirementResult:
    """A requirement and the figure of the worst class."""

    requirement: ColumnRequirement
    figure: float


@dataclass(frozen=True, eq=False)
class PrivacyMeasures:
    """The privacy measures of a release."""

    k: int
    figures: Mapping[str, Mapping[str, float]]
    """Figures of the worst class, by model (`l_distinct`, `t`, …) and sensitive attribute."""
    disclosures: Mapping[str, Disclosure]
    """By sensitive attribute, the people whose class tells their value."""
    risk_max: float
    """Prosecutor risk 1/|E|: of the most exposed record, |E| being people where some have several
    records."""
    risk_mean: float
    """Prosecutor risk, mean over the published records."""
    violations: int
    """Records generalised beyond a MAGVal or a largest width."""
    violating_values: Mapping[str, int]
    """By quasi-identifier with such limits, the number of values (cells) beyond them."""
    required: tuple[RequirementResult, ...]
    """The requirements beyond k, with the figure of the worst class."""
    class_sizes: Int64s = field(repr=False)
    """The records of every class, or its people where some have several."""
    smallest_class: int
    """Records of the smallest class."""

    @property
    def sample_uniques(self) -> int:
        """Classes of one record; of one person, if people are counted."""
        return int((self.class_sizes == 1).sum())

    def records_at_risk(self, threshold: float) -> int:
        """Return how many records (or people) have a prosecutor risk above the threshold."""
        exposed = self.class_sizes[1.0 / self.class_sizes > threshold]
        return int(exposed.sum())


def measure_privacy(release: Release, cells: Sequence[CellGroups]) -> PrivacyMeasures:
    """Return all privacy measures of a release, over the published classes."""
    records = release.published_sizes
    person = release.task.repeated
    sizes = records if person is None else release.values_of(person).distinct
    by_attribute = {
        column.name: measure_sensitive(release.value_blocks, column, person)
        for column in release.task.sensitive
    }
    risk_max, risk_mean = prosecutor_risk(sizes)
    beyond = violations(release, cells)
    none_beyond = np.zeros(release.task.rows, dtype=bool)
    return PrivacyMeasures(
        k=smallest_size(sizes),
        figures={
            model: {attribute: figures[model] for attribute, (figures, _) in by_attribute.items()}
            for model in MODELS
        },
        disclosures={attribute: disclosure for attribute, (_, disclosure) in by_attribute.items()},
        risk_max=risk_max,
        risk_mean=risk_mean,
        violations=release.task.records_in(np.logical_or.reduce([*beyond.values(), none_beyond])),
        violating_values={name: release.task.records_in(values) for name, values in beyond.items()},
        required=tuple(
            RequirementResult(requirement, _worst_required(release, requirement))
            for requirement in release.task.requirements
            if len(sizes)
        ),
        class_sizes=sizes,
        smallest_class=smallest_size(records),
    )


def _worst_required(release: Release, requirement: ColumnRequirement) -> float:
    figures = [
        requirement.worst_figure(values) for values in release.value_blocks(requirement.column)
    ]
    return requirement.model.worst(np.array(figures))


def prosecutor_risk(sizes: Int64s) -> tuple[float, float]:
    """Return largest and mean 1/|E| over all records; 0 where nothing is published."""
    if len(sizes) == 0:
        return 0.0, 0.0
    return 1.0 / int(sizes.min()), len(sizes) / int(sizes.sum())


def measure_sensitive(
    blocks_of: Callable[[Column], Iterable[GroupValues]],
    column: Column,
    person: Column | None = None,
) -> tuple[dict[str, float], Disclosure]:
    """Return by model the figure of the worst class of a sensitive column, and its `Disclosure`.

    `blocks_of` gives the values that classes hold of a column, some classes at a time; `person`
    says whose each record is, where some have several.
    """
    loose: Sequence[ColumnRequirement]
    loose = [ColumnRequirement(m(m.loosest, column.name), column) for m in MODELS.values()]
    if person is not None:
        loose = PeopleRequirement.from_requirements(loose, person)
    worst: dict[str, list[float]] = {name: [] for name in MODELS}
    disclosure = Disclosure()
    for groups in blocks_of(loose[0].column):
        if not groups.count:
            continue
        figures = {requirement.model.name: requirement.figures(groups) for requirement in loose}
        for requirement in loose:
            worst[requirement.model.name].append(
                requirement.model.shown(figures[requirement.model.name])
            )
        disclosure += Disclosure.from_shares(figures["alpha"], loose[0].sizes(groups))
    shown = {
        requirement.model.name: requirement.model.shown(np.array(worst[requirement.model.name]))
        for requirement in loose
        if worst[requirement.model.name]
    }
    return dict.fromkeys(MODELS, 0.0) | shown, disclosure


def violations(release: Release, cells: Sequence[CellGroups]) -> dict[str, Flags]:
    """Return per attribute with limits which records have a published cell beyond them.

    A label must not cover values outside the MAGVal of the record's own value, nor a range be wider
    than `max_width`. In a clustering a range of numbers covers the values that its class holds. A
    suppressed cell covers nothing, so it violates nothing.
    """
    beyond_limits = {}
    for x, cells_of_attribute in enumerate(cells):
        attribute = cells_of_attribute.attribute
        if not attribute.limited:
            continue
        groups = cells_of_attribute.groups_of(release.shown_classes(x))
        over = np.zeros(len(cells_of_attribute.size), dtype=bool)
        if attribute.max_level is not None and cells_of_attribute.level is not None:
            over |= cells_of_attribute.level > attribute.max_level
        elif attribute.max_level is not None and attribute.publishes_ancestor:
            over |= cells_of_attribute.height > attribute.max_level
        if attribute.max_width is not None:
            over |= (
                np.where(cells_of_attribute.hidden, np.inf, cells_of_attribute.width)
                > attribute.max_width + TIE
            )
        beyond = np.append(over, False)[groups]  # the last is for suppressed cells
        if attribute.hierarchy.marks:
            shown = groups >= 0
            beyond[shown] |= _beyond_mark(
                cells_of_attribute, groups[shown], attribute.column.codes[shown]
            )
        beyond_limits[attribute.name] = beyond
    return beyond_limits


def _beyond_mark(
    cells: CellGroups, groups: npt.NDArray[np.integer], codes: npt.NDArray[np.integer]
) -> Flags:
    """Return per record, by its group and value, whether its cell covers more than its MAGVal."""
    hierarchy = cells.attribute.hierarchy
    if cells.level is not None or not cells.attribute.ordered:
        # A label and a mark above the same value are nested: the one that covers more is higher.
        allowed = np.zeros(len(hierarchy.order), dtype=np.int64)
        for level, labels in enumerate(hierarchy.maps):
            at_level = hierarchy.mark_levels == level
            allowed[at_level] = hierarchy.covered(level)[labels[at_level]]
        return np.asarray(cells.covered[groups] > allowed[codes], dtype=bool)
    beyond = np.zeros(len(codes), dtype=bool)
    for level in np.unique(hierarchy.mark_levels).tolist():
        labels = hierarchy.maps[level]
        low, high = cells.values.ends(labels[cells.values.code])
        beyond |= (low != high)[groups] & (hierarchy.mark_levels[codes] == level)
    return beyond


def check_published(
    frame: pl.DataFrame,
    quasi: Sequence[str],
    sensitive: str | None,
    k: int,
    person: str | None = None,
    subset_size: int | None = None,
) -> dict[str, Any]:
    """Return the measures of a table that is already anonymised.

    With `subset_size` k is asked of any so many of the quasi-identifiers, not of all together.
    `person` is the column that names the person of each row: then people are counted. Without one,
    a column that numbers people and repeats is warned of.

    Cells are compared as they are printed; every row counts, one of nothing but `*` too. The
    sensitive attribute is counted in values, not in spellings; it is ordered when it is guessed to
    hold numbers or dates, and t-closeness is measured against the table itself, as nothing else is
    known.
    """
    table = as_table(frame)
    for name in (
        *quasi,
        *(role_column for role_column in (sensitive, person) if role_column is not None),
    ):
        check_known(name, table.names, f"the table has no column '{name}'")
    if not quasi:
        raise InputError("no quasi-identifiers are named; name at least one column")
    if subset_size is not None and subset_size < 1:
        raise InputError(f"subset_size is {subset_size}; it must be at least 1")
    printed = as_table(table, missing_tokens=())
    codes = [printed.column(name, Kind.CATEGORICAL).codes for name in quasi]
    classes = number_rows(codes)
    persons, warnings = _people(table, quasi, sensitive, person)
    records = np.bincount(classes)

    def held(column: Column) -> GroupValues:
        return GroupValues.from_records(classes, column.codes, len(records))

    sizes = _sizes(classes, persons)
    reached = smallest = smallest_size(sizes)
    if subset_size is not None:
        reached = min(
            smallest_size(_sizes(number_rows(subset), persons))
            for subset in combinations(codes, min(subset_size, len(codes)))
        )
    warnings += small_k_warning(smallest)
    risk_max, risk_mean = prosecutor_risk(sizes)
    measured: dict[str, float | None] = dict.fromkeys(MODELS)
    disclosed = {}
    if sensitive is not None:
        guess = guess_attributes(Table(table.frame.select(sensitive)))[sensitive]
        column = table.column(sensitive, guess.kind, guess.format)
        counted = by_value(column, table.missing_tokens)
        figures, disclosure = measure_sensitive(lambda valued: [held(valued)], counted, persons)
        disclosed = {"disclosed": {sensitive: asdict(disclosure)}}
        measured |= {n: f if math.isfinite(f) else None for n, f in figures.items()}
    return {
        "records": table.height,
        **({} if persons is None else {"people": len(persons.values)}),
        "quasi": list(quasi),
        "classes": len(sizes),
        "k": smallest,
        **measured,
        "risk_max": risk_max,
        "risk_mean": risk_mean,
        **disclosed,
        **({} if subset_size is None else {"subset_k": reached}),
        "reached": reached >= k,
        **({"warnings": warnings} if warnings else {}),
    }


def _sizes(classes: Int32s, persons: Column | None) -> Int64s:
    """Return the rows of every class, or its people."""
    if persons is None:
        return np.bincount(classes)
    return GroupValues.from_records(classes, persons.codes, int(classes.max()) + 1).distinct


def _people(
    table: Table, quasi: Sequence[str], sensitive: str | None, person: str | None
) -> tuple[Column | None, list[str]]:
    """Return the person of every row, or warnings where people seem to have several rows."""
    if person is None:
        other_columns = [name for name in table.names if name not in (*quasi, sensitive)]
        suspected = repeated_people(table, other_columns)
        return None, [] if suspected is None else [suspected.warning]
    column = by_value(table.column(person, Kind.CATEGORICAL), table.missing_tokens)
    if person in quasi or person == sensitive:
        raise InputError(
            f"'{person}' names the person of each row, so it has no other role; name another"
        )
    if column.missing is not None:
        missing = count_of(int(column.counts[column.missing]), "row has", "rows have")
        raise InputError(
            f"'{person}' names the person of each row, but {missing} no value in it; fill it in"
        )
    return column, []
