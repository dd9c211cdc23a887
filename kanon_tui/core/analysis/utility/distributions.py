"""Distributions of attributes and of pairs of attributes, original against release.

  distance      total variation: ½ Σ |p − q| over the groups, from 0 (the same) to 1 (nothing in
                common); the largest difference that any set of groups can show
  association   Cramér's V of a pair: √(χ² / (n · (min(r, c) − 1))), 0 independent, 1 determined

The joint distribution of a release spreads a record over all pairs of groups that its two cells
cover: equal shares in either attribute, independently. So generalisation weakens associations
within a cell, and that is what the figures show.

References: Levin, Peres, Wilmer, Markov Chains and Mixing Times, 2009, 4.1 (total variation);
Cramér, Mathematical Methods of Statistics, 1946, 21.9.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_tui.core.analysis.utility.tally import Tally
from kanon_tui.core.numeric import Floats

__all__ = ["Marginal", "Pair", "marginals", "pairs", "total_variation"]


@dataclass(frozen=True)
class Marginal:
    """The distribution of one attribute in both tables."""

    attribute: str
    labels: tuple[str, ...]
    original: tuple[float, ...]
    release: tuple[float, ...]
    distance: float


@dataclass(frozen=True)
class Pair:
    """Two attributes together."""

    first: str
    second: str
    distance: float
    original_association: float
    release_association: float

    @property
    def association_change(self) -> float:
        """What the release adds to the association; less than 0 where it is weaker."""
        return self.release_association - self.original_association


def total_variation(first: Floats, second: Floats) -> float:
    """½ Σ |p − q|."""
    return float(np.abs(first - second).sum() / 2)


def marginals(original: Tally, release: Tally) -> list[Marginal]:
    """Every attribute, in the given order."""
    found = []
    for x, spread in enumerate(original.spreads):
        p, q = original.distribution(x), release.distribution(x)
        found.append(
            Marginal(
                spread.axis.name,
                spread.axis.labels,
                tuple(p.tolist()),
                tuple(q.tolist()),
                total_variation(p, q),
            )
        )
    return found


def pairs(original: Tally, release: Tally) -> list[Pair]:
    """Every pair of attributes, the one that changed most first."""
    found = []
    for (x, y), before in original.joints.items():
        after = release.joints[x, y]
        found.append(
            Pair(
                original.spreads[x].axis.name,
                original.spreads[y].axis.name,
                total_variation(before, after),
                _cramers_v(before, original.records),
                _cramers_v(after, release.records),
            )
        )
    return sorted(found, key=lambda pair: (-pair.distance, pair.first, pair.second))


def _cramers_v(joint: Floats, records: int) -> float:
    rows, columns = joint.sum(axis=1), joint.sum(axis=0)
    joint = joint[rows > 1e-12][:, columns > 1e-12]
    least = min(joint.shape) - 1
    if least < 1 or not records:
        return 0.0
    expected = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    return float(min(1.0, np.sqrt(((joint - expected) ** 2 / expected).sum() / least)))
