"""What a clustering knows after a step: which records are together, and how it came to that.

The facts it takes in, whatever the algorithm:

- `together`: per record the number of its group, -1 for none; where a run begins, and where one
  step stands for many decisions;
- `moved`: pairs of a group's number and the records that belong to it from now on;
- `rows`: the records that the decision is about;
- `cut`: a `Cut`, of those that divide.
"""

from __future__ import annotations

from typing import Self

import numpy as np

from kanon_tui.core.clustering.cut_facts import Cut
from kanon_tui.core.numeric import Int32s, Int64s
from kanon_tui.core.run.timeline import RunState
from kanon_tui.core.task.steps import Step

__all__ = ["ClusteringState"]

_NO_ROWS: Int64s = np.empty(0, dtype=np.int64)


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

    def copy(self) -> Self:
        """The same, to go on from."""
        made = type(self)()
        made.groups = None if self.groups is None else self.groups.copy()
        made.rows, made.cuts, made.closed = self.rows, list(self.cuts), set(self.closed)
        return made

    def take(self, number: int, step: Step) -> None:
        """Take in who belongs together now."""
        facts = step.facts
        if "together" in facts:
            self.groups = facts["together"].copy()
        for group, rows in facts.get("moved", ()):
            if self.groups is not None:
                self.groups[rows] = group
        self.rows = facts.get("rows", _NO_ROWS)
        if "cut" in facts:
            self.cuts.append((number, facts["cut"]))
        if "closed_group" in facts:
            self.closed.add(facts["closed_group"])
