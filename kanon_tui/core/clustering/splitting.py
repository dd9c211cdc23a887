"""Groups of records that are split in two, and again: shared by dividing algorithms."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_tui.core.clustering.boxes import line_places, ranked_records, row_places, values_of_sets
from kanon_tui.core.clustering.cutting_events import (
    GroupKept,
    GroupsDecided,
    GroupSplit,
    SplitLosses,
)
from kanon_tui.core.clustering.events import NO_GROUP, LossFigure, Moves, moved_to
from kanon_tui.core.clustering.features import Distinct, diagonals, division_weights
from kanon_tui.core.kernels import splitting as kernel
from kanon_tui.core.kernels.box_arrays import CHAIN, KIND, LINE, MIXED, UNIT, Attributes
from kanon_tui.core.kernels.splitting_tree import (
    PricedRows,
    SignedSums,
    TreeRoom,
    new_group_trees,
    set_columns,
)
from kanon_tui.core.metrics.cells import CellGroups
from kanon_tui.core.metrics.losses import penalties
from kanon_tui.core.numeric import Flags, Floats, Int32s, Int64s
from kanon_tui.core.table.column import GroupValues
from kanon_tui.core.task.task import QuasiIdentifier, Task

_LARGE = 128  # a group of so many distinct rows is split with trees
_NONE = 2**62  # no group is so large
_ROUNDING = 1e-13
_CATEGORY = 4.0  # how much more than numbers categories matter when rows are divided into a tree
_LEAST_STEP = 1e-8  # what is lost at least, if anything is, for that; numbers may be closer


SplittingEvent = GroupSplit | GroupKept | GroupsDecided


class Splitting:
    """Groups of distinct rows, some still open, some closed.

    A group is a run of `order`; the first side of a split comes first. The kernel leaves the runs
    of large open groups unwritten, so everybody else asks for `order`, `labels` or `part_begins`.
    """

    def __init__(
        self,
        task: Task,
        attributes: Attributes,
        distinct: Distinct,
        groups: Sequence[Int32s],
        rounds: int,
        per_record: bool,
        draw: Callable[[int], Floats],
    ) -> None:
        """Open groups of distinct rows, rising; `draw` gives numbers from 0 to 1 to start from."""
        self.task = task
        self.attributes = attributes
        self.distinct = distinct
        self.draw = draw
        self.rows = ranked_records(task, distinct.first)
        self.priced, steps = _priced(attributes, self.rows)
        self.counts = distinct.counts.astype(np.int32)
        self._table = PricedRows(attributes, self.priced, self.counts)
        self._order = np.concatenate(groups)
        self.begins = np.zeros(len(self._order), dtype=np.bool_)
        self._history = PartHistory(self._order)
        ends = np.cumsum(list(map(len, groups)))[::-1]  # the first group ends up on top
        begins = np.append(ends[1:], 0)
        self.group_begins = set(begins.tolist())
        self.depth = len(groups)
        self.stack = np.column_stack([begins, ends, np.zeros_like(ends)]).astype(np.int64)
        self.extents = np.zeros(self.depth)
        self.event = np.zeros(6, dtype=np.int64)
        values = values_of_sets(task, attributes)
        rows = len(self.rows)
        self._scratch = kernel.SplitScratch.allocate(
            attributes=len(attributes.facts),
            words=set_columns(attributes),
            values=values,
            rows=rows,
            taken=2 * rows + 2,
        )
        kernel.measure_groups(self._table, self._groups, self._scratch, self.depth)
        self.loss = float(self.stack[:, 2] @ self.extents)
        """Σ records · extent."""
        self.splits = self.closed = 0
        self.decisions = 0
        """Decisions of the last call of `advance`."""
        self.looked_at = 0
        """Rows and nodes that splits with trees have looked at, in all."""
        self._drawn = np.zeros(0)
        large = _NONE if per_record or steps.others <= _LEAST_STEP else _LARGE
        close = steps.numbers <= _LEAST_STEP
        self._settings = kernel.SplitSettings(task.k, rounds, per_record, large, close)
        long_sets = int((attributes.facts[:, CHAIN] >= 0).sum())
        self._room = TreeRoom(
            table=self._table,
            places=row_places(attributes, self.priced),
            scale=_scale(attributes, self.priced),
            sums=_signed_sums(attributes, self.priced),
            leaf_of=np.zeros((2, rows), dtype=np.int32),
            linked=np.zeros((rows, long_sets, 2), dtype=np.int32),
            set_values=values,
        )
        self._trees = [(-1, new_group_trees(self._room, self._order[:0]))]
        """Levels on the stack that have trees, and those trees."""

    @property
    def _groups(self) -> kernel.OpenGroups:
        return kernel.OpenGroups(self._order, self.begins, self.stack, self.extents, self.event)

    def advance(self, decisions: int) -> int:
        """Split or close the group on top of the stack repeatedly; return the number of splits."""
        room = max(self.depth + decisions - len(self.stack), 0)
        self.stack = np.pad(self.stack, [(0, room), (0, 0)])
        self.extents = np.pad(self.extents, (0, room))
        missing = max(decisions - len(self._drawn), 0)
        self._drawn = np.concatenate([self._drawn, self.draw(missing)])
        passed, self.decisions, splits_before = 0, 0, self.splits
        while self.depth and self.decisions < decisions and passed < kernel.SPLIT_ROWS_PER_CALL:
            passed += self._give_trees() + self._call_kernel(decisions - self.decisions)
        return self.splits - splits_before

    def _call_kernel(self, decisions: int) -> int:
        """Make decisions until there are enough or trees must change; return the rows passed."""
        level, trees = self._trees.pop()
        structs = (self._table, self._groups, self._settings, self._scratch, trees, level)
        made = kernel.split_groups(*structs, self._drawn, self.depth, decisions)
        if made.level >= 0 or not self._trees:
            self._trees.append((made.level, trees))
        self._drawn = self._drawn[made.used :]
        self.depth = made.depth
        self.splits += made.splits
        self.closed += made.decided - made.splits
        self.loss -= made.saved
        self.looked_at += made.looked_at
        self.decisions += made.decided
        return made.passed

    def _give_trees(self) -> int:
        """Grow trees for a large group on top of the stack that has none; return their rows."""
        begin, end, size = self.stack[self.depth - 1].tolist()
        large = end - begin >= self._settings.large and size >= 2 * self.task.k
        if not large or self._trees[-1][0] == self.depth - 1:
            return 0
        trees = new_group_trees(self._room, self._order[begin:end])
        self._trees.append((self.depth - 1, trees))
        return int(end - begin)

    @property
    def order(self) -> Int32s:
        """Distinct rows, group by group, rising in each."""
        self._write_runs()
        return self._order

    def labels(self, step: int) -> Int32s:
        """Return per distinct row the number of its group at a step of `record_parts`."""
        self._write_runs()
        return self._history.labels(step)

    def part_begins(self, step: int) -> Int32s:
        """Return per distinct row the start of its group at a step of `record_parts`."""
        self._write_runs()
        return self._history.begins(step)

    def _write_runs(self) -> None:
        """Write the rows of open groups with trees into the order."""
        for level, trees in self._trees:
            if level >= 0:
                open_rows = trees.turns.items[trees.turns.items >= 0]
                begin = self.stack[level, 0]
                self._order[begin : begin + len(open_rows)] = open_rows

    @property
    def is_untouched(self) -> bool:
        """Whether nothing has been decided yet."""
        return self.splits + self.closed == 0

    @property
    def placed(self) -> int:
        """Distinct rows in closed groups."""
        return int(self.stack[self.depth - 1, 0]) if self.depth else len(self._order)

    def record_parts(self) -> int:
        """Record the present groups and return the number of this step."""
        return self._history.record(self.begins, self.stack[: self.depth, 0])

    def parts(self) -> list[list[Int32s]]:
        """Return per group at the start its parts, each with its distinct rows rising."""
        parts: list[list[Int32s]] = []
        starts = np.union1d(np.flatnonzero(self.begins), self.stack[: self.depth, 0]).tolist()
        order = self.order
        for begin, end in zip(starts, [*starts[1:], len(order)], strict=True):
            if begin in self.group_begins:
                parts.append([])
            parts[-1].append(order[begin:end].copy())
        return parts

    def last_event(self, splits: int, figure: LossFigure, measured: bool) -> SplittingEvent:
        """Return what the last call of `advance` has decided, with `splits` splits.

        Groups are numbered by their start. What the sides lose is `measured` where somebody looks.
        """
        if self.decisions > 1:
            groups_kept = self.decisions - splits
            return GroupsDecided(splits, groups_kept, figure, decisions=self.decisions)
        _, begin, middle, end = self.event[:4].tolist()
        if not splits:
            return GroupKept(self.distinct, self.order[begin:end].copy())
        first = self.order[begin:middle].copy()
        second = self.order[middle:end].copy()
        first_seed, second_seed = self.distinct.first[self.event[4:]].tolist()
        return GroupSplit(
            begin,
            middle,
            int(self.counts[first].sum()),
            int(self.counts[second].sum()),
            self.distinct,
            first,
            second,
            (first_seed, second_seed),
            figure,
            self._losses_of(first, second) if measured else None,
        )

    def placed_in_groups(self, event: SplittingEvent, is_first: bool) -> SplittingEvent:
        """Return an event with what it did to the groups, which are numbered by their start."""
        start = np.zeros(self.task.n, dtype=np.int32) if is_first else None
        if isinstance(event, GroupsDecided):
            self._write_runs()
            return replace(event, start=start, moves=self._history.latest_moves(self.distinct))
        if isinstance(event, GroupKept):
            begin = int(self.event[1])
            records = self._records_of(event.rows)
            return replace(event, start=start, records=records, closed=begin)
        upper = self._records_of(event.second)
        records = np.sort(np.concatenate([self._records_of(event.first), upper]))
        return replace(event, start=start, records=records, moves=moved_to(event.upper, upper))

    def _records_of(self, rows: Int32s) -> Int32s:
        """Return the records of distinct rows; an event that keeps them should be small."""
        return self.distinct.records_of(rows).astype(np.int32)

    def _losses_of(self, first: Int32s, second: Int32s) -> SplitLosses:
        """Return what a group loses, and what its sides lose."""
        lower = self.distinct.records_of(first)
        upper = self.distinct.records_of(second)
        records = np.sort(np.concatenate([lower, upper]))
        side = np.isin(records, upper).astype(np.int64)
        quasi = self.task.quasi
        return SplitLosses(_losses(quasi, records, 0 * side), _losses(quasi, records, side))


def _signed_sums(attributes: Attributes, rows: Int32s) -> SignedSums:
    """Return the signed sums by which the furthest row of a node is found."""
    signed = diagonals(line_places(attributes, rows))
    lines = attributes.facts[:, KIND] == LINE
    stand_in = np.zeros(len(lines))
    stand_in[lines] = signed.stand_in
    begins = signed.begins - signed.begins[0]
    rounding = _ROUNDING * (1.0 + float(np.abs(signed.sums).max(initial=0.0)))
    return SignedSums(signed.sums, begins, stand_in, rounding)


def _scale(attributes: Attributes, rows: Int32s) -> Floats:
    """Return the weight of each attribute when rows are divided into a tree."""
    categories = attributes.facts[:, KIND] != LINE
    scale = np.ones(len(categories))
    labels = rows[:, categories]
    scale[categories] = division_weights(labels, np.full(labels.shape[1], _CATEGORY))
    return scale


class _Steps(NamedTuple):
    """The least that is lost between two values, if anything is."""

    numbers: float
    others: float
    """Between categories, or a number and a missing one."""


def _priced(attributes: Attributes, rows: Int32s) -> tuple[Int32s, _Steps]:
    """Return rows with values at no distance made equal, and the least distances of others."""
    priced = rows.copy()
    numbers = np.inf
    other_steps = np.inf
    for x, (kind, start, missing) in enumerate(attributes.facts[:, :3].tolist()):
        unit, mixed = attributes.prices[x, [UNIT, MIXED]].tolist()
        if kind != LINE:
            priced[:, x] *= unit > 0
            other_steps = min(other_steps, unit or np.inf)
            continue
        present = np.flatnonzero(rows[:, x] != missing)
        places, first, which = np.unique(
            attributes.line[start + rows[present, x]], return_index=True, return_inverse=True
        )
        priced[present, x] = rows[present[first], x][which]
        numbers = min(numbers, np.diff(places).min(initial=np.inf))
        if len(present) < len(rows):
            other_steps = min(other_steps, mixed or np.inf)
            if not mixed:
                priced[:, x] = 0
    return priced, _Steps(float(numbers), float(other_steps))


def _losses(quasi: Sequence[QuasiIdentifier], records: Int64s, side: Int64s) -> Floats:
    """Return per attribute weighted NCP · records of the classes that the sides would make."""
    sizes = np.bincount(side)
    penalties_of = class_penalties(quasi, records, side, len(sizes))
    return np.array(
        [weight * float((sizes * penalties).sum()) for weight, penalties in penalties_of]
    )


def class_penalties(
    quasi: Sequence[QuasiIdentifier], records: npt.NDArray[np.integer], classes: Int64s, count: int
) -> Iterator[tuple[float, Floats]]:
    """Yield per attribute its weight and the NCP of every class, given the class of each record."""
    sizes = np.bincount(classes, minlength=count)
    for attribute in quasi:
        values = GroupValues.from_records(classes, attribute.column.codes[records], count)
        cells = CellGroups(attribute, None, sizes, values)
        yield attribute.weight, np.where(cells.hidden, 1.0, penalties(cells))


_NEVER = np.iinfo(np.int32).max


class PartHistory:
    """Remembers since which step a part begins at a place in an order of rows.

    Dividing a part moves rows inside it only. A part of long ago is therefore still a run of the
    order, and where it began is all that has to be known of it. The first open part is divided or
    closed next, so closed parts come before all open ones.
    """

    def __init__(self, order: Int32s) -> None:
        """Follow `order`, the rows that a run rearranges; it is read when labels are asked for."""
        self._order = order
        self._since = np.full(len(order), _NEVER, dtype=np.int32)
        self._steps = self._closed = 0

    def record(self, closed: Flags, open_begins: Int64s) -> int:
        """Record where closed and open parts begin now; return the number of this step.

        The last of the open ones is the first in the order.
        """
        self._steps += 1
        end = int(open_begins[-1]) if len(open_begins) else len(closed)
        since = self._since[self._closed : end]
        since[closed[self._closed : end] & (since == _NEVER)] = self._steps
        self._closed = end
        self._since[open_begins] = np.minimum(self._since[open_begins], self._steps)
        return self._steps

    @property
    def steps(self) -> int:
        """The number of the latest step."""
        return self._steps

    def latest_moves(self, distinct: Distinct | None = None) -> Moves:
        """Return the rows of the parts that have begun at the latest step, by their start.

        Where the order is one of distinct rows, return their records.
        """
        begins = np.flatnonzero(self._since <= self._steps)
        sizes = np.diff(begins, append=len(self._order))
        is_new = self._since[begins] == self._steps
        starts = begins[is_new]
        sizes = sizes[is_new]
        places = np.arange(sizes.sum()) + np.repeat(starts - np.cumsum(sizes) + sizes, sizes)
        rows = self._order[places]
        groups = np.repeat(starts, sizes).astype(np.int32)
        if distinct is None:
            return Moves(rows, groups)
        group_of = np.full(len(distinct), NO_GROUP, dtype=np.int32)
        group_of[rows] = groups
        records = np.flatnonzero(group_of[distinct.number] != NO_GROUP)
        return Moves(records, group_of[distinct.number[records]])

    def begins(self, step: int) -> Int32s:
        """Return per row the start of its part at a step, which never changes for a part."""
        places = np.where(self._since <= step, np.arange(len(self._order)), 0)
        begins = np.empty(len(self._order), dtype=np.int32)
        begins[self._order] = np.maximum.accumulate(places)
        return begins

    def labels(self, step: int) -> Int32s:
        """Return per row the number of its part at a step, counted in the order of the parts."""
        labels = np.empty(len(self._order), dtype=np.int32)
        labels[self._order] = np.cumsum(self._since <= step, dtype=np.int32) - 1
        return labels
