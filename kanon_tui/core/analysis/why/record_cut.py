"""One way to cut the class of a record in two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kanon_tui.core.privacy.column_requirement import ColumnRequirement
from kanon_tui.core.text import count_of

__all__ = ["Cut", "forbidden_cuts"]


@dataclass(frozen=True)
class Cut:
    """The class of a record in two parts."""

    own: int
    """Records on the side of the record in question."""
    rest: int
    text: str
    """Where: `39 | 52`, or `Midwest | South, West`."""
    figures: tuple[float, ...] = ()
    """Per requirement the figure of the side that is worse."""
    lacks: tuple[ColumnRequirement, ...] = ()
    """What a side misses of the requirements."""
    lacking: int = 0
    """Records on sides that miss something."""

    @property
    def largest_k(self) -> int:
        """The largest k that both sides can hold."""
        return min(self.own, self.rest)

    @property
    def leaves(self) -> str:
        """What it leaves on either side, as a clause."""
        return f"a cut at {self.text} leaves {self.own:,} and {count_of(self.rest, 'record')}"


def forbidden_cuts(
    cuts: Sequence[Cut], requirements: Sequence[ColumnRequirement], k: int
) -> list[tuple[ColumnRequirement | None, Cut]]:
    """Cuts that k would allow, where what is required allows none.

    Per requirement the cut for which it would have to give way least, if it is the only one
    that is missed there; else the cut with fewest records on sides that miss something.
    """
    large = [cut for cut in cuts if cut.largest_k >= k]
    if not large or not all(cut.lacks for cut in large):
        return []
    found: list[tuple[ColumnRequirement | None, Cut]] = []
    for r, requirement in enumerate(requirements):
        sign = 1 if requirement.model.at_least else -1
        alone = [(sign * cut.figures[r], cut) for cut in large if cut.lacks == (requirement,)]
        if alone:
            nearest = max(alone, key=lambda one: (one[0], one[1].largest_k))
            found.append((requirement, nearest[1]))
    return found or [(None, min(large, key=lambda cut: (cut.lacking, -cut.largest_k)))]
