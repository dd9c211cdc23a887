"""Statements about curves: what a claim of a document has to be true of."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

Curves = Sequence[Mapping[int, float]]
"""Curves over the same points, the one that the claim is about first."""

CLOSE = 0.1
"""Share by which figures differ that a document calls very close."""
CHEAP = 0.2
"""Share that limits may cost: CKA says "not to a significant extent" and prints no figure."""
EVEN = 4 / 3
"""Largest ratio between the steepest and the flattest part of a curve that is called linear."""


def lowest(curves: Curves) -> bool:
    """Return whether the first curve is below all others at every point."""
    first, *others = curves
    return all(first[point] < other[point] for other in others for point in first)


def below_last(curves: Curves) -> bool:
    """Return whether every curve is below the last at every point."""
    *others, last = curves
    return all(other[point] < last[point] for other in others for point in last)


def most(curves: Curves) -> bool:
    """Return whether the first curve is above all others at every point."""
    first, *others = curves
    return all(first[point] > other[point] for other in others for point in first)


def close(curves: Curves) -> bool:
    """Return whether the second curve is within a tenth of the first at every point."""
    first, second = curves
    return all(abs(second[point] - first[point]) < CLOSE * first[point] for point in first)


def cheap(curves: Curves) -> bool:
    """Return whether the first curve is less than a fifth above the second at every point."""
    first, second = curves
    return all(first[point] < (1 + CHEAP) * second[point] for point in first)


def above_until_8(curves: Curves) -> bool:
    """Return whether the first curve is above the second below k = 8, and nowhere else."""
    first, second = curves
    return all((first[point] > second[point]) == (point < 8) for point in first)


def rising(curves: Curves) -> bool:
    """Return whether no curve ever falls."""
    return all(low <= high for curve in curves for low, high in pairwise(list(curve.values())))


def falling_from_10_to_20(curves: Curves) -> bool:
    """Return whether the first curve is lower at 20 than at 10."""
    first = curves[0]
    return first[20] < first[10]


def zero(curves: Curves) -> bool:
    """Return whether every curve is 0 everywhere."""
    return not any(figure for curve in curves for figure in curve.values())


def linear(curves: Curves) -> bool:
    """Return whether no two parts of a curve are more than a third apart in steepness."""
    return all(_is_linear(list(curve.items())) for curve in curves)


def _is_linear(points: Sequence[tuple[int, float]]) -> bool:
    slopes = [(after[1] - before[1]) / (after[0] - before[0]) for before, after in pairwise(points)]
    return 0 < max(slopes) <= EVEN * min(slopes)


@dataclass(frozen=True)
class Relation:
    """A statement about curves, and whether a table of a user can be asked for it."""

    is_true: Callable[[Curves], bool]
    of_points: tuple[int, ...] = ()
    """Points that it speaks of: they must be among those of the curves."""


RELATIONS = {
    "lowest": Relation(lowest),
    "below last": Relation(below_last),
    "most": Relation(most),
    "close": Relation(close),
    "cheap": Relation(cheap),
    "above until 8": Relation(above_until_8, (8,)),
    "rising": Relation(rising),
    "falling from 10 to 20": Relation(falling_from_10_to_20, (10, 20)),
    "zero": Relation(zero),
    "linear": Relation(linear),
}
"""By the word that an entry writes."""
