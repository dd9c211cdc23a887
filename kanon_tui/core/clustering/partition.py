"""The parts of a table that is cut in two, and each part again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import fsum

import numpy as np

from kanon_tui.core.clustering.cutting_events import CutMade, PartClosed, PartsDecided, TablePart
from kanon_tui.core.clustering.events import NO_MOVES, NO_RECORDS, GroupEvent, moved_to
from kanon_tui.core.clustering.features import places, ranks
from kanon_tui.core.clustering.splitting import PartHistory
from kanon_tui.core.kernels import mondrian as kernel
from kanon_tui.core.numeric import Flags, Int32s, Int64s
from kanon_tui.core.privacy.requirements import groups_that_hold
from kanon_tui.core.task.task import Grouping, Task
from kanon_tui.core.text import note

_ROWS_PER_CALL = 3_000_000  # parts of more rows are not looked at together


class PartsOfTable:
    """The parts of a table: open ones wait on a stack, the lower side of a cut on top."""

    def __init__(self, task: Task, place_of_cuts: int, watched: bool) -> None:
        """Begin with all records as one part; cuts lie at ALLOWABLE, MEDIAN or RELAXED places."""
        self._task = task
        self._place_of_cuts = place_of_cuts
        self._watched = watched
        self._ranks = [ranks(attribute) for attribute in task.quasi]
        self._axes = _axes(task, self._ranks)
        columns = zip(task.quasi, self._ranks, strict=True)
        table = np.column_stack([rank[attribute.column.codes] for attribute, rank in columns])
        ones = np.ones(task.rows, dtype=np.int64)
        self._parts = kernel.Parts.allocate(
            table=np.ascontiguousarray(table, dtype=np.int32),
            rows=np.arange(task.rows, dtype=np.int32),
            copies=ones if task.copies is None else task.copies.astype(np.int64),
            open=64,
            numbers=3 + 3 * len(task.quasi),
            ranks=self._axes.offsets[-1] + 1,
        )
        self._scratch = kernel.PartScratch.allocate(
            rows=task.rows, attributes=len(task.quasi), ranks=np.diff(self._axes.offsets).max() + 1
        )
        self._parts.stack[0, 1] = task.rows
        kernel.measure(self._axes, self._parts, np.zeros(1, dtype=np.int64))
        self._history = PartHistory(self._parts.rows)
        self._loss = float(self._parts.losses[0])
        self._open = 1
        self._cuts = 0
        self._closed = 0

    @property
    def is_open(self) -> bool:
        """Whether there are parts that may still be cut."""
        return self._open > 0

    @property
    def placed(self) -> int:
        """The number of records in closed parts."""
        return self._task.n - int(self._parts.stack[: self._open, -1].sum())

    @property
    def counters(self) -> dict[str, float]:
        """The running totals of a step."""
        return {
            "clusters": self._open + self._closed,
            "cuts": self._cuts,
            "closed": self._closed,
            "ncp": max(self._loss, 0.0) / self._task.n,
        }

    def decide(self, decisions: int) -> GroupEvent:
        """Cut or close parts on top of the stack, as many as decisions may be made together.

        A cut that leaves a side without what is required is refused, which is no decision; the
        answer does not depend on how many parts are looked at together.
        """
        is_first = self._cuts + self._closed == 0
        first = self._lowest_level(decisions)
        part = self._part_at(first)
        verdicts = self._look_at(first)
        proposal = self._parts.proposals[first].copy()
        self._carry_out(first, verdicts)
        self._history.record(self._parts.begins, self._parts.stack[: self._open, 0])
        start = np.zeros(self._task.rows, dtype=np.int32) if is_first and self._watched else None
        if len(verdicts.closed) > 1:
            moves = self._history.latest_moves() if self._watched else NO_MOVES
            cuts = int(verdicts.accepted.sum())
            closed = int(verdicts.closed.sum())
            return PartsDecided(
                cuts, closed, self.placed, decisions=cuts + closed, start=start, moves=moves
            )
        end = part.begin + part.rows
        records = self._records(part.begin, end) if self._watched else NO_RECORDS
        tried = tuple(int(x) for x in self._parts.tried if x >= 0)
        if verdicts.closed[0]:
            at_median = self._place_of_cuts == kernel.MEDIAN
            return PartClosed(
                part, tried, at_median, start=start, records=records, closed=part.begin
            )
        attribute = int(proposal[kernel.CUT_ATTRIBUTE])
        middle = int(proposal[kernel.CUT_MIDDLE])
        lower_size = int(proposal[kernel.CUT_RECORDS])
        lowest_above = int(self._parts.stack[first, 2 + 3 * attribute])
        return CutMade(
            group=part.begin,
            upper=middle,
            left=lower_size,
            right=part.size - lower_size,
            part=part,
            attribute=attribute,
            passed_over=tried[:-1],
            below=self._code(attribute, int(proposal[kernel.CUT_RANK])),
            above=self._code(attribute, lowest_above),
            start=start,
            records=records,
            moves=moved_to(middle, self._records(middle, end)) if self._watched else NO_MOVES,
        )

    def keep(self) -> Callable[[], Grouping]:
        """Return a function that returns the parts as they are now as a grouping."""
        step = self._history.steps
        return partial(_grouping, self._history, step, self._cuts, self._closed, self._open)

    def _lowest_level(self, decisions: int) -> int:
        """Return the lowest level of the stack that is decided about now."""
        sizes = np.diff(self._parts.stack[: self._open, :2], axis=1).ravel()[::-1]
        fitting = int(np.searchsorted(np.cumsum(sizes), _ROWS_PER_CALL)) + 1
        first = max(self._open - min(decisions, fitting), 0)
        if 2 * self._open - first > len(self._parts.stack):  # every part may be cut
            self._double_room()
        return first

    def _look_at(self, first: int) -> _Verdicts:
        """Return what becomes of the parts from level `first` on; of one at least not nothing."""
        levels = slice(first, self._open)
        proposals = self._parts.proposals
        refused = np.ones(self._open - first, dtype=np.bool_)
        closed = ~refused
        while refused.all():
            kernel.propose(
                self._parts, self._scratch, first, self._open, self._task.k, self._place_of_cuts
            )
            closed = proposals[levels, kernel.CUT_ATTRIBUTE] < 0
            refused = ~closed
            refused[~closed] = ~self._both_sides_hold(first + np.flatnonzero(~closed))
            proposals[levels][refused, kernel.REFUSED] += 1
            if self._place_of_cuts == kernel.RELAXED:
                self._sort_rows(self._parts.stack[levels][refused, :2].tolist())
        return _Verdicts(closed, ~closed & ~refused)

    def _carry_out(self, first: int, verdicts: _Verdicts) -> None:
        """Replace parts from level `first` on by their sides, and remove closed parts."""
        parts = self._parts
        old_levels = slice(first, self._open)
        accepted = verdicts.accepted
        stack = parts.stack[old_levels].copy()
        cuts = parts.proposals[old_levels].copy()
        loss_before = fsum(parts.losses[old_levels][accepted])  # the same on every machine
        parts.begins[stack[verdicts.closed, 0]] = True
        sides = np.where(verdicts.closed, 0, np.where(accepted, 2, 1))
        source = np.repeat(np.arange(len(stack)), sides)
        upper = accepted[source] & (np.diff(source, prepend=-1) > 0)
        lower = accepted[source] & ~upper
        new = slice(first, first + len(source))
        for array in (parts.stack, parts.losses, parts.widths, parts.proposals):
            array[new] = array[old_levels][source]
        middle = cuts[source, kernel.CUT_MIDDLE]
        parts.stack[new, 0] = np.where(upper, middle, parts.stack[new, 0])
        parts.stack[new, 1] = np.where(lower, middle, parts.stack[new, 1])
        levels = first + np.flatnonzero(upper | lower)
        kernel.measure(self._axes, parts, levels)
        self._open = first + len(source)
        self._cuts += int(accepted.sum())
        self._closed += int(verdicts.closed.sum())
        self._loss -= loss_before - fsum(parts.losses[levels])

    def _double_room(self) -> None:
        """Double the room for open parts."""
        names = ("stack", "losses", "widths", "proposals")
        arrays = {name: getattr(self._parts, name) for name in names}
        wide = {name: np.concatenate([array, 0 * array]) for name, array in arrays.items()}
        self._parts = replace(self._parts, **wide)

    def _sort_rows(self, ranges: Sequence[Sequence[int]]) -> None:
        """Sort the rows of parts by record, as relaxed cuts take them."""
        for begin, end in ranges:
            order = begin + np.argsort(self._parts.rows[begin:end])
            for array in (self._parts.table, self._parts.rows, self._parts.copies):
                array[begin:end] = array[order]

    def _both_sides_hold(self, levels: Int64s) -> Flags:
        """Return per level whether both sides of its cut meet all requirements beyond k."""
        requirements = self._task.requirements
        if not requirements:
            return np.ones(len(levels), dtype=np.bool_)
        stack = self._parts.stack[levels]
        middle = self._parts.proposals[levels, kernel.CUT_MIDDLE]
        begins = np.column_stack([stack[:, 0], middle]).ravel()
        sizes = np.column_stack([middle, stack[:, 1]]).ravel() - begins
        rows = np.arange(sizes.sum()) + np.repeat(begins - np.cumsum(sizes) + sizes, sizes)
        side = np.repeat(np.arange(len(sizes)), sizes)
        holds = groups_that_hold(requirements, side, self._parts.rows[rows], len(sizes))
        return np.asarray(holds.reshape(-1, 2).all(axis=1))

    def _part_at(self, level: int) -> TablePart:
        """Return the open part at a level of the stack."""
        begin, end, *ranges, size = self._parts.stack[level].tolist()
        box = tuple(
            (self._code(x, ranges[3 * x]), self._code(x, ranges[3 * x + 1]))
            for x in range(len(self._ranks))
        )
        widths = tuple(self._parts.widths[level].tolist())
        return TablePart(begin, end - begin, size, widths, box)

    def _code(self, attribute: int, rank: int) -> int:
        """Return the first value code at a rank."""
        return int(np.flatnonzero(self._ranks[attribute] == rank)[0])

    def _records(self, begin: int, end: int) -> Int32s:
        return self._parts.rows[begin:end].copy()


@dataclass(frozen=True, eq=False)
class _Verdicts:
    """The verdicts on parts that were looked at: the closed parts, and the accepted cuts."""

    closed: Flags
    accepted: Flags


def _grouping(history: PartHistory, step: int, cuts: int, closed: int, still_open: int) -> Grouping:
    """Return the parts at a step as a grouping."""
    search = {"start_clusters": 1, "cuts": cuts, "clusters": closed + still_open}
    early = note("stopped early: some parts could still have been cut")
    return Grouping(history.labels(step), search=search, notes=(early,) if still_open else ())


def _axes(task: Task, all_ranks: Sequence[Int32s]) -> kernel.Axes:
    """Return the quasi-identifiers as axes, with the ranks of their values."""
    sizes = [int(rank.max()) + 1 for rank in all_ranks]
    trees = [attribute for attribute in task.quasi if attribute.publishes_ancestor]
    axes = kernel.Axes.allocate(
        offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        ordered=np.array([attribute.ordered for attribute in task.quasi]),
        places=np.full(sum(sizes), np.nan),
        weights=task.weights,
        levels=max((attribute.hierarchy.height for attribute in trees), default=1),
    )
    axes.levels[:] = -1
    for attribute, rank, offset in zip(task.quasi, all_ranks, axes.offsets, strict=False):
        if attribute.ordered:
            axes.places[offset + rank] = places(attribute)
        elif attribute.publishes_ancestor:
            tree = attribute.hierarchy
            for level, mapping in enumerate(tree.maps[:-1]):
                covered = tree.covered(level) / len(mapping)
                axes.levels[offset + rank, level] = mapping
                axes.covers[offset + rank, level] = covered[mapping]
    return axes
