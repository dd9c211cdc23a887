"""Refining: near classes exchange records, and large ones are split, while the release gets better.

Every clustering may be refined (`refine: true`) when its own work is done, repairs included. In a
round every class gets its turn, in an order that depends on values alone:

1. A class of 2k records or more is split in two where that helps.
2. Otherwise it is tried with the twelve classes that hold most of the records nearest to its own.
   The records of both are shared out anew: records move and swap, the best first, while that
   lowers what the two classes cost together; once from the classes as they are, once from two
   far-apart seeds. The pair that saves most exchanges its records.
3. Where no pair helps, the class is dissolved if that does: its records, one by one, join the class
   of a near record to which they add least. Not where more than k is required.

It ends with a round in which nothing helps, after `refine_rounds`, or when `refine_tries` · n / k
pairs were tried. What a class costs is its
part of NCP or SSE, or what it takes from RV (`Goal`). What held before holds afterwards:
every class keeps k records and what is required beyond; where no value may be generalised beyond
its MAGVal, classes exchange records inside a group of MAGVals only; suppressed records and hidden
cells stay what they are. The figure never gets worse, so that a cancel may keep any step. A bound
for the risk of the whole release is looked at last: where refined classes are too small for it,
the smallest are merged again.

Changes are proposed in batches, in which a class takes part once, judged together and carried out;
how many one step tells of does not matter to them. From 500 classes on, up to four *lanes* propose
at the same time, each among its own share of the classes; of proposals for one class that of the
first lane counts. The number of lanes depends on that of the classes, and threads only work them
off: nothing depends on time, on cores or on the order of the input.

Cost: about u² · attributes for two classes with u records together, twelve pairs per class in the
first round and few later. Pairs with more than 4,096 records together are left alone where 4k is
not more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from operator import lt
from typing import Self

import numpy as np

from kanon_tui.core.clustering.alternatives import MOST_FOLLOWED
from kanon_tui.core.clustering.boxes import Measure, attributes_of, ranked_records
from kanon_tui.core.clustering.clustering import Clustering
from kanon_tui.core.clustering.events import NO_GROUP, SUPPRESSED, GroupEvent, Moves
from kanon_tui.core.clustering.features import standard_scores
from kanon_tui.core.clustering.later_events import ChangesMade, ClassesChanged, RefiningBegun
from kanon_tui.core.clustering.refining_arrays import (
    RecordTypes,
    RefiningArrays,
    near_records,
    refining_arrays,
)
from kanon_tui.core.clustering.requirement_repair import repair_steps
from kanon_tui.core.errors import InputError
from kanon_tui.core.kernels.refining import (
    DISSOLVED,
    NEW_CLASS,
    Proposals,
    Proposed,
    RecordCosts,
    carry_out,
    propose,
)
from kanon_tui.core.metrics.cells import CellGroups
from kanon_tui.core.metrics.losses import attribute_ncp
from kanon_tui.core.metrics.research_value import mean_span
from kanon_tui.core.numeric import TIE, Flags, Floats, Int32s, Int64s
from kanon_tui.core.privacy.requirements import groups_that_hold
from kanon_tui.core.processes.workers import cores
from kanon_tui.core.task.task import (
    Grouping,
    QuasiIdentifier,
    RunContext,
    Step,
    Steps,
    Task,
    map_steps,
)
from kanon_tui.core.text import note

_HALF = 0.5  # progress when refining begins; its real share is not known


def refined_steps(steps: Steps, algorithm: Clustering, task: Task, context: RunContext) -> Steps:
    """Run the steps of an algorithm, then those that refine its classes."""
    if task.copies is not None:
        raise InputError(
            f"{algorithm.name}: refine moves single records, which cannot be done when records are "
            f"counted; use --engine memory, or refine=false"
        )
    if algorithm.refining_goal == "sse" and not any(attribute.ordered for attribute in task.quasi):
        raise InputError(
            f"{algorithm.name}: refine_by is sse, which is about numbers and dates, and no "
            f"quasi-identifier is one; choose ncp or rv"
        )
    grouping = yield from map_steps(_first_half, steps)
    if int((grouping.labels >= 0).sum()) < 2 * task.k:
        return grouping
    refining = Refining(task, context, grouping, algorithm)
    yield from refining.run(algorithm.refine_rounds)
    refined = refining.history.grouping()
    if task.release_risk is None:
        return refined
    # Every class kept what is required, but smaller ones may raise the risk of the release.
    return (yield from repair_steps(task, context, refined, algorithm.keeps_magvals))


def _first_half(step: Step) -> Step:
    """Return a step with its progress halved, to leave room for refining."""
    return step if step.progress is None else replace(step, progress=step.progress * _HALF)


class Refining:
    """The classes of a clustering while they are refined; kernels see records in sorted order."""

    def __init__(
        self, task: Task, context: RunContext, grouping: Grouping, algorithm: Clustering
    ) -> None:
        self._task = task
        self._context = context
        self._before = grouping
        self._types = types = RecordTypes.from_grouping(task, grouping)
        self._goal = Goal.from_grouping(algorithm.refining_goal, task, grouping)
        hidden = np.zeros((len(types.first), len(task.quasi)), dtype=bool)
        if grouping.suppressed_cells is not None:
            hidden = grouping.suppressed_cells[types.first]
        rows = ranked_records(task, types.first)
        self._attributes = attributes_of(task, self._goal.measure)
        self._values = np.where(hidden, -1, rows).astype(np.int32)
        self._rule_sides = self._goal.rule_sides(types, hidden)
        whole_rows = rows[np.diff(types.row, prepend=-1) > 0]
        squared = self._goal.by == "sse"
        priced = attributes_of(task, Measure.SQUARES if squared else Measure.NCP)
        near = near_records(priced, whole_rows, types.row[types.type_of], task.seed)
        rules = self._rule_sides.shape[1]
        self._lanes = refining_arrays(
            task, self._attributes, types, near, rules, algorithm.keeps_magvals
        )
        self._number = int(types.class_of.max()) + 1
        self._labels = np.full(task.n, -1, dtype=np.int32)
        self._labels[types.records] = types.class_of
        self.history = RefiningHistory(grouping, self._labels, self._goal.by, self._goal.figure)
        self._settled = 0.0
        self._tries_left = algorithm.refine_tries * (task.n // task.k)

    def run(self, rounds: int) -> Iterator[Step]:
        """Refine until nothing helps, or until the rounds or the tries are used up."""
        yield self._first_step()
        batch = 0
        with ThreadPoolExecutor(min(cores(), len(self._lanes))) as pool:
            for round_ in range(1, rounds + 1):
                helped = False
                ends = np.linspace(0, self._number, len(self._lanes) + 1).astype(int).tolist()
                begins = ends[:-1]
                ends = [*ends[1:-1], len(self._lanes[0].classes.size)]
                while any(map(lt, begins, [*ends[:-1], self._number])):
                    batch += 1
                    made: list[Change] = []
                    lane_proposals = self._propose(pool, begins, ends, batch)
                    begins = [proposed.following for proposed in lane_proposals]
                    for lane, proposed in zip(self._lanes, lane_proposals, strict=True):
                        helped |= proposed.proposals > 0
                        made += self._carry_out(lane, proposed.proposals, batch, round_, made)
                        self._tries_left -= proposed.tried
                    yield from self._report(made)
                    if self._tries_left <= 0:
                        self.history.stopped = True
                        return
                if not helped:
                    return

    # -- a batch

    def _propose(
        self, pool: Executor, begins: Sequence[int], ends: Sequence[int], batch: int
    ) -> list[Proposed]:
        """Return the proposals of every lane for the next classes of its share."""
        tables = (self._attributes, self._values, self._rule_sides)
        squared = self._goal.by == "sse"
        costs = RecordCosts(*tables, *self._goal.rates(), squared)

        def in_lane(lane: RefiningArrays, begin: int, end: int) -> Proposed:
            return propose(costs, *lane, begin, end, batch)

        several = len(self._lanes) > 1
        return list((pool.map if several else map)(in_lane, self._lanes, begins, ends))

    def _carry_out(
        self,
        lane: RefiningArrays,
        count: int,
        batch: int,
        round_: int,
        before: Sequence[Change],
    ) -> list[Change]:
        """Carry out the proposals that keep what is required, as long as they help.

        Those for a class that changed `before` in this batch are left for the next round.
        """
        classes = lane.classes
        proposals = lane.proposals
        taken = [c for change in before for c in (change.one, change.other, *change.to.tolist())]
        starts = np.concatenate([[0], proposals.ends[:count]])
        busy = np.isin(proposals.into[: starts[-1]], taken).astype(int)
        free = ~np.isin(proposals.classes[:count, 0], taken)
        free &= np.diff(np.concatenate([[0], np.cumsum(busy)])[starts]) == 0
        fine = np.flatnonzero(self._keep_requirements(proposals, count) & free)
        figures = self._goal.take(proposals.extents[fine], proposals.broken[fine])
        made = []
        for p, figure in zip(fine.tolist(), figures, strict=False):
            refined, partner = proposals.classes[p].tolist()
            split = partner == NEW_CLASS
            if split:
                partner = int(np.argmin(classes.size))
                self._number = max(self._number, partner + 1)
            part = slice(*starts[p : p + 2].tolist())
            places = proposals.record[part]
            to = proposals.into[part].copy()
            to[to == NEW_CLASS] = partner
            moves = classes.of[places] != to
            records = self._types.records[places]
            carry_out(classes, proposals, p, partner, batch)
            made.append(
                Change(
                    round_,
                    refined,
                    partner,
                    split,
                    self.history.made(len(self.history.changes))
                    + np.array([split, partner == DISSOLVED]),
                    figure,
                    self.history.figure,
                    records,
                    records[moves],
                    to[moves],
                )
            )
            self.history.changes.append(made[-1])
        for p in sorted(set(np.flatnonzero(free).tolist()) - set(fine[: len(figures)].tolist())):
            refined, partner = proposals.classes[p].tolist()  # until the class has changed
            classes.refused[refined] = [partner, *classes.refused[refined][:-1]]
        return made

    def _keep_requirements(self, proposals: Proposals, count: int) -> Flags:
        """Return which proposals leave two classes that meet the requirements beyond k."""
        if not count or not self._task.requirements:
            return np.ones(count, dtype=bool)
        ends = proposals.ends[:count]
        owner = np.repeat(np.arange(count), np.diff(ends, prepend=0))
        group = 2 * owner + (proposals.into[: ends[-1]] != proposals.classes[owner, 0])
        records = self._types.records[proposals.record[: ends[-1]]]
        holds = groups_that_hold(self._task.requirements, group, records, 2 * count)
        leaves_two = proposals.classes[:count, 1] != DISSOLVED  # else classes have more records
        return np.asarray(holds.reshape(count, 2).all(axis=1) & leaves_two)

    # -- steps

    def _first_step(self) -> Step:
        by = self._goal.by
        event = RefiningBegun(self._number, by, self._goal.figure)
        if self._context.watched:
            classes = np.where(self._labels < 0, SUPPRESSED, self._labels).astype(np.int32)
            followed = self._task.n <= MOST_FOLLOWED
            event = replace(event, start=classes if followed else None, followed=followed)
        return self._step(event, 0)

    def _report(self, made: Sequence[Change]) -> Iterator[Step]:
        """Yield a step per change, or one for the whole batch where steps stand for many."""
        reported = len(self.history.changes) - len(made)
        if made and self._context.decisions_per_step > 1:
            event = changes_made(made, self.history.by)
            yield self._step(self._watched(event, made), len(self.history.changes))
            return
        for number, change in enumerate(made, start=reported + 1):
            event = change.event(self.history.by)
            yield self._step(self._watched(event, [change]), number)

    def _watched(self, event: GroupEvent, made: Sequence[Change]) -> GroupEvent:
        """Return an event with the records that some changes have moved, where somebody looks."""
        if not self._context.watched:
            return event
        records = np.concatenate([change.moved for change in made])
        groups = np.concatenate([change.to for change in made])
        return replace(event, records=made[-1].records, moves=Moves(records, groups))

    def _step(self, event: GroupEvent, changes: int) -> Step:
        classes = self._lanes[0].classes
        in_use = classes.size > 0
        settled = (classes.tried >= classes.changed)[in_use].mean()
        self._settled = max(self._settled, float(settled))
        return Step(
            event,
            self.history.counters(changes),
            _HALF + (1 - _HALF) * self._settled,
            partial(self.history.grouping, changes),
        )


_SPENT = note("refining ended because refine_tries was reached; more tries may improve the release")


@dataclass(frozen=True, eq=False)
class Change:
    """Two classes exchanged records, or one was split or dissolved."""

    round: int
    one: int
    other: int
    """DISSOLVED: the records of the class joined several."""
    split: bool
    made: Int64s
    """Splits and dissolved classes so far, this one included."""
    figure: float
    """The figure afterwards."""
    before: float
    """The figure before."""
    records: Int64s
    """All records of the two."""
    moved: Int64s
    """The records that have another class now."""
    to: Int32s
    """Per record moved its new class."""

    def event(self, by: str) -> GroupEvent:
        """Return what happened to the two classes, and to a figure."""
        to_partner = int((self.to == self.other).sum())
        return ClassesChanged(
            self.one,
            NO_GROUP if self.other == DISSOLVED else self.other,
            self.split,
            to_partner,
            len(self.to) - to_partner,
            len(self.records),
            len(np.unique(self.to)),
            by,
            self.before,
            self.figure,
        )


def changes_made(made: Sequence[Change], by: str) -> GroupEvent:
    """Return what many changes have done."""
    splits = sum(change.split for change in made)
    dissolved = sum(change.other == DISSOLVED for change in made)
    exchanges = len(made) - splits - dissolved
    return ChangesMade(exchanges, splits, dissolved, by, made[-1].figure, decisions=len(made))


@dataclass(eq=False)
class RefiningHistory:
    """All changes, from the first."""

    before: Grouping
    labels: Int32s
    """Per record its class before the first change, -1 where it is suppressed."""
    by: str
    start: float
    """The figure before the first change."""
    changes: list[Change] = field(default_factory=list)
    stopped: bool = False
    """Whether the tries were spent before nothing helped any more."""

    @property
    def name(self) -> str:
        """The name of the figure: NCP, SSE or RV."""
        return self.by.upper()

    @property
    def figure(self) -> float:
        """The figure after all changes."""
        return self.changes[-1].figure if self.changes else self.start

    def counters(self, count: int) -> dict[str, float]:
        """Return the running totals after `count` changes."""
        splits, dissolved = self.made(count).tolist()
        return {
            "clusters": int(self.labels.max()) + 1 + splits - dissolved,
            "exchanges": count - splits - dissolved,
            self.by: self.changes[count - 1].figure if count else self.start,
        }

    def made(self, count: int) -> Int64s:
        """Return how many of the first `count` changes split a class, and how many dissolve one."""
        return self.changes[count - 1].made if count else np.zeros(2, dtype=np.int64)

    def grouping(self, count: int | None = None) -> Grouping:
        """Return the classes after `count` changes, or after all."""
        changes = self.changes[:count]
        labels = self.labels.copy()
        for change in changes:
            labels[change.moved] = change.to
        published = labels >= 0
        _, number = np.unique(labels[published], return_inverse=True)  # some were dissolved
        labels[published] = number
        splits, dissolved = self.made(len(changes)).tolist()
        search = {
            **self.before.search,
            "clusters": int(labels.max()) + 1,
            "refine_by": self.by,
            "refine_start": self.start,
            "refine_rounds": changes[-1].round if changes else 0,
            "refine_exchanges": len(changes) - splits - dissolved,
            "refine_splits": splits,
            "refine_dissolved": dissolved,
        }
        notes = (*self.before.notes, *([_SPENT] if self.stopped else []))
        return replace(self.before, labels=labels, search=search, notes=notes)


@dataclass(eq=False)
class Goal:
    """The figure of a clustering, NCP, SSE or RV, followed from change to change.

    NCP is a sum over records, so that costs are the penalties themselves. So is SSE, the squared
    differences of numbers from the mean of their class, in standard deviations of the table; its
    figure is their share of those from the mean of the table, in per cent, and categories do not
    count. RV is none: a class costs what it takes from RV as the release stands now (its slope,
    times the number of records), and changes are accepted as long as RV itself rises.
    """

    by: str
    """The figure: ncp, sse or rv."""
    task: Task
    published: int
    extents: Floats
    """Per attribute records · extent over the whole table: NCP with its weight, or span; or SSE."""
    broken: Floats
    """Per rule the records of classes that break it."""
    rule_attribute: Int32s
    rule_share: Floats
    """Per rule its share of the importance of its attribute."""

    @classmethod
    def from_grouping(cls, by: str, task: Task, grouping: Grouping) -> Self:
        """Return the goal with the figures of a clustering."""
        published = grouping.labels >= 0
        classes = np.full(task.n, -1, dtype=np.int32)
        classes[published] = np.unique(grouping.labels[published], return_inverse=True)[1]
        size = np.bincount(classes[published])
        extents = []
        broken = []
        owner = []
        share = []
        for x, attribute in enumerate(task.quasi):
            singly = grouping.suppressed_cells
            shown = classes if singly is None else np.where(singly[:, x], -1, classes)
            cells = CellGroups.of_classes(attribute, shown, size)
            if by == "sse":
                extents.append(_squares(attribute, classes, size) if attribute.ordered else 0.0)
                continue
            if by == "ncp":
                extents.append(attribute.weight * attribute_ncp(cells) * task.n)
                continue
            extents.append(mean_span(cells) * task.n)
            rules = attribute.rules
            broken += (cells.broken @ size).tolist()
            owner += [x] * len(rules.rules)
            share += (rules.importances / (rules.table.base + rules.importances.sum())).tolist()
        return cls(
            by,
            task,
            int(published.sum()),
            np.array(extents),
            np.array(broken),
            np.array(owner, dtype=np.int32),
            np.array(share),
        )

    @property
    def measure(self) -> Measure:
        """The units of extents."""
        return {"ncp": Measure.NCP, "sse": Measure.SQUARES, "rv": Measure.SPAN}[self.by]

    @property
    def figure(self) -> float:
        """NCP, SSE or RV now."""
        return float(self._figures(self.extents[None], self.broken[None])[0])

    def rates(self) -> tuple[Floats, Floats]:
        """Return the cost of extent per attribute and record, and of breaking each rule."""
        if self.by != "rv":
            return np.ones(len(self.extents)), np.zeros(0)
        detail = self._detail(self.extents[None])[0]
        rules_kept = self._kept(self.broken[None])[0]
        worth = self.task.weights * self.task.n * detail
        slope = worth * self._rule_power * np.maximum(rules_kept, TIE) ** (self._rule_power - 1)
        rules = slope[self.rule_attribute] * self.rule_share / max(self.published, 1)
        return worth * self._detail_power / self.extents * rules_kept**self._rule_power, rules

    def rule_sides(self, types: RecordTypes, hidden: Flags) -> Int32s:
        """Return sides of shape (types, rules): 1 on the first side of a rule, 2 on the second."""
        columns = [np.zeros((0, len(types.first)), dtype=np.int32)]
        for x, attribute in enumerate(self.task.quasi if self.by == "rv" else ()):
            codes = attribute.column.codes[types.first]
            rules = attribute.rules
            on = rules.first[:, codes] + 2 * rules.second[:, codes]
            columns.append(np.where(hidden[:, x], 0, on).astype(np.int32))
        return np.ascontiguousarray(np.concatenate(columns).T)

    def take(self, extents: Floats, broken: Floats) -> list[float]:
        """Take the first changes that together improve the figure most.

        `extents`, of shape (changes, attributes), and `broken`, of shape (changes, rules), are what
        each change adds. Return the figure after each change that is taken.
        """
        after = np.cumsum(np.vstack([self.extents, extents]), axis=0)
        broken_after = np.cumsum(np.vstack([self.broken, broken]), axis=0)
        figures = self._figures(after, broken_after)
        best = int(np.argmax(figures) if self.by == "rv" else np.argmin(figures))
        self.extents = after[best]
        self.broken = broken_after[best]
        return [float(figure) for figure in figures[1 : best + 1]]

    def _figures(self, extents: Floats, broken: Floats) -> Floats:
        if self.by == "ncp":
            return np.asarray(extents.sum(axis=1) / self.task.n)
        if self.by == "sse":
            numbers = sum(attribute.ordered for attribute in self.task.quasi)
            return np.asarray(100 * extents.sum(axis=1) / (self.task.n * numbers))
        worth = self.task.weights * self._detail(extents)
        return np.asarray((worth * self._kept(broken) ** self._rule_power).sum(axis=1))

    def _detail(self, extents: Floats) -> Floats:
        """Return the granularity of every attribute, raised to its exponent."""
        return np.asarray((self.task.n / extents) ** self._detail_power)

    @property
    def _detail_power(self) -> Floats:
        return 2 - self._rule_power

    @property
    def _rule_power(self) -> Floats:
        """1, or how much more or less rules count (`metrics.research_value.emphasised`)."""
        return np.array([2 * attribute.rule_emphasis for attribute in self.task.quasi])

    def _kept(self, broken: Floats) -> Floats:
        """Return per attribute the mean share of its rules that is kept."""
        rules_kept = np.ones((len(broken), len(self.extents)))
        lost = broken * self.rule_share / max(self.published, 1)
        for r, x in enumerate(self.rule_attribute.tolist()):
            rules_kept[:, x] -= lost[:, r]
        return rules_kept


def _squares(attribute: QuasiIdentifier, classes: Int32s, size: Int64s) -> float:
    """Return Σ (value − mean of its class)² of a number, in standard deviations.

    `classes` has the class of every record (-1: none), `size` the records of every class.
    """
    published = classes >= 0
    score = standard_scores(attribute)[attribute.column.codes[published]]
    sums = np.bincount(classes[published], weights=score, minlength=len(size))
    return float((score**2).sum() - (sums**2 / size).sum())
