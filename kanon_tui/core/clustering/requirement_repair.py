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

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from kanon_tui.core.clustering.boxes import Measure, attributes_of, single_row_clusters
from kanon_tui.core.clustering.events import NO_RECORDS, SUPPRESSED, GroupEvent, Moves, moved_to
from kanon_tui.core.clustering.features import collapse
from kanon_tui.core.clustering.later_events import (
    ClassesRepaired,
    ClassRepaired,
    MagvalGroupsSuppressed,
    RiskLowered,
)
from kanon_tui.core.clustering.magval_groups import group_by_magvals
from kanon_tui.core.clustering.merging import taken
from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.kernels import merging as kernel
from kanon_tui.core.kernels.box_arrays import SIZE
from kanon_tui.core.numeric import TIE, Flags, Floats, Int32s, Int64s
from kanon_tui.core.privacy.requirements import ColumnRequirement, groups_that_hold, out_of_reach
from kanon_tui.core.table.column import GroupValues, counted
from kanon_tui.core.task.task import (
    Algorithm,
    Family,
    Grouping,
    RunContext,
    Step,
    Steps,
    Task,
)
from kanon_tui.core.text import note

_LOOKED_AT = 128  # near classes, together
_MERGES_PER_STEP = 32


def steps_beyond_k(
    algorithm: Algorithm,
    task: Task,
    context: RunContext,
    cluster_steps: Callable[[Task, RunContext], Steps],
) -> Steps:
    """Run `cluster_steps`, then repair the classes where more than k is required."""
    if not task.beyond_k or algorithm.family is Family.FULL_DOMAIN:
        # Searches test what is required with every string.
        return (yield from cluster_steps(task, context))
    beyond = out_of_reach(task.requirements, suppression=algorithm.keeps_magvals)
    if beyond is not None:
        raise NotReachedError(beyond.unreachable())
    grouping = yield from cluster_steps(task, context)
    return (yield from repair_steps(task, context, grouping, algorithm.keeps_magvals))


def repair_steps(task: Task, context: RunContext, grouping: Grouping, keep_magvals: bool) -> Steps:
    """Merge the classes of a clustering until all keep what is required."""
    if (grouping.labels < 0).all():
        return grouping
    published = np.flatnonzero(grouping.labels >= 0)
    classes, number = np.unique(grouping.labels[published], return_inverse=True)
    holds = groups_that_hold(task.requirements, number, published, len(classes))
    if task.release_risk is None and holds.all():
        return replace(grouping, search={**grouping.search, "merged_on": 0})
    repair = RequirementRepair(task, context, grouping, keep_magvals)
    yield from repair.run()
    yield from repair.lower_risk()
    return repair.grouping()


class RequirementRepair:
    """The classes of a clustering on their way to what is required."""

    def __init__(
        self, task: Task, context: RunContext, grouping: Grouping, keep_magvals: bool
    ) -> None:
        self._task = task
        self._context = context
        self._before = grouping
        published = grouping.labels >= 0
        classes, number = np.unique(grouping.labels[published], return_inverse=True)
        self._labels = np.full(task.rows, -1, dtype=np.int64)
        self._labels[published] = number
        self._boxes = ClassBoxes(task, self._labels, grouping.suppressed_cells)
        self._values = [
            _ClassValues(requirement, self._labels, len(classes))
            for requirement in task.requirements
        ]
        self._gaps = self._all_gaps(np.arange(len(classes)))
        self._block = self._magval_groups() if keep_magvals else np.zeros_like(classes, np.int64)
        self._into = np.arange(len(classes))
        self._merges = 0
        self._suppressed = np.zeros(len(classes), dtype=bool)
        self._now = self._labels.astype(np.int32) if context.watched else None
        """Per record its class as it is now, where pictures want to know."""
        self._clusters_reported = False
        self._start: Int32s | None = None
        """The groups before the first merge that an event has not told yet."""
        self._records = NO_RECORDS
        self._moves: list[Moves] = []

    def run(self) -> Iterator[Step]:
        """Merge until no class misses anything."""
        yield from self._give_up_groups()
        start = int((self._gaps > 0).sum())
        merges = 0  # since the last step
        while (missing := int((self._gaps > 0).sum())) > 0:
            source = int(np.argmax(self._gaps > 0))
            partner = self._partner(source)
            merges += 1
            step_due = merges >= min(self._context.decisions_per_step, _MERGES_PER_STEP)
            event = self._repaired(source, partner, merges) if step_due else None
            self._follow(source, partner)
            self._merge(source, partner)
            if event is not None:
                merges = 0
                yield Step(self._watched(event), self._counters(), 1 - missing / start)
        if merges:
            yield Step(self._watched(ClassesRepaired(decisions=merges)), self._counters(), 1.0)

    def lower_risk(self) -> Iterator[Step]:
        """Merge the smallest class with the nearest until the risk of the release is low enough."""
        risk = self._task.release_risk
        people = self._task.people
        if risk is None:
            return
        sizes = self._task.sizes_of(self._labels)
        before = self._merges
        while True:
            free = np.flatnonzero((self._boxes.sizes > 0) & ~self._suppressed)
            figure = risk.figure(sizes[free], people)
            if figure <= risk.max + TIE:
                break
            source = int(free[np.argmin(sizes[free])])
            partner = self._partner(source)
            self._follow(source, partner)
            self._merge(source, partner)
            sizes[partner] = self._counted(source, partner, sizes)
            if (self._merges - before) % self._context.decisions_per_step == 0:
                event = RiskLowered(source, partner, figure)
                yield Step(self._watched(event), self._counters())

    def _counted(self, source: int, partner: int, sizes: Int64s) -> int:
        """Return the number of people in a union, who may be in both classes."""
        if self._task.repeated is None:
            return int(sizes[source] + sizes[partner])
        return int(self._values[0].figures(np.array([partner]))[0])

    def grouping(self) -> Grouping:
        """Return the classes as they are now."""
        final = self._into.copy()
        while (final != final[final]).any():
            final = final[final]
        final[self._suppressed] = -1
        published = self._labels >= 0
        labels = np.full(self._task.rows, -1, dtype=np.int32)
        labels[published] = final[self._labels[published]]
        classes = len(np.unique(labels[labels >= 0]))
        search = {**self._before.search, "merged_on": self._merges, "clusters": classes}
        notes = list(self._before.notes)
        if self._suppressed.any():
            suppressed_note = note(
                "records suppressed because their group of MAGVals does not have what is required "
                "beyond k: {gone:,}",
                gone=int(self._boxes.sizes[self._suppressed].sum()),
            )
            notes.append(suppressed_note)
        return replace(self._before, labels=labels, search=search, notes=tuple(notes))

    def _follow(self, source: int, partner: int) -> None:
        """Remember which records a merge to come will move, where somebody watches."""
        if self._now is None:
            return
        if not self._clusters_reported:
            gone = np.append(self._suppressed, False)[self._labels] | (self._labels < 0)
            self._start = np.where(gone, SUPPRESSED, self._now).astype(np.int32)
            self._clusters_reported = True
        small = np.flatnonzero(self._now == source)
        self._records = np.concatenate([small, np.flatnonzero(self._now == partner)])
        self._moves.append(moved_to(partner, small))
        self._now[small] = partner

    def _watched(self, event: GroupEvent) -> GroupEvent:
        """Return an event with the records that merges have moved since the last one."""
        if not self._moves:
            return event
        records = np.concatenate([moves.records for moves in self._moves])
        groups = np.concatenate([moves.groups for moves in self._moves])
        start = self._start
        self._moves = []
        self._start = None
        return replace(event, start=start, records=self._records, moves=Moves(records, groups))

    # -- one merge

    def _partner(self, source: int) -> int:
        free = (self._boxes.sizes > 0) & (self._block == self._block[source]) & ~self._suppressed
        free[source] = False
        candidates = np.flatnonzero(free)
        if not len(candidates):
            raise NotReachedError(self._merging_failed())
        costs = self._boxes.costs(source, candidates)
        rounded = np.round(costs / TIE)
        for start in range(0, len(candidates), _LOOKED_AT):
            place = _nearest(rounded, start + _LOOKED_AT)[start:]
            near = candidates[place]
            gaps_left = self._all_gaps(near, source)
            if (gaps_left == 0).any():
                return int(near[np.argmax(gaps_left == 0)])
            closed = self._gaps[source] - gaps_left
            if (closed > TIE).any():
                price = np.maximum(costs[place], TIE) / np.maximum(closed, TIE)
                return int(near[np.argmin(np.where(closed > TIE, price, np.inf))])
        return int(candidates[np.argmin(rounded)])

    def _merging_failed(self) -> str:
        """Return why merging failed: shares of people may miss a bound in a union of classes."""
        if self._task.release_risk is not None and not (self._gaps > 0).any():
            return (
                f"{self._task.release_risk} is required, which even all records as one class do "
                f"not keep; allow more"
            )
        missed = [
            requirement
            for requirement in self._task.requirements
            if not requirement.whole_table_holds
        ]
        why = missed[0].unreachable() if missed else "what is required is missed"
        return (
            f"merging classes ended with one class of all records, which still fails: {why}. Where "
            f"people have several records, finer classes can pass: try global or hybrid, which "
            f"test all levels"
        )

    def _merge(self, source: int, partner: int) -> None:
        self._boxes.merge(source, partner)
        for values in self._values:
            values.merge(source, partner)
        self._gaps[source] = 0.0
        self._gaps[partner] = self._all_gaps(np.array([partner]))[0]
        self._into[source] = partner
        self._merges += 1

    def _all_gaps(self, classes: Int64s, source: int | None = None) -> Floats:
        """Return how much classes, or their unions with `source`, miss over all requirements."""
        if not self._values:
            return np.zeros(len(classes))
        return np.asarray(np.sum([values.gaps(classes, source) for values in self._values], axis=0))

    def _repaired(self, source: int, partner: int, merges: int) -> ClassRepaired:
        """Return the merge to come, by what the class misses most."""
        pair = np.array([source])
        worst = max(self._values, key=lambda values: float(values.gaps(pair)[0]))
        return ClassRepaired(
            source,
            partner,
            int(self._boxes.sizes[source]),
            int(self._boxes.sizes[partner]),
            worst.requirement.model,
            float(worst.figures(pair)[0]),
            float(worst.figures(np.array([partner]), source)[0]),
            decisions=merges,
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
        published = np.flatnonzero(self._labels >= 0)
        first[self._labels[published]] = published
        group = group_by_magvals(self._task).number[first]
        return np.unique(group, return_inverse=True)[1].astype(np.int64)

    def _give_up_groups(self) -> Iterator[Step]:
        """Suppress classes that miss a requirement, in groups that miss it even as a whole."""
        if not (self._gaps > 0).any():
            return
        group_gaps = np.sum([values.group_gaps(self._block) for values in self._values], axis=0)
        hopeless = (group_gaps > 0)[self._block] & (self._gaps > 0)
        if not hopeless.any():
            return
        self._suppressed |= hopeless
        self._gaps[hopeless] = 0.0
        records = int(self._boxes.sizes[hopeless].sum())
        classes = int(hopeless.sum())
        yield Step(MagvalGroupsSuppressed(records, classes), self._counters())


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

    def gaps(self, classes: Int64s, source: int | None = None) -> Floats:
        """Return how much classes, or their unions with `source`, miss."""
        return self.requirement.gaps(self._unions(classes, source))

    def figures(self, classes: Int64s, source: int | None = None) -> Floats:
        """Return the figures of classes, or of their unions with `source`."""
        return self.requirement.figures(self._unions(classes, source))

    def group_gaps(self, group: Int64s) -> Floats:
        """Return how much groups of classes miss, each as a whole."""
        return self.requirement.gaps(self._joined(range(len(group)), group))

    def merge(self, source: int, partner: int) -> None:
        """Put one class into another."""
        union = self._unions(np.array([partner]), source)
        self._codes[partner], self._records[partner] = union.code, union.records

    def _unions(self, classes: Int64s, source: int | None) -> GroupValues:
        if source is None:
            return self._joined(classes.tolist(), np.arange(len(classes)))
        both = [*classes.tolist(), *[source] * len(classes)]
        return self._joined(both, np.tile(np.arange(len(classes)), 2))

    def _joined(self, classes: Sequence[int], group: Int64s) -> GroupValues:
        """Return the values of classes, those of the same group together."""
        codes = [self._codes[c] for c in classes]
        groups = np.repeat(group, [len(codes_of_class) for codes_of_class in codes])
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
        published = np.flatnonzero(labels >= 0)
        published = published[np.argsort(labels[published], kind="stable")]
        codes = [attribute.column.codes[published] for attribute in task.quasi]
        gone = [] if hidden is None else list(hidden[published].T.astype(np.int32))
        distinct = collapse([labels[published], *codes, *gone])  # numbered class by class
        first = published[distinct.first].astype(np.int32)
        attributes = attributes_of(task, Measure.NCP)
        nothing = np.zeros(len(task.quasi))
        copies = None if task.copies is None else task.copies[published]
        counts = counted(distinct.number, copies).astype(np.int32)
        rows = single_row_clusters(task, attributes, first, counts)
        self._state = kernel.MergeState(attributes, rows, nothing, nothing, task.n, kernel.EXTENT)
        if hidden is not None:
            kernel.hide_cells(self._state, hidden[first])
        begins = np.flatnonzero(np.diff(labels[first], prepend=-1))
        starts = begins.astype(np.int32)
        kernel.merge_into(self._state, np.repeat(starts, np.diff(begins, append=len(first))))
        classes = taken(rows, starts)
        self._state = replace(self._state, clusters=classes)
        self.sizes: Int64s = classes.info[:, SIZE].astype(np.int64)

    @property
    def _own(self) -> Floats:
        return np.asarray(self._state.clusters.extents.sum(axis=1))

    def costs(self, source: int, partners: Int64s) -> Floats:
        """Return the loss added when one class is merged with each of some others."""
        together = np.empty(len(self.sizes))
        kernel.costs_with(self._state, source, together)
        apart = self.sizes * self._own
        both = (self.sizes + self.sizes[source]) * together - apart - apart[source]
        return np.asarray(both[partners])

    def merge(self, source: int, partner: int) -> None:
        """Put one class into another; the one is empty from then on."""
        into = np.arange(len(self.sizes), dtype=np.int32)
        into[source] = partner
        kernel.merge_into(self._state, into)
        self.sizes[partner] += self.sizes[source]
        self.sizes[source] = 0

    @property
    def ncp(self) -> float:
        """Mean over the records."""
        return float((self.sizes * self._own).sum() / self.sizes.sum())
