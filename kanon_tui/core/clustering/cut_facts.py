"""What a step tells of a cut, for those who draw it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Cut"]


@dataclass(frozen=True)
class Cut:
    """A group is divided in two along one attribute."""

    group: int
    """The group that is cut; its lower side keeps the number."""
    upper: int
    """The number of the new group, the upper side."""
    attribute: int
    below: str
    """The largest value of the lower side."""
    above: str
    """The smallest value of the upper side."""
    left: int
    right: int
    widths: tuple[float, ...] = ()
    """Per attribute how wide the group was."""
    box: tuple[tuple[str, str], ...] = ()
    """Per attribute the smallest and the largest value that the group had."""
    sides: tuple[str, str] = ("", "")
    """What the sides are called where no line parts them."""
