"""The moves of `local`, with which `hybrid` and `distributed` begin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["HALF_WAY", "PointerState", "Pointers"]

HALF_WAY = "half-way in what is left of every attribute"
"""Why the pointers stand where they stand."""


@dataclass(frozen=True)
class PointerState:
    """Per attribute between which levels its pointer still moves, and where it stands."""

    specific: tuple[int, ...]
    """The most specific level that is left."""
    middle: tuple[int, ...]
    general: tuple[int, ...]
    """The most general level that is left."""


class Pointers:
    """Per attribute a binary search on its levels, general to specific, all moving together."""

    def __init__(self, lowest: Sequence[int], heights: Sequence[int]) -> None:
        self._heights = heights
        self._low = [0] * len(heights)
        self._high = [top - low + 1 for low, top in zip(lowest, heights, strict=True)]
        self._mid = self._between()

    @property
    def levels(self) -> tuple[int, ...]:
        """The string the pointers stand at."""
        return tuple(top - mid for top, mid in zip(self._heights, self._mid, strict=True))

    @property
    def state(self) -> PointerState:
        """What is left for every attribute."""
        limits = zip(self._heights, self._low, self._high, strict=True)
        pairs = [(top - max(high - 1, low), top - low) for top, low, high in limits]
        specific, general = zip(*pairs, strict=True)
        return PointerState(specific, self.levels, general)

    def move(self, passed: bool) -> bool:
        """Move on from a string that passed or failed; False when no pointer moves."""
        if passed:
            self._low = self._mid
        else:
            self._high = self._mid
        before, self._mid = self._mid, self._between()
        return before != self._mid

    def _between(self) -> list[int]:
        return [(low + high) // 2 for low, high in zip(self._low, self._high, strict=True)]
