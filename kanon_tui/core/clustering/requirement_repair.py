"""The repair of clusterings that must meet more than k: merge until every class does.

Every clustering algorithm runs as its paper says and gives classes of k records or more. Where more
is required of them (`requirements`), this follows.

Idea: a class that misses something is merged with a near one that has it. While there is a class
that misses something, take the first one and

1. sort the other classes by what a merge would cost (the NCP that is lost more; the first of
   equals), and look at the nearest 128;
2. take the nearest with which the union holds. Where there is none, take the one that brings the
   union closer at the lowest cost per gap that is closed. Where none brings it closer, look at the
   next 128, and in the end take the nearest;
3. merge; the union takes the place of the class that was found.

What holds stays so when it is merged with something that holds, and the whole table as one class
is checked before anything runs, so that this ends with classes that all hold.

GreedyCKA must not mix records with different MAGVals, so that partners come from the same group of
MAGVals only. In a group that misses something even as a whole nothing is merged: its classes that
miss something are suppressed. Where values are counted (distinct l, p) these are all of them, and
no release can keep any.

Cost: a merge is one pass over the classes, and a closer look at the unions with the near ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from kanon_tui.core.clustering.facts import SUPPRESSED
from kanon_tui.core.clustering.magval_groups import group_by_magvals
from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.metrics.ncp import cover_penalty, range_penalty
from kanon_tui.core.numeric import TIE, Flags, Floats, Int64s
from kanon_tui.core.privacy.requirements import ColumnRequirement, out_of_reach
from kanon_tui.core.table.column import counted
from kanon_tui.core.table.group_values import GroupValues
from kanon_tui.core.task.steps import Algorithm, Family, Grouping, RunContext, Step, Steps
from kanon_tui.core.task.task import QuasiIdentifier, Task
from kanon_tui.core.text import count_of, note

__all__ = ["ClassBoxes", "RequirementRepair", "repair_steps", "steps_beyond_k"]

_LOOKED_AT = 128  # near classes, together
_MERGES_PER_STEP = 32


def steps_beyond_k(
    algorithm: Algorithm, task: Task, context: RunContext, own: Callable[[Task, RunContext], Steps]
) -> Steps:
    """Run the algorithm's `own` steps, then repair its classes where more than k is required."""
    beyond_k = task.requirements or task.release_risk is not None
    if not beyond_k or algorithm.family is Family.FULL_DOMAIN:
        # Searches test what is required with every string.
        return (yield from own(task, context))
    beyond = out_of_reach(task.requirements, suppression=algorithm.keeps_magvals)
    if beyond is not None:
        raise NotReachedError(beyond.unreachable())
    grouping = yield from own(task, context)
    return (yield from repair_steps(task, context, grouping, algorithm.keeps_magvals))


def repair_steps(task: Task, context: RunContext, grouping: Grouping, keep_magvals: bool) -> Steps:
    """Merge the classes of a clustering until all keep what is required."""
    if (grouping.labels < 0).all():
        return grouping
    if task.release_risk is None and not _misses_any(task, grouping):
        return replace(grouping, search={**grouping.search, "merged_on": 0})
    repair = RequirementRepair(task, context, grouping, keep_magvals)
    yield from repair.run()
    yield from repair.lower_risk()
    return repair.grouping()


def _misses_any(task: Task, grouping: Grouping) -> bool:
    """Return whether a class of a clustering misses a requirement."""
    labels = grouping.labels
    classes = np.unique(labels[labels >= 0])
    number = np.where(labels < 0, -1, np.searchsorted(classes, labels))
    for requirement in task.requirements:
        column = requirement.column
        values = GroupValues.from_records(number, column.codes, len(classes), column.copies)
        if requirement.gaps(values).any():
            return True
    return False


class RequirementRepair:
    """The classes of a clustering on their way to what is required."""

    def __init__(
        self, task: Task, context: RunContext, grouping: Grouping, keep_magvals: bool
    ) -> None:
        self._task, self._context, self._before = task, context, grouping
        kept = grouping.labels >= 0
        classes, number = np.unique(grouping.labels[kept], return_inverse=True)
        self._labels = np.full(task.rows, -1, dtype=np.int64)
        self._labels[kept] = number
        self._boxes = ClassBoxes(task, self._labels, grouping.suppressed_cells)
        self._values = [
            _ClassValues(each, self._labels, len(classes)) for each in task.requirements
        ]
        self._gaps = self._all_gaps(np.arange(len(classes)))
        self._block = self._magval_groups() if keep_magvals else np.zeros_like(classes, np.int64)
        self._into = np.arange(len(classes))
        self._merges = 0
        self._suppressed = np.zeros(len(classes), dtype=bool)
        self._now = self._labels.astype(np.int32) if context.watched else None
        """Per record its class as it is now, where pictures want to know."""
        self._told = False

    def run(self) -> Iterator[Step]:
        """Merge until no class misses anything."""
        yield from self._give_up_groups()
        start = int((self._gaps > 0).sum())
        merges = 0  # since the last step
        drawn: dict[str, Any] = {}
        while (missing := int((self._gaps > 0).sum())) > 0:
            one = int(np.argmax(self._gaps > 0))
            other = self._partner(one)
            merges += 1
            step_due = merges >= min(self._context.decisions_per_step, _MERGES_PER_STEP)
            template, facts = self._merge_sentence(one, other) if step_due else ("", {})
            drawn = self._drawn(one, other, merges == 1)
            self._merge(one, other)
            if step_due:
                facts |= drawn
                if merges > 1:
                    template = "{merges:,} merges; the last: " + template
                    facts["merges"] = merges
                merges = 0
                yield Step("merge", template, facts, self._counters(), 1 - missing / start)
        if merges:
            facts = {"merges": count_of(merges, "class", "classes")} | drawn
            template = "{merges} merged with others: every class has what is required."
            yield Step("merge", template, facts, self._counters(), 1.0)

    def lower_risk(self) -> Iterator[Step]:
        """Merge the smallest class with the nearest until the risk of the release is low enough."""
        risk, people = self._task.release_risk, self._task.people
        if risk is None:
            return
        sizes = self._task.sizes_of(self._labels)
        before = self._merges
        while True:
            free = np.flatnonzero((self._boxes.sizes > 0) & ~self._suppressed)
            figure = risk.figure(sizes[free], people)
            if figure <= risk.max + TIE:
                break
            one = int(free[np.argmin(sizes[free])])
            other = self._partner(one)
            drawn = self._drawn(one, other, True)
            self._merge(one, other)
            sizes[other] = self._counted(one, other, sizes)
            if (self._merges - before) % self._context.decisions_per_step == 0:
                template = (
                    "Class {small:,}, the smallest, joins class {other:,}, the nearest: the "
                    "release had {risk}, {figure:.4g}."
                )
                facts = {"small": one + 1, "other": other + 1, "risk": str(risk), "figure": figure}
                yield Step("merge", template, facts | drawn, self._counters())

    def _counted(self, one: int, other: int, sizes: Int64s) -> int:
        """Return the number of people in a union, who may be in both classes."""
        if self._task.repeated is None:
            return int(sizes[one] + sizes[other])
        return int(self._values[0].figures(np.array([other]))[0])

    def grouping(self) -> Grouping:
        """Return the classes as they are now."""
        final = self._into.copy()
        while (final != final[final]).any():
            final = final[final]
        final[self._suppressed] = -1
        kept = self._labels >= 0
        labels = np.full(self._task.rows, -1, dtype=np.int32)
        labels[kept] = final[self._labels[kept]]
        classes = len(np.unique(labels[labels >= 0]))
        search = {**self._before.search, "merged_on": self._merges, "clusters": classes}
        notes = list(self._before.notes)
        if self._suppressed.any():
            gone = int(self._boxes.sizes[self._suppressed].sum())
            notes.append(
                note(
                    "records suppressed because their group of MAGVals does not have what is "
                    "required beyond k: {gone:,}",
                    gone=gone,
                )
            )
        return replace(self._before, labels=labels, search=search, notes=tuple(notes))

    def _drawn(self, one: int, other: int, alone: bool) -> dict[str, Any]:
        """Return the facts that pictures need of a merge to come."""
        if self._now is None:
            return {}
        small, large = np.flatnonzero(self._now == one), np.flatnonzero(self._now == other)
        facts: dict[str, Any] = {"rows": np.concatenate([small, large])}
        if alone and self._told:
            facts["moved"] = ((other, small),)
        self._now[small] = other
        if "moved" not in facts:
            gone = np.append(self._suppressed, False)[self._labels] | (self._labels < 0)
            facts["together"] = np.where(gone, SUPPRESSED, self._now).astype(np.int32)
        self._told = True
        return facts

    # -- one merge

    def _partner(self, one: int) -> int:
        free = (self._boxes.sizes > 0) & (self._block == self._block[one]) & ~self._suppressed
        free[one] = False
        others = np.flatnonzero(free)
        if not len(others):
            raise NotReachedError(self._not_even_together())
        costs = self._boxes.costs(one, others)
        rounded = np.round(costs / TIE)
        for start in range(0, len(others), _LOOKED_AT):
            place = _nearest(rounded, start + _LOOKED_AT)[start:]
            near = others[place]
            left = self._all_gaps(near, one)
            if (left == 0).any():
                return int(near[np.argmax(left == 0)])
            closed = self._gaps[one] - left
            if (closed > TIE).any():
                price = np.maximum(costs[place], TIE) / np.maximum(closed, TIE)
                return int(near[np.argmin(np.where(closed > TIE, price, np.inf))])
        return int(others[np.argmin(rounded)])

    def _not_even_together(self) -> str:
        """Return why merging failed: shares of people may miss a bound in a union of classes."""
        if self._task.release_risk is not None and not (self._gaps > 0).any():
            return (
                f"{self._task.release_risk} is required, which even all records as one class do "
                f"not keep; allow more"
            )
        missed = [each for each in self._task.requirements if not each.whole_table_holds]
        why = missed[0].unreachable() if missed else "what is required is missed"
        return (
            f"merging classes on ended with one class of all records, which does not do: {why}. "
            f"Where people have several records, finer classes can do: try global or hybrid, which "
            f"look at all levels"
        )

    def _merge(self, one: int, other: int) -> None:
        self._boxes.merge(one, other)
        for values in self._values:
            values.merge(one, other)
        self._gaps[one] = 0.0
        self._gaps[other] = self._all_gaps(np.array([other]))[0]
        self._into[one] = other
        self._merges += 1

    def _all_gaps(self, classes: Int64s, one: int | None = None) -> Floats:
        """Return how much classes, or their unions with `one`, miss over all requirements."""
        if not self._values:
            return np.zeros(len(classes))
        return np.asarray(np.sum([values.gaps(classes, one) for values in self._values], axis=0))

    def _merge_sentence(self, one: int, other: int) -> tuple[str, dict[str, Any]]:
        """Return template and facts of the merge to come, by what the class misses most."""
        pair = np.array([one])
        worst = max(self._values, key=lambda each: float(each.gaps(pair)[0]))
        sizes = self._boxes.sizes
        facts = {
            "small": one + 1,
            "other": other + 1,
            "size": int(sizes[one]),
            "size_other": int(sizes[other]),
            "fault": worst.requirement.model.fault,
            "required": str(worst.requirement.model),
            "has": float(worst.figures(pair)[0]),
            "jointly": float(worst.figures(np.array([other]), one)[0]),
        }
        figure = ".3g" if worst.requirement.model.digits else ".0f"
        return (
            f"Class {{small:,}} ({count_of(int(sizes[one]), 'record')}) shows {{fault}} "
            f"({{has:{figure}}}): merge it with class {{other:,}} "
            f"({count_of(int(sizes[other]), 'record')}), the nearest that helps "
            f"({{jointly:{figure}}} together).",
            facts,
        )

    def _counters(self) -> dict[str, float]:
        return {
            "clusters": int((self._boxes.sizes > 0).sum()),
            "missing": int((self._gaps > 0).sum()),
            "merged_on": self._merges,
            "ncp": self._boxes.ncp,
        }

    # -- groups of MAGVals

    def _magval_groups(self) -> Int64s:
        """Return per class the number of its group of MAGVals."""
        first = np.zeros(len(self._boxes.sizes), dtype=np.int64)
        kept = np.flatnonzero(self._labels >= 0)
        first[self._labels[kept]] = kept
        group = group_by_magvals(self._task).number[first]
        return np.unique(group, return_inverse=True)[1].astype(np.int64)

    def _give_up_groups(self) -> Iterator[Step]:
        """Suppress the classes that miss something in groups that do so as a whole."""
        if not (self._gaps > 0).any():
            return
        whole = np.sum([values.group_gaps(self._block) for values in self._values], axis=0)
        hopeless = (whole > 0)[self._block] & (self._gaps > 0)
        if not hopeless.any():
            return
        self._suppressed |= hopeless
        self._gaps[hopeless] = 0.0
        yield Step(
            "suppress",
            f"Suppress {count_of(int(self._boxes.sizes[hopeless].sum()), 'record')} in "
            f"{count_of(int(hopeless.sum()), 'class', 'classes')}: their groups of MAGVals miss "
            "what is required even as a whole.",
            {"records": int(self._boxes.sizes[hopeless].sum()), "classes": int(hopeless.sum())},
            self._counters(),
        )


def _nearest(costs: Floats, count: int) -> Int64s:
    """Return the places of the `count` lowest costs in order, without sorting the rest."""
    if count >= len(costs):
        return np.argsort(costs, kind="stable")
    near = np.flatnonzero(costs <= np.partition(costs, count - 1)[count - 1])
    return near[np.argsort(costs[near], kind="stable")[:count]]


class _ClassValues:
    """The values that every class has of the attribute of one requirement."""

    def __init__(self, requirement: ColumnRequirement, labels: Int64s, classes: int) -> None:
        self.requirement = requirement
        column = requirement.column
        groups = GroupValues.from_records(labels, column.codes, classes, column.copies)
        self._codes = np.split(groups.code, groups.starts[1:-1])
        self._records = np.split(groups.records, groups.starts[1:-1])

    def gaps(self, classes: Int64s, one: int | None = None) -> Floats:
        """Return how much classes, or their unions with `one`, miss."""
        return self.requirement.gaps(self._unions(classes, one))

    def figures(self, classes: Int64s, one: int | None = None) -> Floats:
        """Return the figures of classes, or of their unions with one."""
        return self.requirement.figures(self._unions(classes, one))

    def group_gaps(self, group: Int64s) -> Floats:
        """Return how much groups of classes miss, each as a whole."""
        return self.requirement.gaps(self._joined(range(len(group)), group))

    def merge(self, one: int, other: int) -> None:
        """Put one class into another."""
        union = self._unions(np.array([other]), one)
        self._codes[other], self._records[other] = union.code, union.records

    def _unions(self, classes: Int64s, one: int | None) -> GroupValues:
        if one is None:
            return self._joined(classes.tolist(), np.arange(len(classes)))
        both = [*classes.tolist(), *[one] * len(classes)]
        return self._joined(both, np.tile(np.arange(len(classes)), 2))

    def _joined(self, classes: Sequence[int], group: Int64s) -> GroupValues:
        """Return the values of classes, those of the same group together."""
        codes = [self._codes[c] for c in classes]
        groups = np.repeat(group, [len(own) for own in codes])
        records = np.concatenate([self._records[c] for c in classes])
        return GroupValues.from_records(
            groups, np.concatenate(codes), int(group.max()) + 1, records
        )


class ClassBoxes:
    """The classes of a clustering as boxes, with the cost of merging any two.

    A merge costs what its records lose more,

        (|a| + |b|) · NCP(a ∪ b) − |a| · NCP(a) − |b| · NCP(b)

    with the NCP of a class summed over the attributes by their weights. Hidden cells are no part
    of a box. A merge takes one pass over the classes.
    """

    def __init__(self, task: Task, labels: Int64s, hidden: Flags | None = None) -> None:
        there, copies = labels >= 0, task.copies
        each = None if copies is None else copies[there]
        self.sizes: Int64s = counted(labels[there], each)
        self._columns: list[tuple[float, _AttributeBoxes]] = []
        self._own = np.zeros(len(self.sizes))
        for x, attribute in enumerate(task.quasi):
            shown = labels if hidden is None else np.where(hidden[:, x], -1, labels)
            values = GroupValues.from_records(
                shown, attribute.column.codes, len(self.sizes), copies
            )
            boxes = _AttributeBoxes(attribute, values)
            self._columns.append((attribute.weight, boxes))
            self._own += attribute.weight * boxes.ncp()

    def costs(self, one: int, others: Int64s) -> Floats:
        """Return the loss added when one class is merged with each of some others."""
        apart = self.sizes[others] * self._own[others] + self.sizes[one] * self._own[one]
        together = (self.sizes[others] + self.sizes[one]) * self._unions(one, others)
        return np.asarray(together - apart, dtype=np.float64)

    def merge(self, one: int, other: int) -> None:
        """Put one class into another; the one is empty from then on."""
        self._own[other] = self._unions(one, np.array([other]))[0]
        for _, boxes in self._columns:
            boxes.absorb(one, other)
        self.sizes[other] += self.sizes[one]
        self.sizes[one] = 0

    @property
    def ncp(self) -> float:
        """Mean over the records."""
        return float((self.sizes * self._own).sum() / self.sizes.sum())

    def _unions(self, one: int, others: Int64s) -> Floats:
        total = np.zeros(len(others))
        for weight, boxes in self._columns:
            total += weight * boxes.unions(one, others)
        return total


class _AttributeBoxes:
    """The boxes of all classes along one attribute: numbers that unions take from both classes.

    Numbers, dates and categories with a hierarchy have a lowest and a highest rank, in the order of
    the values or of the tree; other categories have the set of their values as bits.
    """

    def __init__(self, attribute: QuasiIdentifier, values: GroupValues) -> None:
        self._attribute, count = attribute, len(attribute.column.values)
        self._numbers: list[tuple[np.ufunc, npt.NDArray[Any]]]
        if not attribute.ordered and not attribute.publishes_ancestor:
            bits = np.zeros((values.count, -(-count // 64)), dtype=np.uint64)
            bit = np.uint64(1) << (values.code % 64).astype(np.uint64)
            np.bitwise_or.at(bits, (values.group, values.code // 64), bit)
            self._numbers = [(np.bitwise_or, bits)]
            return
        rank = np.arange(count) if attribute.ordered else attribute.hierarchy.order
        low, high = values.ends(rank[values.code])
        low[low < 0] = count  # a class without values
        self._numbers = [(np.minimum, low), (np.maximum, high)]
        self._in_order = np.argsort(rank)
        if not attribute.ordered:
            tree = attribute.hierarchy
            covered = [tree.covered(level)[labels] for level, labels in enumerate(tree.maps)]
            self._by_level = cover_penalty(attribute, np.array(covered))

    def ncp(self) -> Floats:
        """Return the NCP of every class."""
        return self._penalties(*(own for _, own in self._numbers))

    def unions(self, one: int, others: Int64s) -> Floats:
        """Return the NCP of the unions of one class with others."""
        return self._penalties(*(join(own[others], own[one]) for join, own in self._numbers))

    def absorb(self, one: int, other: int) -> None:
        """Widen the box of another class so that it covers that of the one."""
        for join, own in self._numbers:
            own[other] = join(own[other], own[one])

    def _penalties(self, *numbers: npt.NDArray[Any]) -> Floats:
        attribute = self._attribute
        if len(numbers) == 1:
            count = np.bitwise_count(numbers[0]).sum(axis=1, dtype=np.int64)
            return cover_penalty(attribute, count)
        empty = numbers[0] > numbers[1]
        first, last = (self._in_order[np.where(empty, 0, rank)] for rank in numbers)
        if attribute.ordered:
            places, missing = attribute.column.numbers, attribute.column.missing
            assert places is not None
            wide = range_penalty(attribute, np.nan_to_num(places[last] - places[first]))
            return np.where((last == missing) & (first != missing), 1.0, wide)
        level = np.sum([labels[first] != labels[last] for labels in attribute.hierarchy.maps], 0)
        return np.where(empty, 0.0, self._by_level[level, first])
