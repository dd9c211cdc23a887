"""What steps tell of clusters that grow or merge, for those who draw them.

See `pictures.clustering_state` for the facts that every clustering tells.
"""

from __future__ import annotations

from dataclasses import dataclass

from kanon_tui.core.numeric import Int64s

__all__ = ["MOST_FOLLOWED", "SUPPRESSED", "UNPLACED", "Away", "Distances", "Merge"]

UNPLACED, SUPPRESSED = -1, -2
"""Groups of a record that has none yet, and of one that is not published."""
MOST_FOLLOWED = 100_000
"""Records of the largest table of which steps at full speed tell who is together."""


@dataclass(frozen=True, eq=False)
class Merge:
    """One cluster joins another, whose number stays."""

    small: int
    other: int
    small_rows: Int64s
    other_rows: Int64s
    score: float
    """What the merge was chosen by."""


@dataclass(frozen=True)
class Away:
    """How far something is from a record or cluster, attribute by attribute."""

    what: str
    record: int | None
    """The record, from 0, where it is one."""
    parts: tuple[float, ...]
    total: float
    chosen: bool = False


@dataclass(frozen=True)
class Distances:
    """The nearest (or furthest) few of a decision: the fact `distances`."""

    origin: str
    """What distances are measured from: `record 4`, `the centre of cluster 2`."""
    names: tuple[str, ...]
    """The attributes, in the order of the parts."""
    sum_name: str
    """What their sum is: distance, or loss added."""
    rows: tuple[Away, ...]
