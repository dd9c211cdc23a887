"""The objective of a search: the passing string of highest value, by one of five measures.

- `rv`: research value, the sum of its levels';
- `ncp`: least NCP of the release;
- `il`: least information loss (Byun) of the release;
- `classes`: most classes in the release;
- `loss`: least loss, the mean over attributes and records of (values covered by the label − 1) /
  (distinct values − 1), 1 for suppressed records.

A search prunes by *bounds*: a number per level, of which a string's sum is at least its value. For
`rv` the sum is the value. So it is for `ncp`, `il` and `loss` where nothing may be suppressed; else
the bound is what the levels lose at least, whoever is suppressed, and the value of a passing string
is found by counting. For `classes` the value is the logarithm of their number, and the bound the
sum of the logarithms of the levels' numbers of labels.

Values are compared as all scores are: less than 1e-9 apart is a tie.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log2

import numpy as np

from kanon_tui.core.fields.declaration import declared
from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.lattice.frequency import Classes, Frequency, Outcome
from kanon_tui.core.metrics.cells import CellGroups
from kanon_tui.core.metrics.losses import cover_losses, il_penalties, penalties
from kanon_tui.core.metrics.research_value import level_research_values
from kanon_tui.core.numeric import Floats, Int32s, Int64s, sum_in_order
from kanon_tui.core.table.column import counted
from kanon_tui.core.task.events import Word
from kanon_tui.core.task.task import QuasiIdentifier, Task

OBJECTIVES = ("rv", "ncp", "classes", "il", "loss")
SEEKS = (
    "The measure of the best string: highest research value, least NCP of the release, most "
    "classes, least information loss, or least loss by values covered"
)


def declared_objective(help: str, *own_choices: str) -> str:
    """Declare the parameter `objective`; `own_choices` come first, the first is the default."""
    choices = (*own_choices, *OBJECTIVES)
    field: str = declared(choices[0], help, choices=choices)
    return field


@dataclass(frozen=True, slots=True, eq=False)
class Worth:
    """The worth of a string by an objective, as reports show it."""

    objective: Word
    figure: float


class Objective(ABC):
    """A measure of strings."""

    name: str
    exact: bool
    """Whether the sum of the bounds is the value."""
    bounds: tuple[Floats, ...]
    """Per attribute what every level is worth at most."""
    highest: float = np.inf
    """An upper bound on the values of all strings."""

    def sum(self, levels: Sequence[int]) -> float:
        """Return an upper bound on the value of a string, summed in the order of the attributes."""
        return _added(self.bounds, levels)

    @abstractmethod
    def value(self, levels: Sequence[int], outcome: Outcome | None) -> float:
        """Return the value of a passing string; `outcome` is its test, where there was one."""

    def sums(self, strings: Int64s) -> Floats:
        """Return `sum` of many strings, given as rows of levels."""
        total = np.zeros(len(strings))
        for a, values in enumerate(self.bounds):
            total += np.asarray(values)[strings[:, a]]
        return total

    def most_above(self, levels: Sequence[int]) -> float | None:
        """Return a bound on the values of all more general strings, None where it is not known."""
        return None

    def suppression_costs(self) -> tuple[Floats, ...]:
        """Return per level what suppressing all records costs at least; of a part, its share.

        The sum over a string's levels, times the share of the records that it suppresses, is what
        its value is at least below the sum of its bounds.
        """
        return tuple(np.zeros(len(level_bounds)) for level_bounds in self.bounds)

    def figure(self, value: float) -> float:
        """Return a value as reports show it."""
        return value

    def worth(self, value: float) -> Worth:
        """Return a value as reports show it, with the name of the objective."""
        return Worth(self.name, self.figure(value))


def _added(values: Sequence[Floats], levels: Sequence[int]) -> float:
    return sum_in_order(
        float(level_values[at]) for level_values, at in zip(values, levels, strict=True)
    )


class ResearchValue(Objective):
    """Highest research value."""

    name = "rv"
    exact = True

    def __init__(self, task: Task) -> None:
        self.bounds = tuple(level_research_values(attribute) for attribute in task.quasi)

    def value(self, levels: Sequence[int], outcome: Outcome | None) -> float:
        """Return the sum of the levels' values, whatever is suppressed."""
        return self.sum(levels)


class LeastLoss(Objective):
    """Least NCP or information loss; the value is the loss with its sign turned."""

    def __init__(self, name: str, task: Task, frequency: Frequency, tuple_of: Int32s) -> None:
        self.name = name
        self._frequency = frequency
        self._tuple_of = tuple_of
        self._losses = [LevelLosses(attribute, name) for attribute in task.quasi]
        # IL adds attributes up; here as a mean over attributes, so that ties mean the same.
        equal = [1.0 / len(task.quasi)] * len(task.quasi)
        self._factors = [a.weight for a in task.quasi] if name == "ncp" else equal
        self._by_labels = not any(level_losses.by_range for level_losses in self._losses)
        self.exact = frequency.allowed == 0
        pairs = list(zip(self._factors, self._losses, strict=True))
        self.bounds = tuple(
            -factor * level_losses.least(frequency.allowed) for factor, level_losses in pairs
        )
        self._whole = tuple(
            -factor * level_losses.without_suppression for factor, level_losses in pairs
        )
        self._scale = task.n * len(task.quasi) if name == "il" else 1

    def value(self, levels: Sequence[int], outcome: Outcome | None) -> float:
        """Return the negative loss of the published and the suppressed records."""
        if self.exact or (outcome is not None and not outcome.small):
            return _added(self._whole, levels)
        if self._by_labels:
            is_kept, classes = self._frequency.kept_classes(levels)
            return _added(self._whole, levels) - self._penalty(levels, classes.chosen(~is_kept))
        suppressed = np.flatnonzero(self._frequency.labels(levels, self._tuple_of) < 0)
        lost = 0.0
        for factor, level_losses, level in zip(self._factors, self._losses, levels, strict=True):
            lost -= factor * level_losses.exactly(int(level), suppressed)
        return lost

    def suppression_costs(self) -> tuple[Floats, ...]:
        """Return the loss that suppression adds to records with the worst label of a level.

        It is 0 where the loss of a level depends on who is suppressed.
        """
        pairs = zip(self._factors, self._losses, strict=True)
        return tuple(factor * level_losses.left_by_worst_label() for factor, level_losses in pairs)

    def _penalty(self, levels: Sequence[int], suppressed: Classes) -> float:
        """Return the loss that suppressing these classes adds to the loss of their records."""
        loss_left: Floats | float = 1.0
        triples = zip(self._factors, self._losses, levels, strict=True)
        for a, (factor, level_losses, level) in enumerate(triples):
            if level_losses.even[level]:
                loss_left = loss_left - factor * float(level_losses.per_label[level][0])
            else:
                labels = self._frequency.labels_of(suppressed, a, int(level))
                loss_left = loss_left - factor * level_losses.per_label[level][labels]
        return float((suppressed.sizes * loss_left).sum()) / self._frequency.n

    def figure(self, value: float) -> float:
        """Return the loss as reports show it: IL as a sum over records and attributes."""
        return -value * self._scale


class MostClasses(Objective):
    """The most classes; the value is the logarithm of their number."""

    name = "classes"
    exact = False

    def __init__(self, task: Task, frequency: Frequency) -> None:
        self._frequency = frequency
        self.highest = log2(max(frequency.n // frequency.k, 1))
        self.bounds = tuple(
            np.log2([len(labels) for labels in attribute.hierarchy.labels])
            for attribute in task.quasi
        )

    def value(self, levels: Sequence[int], outcome: Outcome | None) -> float:
        """Return the logarithm of the number of published classes."""
        if outcome is not None and not outcome.small:
            return log2(outcome.classes)
        return log2(int(self._frequency.kept_classes(levels)[0].sum()))

    def most_above(self, levels: Sequence[int]) -> float:
        """Return a bound: a merged class contains a large class, or k records of small ones."""
        sizes = self._frequency.classes(levels)[0].sizes
        large = sizes >= self._frequency.k
        return log2(int(large.sum()) + int(sizes[~large].sum()) // self._frequency.k)

    def figure(self, value: float) -> float:
        """Return the number of classes."""
        return float(2**value)


def make_objective(name: str, task: Task, frequency: Frequency, tuple_of: Int32s) -> Objective:
    """Return the objective of this name, one of `OBJECTIVES`."""
    if name == "classes":
        return MostClasses(task, frequency)
    if name == "rv":
        return ResearchValue(task)
    return LeastLoss(name, task, frequency, tuple_of)


_PENALTIES = {"ncp": penalties, "il": il_penalties, "loss": cover_losses}


class LevelLosses:
    """The losses of one attribute's levels, as a mean over the records of the table.

    The loss of a level is that of the metrics (NCP, Byun's IL, or values covered). Where nothing is
    suppressed it is a number per level, and the loss of a string is their sum. A suppressed record
    loses everything, but ranges of numbers may become narrower without it; so two things are known
    of a level: a
    lower bound, whoever is suppressed (`least`), and the loss with certain records suppressed
    (`exactly`).
    """

    def __init__(self, attribute: QuasiIdentifier, metric: str) -> None:
        self.attribute = attribute
        self._n = attribute.column.records
        self._of_groups = _PENALTIES[metric]
        self.by_range = attribute.ordered and metric != "loss"
        """Whether the loss of a level depends on who is suppressed, not on labels alone."""

    def _mean(self, cells: CellGroups) -> float:
        return cells.total(self._of_groups(cells), worst=1.0) / self._n

    @cached_property
    def without_suppression(self) -> Floats:
        """The loss of every level when no record is suppressed."""
        if self.by_range:
            return np.array([self._mean(cells) for cells in self._levels])
        pairs = zip(self.per_label, self.attribute.hierarchy.maps, strict=True)
        counts = self.attribute.column.counts
        return np.array([float(counts @ losses[labels]) / self._n for losses, labels in pairs])

    @cached_property
    def _levels(self) -> tuple[CellGroups, ...]:
        counts = self.attribute.column.counts
        levels = range(self.attribute.hierarchy.height + 1)
        return tuple(CellGroups.of_level(self.attribute, level, counts) for level in levels)

    @cached_property
    def per_label(self) -> tuple[Floats, ...]:
        """Per level what a record loses by its label, whoever else is published."""
        return tuple(self._of_groups(cells) for cells in self._levels)

    @cached_property
    def even(self) -> tuple[bool, ...]:
        """Per level whether all of its labels lose the same."""
        return tuple(bool(losses.min() == losses.max()) for losses in self.per_label)

    def left_by_worst_label(self) -> Floats:
        """Return per level what a record has left to lose at least, by suppression."""
        if self.by_range:
            return np.zeros(self.attribute.hierarchy.height + 1)
        return np.array([1.0 - float(losses.max()) for losses in self.per_label])

    def exactly(self, level: int, suppressed: Int64s) -> float:
        """Return the loss of a level with these rows suppressed."""
        column = self.attribute.column
        copies = None if column.copies is None else column.copies[suppressed]
        without = counted(column.codes[suppressed], copies, len(column.values))
        if self.by_range:
            return self._mean(CellGroups.of_level(self.attribute, level, column.counts - without))
        losses = self.per_label[level][self.attribute.hierarchy.maps[level]]
        kept_loss = float(((column.counts - without) * losses).sum())
        return (kept_loss + int(without.sum())) / self._n

    def least(self, allowed: int) -> Floats:
        """Return a lower bound on the loss of every level, with up to `allowed` records suppressed.

        A category loses least with no record suppressed. A range of numbers is
        cut at its ends as far as that pays.
        """
        if not allowed or not self.by_range:
            return self.without_suppression
        return np.array([self._least_of_level(cells, allowed) for cells in self._levels])

    def _least_of_level(self, cells: CellGroups, allowed: int) -> float:
        starts = cells.values.starts
        values = cells.values
        labels = self.attribute.hierarchy.labels[cells.level or 0]
        hidden = np.array([bool(cells.level) and label == HIDDEN for label in labels])
        total = float(cells.shown[hidden].sum())
        for group in np.flatnonzero((values.distinct > 1) & ~hidden).tolist():
            group_pairs = slice(int(starts[group]), int(starts[group + 1]))
            total += self._least_of_group(
                values.code[group_pairs], values.records[group_pairs], allowed
            )
        return total / self._n

    def _least_of_group(self, codes: Int64s, records: Int64s, allowed: int) -> float:
        column = self.attribute.column
        present = codes != column.missing if column.missing is not None else codes >= 0
        missing = int(records[~present].sum())
        counts = records[present]
        if missing > allowed < int(counts.sum()):
            return float(records.sum())  # it prints `*`
        places = column.value_numbers[codes[present]] / (self.attribute.domain_width or 1.0)
        return _narrowest(places, counts, allowed)


def _narrowest(places: Floats, counts: Int64s, allowed: int) -> float:
    """Return a lower bound on records × width of a range when some records are cut off its ends."""
    ends = np.concatenate([[0], np.cumsum(counts)])
    total = int(ends[-1])
    last = np.searchsorted(ends[1:], ends[:-1] + total - allowed, side="left")
    fits = last < len(places)
    width = places[last[fits]] - places[fits]
    return float(total * width.min()) if len(width) and total > allowed else 0.0
