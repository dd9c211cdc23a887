"""Clusterings whose published ranges of a number or date are equal or disjoint.

Idea: the line of every attribute is divided into stretches, the same for the whole release, and a
class publishes the stretch that its values lie in. Where they lie in several it publishes `*`,
which is no range. To the algorithm an attribute is then a category: its values are the stretches,
and above them there is only the root.

1. The algorithm runs as its paper says. Its classes tell where it hurts to cut: of the gaps between
   values about where an even division would be, the one that fewest records' classes reach over.
2. It runs again on stretches, with 2, 4, 8, 16 and 32 to a line, and then with half and twice as
   many on one line at a time. What loses least NCP, measured by what is printed, is the answer.

k, and what is required beyond k, hold as for any other run. GreedyCKA keeps its limits: the
stretches of an attribute that has MAGVals or a largest width lie within these, and none is left.

Cost: five runs more, and two for every number or date. All of it is ours: Morton names overlapping
ranges as a limitation and calls their prevention computationally intensive.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import replace

import numpy as np

from kanon_tui.core.clustering.events import GroupEvent
from kanon_tui.core.clustering.later_events import ClusteredOnStretches, StretchesTried
from kanon_tui.core.clustering.magval_groups import limits_of
from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.hierarchy.level_table import BoundHierarchy, Level, Mark
from kanon_tui.core.metrics.cells import cells_of
from kanon_tui.core.metrics.losses import attribute_ncp
from kanon_tui.core.numeric import TIE, Int32s, sum_in_order
from kanon_tui.core.release.recode import recode
from kanon_tui.core.table.column import Column, GroupValues, Kind
from kanon_tui.core.task.task import (
    Algorithm,
    Grouping,
    QuasiIdentifier,
    RunContext,
    Step,
    Steps,
    Task,
    map_steps,
)
from kanon_tui.core.text import note

_TRIED = (2, 4, 8, 16, 32)


def disjoint_steps(
    steps_on: Callable[[Task, RunContext], Steps],
    algorithm: Algorithm,
    task: Task,
    context: RunContext,
) -> Steps:
    """Run a clustering (`steps_on` a task) as it is, then again on stretches."""
    lines = [x for x, a in enumerate(task.quasi) if a.ordered and not a.publishes_one_value]
    # A cancel must not keep classes whose ranges overlap.
    free = yield from map_steps(lambda step: replace(step, keep=None), steps_on(task, context))
    if not lines or (free.labels < 0).all():
        return free
    trials = _Trials(steps_on, task, free, lines, algorithm.keeps_magvals)
    for count in _TRIED:
        yield from trials.run(dict.fromkeys(lines, count))
    if trials.best is None:
        raise NotReachedError(
            f"{algorithm.name}: no division of the numbers into stretches that do not overlap "
            f"leaves a release; allow overlap, or choose another algorithm"
        )
    for x in lines:
        for count in (trials.counts[x] // 2, 2 * trials.counts[x]):
            if count:
                yield from trials.run(trials.counts | {x: count})
    return trials.grouping()


class _Trials:
    """The best release on stretches so far."""

    def __init__(
        self,
        steps_on: Callable[[Task, RunContext], Steps],
        task: Task,
        free: Grouping,
        lines: Sequence[int],
        keep_limits: bool,
    ) -> None:
        self._steps_on = steps_on
        self._task = task
        self._free = free
        self._lines = lines
        self._keep_limits = keep_limits
        self._ncp_free = ncp_of(task, free)
        self._tried: set[tuple[int, ...]] = set()
        self.best: Grouping | None = None
        self.counts: dict[int, int] = {}
        self.ncp = np.inf

    def run(self, counts: dict[int, int]) -> Generator[Step, None, None]:
        """Cluster on stretches, `counts` per attribute, and keep the release if it loses less."""
        stretches: list[Int32s | None] = [None] * len(self._task.quasi)
        quasi = list(self._task.quasi)
        for x in self._lines:
            attribute = self._task.quasi[x]
            limits = limits_of(attribute) if self._keep_limits else None
            stretches[x] = stretch_of = divide(attribute, self._free.labels, counts[x], limits)
            quasi[x] = _category(attribute, stretch_of, limits is not None)
        made = tuple(0 if s is None else int(s.max()) + 1 for s in stretches)
        if made in self._tried:
            return
        self._tried.add(made)
        steps = self._steps_on(replace(self._task, quasi=tuple(quasi)), RunContext())
        try:
            again = self._step(ClusteredOnStretches())
            grouping = yield from map_steps(lambda _: again, steps)
        except NotReachedError:
            return
        grouping = replace(grouping, stretches=tuple(stretches))
        ncp = ncp_of(self._task, grouping)
        if ncp < self.ncp - TIE:
            self.best = grouping
            self.ncp = ncp
            self.counts = counts
        stretches_of = tuple((x, made[x]) for x in self._lines)
        yield self._step(StretchesTried(stretches_of, ncp, float(self.ncp)))

    def _step(self, event: GroupEvent) -> Step:
        counters = {} if self.best is None else {"ncp": float(self.ncp)}
        return Step(event, counters, keep=None if self.best is None else self.grouping)

    def grouping(self) -> Grouping:
        """Return the best grouping, with a note on what ranges without overlap cost."""
        assert self.best is not None
        divided = {
            self._task.quasi[x].name: int(stretches.max()) + 1
            for x, stretches in enumerate(self.best.stretches or ())
            if stretches is not None
        }
        overlap_note = note(
            "published ranges do not overlap: NCP {after:.4f}, where ranges that may overlap would "
            "lose {before:.4f}",
            after=float(self.ncp),
            before=self._ncp_free,
        )
        figures = {"ncp_with_overlap": self._ncp_free, "stretches": divided}
        return replace(
            self.best,
            search={**self.best.search, "disjoint": figures},
            notes=(*self.best.notes, overlap_note),
        )


def divide(
    attribute: QuasiIdentifier, labels: Int32s, count: int, limits: Int32s | None = None
) -> Int32s:
    """Return the stretch of every value code, about `count` of them, cut where few classes reach.

    Equal numbers stay together, and missing is a stretch of its own. `limits` are divisions that
    stand, and then there are no others.
    """
    column = attribute.column
    numbers = column.value_numbers
    begins = np.zeros(len(numbers), dtype=bool)
    differs = np.flatnonzero(~(numbers[1:] == numbers[:-1])) + 1
    if limits is not None:
        begins[differs[limits[differs] != limits[differs - 1]]] = True
    else:
        begins[_cuts(column, labels, count, differs)] = True
    if column.missing is not None:
        begins[column.missing] = column.missing > 0
    return np.cumsum(begins).astype(np.int32)


def _cuts(column: Column, labels: Int32s, count: int, differs: np.ndarray) -> list[int]:
    """Return the cuts near even shares of the records, at gaps that fewest classes reach over."""
    present = differs[differs != column.missing] if column.missing is not None else differs
    if not len(present):
        return []
    published = labels >= 0
    _, number = np.unique(labels[published], return_inverse=True)
    copies = None if column.copies is None else column.copies[published]
    groups = GroupValues.from_records(
        number, column.codes[published], int(number.max()) + 1, copies
    )
    low, high = groups.ends(groups.code)
    reach = np.zeros(len(column.values) + 1)
    np.add.at(reach, low + 1, groups.sizes)
    np.add.at(reach, high + 1, -groups.sizes)
    crossing = np.cumsum(reach)[present]
    below = np.cumsum(column.counts)[present - 1]  # records before the gap
    total = below[-1] + column.counts[present[-1] :].sum()
    cuts = set()
    for j in range(1, count):
        target = total * j / count
        half = total / count / 2
        near = np.flatnonzero(np.abs(below - target) <= half)
        if len(near):
            best = min(near.tolist(), key=lambda i: (crossing[i], abs(below[i] - target)))
            cuts.add(int(present[best]))
    return sorted(cuts)


def _category(attribute: QuasiIdentifier, stretch: Int32s, limited: bool) -> QuasiIdentifier:
    """Return an attribute with stretches as values, none generalised where they are `limited`."""
    before = attribute.column
    count = int(stretch.max()) + 1
    names = tuple(f"{number:06}" for number in range(count))
    column = Column(
        name=before.name,
        kind=Kind.CATEGORICAL,
        codes=stretch[before.codes],
        values=names,
        numbers=None,
        missing=None if before.missing is None else int(stretch[before.missing]),
        copies=before.copies,
    )
    marks = frozenset(Mark(0, name) for name in names) if limited else frozenset()
    levels = (Level.of_values(names), Level.root(count))
    hierarchy = BoundHierarchy(column, levels, np.arange(count, dtype=np.int32), marks)
    rules = attribute.rules
    sides = [np.zeros((len(rules.rules), count), dtype=bool) for _ in range(2)]
    for side, masks in zip(sides, (rules.first, rules.second), strict=True):
        for r, mask in enumerate(masks):
            side[r, stretch[mask]] = True
    return QuasiIdentifier(
        column,
        hierarchy,
        hierarchy_given=True,
        rules=replace(rules, first=sides[0], second=sides[1]),
        weight=attribute.weight,
        resolution=1.0,
        domain=(0.0, 0.0),
        rule_emphasis=attribute.rule_emphasis,
    )


def ncp_of(task: Task, grouping: Grouping) -> float:
    """Return the NCP of the release, measured on its published cells."""
    cells = cells_of(recode(task, grouping))
    return sum_in_order(groups.attribute.weight * attribute_ncp(groups) for groups in cells)
