"""A table the way a decision tree looks at it: cells become numbers, honestly.

A generalised cell is not a value, and nothing here pretends that it is: a tree may ask only what
the cell really says.

  number or date   where it begins, as long as no two ranges of the table overlap; otherwise its
                   middle and its width. A cell that says nothing is the whole domain, and
                   `[20..35]*` counts as the range that is shown
  category         one yes-or-no question per value of the data, "may it be this one?", and, where
                   labels or sets overlap, how many values it covers; beyond the most frequent
                   values the others share one question
  missing          a yes-or-no question of its own

On an original table that is the number itself and "is it this one?": both are asked alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from kanon_tui.core.analysis.published.coverage import Reading, coverages
from kanon_tui.core.data.column import Column
from kanon_tui.core.data.schema import Kind
from kanon_tui.core.data.table import Table
from kanon_tui.core.numeric import Flags, Floats
from kanon_tui.core.project.project import Project
from kanon_tui.core.task.task import Task

__all__ = ["Bucket", "Condition", "Feature", "View", "bucket", "original_view", "release_view"]


MOST_NUMBERS = 10
"""The most values of a numeric target that are told apart one by one."""
MOST_QUESTIONS = 50
"""The most values of one attribute that are asked for one by one."""
_BLOCK = 1 << 22


@dataclass(frozen=True)
class Feature:
    """One thing a tree can ask about an attribute."""

    yes: str
    no: str
    bound: Literal["", "number", "date"] = ""
    """What follows the words: nothing, or the number at which the answer changes."""

    def say(self, answer: bool, bound: float) -> str:
        """The answer in words: `capital-gain ≥ 7298`, `sex is not Male`."""
        words = self.yes if answer else self.no
        if not self.bound:
            return words
        if self.bound == "date":
            return f"{words}{np.datetime64(int(np.floor(bound)), 'D')}"
        return f"{words}{bound:.0f}" if bound == round(bound) else f"{words}{bound:.10g}"


@dataclass(frozen=True, eq=False)
class View:
    """One table with its cells understood; codes are per record an index into the cells."""

    readings: Mapping[str, Reading]
    codes: Mapping[str, npt.NDArray[np.int32]]
    target: Column

    @property
    def records(self) -> int:
        """The number of records."""
        return len(self.target.codes)

    @cached_property
    def features(self) -> tuple[tuple[str, Feature, Floats], ...]:
        """Attribute, feature and the feature's number per cell."""
        return tuple(
            (name, feature, numbers)
            for name, reading in self.readings.items()
            for feature, numbers in _features(name, reading)
        )

    def matrix(self) -> npt.NDArray[np.float32]:
        """Records × features, or a column of zeros where there is nothing to ask."""
        matrix = np.zeros((self.records, max(1, len(self.features))), dtype=np.float32)
        for column, (name, _, numbers) in enumerate(self.features):
            matrix[:, column] = numbers[self.codes[name]]
        return matrix


def original_view(project: Project, task: Task, attributes: Sequence[str], target: str) -> View:
    """The original table, by these attributes."""
    cover = coverages(project, task, [*attributes, target])
    return View(
        {name: cover[name].read_values() for name in attributes},
        {name: cover[name].column.codes for name in attributes},
        _target(task.table.column(target, Kind.CATEGORICAL), cover[target].column),
    )


def release_view(
    project: Project,
    task: Task,
    release: Table,
    attributes: Sequence[str],
    target: str,
    where: str = "the release",
) -> View:
    """A release, its cells read with what the project knows."""
    cover = coverages(project, task, [*attributes, target])
    cells = {name: release.column(name, Kind.CATEGORICAL) for name in attributes}
    return View(
        {name: cover[name].read(cells[name].values, where) for name in attributes},
        {name: cells[name].codes for name in attributes},
        _target(release.column(target, Kind.CATEGORICAL), cover[target].column),
    )


def _target(texts: Column, original: Column) -> Column:
    """The target as few values: many numbers or dates are cut in two at the original's median."""
    if original.numbers is None:
        return texts
    line = np.sort(original.numbers[original.codes])
    line = line[~np.isnan(line)]
    if len(np.unique(line)) <= MOST_NUMBERS:
        return texts
    median = max(line[len(line) // 2], line[line > line[0]][0])  # so that neither side is empty
    cut = original.values[int(np.flatnonzero(original.numbers == median)[0])]
    own = original.parse(texts.values)
    side = np.where(np.isnan(own), 2, own >= median).astype(np.int32)
    missing = () if texts.missing is None else (texts.values[texts.missing],)
    return Column(
        name=texts.name,
        kind=Kind.CATEGORICAL,
        codes=side[texts.codes],
        values=(f"below {cut}", f"{cut} or more", *missing),
        numbers=None,
        missing=2 if missing else None,
    )


# ------------------------------------------------------------------------------------ features
def _features(name: str, reading: Reading) -> list[tuple[Feature, Floats]]:
    column = reading.coverage.column
    found = _number_features(name, reading) if column.kind.ordered else _values(name, reading)
    if reading.missing.any():
        words = Feature(f"{name} is missing", f"{name} is not missing")
        found.append((words, reading.missing.astype(np.float64)))
    return found


def _number_features(name: str, reading: Reading) -> list[tuple[Feature, Floats]]:
    column = reading.coverage.column
    assert column.numbers is not None
    domain = column.numbers[~np.isnan(column.numbers)]
    if not len(domain):
        return []
    first, last = domain.min(), domain.max()
    low = np.clip(np.where(reading.missing, -np.inf, reading.low), first, last)
    high = np.clip(np.where(reading.missing, np.inf, reading.high), first, last)
    bound: Literal["number", "date"] = "date" if column.kind is Kind.DATE else "number"
    ranges = np.unique(np.column_stack([low, high])[~reading.missing], axis=0)
    if (ranges[1:, 0] > ranges[:-1, 1]).all():
        centre = (first + last) / 2
        return [
            (Feature(f"{name} ≥ ", f"{name} < ", bound), np.where(reading.missing, centre, low))
        ]
    middle = Feature(f"middle of {name} ≥ ", f"middle of {name} < ", bound)
    width = Feature(f"width of {name} ≥ ", f"width of {name} < ", "number")
    return [(middle, (low + high) / 2), (width, high - low)]


def _values(name: str, reading: Reading) -> list[tuple[Feature, Floats]]:
    column = reading.coverage.column
    present = [code for code in range(len(column.values)) if code != column.missing]
    order = sorted(present, key=lambda code: (-int(column.counts[code]), code))
    values = [column.values[code] for code in order]
    frequent, rare = values[:MOST_QUESTIONS], values[MOST_QUESTIONS:]
    shown = reading.shows(frequent)
    covered = shown.sum(axis=0)
    rare_covered = np.zeros(len(reading.missing), dtype=np.int64)
    step = max(1, _BLOCK // len(reading.missing))
    for start in range(0, len(rare), step):
        rare_covered += reading.shows(rare[start : start + step]).sum(axis=0)
    covered = covered + rare_covered
    general = bool((covered > 1).any())
    asked = list(zip(frequent, shown, strict=True))
    if rare:
        asked.append((f"one of {len(rare):,} rarer values", rare_covered > 0))
    found: list[tuple[Feature, Floats]] = []
    answered = {np.zeros(len(covered), dtype=bool).tobytes()}
    for value, flags in asked:
        same_or_opposite = (flags ^ flags[0]).tobytes()
        if same_or_opposite not in answered:  # else the same cells are told apart already
            answered.add(same_or_opposite)
            cells = [reading.texts[cell] for cell in np.flatnonzero(flags).tolist()]
            found.append((_may_be(name, value, cells, general), flags.astype(np.float64)))
    if general and any(flags.sum() > 1 for _, flags in asked):
        words = Feature(f"values {name} may have ≥ ", f"values {name} may have < ", "number")
        found.append((words, covered.astype(np.float64)))
    return found


def _may_be(name: str, value: str, cells: Sequence[str], general: bool) -> Feature:
    """A question in words; where only one cell says yes, that cell is what is asked for."""
    if len(cells) == 1:
        return Feature(f"{name} is {cells[0]}", f"{name} is not {cells[0]}")
    if general:
        return Feature(f"{name} may be {value}", f"{name} cannot be {value}")
    return Feature(f"{name} is {value}", f"{name} is not {value}")


# ------------------------------------------------------------------------------------- buckets
@dataclass(frozen=True)
class Condition:
    """What an attribute must be: `Condition("age", "<", "28")`."""

    attribute: str
    sign: Literal["<", ">=", "=", "!="]
    value: str


@dataclass(frozen=True)
class Bucket:
    """The records that certainly meet some conditions."""

    records: int
    shares: Mapping[str, float]
    """How they divide among the values of the target."""


def bucket(view: View, conditions: Sequence[Condition]) -> Bucket:
    """Count the records whose cells leave no doubt: all that they cover meets every condition."""
    meets = np.ones(view.records, dtype=bool)
    for condition in conditions:
        reading = view.readings[condition.attribute]
        meets &= _certainly(reading, condition)[view.codes[condition.attribute]]
    records = int(meets.sum())
    counts = np.bincount(view.target.codes[meets], minlength=len(view.target.values))
    shares = {
        value: int(count) / records
        for value, count in zip(view.target.values, counts, strict=True)
        if count
    }
    return Bucket(records, shares)


def _certainly(reading: Reading, condition: Condition) -> Flags:
    column = reading.coverage.column
    sure = ~(reading.everything | reading.partly | reading.missing)
    if column.kind.ordered:
        value = column.parse([condition.value])[0]
        met = {
            "<": reading.high < value,
            ">=": reading.low >= value,
            "=": (reading.low == value) & (reading.high == value),
            "!=": (reading.high < value) | (reading.low > value),
        }[condition.sign]
        return np.asarray(met & sure, dtype=bool)
    may_be = reading.shows([condition.value])[0]
    if condition.sign == "!=":
        return np.asarray(~may_be & sure, dtype=bool)
    others = reading.shows([v for v in column.values if v != condition.value]).any(axis=0)
    return np.asarray(may_be & ~others & sure, dtype=bool)
