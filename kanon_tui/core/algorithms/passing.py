"""Every passing string of a list, and what one failing record says of all the strings."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kanon_tui.core.frequency import Frequency, Outcome
from kanon_tui.core.strings import StringList, StringSpace

__all__ = ["Follower", "Settled", "find_passing"]

Words = npt.NDArray[np.uint64]

_MOST_FOLLOWED = 1_000_000  # strings: following a record looks at all of them


class Follower:
    """Follows a record of a failing class through all strings at once.

    When nothing may be suppressed, one record in too small a class is enough for a string to fail.
    The size of one record's class at *every* string costs little more than the classes of all
    records at one, so that each failing test also drops the strings where the same record fails.
    """

    def __init__(
        self, frequency: Frequency, space: StringSpace, attributes: Sequence[int] | None = None
    ) -> None:
        self._frequency = frequency
        self._levels, self._places = space.grid(attributes)
        self._lowest = np.array(
            [
                low if size > 1 else top
                for low, top, size in zip(
                    space.lowest, space.heights, self._levels.tolist(), strict=True
                )
            ],
            dtype=np.int64,
        )
        count = float(self._levels.astype(np.float64).prod())
        self.useful = frequency.allowed == 0 and count <= _MOST_FOLLOWED

    def drop(self, strings: StringList, outcome: Outcome) -> int:
        """Drop the strings in which a record of the smallest class fails as well."""
        if not self.useful or not len(strings) or outcome.member is None:
            return 0
        sizes = self._frequency.class_everywhere(outcome.member, self._lowest, self._levels)
        return strings.drop_lonely(sizes, self._places, self._frequency.k)


@dataclass(frozen=True)
class Settled:
    """A test, and how many other strings it settled."""

    levels: tuple[int, ...]
    outcome: Outcome
    others: int


def find_passing(
    frequency: Frequency, strings: StringList, attributes: Sequence[int]
) -> Generator[Settled, None, Words]:
    """Settle every string of a list over some attributes; gives the codes of those that pass.

    Above a passing string everything passes, below a failing one everything fails; test the
    midpoint of what is still unknown.
    """
    follower = Follower(frequency, strings.space, attributes)
    passing = [np.empty((0, strings.space.words), dtype=np.uint64)]
    while len(strings):
        before = len(strings)
        code = strings.midpoint()
        levels = strings.space.levels(code)
        outcome = frequency.test(levels, to_the_end=follower.useful)
        if outcome.passes:
            passing.append(strings.take_general(code))
        else:
            strings.drop_specific(code)
            follower.drop(strings, outcome)
        yield Settled(levels, outcome, before - len(strings) - 1)
    return np.concatenate(passing)
