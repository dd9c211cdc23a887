"""The state of a run after a step, from which pictures are drawn.

Of a full-domain search: of every string whether it passes, and why. Of a clustering: which records
are together, and how it came to that; `clustering.events.GroupEvent` says what is taken in.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from functools import partial

import numpy as np
import numpy.typing as npt

from kanon_tui.core.clustering.events import (
    NO_GROUP,
    NO_RECORDS,
    UNPLACED,
    GroupDivided,
    GroupEvent,
    HiddenCells,
    Moves,
)
from kanon_tui.core.clustering.growing_events import MagvalsGrouped, RecordPlaced
from kanon_tui.core.clustering.later_events import ClassRepaired, RiskLowered
from kanon_tui.core.clustering.merging_events import ClustersMerged
from kanon_tui.core.lattice.events import (
    ALONE,
    AnswerFound,
    Inferred,
    PartSearched,
    PartsJoined,
    PointerState,
    Reason,
    SearchEvent,
    Settled,
    SpaceSplit,
    StringChanges,
    Tested,
)
from kanon_tui.core.lattice.strings import LatticeGrid
from kanon_tui.core.lessons.strings import reason_text
from kanon_tui.core.numeric import Flags, Int32s, Int64s
from kanon_tui.core.pipeline.run import RunStep
from kanon_tui.core.pipeline.timeline import RunState, Undo
from kanon_tui.core.task.events import Event

Verdicts = npt.NDArray[np.int8]

_NO_NODES: Int64s = np.empty(0, dtype=np.int64)


class Verdict(IntEnum):
    """The state of a string in the search."""

    OPEN = 0
    PASSES = 1
    FAILS = 2
    INFERRED_PASS = 3
    INFERRED_FAIL = 4
    BEATEN = 5


_SETTLED = {
    Inferred.PASSES: Verdict.INFERRED_PASS,
    Inferred.FAILS: Verdict.INFERRED_FAIL,
    Inferred.BEATEN: Verdict.BEATEN,
}


class FullDomainState(RunState):
    """The lattice with the strings tested and decided so far."""

    changed_in_place = (
        "verdicts", "_reasons", "_numbers", "_since", "tests", "parts", "part_results",
    )  # fmt: skip

    def __init__(self) -> None:
        self.lattice: LatticeGrid | None = None
        self.verdicts: Verdicts = np.empty(0, dtype=np.int8)
        """By node; empty where the space is too large to follow every string."""
        self._reasons: Verdicts = np.empty(0, dtype=np.int8)
        self._numbers: dict[Reason, int] = {}
        """The reasons met so far, with the numbers that stand for them."""
        self._since: npt.NDArray[np.int32] = np.empty(0, dtype=np.int32)
        self.tests: dict[tuple[int, ...], bool] = {}
        """Whether the strings that were tested pass."""
        self.current: tuple[int, ...] | None = None
        """The string that the last decision was about."""
        self.groups: Int64s | None = None
        """Per record the number of its class at that string, once somebody has counted them."""
        self.part: tuple[int, ...] | None = None
        """The attributes that are looked at; None for all."""
        self.best: tuple[int, ...] | None = None
        self.best_rv = 0.0
        self.pointers: PointerState | None = None
        self.path: tuple[tuple[int, ...], ...] = ()
        """The strings that a search went through by raising one attribute after another."""
        self.parts: dict[tuple[int, ...], Verdicts | None] = {}
        """Sets of attributes that are searched by themselves, with the verdicts of their strings
        once they are done."""
        self.part_results: dict[tuple[int, ...], str] = {}
        """By set of attributes that helpers have searched, its outcome: `3 of 10 pass`."""

    def begin(self, first: Event, rows: int) -> None:
        """Show the lattice with no string tested."""
        if isinstance(first, SearchEvent) and first.changes is not None:
            self._begin(first.changes.lattice)

    def take(self, number: int, step: RunStep) -> None:
        """Take in the tests, the decided strings, and the position of the search."""
        event = step.event
        if not isinstance(event, SearchEvent):
            return
        before = self.current
        if event.changes is not None:
            self._take_changes(number, event, event.changes)
        if event.standing.best is not None:
            self.best = event.standing.best.levels
            self.best_rv = event.standing.best.rv
        if event.reached is not None:
            self.path = (*(self.path or ((0,) * len(event.reached),)), event.reached)
        if event.current is not None:
            self.current = event.current
        if isinstance(event, AnswerFound):
            self.best = event.levels
            self.best_rv = event.rv
        if self.current != before:
            self.groups = None
        if isinstance(event, SpaceSplit):
            self.parts |= dict.fromkeys(event.parts)
        if isinstance(event, PartSearched):
            outcome = f"{event.passing:,} of {event.strings:,} pass"
            self.part_results[event.part] = outcome

    def _take_changes(self, number: int, event: SearchEvent, changes: StringChanges) -> None:
        """Take in the strings that were tested or settled."""
        if self.lattice is None:
            self._begin(changes.lattice)
        self.lattice = changes.lattice
        if changes.part != self.part:
            self._end_part()
        if isinstance(event, PartsJoined):
            self._open_lattice_of(event.part)
            self.current = None
        for test in changes.tests:
            self._tested(number, test)
        for settled in changes.settled:
            self._settle(number, settled)
        self.part = changes.part
        self.pointers = changes.pointers

    def _begin(self, lattice: LatticeGrid) -> None:
        self.lattice = lattice
        if lattice.followed:
            self.verdicts = np.zeros(lattice.count, dtype=np.int8)
            self._reasons = np.full(lattice.count, -1, dtype=np.int8)
            self._since = np.zeros(lattice.count, dtype=np.int32)

    @property
    def strings(self) -> LatticeGrid:
        """The lattice, known from the first decision on."""
        assert self.lattice is not None
        return self.lattice

    def nodes_of(self, part: tuple[int, ...] | None) -> Int64s:
        """Return the strings of some attributes, the others being at the root."""
        if part is None:
            return np.arange(self.strings.count)
        other_attributes = [a for a in range(len(self.strings.names)) if a not in part]
        tops = np.array(self.strings.heights)[other_attributes]
        return np.flatnonzero((self.strings.grid[:, other_attributes] == tops).all(axis=1))

    def node_of(self, levels: tuple[int, ...] | None) -> int | None:
        """Return the node of a string of all attributes; None for none."""
        if levels is None or self.lattice is None or len(levels) != len(self.strings.names):
            return None
        return self.strings.node(levels)

    def settled_at(self, number: int) -> Int64s:
        """Return the strings that a step decided without a test."""
        tested = (self.verdicts == Verdict.PASSES) | (self.verdicts == Verdict.FAILS)
        return np.flatnonzero((self._since == number) & ~tested) if number else _NO_NODES

    def counts_by_height(self) -> Int64s:
        """Return the number of strings by height and verdict, of the attributes looked at.

        Where not every string is followed, those that were not tested count as open.
        """
        if len(self.verdicts):
            nodes = self.nodes_of(self.part)
            heights = self.strings.grid[nodes].sum(axis=1)
            keys = (heights - heights.min()) * len(Verdict) + self.verdicts[nodes]
            rows = int(np.ptp(heights)) + 1
            return np.bincount(keys, minlength=rows * len(Verdict)).reshape(rows, -1)
        sizes = np.ones(1, dtype=np.int64)
        for size in self.strings.sizes:
            sizes = np.convolve(sizes, np.ones(size, dtype=np.int64))
        counts = np.zeros((len(sizes), len(Verdict)), dtype=np.int64)
        for levels, passes in self.tests.items():
            counts[sum(levels), Verdict.PASSES if passes else Verdict.FAILS] += 1
        counts[:, Verdict.OPEN] = sizes - counts.sum(axis=1)
        return counts

    def _end_part(self) -> None:
        """Remember the verdicts of a set of attributes before another one is searched."""
        if self.part is not None and len(self.verdicts):
            self.parts[self.part] = self.verdicts[self.nodes_of(self.part)]

    def _open_lattice_of(self, part: tuple[int, ...]) -> None:
        """Begin a lattice, forgetting the strings of smaller sets of attributes."""
        if len(self.verdicts):
            nodes = self.nodes_of(part)
            nodes = nodes[self._reasons[nodes] != self._numbers.get(ALONE)]
            self.verdicts[nodes] = Verdict.OPEN
            self._reasons[nodes] = -1

    def _tested(self, number: int, test: Tested) -> None:
        self.tests[test.levels] = test.passes
        self.current = test.levels
        if test.part is not None and test.part != self.part:
            self._end_part()
            self.part = test.part
        if len(self.verdicts):
            node = self.strings.node(test.levels)
            self.verdicts[node] = Verdict.PASSES if test.passes else Verdict.FAILS
            self._since[node] = number

    def _settle(self, number: int, settled: Settled) -> None:
        verdicts = self.verdicts[settled.nodes]
        nodes = settled.nodes[(verdicts != Verdict.PASSES) & (verdicts != Verdict.FAILS)]
        self.verdicts[nodes] = _SETTLED[settled.reason.inferred]
        self._reasons[nodes] = self._numbers.setdefault(settled.reason, len(self._numbers))
        self._since[nodes] = number

    def why(self, node: int) -> str:
        """Return a sentence on what is known about a string."""
        verdict = Verdict(int(self.verdicts[node]))
        since = int(self._since[node])
        if verdict is Verdict.OPEN:
            return "still open"
        if verdict in (Verdict.PASSES, Verdict.FAILS):
            return f"tested at step {since:,}: {'passes' if verdict is Verdict.PASSES else 'fails'}"
        outcome = {
            Verdict.INFERRED_PASS: "passes without a test",
            Verdict.INFERRED_FAIL: "ruled out",
            Verdict.BEATEN: "not needed",
        }
        reason = list(self._numbers)[int(self._reasons[node])]
        return f"{outcome[verdict]} since step {since:,}: {reason_text(reason)}"


@dataclass(frozen=True, eq=False)
class Joined:
    """A cluster in the tree of merges: a union of two, or one that no merge made."""

    number: int
    rows: Int64s
    """The records of a cluster that no merge made; of a union, none."""
    step: int = 0
    score: float | None = None
    """What the merge was chosen by; None where classes merge for what is required beyond k."""
    parts: tuple[Joined, ...] = ()

    def members(self) -> Int64s:
        """Return all its records."""
        if not self.parts:
            return self.rows
        return np.sort(np.concatenate([part.members() for part in self.parts]))


@dataclass(frozen=True, eq=False)
class _Before:
    """The part of a clustering's state that an event changes, as it was before the event."""

    groups: Int32s | None
    """All groups where they are numbered anew; else those of the records that move."""
    moved: npt.NDArray[np.integer] | None
    """The records that move; None where `groups` has all."""
    joined: dict[int, Joined]
    """All trees of merges where groups are numbered anew; else those of groups that change."""
    touched: tuple[int, ...]
    """The groups that records leave or enter."""
    rows: Int64s
    tints: Int64s | None
    growing: tuple[int, ...]
    hidden: HiddenCells | None
    """The cells of the records of which some are hidden, as they were."""
    any_hidden: bool
    closed: int
    """A group that was not closed yet; NO_GROUP for none."""
    cuts: int
    marks: int

    @classmethod
    def of(cls, state: ClusteringState, event: GroupEvent) -> _Before:
        """Return what an event is about to change."""
        groups = state.groups
        joined = state.joined
        moved = None
        touched: tuple[int, ...] = ()
        if groups is not None and event.start is None and event.followed:
            moved = event.moves.records
            groups = groups[moved]
            touched = tuple(np.union1d(groups, event.moves.groups).tolist())
            joined = {group: joined[group] for group in touched if group in joined}
        hidden = None
        if state.hidden is not None and event.hidden is not None:
            records = event.hidden.records
            hidden = HiddenCells(records, state.hidden[records])
        return cls(
            groups,
            moved,
            joined,
            touched,
            state.rows,
            state.tints,
            state.growing,
            hidden,
            state.hidden is not None,
            NO_GROUP if event.closed in state.closed else event.closed,
            len(state.cuts),
            len(state.order),
        )

    def restore(self, state: ClusteringState) -> None:
        """Bring the state back."""
        if self.moved is None or self.groups is None or state.groups is None:
            state.groups = self.groups
            state.joined = self.joined
        else:
            state.groups[self.moved] = self.groups
            for group in self.touched:
                state.joined.pop(group, None)
            state.joined |= self.joined
        state.rows = self.rows
        state.tints = self.tints
        state.growing = self.growing
        if not self.any_hidden:
            state.hidden = None
        elif self.hidden is not None and state.hidden is not None:
            state.hidden[self.hidden.records] = self.hidden.cells
        state.closed.discard(self.closed)
        del state.cuts[self.cuts :]
        while len(state.order) > self.marks:
            state.order.popitem()


class ClusteringState(RunState):
    """The groups so far."""

    changed_in_place = "groups", "cuts", "closed", "joined", "hidden", "order"

    def __init__(self) -> None:
        self.groups: Int32s | None = None
        """Per record the number of its group; None where steps do not tell."""
        self.rows: Int64s = NO_RECORDS
        """The records that the last decision was about."""
        self.cuts: list[tuple[int, RunStep]] = []
        """The steps that divided a group, with their numbers."""
        self.closed: set[int] = set()
        """Groups that nothing more happens to."""
        self.joined: dict[int, Joined] = {}
        """The clusters that merges have made, by their number."""
        self.hidden: Flags | None = None
        """Records × attributes: cells that are hidden one by one."""
        self.tints: Int64s | None = None
        """Per record the group that clusters may not cross, where there are such."""
        self.growing: tuple[int, ...] = ()
        """The records of the cluster that grows now, in the order in which they came."""

        self.order: dict[int, int] = {}
        """The groups that decisions were about, with their places in that order."""

    def begin(self, first: Event, rows: int) -> None:
        """Show the groups in which a run begins; no record has one where it does not say."""
        start = first.start if isinstance(first, GroupEvent) else None
        self.groups = np.full(rows, UNPLACED, dtype=np.int32) if start is None else start

    def take(self, number: int, step: RunStep) -> Undo:
        """Take in what happened to the groups."""
        event = step.event
        if not isinstance(event, GroupEvent):
            event = GroupEvent()
        before = _Before.of(self, event)
        if event.start is not None or not event.followed:
            self._regroup(event.start)
        if isinstance(event, ClustersMerged):
            score = float(event.scores[0])
            self._merge(number, event.small.number, event.other.number, event, score)
        elif isinstance(event, ClassRepaired | RiskLowered) and event.decisions == 1:
            self._merge(number, event.small, event.other, event)
        else:
            self._end_trees(event.moves)
        if self.groups is not None:
            self.groups[event.moves.records] = event.moves.groups
        self.rows = event.records.astype(np.int64)
        if isinstance(event, MagvalsGrouped):
            self.tints = event.group_of
        if isinstance(event, RecordPlaced):
            earlier = () if event.kind == "start" else self.growing
            self.growing = (*earlier, *self.rows.tolist())
        if event.hidden is not None:
            self._hide(event.hidden)
        if event.closed != NO_GROUP:
            self.closed.add(event.closed)
        divided = isinstance(event, GroupDivided) and event.group != NO_GROUP
        if divided and self.groups is not None:
            self.cuts.append((number, step))
        self._number_marks()
        return partial(before.restore, self)

    def _end_trees(self, moves: Moves) -> None:
        """Forget the trees of groups that records leave or enter: they are not what was merged."""
        if self.groups is None or not self.joined:
            return
        touched = np.concatenate([self.groups[moves.records], moves.groups])
        for group in np.unique(touched).tolist():
            self.joined.pop(group, None)

    def _number_marks(self) -> None:
        """Number the groups in the order in which decisions are about them."""
        if self.groups is None:
            return
        for group in np.unique(self.groups[self.rows]).tolist():
            if group >= 0:
                self.order.setdefault(group, len(self.order))

    def _regroup(self, together: Int32s | None) -> None:
        """Renumber the groups; a tree of merges goes on under the new number of its records."""
        before = self.groups
        self.groups = None if together is None else together.copy()
        trees = self.joined
        self.joined = {}
        if before is None or self.groups is None:
            return
        sizes = np.bincount(self.groups[self.groups >= 0])
        for tree in trees.values():
            rows = tree.members()
            number = int(self.groups[rows[0]])
            stays_together = number >= 0 and bool((self.groups[rows] == number).all())
            if stays_together and sizes[number] == len(rows):
                self.joined[number] = replace(tree, number=number)

    def _merge(
        self, number: int, small: int, partner: int, event: GroupEvent, score: float | None = None
    ) -> None:
        """Put the trees of two clusters into one."""
        if self.groups is None:
            return
        small_records = event.moves.records.astype(np.int64)
        partner_records = event.records[len(small_records) :].astype(np.int64)
        parts = (
            self.joined.pop(partner, Joined(partner, partner_records)),
            self.joined.pop(small, Joined(small, small_records)),
        )
        self.joined[partner] = Joined(partner, NO_RECORDS, number, score, parts)

    def _hide(self, hidden: HiddenCells) -> None:
        if self.groups is None:
            return
        if self.hidden is None:
            self.hidden = np.zeros((len(self.groups), hidden.cells.shape[1]), dtype=bool)
        self.hidden[hidden.records] |= hidden.cells
