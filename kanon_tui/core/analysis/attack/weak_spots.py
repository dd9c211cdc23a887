"""People whom k does not protect, and the cheapest remedies.

Counted are people whose sensitive value their class tells (homogeneity), makes much likelier than
the whole table does (skew), or shows in a small class although it is rare. Which values of the
quasi-identifiers force coarse classes is told by special unique detection (`minimal_uniques`).
Remedies follow from these values: code an end of a line, merge a rare value with the smallest one
below the same label, raise an attribute by a level, ask for two sensitive values in every class.
Each is tried by running the project again; the cheapest changes the fewest records of those that
help.

References: Machanavajjhala and others, l-Diversity, ICDE 2006 (homogeneity); Li, Li,
Venkatasubramanian, t-Closeness, ICDE 2007 (skewness); Elliot, Manning, Ford 2002 (scores).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from kanon_tui.core.analysis.compare import compare
from kanon_tui.core.analysis.minimal_uniques import (
    MinimalUniques,
    largest_size,
    minimal_uniques,
    task_columns,
)
from kanon_tui.core.analysis.published_cells import Watch
from kanon_tui.core.errors import InputError, NotReachedError
from kanon_tui.core.pipeline.run import Result, anonymize
from kanon_tui.core.project.project import Project
from kanon_tui.core.project.sections import AttributeSpec
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.report.sections import Section, figure
from kanon_tui.core.table.column import GroupValues, Kind, Role
from kanon_tui.core.table.table import Table, as_table
from kanon_tui.core.task.task import QuasiIdentifier

SKEW = 3
"""A value is skewed where most of a class have it, so many times as often as in the table."""
RARE = 0.01
"""A value of a smaller share of the people is rare."""
MOST_REMEDIES = 12
_VALUES_SHOWN = 5


@dataclass(frozen=True)
class Exposure:
    """The people of a release whom k does not protect."""

    certain: int
    """People whose class has one sensitive value."""
    skewed: int
    """People whose value is much likelier in their class than in the table."""
    rare: int
    """People with a rare label in a class of fewer than 2k."""
    highest: float
    """The highest share of a sensitive value in a class: what somebody can infer at best."""
    risk: float
    """The highest risk of being found."""

    @classmethod
    def from_result(cls, result: FinishedRun) -> Exposure:
        """Return the counts of exposed people in a release."""
        task = result.task
        classes = result.release.classes
        count = int(classes.max(initial=-1)) + 1
        flags = np.zeros((3, task.n), dtype=bool)
        highest = 0.0
        kept = np.flatnonzero(classes >= 0)
        for column in task.sensitive:
            groups = GroupValues.from_records(classes, column.codes, count)
            width = len(column.values)
            sizes = np.bincount(groups.group, groups.records, count)[groups.group]
            shares = groups.records / np.maximum(sizes, 1)
            usual = column.counts[groups.code] / max(column.records, 1)
            spots = np.stack(
                [
                    shares >= 1,
                    (shares < 1) & (shares > 0.5) & (shares >= SKEW * usual),
                    (usual < RARE) & (sizes < 2 * task.k) & (not column.kind.ordered),
                ]
            )
            own = classes[kept].astype(np.int64) * width + column.codes[kept]
            flags[:, kept] |= spots[:, np.searchsorted(groups.group * width + groups.code, own)]
            highest = max(highest, float(shares.max(initial=0.0)))
        certain, skewed, rare = (task.count(flag) for flag in flags)
        return cls(certain, skewed, rare, highest, result.measures.privacy.risk_max)


@dataclass(frozen=True)
class Remedy:
    """A change of the data or the project, and the exposure after a run with it."""

    title: str
    general: str
    """The title without a value of the data, for a report."""
    changed: int
    """Records that the remedy changes or leaves out."""
    before: Exposure
    after: Exposure
    ncp: tuple[float, float]
    """The share of detail lost, before and after."""

    @property
    def helps(self) -> bool:
        """Whether clearly fewer people are certain, or inference or risk fall while none are more.

        Runs on slightly other data differ by chance: one in a hundred people is no help.
        """
        one = self.before
        two = self.after
        lower = two.highest < one.highest - 0.01 or two.risk < one.risk - 0.01
        return two.certain < 0.99 * one.certain or (two.certain <= one.certain and lower)

    def sentence(self, named: bool = True) -> str:
        """Return `top-code age at 85: 12 records change, certain 40 → 31, …`."""
        one = self.before
        two = self.after
        return (
            f"{self.title if named else self.general}: {self.changed:,} records change, people "
            f"whose value is certain {one.certain:,} → {two.certain:,}, highest inference "
            f"{one.highest:.2g} → {two.highest:.2g}, highest risk {one.risk:.2g} → {two.risk:.2g}, "
            f"NCP {self.ncp[0]:.3g} → {self.ncp[1]:.3g}"
        )


def scores_of(result: FinishedRun) -> MinimalUniques:
    """Return special unique detection on the quasi-identifiers of a result."""
    columns, _ = task_columns(result.task)
    return minimal_uniques(columns, min(3, largest_size(len(columns))), result.task.person)


def remedies(result: Result, watch: Watch = lambda done, total: True) -> list[Remedy]:
    """Try remedies for people whom k does not protect, by running again with each.

    Parameters
    ----------
    result : Result
        What `anonymize` returned, in memory.
    watch : callable, optional
        Called with the number of remedies tried and of all; returning False cancels.

    Returns
    -------
    list of Remedy
        Remedies that help come first, those that change the fewest records first among them.

    Examples
    --------
    >>> import kanon_tui as kn, polars as pl
    >>> people = pl.DataFrame({"age": [20, 21, 22, 23, 60, 61], "ill": list("aaabcd")})
    >>> release = kn.anonymize(people, quasi=["age"], sensitive="ill", k=2, algorithm="mondrian")
    >>> best = kn.remedies(release)[0]
    >>> best.before.certain, best.after.certain
    (3, 0)
    """
    if result.project is None:
        raise InputError("remedies are tried on records in memory; take a sample of the data")
    before = Exposure.from_result(result)
    found = []
    tried = list(_candidates(result, result.project, scores_of(result)))[:MOST_REMEDIES]
    for number, (title, general, changed, project, table) in enumerate(tried):
        if not watch(number, len(tried)):
            raise InputError("stopped")
        try:
            again = anonymize(project, table)
        except (NotReachedError, InputError):  # a remedy that leaves no release is none
            continue
        if changed is None:
            changed = int(compare(result, again).any_differs.sum())
        ncp = result.measures.ncp, again.measures.ncp
        found.append(Remedy(title, general, changed, before, Exposure.from_result(again), ncp))
    return sorted(found, key=lambda each: (not each.helps, each.changed))


Candidate = tuple[str, str, int | None, Project, Table]
"""A title, one without values, the records that change, and the project and table to run.

None where the data stays as it is: then the published records that change are counted.
"""


def _candidates(
    result: FinishedRun, project: Project, scores: MinimalUniques
) -> Iterator[Candidate]:
    """Yield remedies for the values and attributes with the highest scores."""
    task = result.task
    rare: dict[str, str] = {}
    for value in scores.values:
        if value.records < task.n / 20:
            rare.setdefault(value.attribute, value.value)
    if task.sensitive and not task.requirements:
        title = "ask for two sensitive values in every class (l=2)"
        yield title, title, None, project.with_(l=2), task.table
    for attribute in task.quasi:
        spec = project.attributes.get(
            attribute.name, AttributeSpec(Role.QUASI, attribute.column.kind)
        )
        if attribute.ordered:
            ends: dict[str, Any] = {"top": spec.top, "bottom": spec.bottom}
            for end in (end for end, bound in ends.items() if bound is None):
                found = _end(attribute, task.k, end)
                if found is not None:
                    title = f"{end}-code {attribute.name} at {found[0]}"
                    # The end is a value of the data, which one person alone may have.
                    reached = f"the outermost value that {task.k:,} records reach"
                    general = f"{end}-code {attribute.name} at {reached}"
                    ends_now = {**ends, end: found[0]}
                    coded = replace(spec, top=ends_now["top"], bottom=ends_now["bottom"])
                    yield (
                        title,
                        general,
                        found[1],
                        _with_attribute_spec(project, attribute.name, coded),
                        task.table,
                    )
        elif attribute.hierarchy_given and attribute.hierarchy.height > 1:
            raised = [chain[0] for chain in _chains(attribute)]
            title = f"raise {attribute.name} by a level"
            yield title, title, *_relabelled(project, task.table, attribute, spec, raised)
            column = attribute.column
            merged = _merged(
                attribute, rare.get(attribute.name, column.values[int(column.counts.argmin())])
            )
            if merged:
                labels, title = merged
                general = f"merge a rare value of {attribute.name} with another"
                yield title, general, *_relabelled(project, task.table, attribute, spec, labels)


def _with_attribute_spec(project: Project, name: str, spec: AttributeSpec) -> Project:
    return replace(project, attributes={**project.attributes, name: spec})


def _end(attribute: QuasiIdentifier, k: int, end: str) -> tuple[int | float | str, int] | None:
    """Return the outermost value that k records reach or pass, and the records beyond it."""
    column = attribute.column
    order = np.argsort(column.value_numbers)
    order = order[np.isfinite(column.value_numbers[order])]
    order = order[::-1] if end == "top" else order
    passed = np.cumsum(column.counts[order])
    place = int(np.searchsorted(passed, k))
    if not 0 < place < len(order) // 2:
        return None
    number = float(column.value_numbers[order[place]])
    plain: int | float = int(number) if number.is_integer() else number
    value = column.values[order[place]] if column.kind is Kind.DATE else plain
    return value, int(passed[place - 1])


def _chains(attribute: QuasiIdentifier) -> list[list[str]]:
    """Return the labels of every value from level 1 up."""
    labels = attribute.hierarchy.labels
    maps = attribute.hierarchy.maps
    above = range(1, len(maps))
    return [
        [labels[level][maps[level][code]] for level in above]
        for code in range(len(attribute.column.values))
    ]


def _merged(attribute: QuasiIdentifier, value: str) -> tuple[list[str], str] | None:
    """Return labels with a value and the smallest beside it as one; None where there is none."""
    values = attribute.column.values
    counts = attribute.column.counts
    chains = _chains(attribute)
    own = values.index(value)
    beside = [x for x in range(len(values)) if chains[x] == chains[own] and x != own]
    if not beside:
        return None
    other = min(beside, key=lambda x: int(counts[x]))
    label = f"{value} or {values[other]}"
    shown = [label if x in (own, other) else text for x, text in enumerate(values)]
    return shown, f"merge {attribute.name} {value} and {values[other]}"


def _relabelled(
    project: Project,
    table: Table,
    attribute: QuasiIdentifier,
    spec: AttributeSpec,
    labels: Sequence[str],
) -> tuple[int, Project, Table]:
    """Return the records that change, and project and table with a label for every value."""
    column = attribute.column
    name = attribute.name
    levels = {
        label: chain[1:] if label == chain[0] else chain
        for label, chain in zip(labels, _chains(attribute), strict=True)
    }
    changed = [label != value for label, value in zip(labels, column.values, strict=True)]
    made = AttributeSpec(
        spec.role, Kind.CATEGORICAL, weight=spec.weight, hierarchy={"levels": levels}
    )
    new = dict(zip(column.values, labels, strict=True))
    frame = table.frame.with_columns(pl.col(name).cast(pl.String).replace(new))
    again = as_table(frame, table.missing_tokens)
    return int(column.counts[changed].sum()), _with_attribute_spec(project, name, made), again


def weak_spot_sections(
    result: FinishedRun, found: Sequence[Remedy] = (), named: bool = True
) -> list[Section]:
    """Return sections on the people whom k does not protect, the causes, and the remedies.

    Not `named`, no value of the data stands in them.
    """
    own = Exposure.from_result(result)
    scores = scores_of(result)
    counted = {
        "Homogeneity": (own.certain, "people whose class has one sensitive value"),
        "Skew": (own.skewed, f"people: most of their class, {SKEW} times the usual"),
        "Rare values": (own.rare, f"people: label under {RARE:.0%}, class below 2k"),
        "Highest inference": (own.highest, "the largest share of a value in a class"),
        "Singled out": (scores.singled_out, "records that few attributes single out"),
    }
    rows = [(name, figure(value), meaning) for name, (value, meaning) in counted.items()]
    by_attribute = sorted(scores.contributions.items(), key=lambda each: -each[1])
    shares = ", ".join(f"{name} {share:.0%}" for name, share in by_attribute[:_VALUES_SHOWN])
    items = [f"Attributes with the largest part in that: {shares}."]
    if named:
        values = (
            f"{v.attribute} {v.value} {v.share:.1%} ({v.records:,} records)"
            for v in scores.values[:_VALUES_SHOWN]
        )
        highest = np.argsort(-scores.scores, kind="stable")[:_VALUES_SHOWN]
        rated = ", ".join(f"{row + 1:,}" for row in highest if scores.scores[row])
        items += [f"Values: {', '.join(values)}.", f"Records with the highest scores: {rated}."]
    columns = ("Problem", "Figure", "Meaning")
    sections = [Section("Where k is not enough", (), columns, rows, items)]
    if found:
        first = "None of the remedies that were tried helps."
        if found[0].helps:
            first = f"The cheapest remedy that helps: {found[0].sentence(named)}."
        tried = [each.sentence(named) for each in found]
        sections.append(Section("Remedies", [first], items=tried, headline=[first]))
    return sections
