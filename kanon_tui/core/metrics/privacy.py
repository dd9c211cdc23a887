"""Privacy figures of a release: class sizes, sensitive values of classes, broken MAGVals.

Per sensitive attribute every model of `core/privacy` gives the figure of its worst class; t is the
distance from the whole input table. Suppressed records are in no class.

Reference: CKA for MAGVals; `core/privacy` for the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from kanon_tui.core.metrics.cells import CellGroups
from kanon_tui.core.numeric import TIE, Flags, Int64s
from kanon_tui.core.privacy.k_anonymity import KAnonymity
from kanon_tui.core.privacy.models import MODELS
from kanon_tui.core.privacy.requirements import ColumnRequirement, PeopleRequirement
from kanon_tui.core.release.recode import Release
from kanon_tui.core.table.column import Column
from kanon_tui.core.table.group_values import GroupValues

__all__ = [
    "PrivacyMeasures",
    "RequirementResult",
    "measure_privacy",
    "prosecutor_risk",
    "violations",
    "worst_figures",
]


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
    records, person = release.published_sizes, release.task.repeated
    sizes = records if person is None else release.values_of(person).distinct
    found = {
        column.name: _worst_of_blocks(release, column)
        if person is None
        else worst_figures(release.values_of, column, person)
        for column in release.task.sensitive
    }
    risk_max, risk_mean = prosecutor_risk(sizes)
    beyond = violations(release, cells)
    none_beyond = np.zeros(release.task.rows, dtype=bool)
    return PrivacyMeasures(
        k=KAnonymity.measured(sizes),
        figures={
            model: {attribute: figures[model] for attribute, figures in found.items()}
            for model in MODELS
        },
        risk_max=risk_max,
        risk_mean=risk_mean,
        violations=release.task.records_in(np.logical_or.reduce([*beyond.values(), none_beyond])),
        violating_values={name: release.task.records_in(values) for name, values in beyond.items()},
        required=tuple(
            RequirementResult(each, _worst_required(release, each))
            for each in release.task.requirements
            if len(sizes)
        ),
        class_sizes=sizes,
        smallest_class=KAnonymity.measured(records),
    )


def _worst_of_blocks(release: Release, column: Column) -> dict[str, float]:
    """Return by model the figure of the worst class, computed for some classes at a time."""
    blocks = [worst_figures(lambda _: each, column) for each in release.value_blocks(column)]  # noqa: B023
    if len(blocks) == 1:
        return blocks[0]
    return {
        name: model(model.loosest, column.name).shown(np.array([block[name] for block in blocks]))
        for name, model in MODELS.items()
    }


def _worst_required(release: Release, requirement: ColumnRequirement) -> float:
    figures = [requirement.worst_figure(each) for each in release.value_blocks(requirement.column)]
    return float(requirement.model.worst(np.array(figures)))


def prosecutor_risk(sizes: Int64s) -> tuple[float, float]:
    """Return largest and mean 1/|E| over all records; 0 where nothing is published."""
    if len(sizes) == 0:
        return 0.0, 0.0
    return 1.0 / int(sizes.min()), len(sizes) / int(sizes.sum())


def worst_figures(
    values_of: Callable[[Column], GroupValues], column: Column, person: Column | None = None
) -> dict[str, float]:
    """Return by model the figure of the worst class of a sensitive column.

    `values_of` gives the values that classes hold of a column; `person` says whose each record is,
    where some have several.
    """
    if person is not None:
        loose = [ColumnRequirement(m(m.loosest, column.name), column) for m in MODELS.values()]
        in_people = PeopleRequirement.from_requirements(loose, person)
        pairs = values_of(in_people[0].column)
        return {each.model.name: each.worst_of(pairs) for each in in_people}
    groups = values_of(column)
    return {name: model.measured(groups, column) for name, model in MODELS.items()}


def violations(release: Release, cells: Sequence[CellGroups]) -> dict[str, Flags]:
    """Return per attribute with limits which records have a published cell beyond them.

    A label must not cover values outside the MAGVal of the record's own value, nor a range be wider
    than `max_width`. In a clustering a range of numbers covers the values that its class holds. A
    suppressed cell covers nothing, so it violates nothing.
    """
    found = {}
    singly = release.grouping.suppressed_cells
    for x, attribute_cells in enumerate(cells):
        attribute = attribute_cells.attribute
        if not attribute.hierarchy.marks and attribute.max_width is None:
            continue
        shown = ~release.suppressed if singly is None else ~(release.suppressed | singly[:, x])
        beyond = np.zeros(release.task.rows, dtype=bool)
        if attribute.hierarchy.marks:
            beyond[shown] |= _beyond_mark(attribute_cells, release.classes[shown], shown)
        if attribute.max_width is not None:
            group = release.classes[shown]
            if attribute_cells.level is not None:
                labels = attribute.hierarchy.maps[attribute_cells.level]
                group = labels[attribute.column.codes[shown]]
            width = np.where(attribute_cells.hidden, np.inf, attribute_cells.width)
            beyond[shown] |= (width > attribute.max_width + TIE)[group]
        found[attribute.name] = beyond
    return found


def _beyond_mark(
    cells: CellGroups, classes: npt.NDArray[np.integer], shown: Flags
) -> npt.NDArray[np.bool_]:
    hierarchy = cells.attribute.hierarchy
    codes = cells.attribute.column.codes[shown]
    if cells.level is not None or not cells.attribute.ordered:
        # A label and a mark above the same value are nested: the one that covers more is higher.
        group = classes if cells.level is None else hierarchy.maps[cells.level][codes]
        allowed = np.zeros(len(hierarchy.paths), dtype=np.int64)
        for level, labels in enumerate(hierarchy.maps):
            at_level = hierarchy.mark_levels == level
            allowed[at_level] = hierarchy.covered(level)[labels[at_level]]
        return np.asarray(cells.covered[group] > allowed[codes], dtype=bool)
    beyond = np.zeros(len(codes), dtype=bool)
    for level in np.unique(hierarchy.mark_levels).tolist():
        labels = hierarchy.maps[level]
        low, high = cells.values.ends(labels[cells.values.code])
        beyond |= (low != high)[classes] & (hierarchy.mark_levels[codes] == level)
    return beyond
