"""What full-domain searches over the same records share, whatever their k.

The classes of a generalisation string do not depend on k; only whether they are large enough does.
So the records are collapsed to coded tuples once, and classes that one search has counted are
rolled up by the others. Every search comes to the same decisions as alone, over fewer tuples.

They lie in what a run lends its algorithm: a run by itself has its own, the points of a sweep, in
several threads at once, have one together.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from kanon_tui.core.lattice.frequency import CodedTuples, RollUps
from kanon_tui.core.numeric import Int32s
from kanon_tui.core.task.steps import RunContext
from kanon_tui.core.task.task import QuasiIdentifier, Task

__all__ = ["SharedCounts", "shared_counts"]


class SharedCounts:
    """The coded tuples of some attributes and the classes counted so far, by lowest levels."""

    def __init__(self, quasi: Sequence[QuasiIdentifier]) -> None:
        self._quasi = quasi
        self._known: dict[tuple[int, ...], tuple[CodedTuples, Int32s, RollUps]] = {}
        self._lock = Lock()

    def at(self, lowest: Sequence[int]) -> tuple[CodedTuples, Int32s, RollUps]:
        """The tuples at these levels, the tuple of every record, and classes to roll up."""
        key = tuple(lowest)
        with self._lock:
            if key not in self._known:
                coded, tuple_of = CodedTuples.of(self._quasi, key)
                self._known[key] = coded, tuple_of, RollUps(len(key))
            return self._known[key]


def shared_counts(task: Task, context: RunContext) -> SharedCounts:
    """The counts that all runs with this context share on the records of a task."""
    found: SharedCounts = context.shared.setdefault(task.quasi, SharedCounts(task.quasi))
    return found
