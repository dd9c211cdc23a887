"""Distributions of attributes and of pairs of attributes, original against release.

  distance      total variation: ½ Σ |p − q| over the groups, from 0 (the same) to 1 (nothing in
                common); the largest difference that any set of groups can show
  association   Cramér's V of a pair: √(χ² / (n · (min(r, c) − 1))), 0 independent, 1 determined

The joint distribution of a release spreads a record over all pairs of groups that its two cells
cover: equal shares in either attribute, independently. So generalisation weakens associations
within a cell, and that is what the figures show.

Cost: O(records) per attribute, O(records + cells · groups²) per pair.

References: Levin, Peres, Wilmer, Markov Chains and Mixing Times, 2009, 4.1 (total variation);
Cramér, Mathematical Methods of Statistics, 1946, 21.9.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from kanon_tui.core.analysis.utility.spread import Spread
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


def marginals(spreads: Sequence[tuple[Spread, Spread]]) -> list[Marginal]:
    """Every attribute, in the given order."""
    found = []
    for original, release in spreads:
        p, q = original.distribution, release.distribution
        found.append(
            Marginal(
                original.axis.name,
                original.axis.labels,
                tuple(p.tolist()),
                tuple(q.tolist()),
                total_variation(p, q),
            )
        )
    return found


def pairs(spreads: Sequence[tuple[Spread, Spread]]) -> list[Pair]:
    """Every pair of attributes, the one that changed most first."""
    found = []
    for one, other in combinations(spreads, 2):
        original, release = _joint(one[0], other[0]), _joint(one[1], other[1])
        found.append(
            Pair(
                one[0].axis.name,
                other[0].axis.name,
                total_variation(original, release),
                _cramers_v(original, len(one[0].codes)),
                _cramers_v(release, len(one[1].codes)),
            )
        )
    return sorted(found, key=lambda pair: (-pair.distance, pair.first, pair.second))


def _joint(one: Spread, other: Spread) -> Floats:
    """Groups × groups: the shares of the records."""
    from scipy.sparse import csr_matrix

    records = len(one.codes)
    counts = csr_matrix(
        (np.ones(records), (one.codes, other.codes)), (len(one.shares), len(other.shares))
    )
    return np.asarray(one.shares.T @ (counts @ other.shares) / max(records, 1), dtype=np.float64)


def _cramers_v(joint: Floats, records: int) -> float:
    rows, columns = joint.sum(axis=1), joint.sum(axis=0)
    joint = joint[rows > 1e-12][:, columns > 1e-12]
    least = min(joint.shape) - 1
    if least < 1 or not records:
        return 0.0
    expected = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    return float(min(1.0, np.sqrt(((joint - expected) ** 2 / expected).sum() / least)))
