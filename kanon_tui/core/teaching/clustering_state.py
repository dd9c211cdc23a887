"""What a clustering knows after a step: which records are together, and how it came to that.

The facts it takes in, whatever the algorithm:

- `together`: per record the number of its group, UNPLACED or SUPPRESSED; where a run begins, and
  where one step stands for many decisions. None where the table is too large for that;
- `moved`: pairs of a group's number and the records that belong to it from now on;
- `rows`: the records that the decision is about;
- `cut`: a `Cut`, of those that divide;
- `merge`: a `Merge`, of those that merge;
- `hide`: records, and per attribute whether their cells are hidden; `hidden_cells`: all that are;
- `tints`: per record the group that it must stay in while clusters grow (of `gcka`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from kanon_tui.core.clustering.facts import UNPLACED, Cut, Merge
from kanon_tui.core.numeric import Flags, Int32s, Int64s
from kanon_tui.core.pipeline.timeline import RunState
from kanon_tui.core.task.task import Step

_NO_ROWS: Int64s = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Joined:
    """A cluster in the tree of merges: a union of two, or one that no merge made."""

    number: int
    rows: Int64s
    """Of one that no merge made; else those of `parts`."""
    step: int = 0
    score: float = 0.0
    parts: tuple[Joined, ...] = ()

    def members(self) -> Int64s:
        """Return all its records."""
        if not self.parts:
            return self.rows
        return np.sort(np.concatenate([part.members() for part in self.parts]))


class ClusteringState(RunState):
    """The groups so far."""

    def __init__(self) -> None:
        self.groups: Int32s | None = None
        """Per record the number of its group; None where steps do not tell."""
        self.rows: Int64s = _NO_ROWS
        """The records that the last decision was about."""
        self.cuts: list[tuple[int, Cut]] = []
        """The cuts with their steps."""
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

    def copy(self) -> Self:
        """Return a copy, to go on from."""
        made = type(self)()
        made.order = dict(self.order)
        made.groups = None if self.groups is None else self.groups.copy()
        made.rows, made.cuts, made.closed = self.rows, list(self.cuts), set(self.closed)
        made.joined, made.tints, made.growing = dict(self.joined), self.tints, self.growing
        made.hidden = None if self.hidden is None else self.hidden.copy()
        return made

    def take(self, number: int, step: Step) -> None:
        """Take in who belongs together now."""
        facts = step.facts
        if "together" in facts:
            self._regroup(facts["together"])
        self.tints = facts.get("tints", self.tints)
        if self.groups is None and self.tints is not None:
            self.groups = np.full(len(self.tints), UNPLACED, dtype=np.int32)
        if "merge" in facts:
            self._merge(number, facts["merge"])
        for group, rows in facts.get("moved", ()):
            if self.groups is not None:
                if step.kind in ("split", "exchange", "divide"):  # no longer what merges had made
                    self.joined.pop(int(self.groups[rows[0]]), None)
                    self.joined.pop(group, None)
                self.groups[rows] = group
        self.rows = facts.get("rows", _NO_ROWS)
        if step.kind == "start":
            self.growing = ()
        if step.kind in ("start", "grow") or (step.kind == "close" and "moved" in facts):
            self.growing += tuple(self.rows.tolist())
        if "cut" in facts:
            self.cuts.append((number, facts["cut"]))
        if "closed_group" in facts:
            self.closed.add(facts["closed_group"])
        self._hide(step)
        if self.groups is not None:
            for group in np.unique(self.groups[self.rows]).tolist():
                if group >= 0:
                    self.order.setdefault(group, len(self.order))

    def _regroup(self, together: Int32s | None) -> None:
        """Renumber the groups; a tree of merges goes on under the new number of its records."""
        before = self.groups
        self.groups = None if together is None else together.copy()
        trees, self.joined = self.joined, {}
        if before is None or self.groups is None:
            return
        sizes = np.bincount(self.groups[self.groups >= 0])
        for tree in trees.values():
            rows = tree.members()
            number = int(self.groups[rows[0]])
            whole = number >= 0 and bool((self.groups[rows] == number).all())
            if whole and sizes[number] == len(rows):
                self.joined[number] = replace(tree, number=number)

    def _merge(self, number: int, merge: Merge) -> None:
        small = self.joined.pop(merge.small, Joined(merge.small, merge.small_rows))
        other = self.joined.pop(merge.other, Joined(merge.other, merge.other_rows))
        self.joined[merge.other] = Joined(
            merge.other, _NO_ROWS, number, merge.score, (other, small)
        )

    def _hide(self, step: Step) -> None:
        if "hidden_cells" in step.facts:
            every = step.facts["hidden_cells"]
            self.hidden = None if every is None else every.copy()
        if "hide" in step.facts and self.groups is not None:
            rows, hides = step.facts["hide"]
            if self.hidden is None:
                self.hidden = np.zeros((len(self.groups), len(hides)), dtype=bool)
            self.hidden[rows] |= hides
