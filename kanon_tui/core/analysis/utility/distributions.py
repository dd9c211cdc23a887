"""Compare distributions, pairs of attributes and means of groups, original against release.

  distance      total variation: ½ Σ |p − q| over the groups, from 0 (the same) to 1 (nothing in
                common); the largest difference that any set of groups can show
  association   Cramér's V of a pair: √(χ² / (n · (min(r, c) − 1))), 0 independent, 1 determined
  mean          Σ w·y / Σ w over the records of a group, where a record that may be in several
                groups counts with its share w in each, and a generalised number with the mean of
                the values of the original that it covers
  interval      mean ± 1.96 · s / √n, where n = Σ w is the expected number of records in the group
  overlap       ½ · (common / length of the original's + common / length of the release's) of the
                two intervals: 1 where they are the same, below 0 where they are apart

The joint distribution of a release spreads a record over all pairs of groups that its two cells
cover: equal shares in either attribute, independently. So generalisation weakens associations
within a cell, and that is what the figures show.

References: Levin, Peres, Wilmer, Markov Chains and Mixing Times, 2009, 4.1 (total variation);
Cramér, Mathematical Methods of Statistics, 1946, 21.9; Karr, Kohnen, Oganian, Reiter, Sanil, A
Framework for Evaluating the Utility of Data Altered to Protect Confidentiality, The American
Statistician 60(3), 2006 (overlap of intervals).
"""

from dataclasses import dataclass

import numpy as np

from kanon_tui.core.analysis.utility.tally import MISSING, Spread, Tally
from kanon_tui.core.numeric import Floats
from kanon_tui.core.table.schema import Kind


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


def total_variation(first: Floats, second: Floats) -> float:
    """Return ½ Σ |p − q|."""
    return float(np.abs(first - second).sum() / 2)


def marginals(original: Tally, release: Tally) -> list[Marginal]:
    """Return the marginals of all attributes, in the given order."""
    found = []
    for x, spread in enumerate(original.spreads):
        p, q = original.distribution(x), release.distribution(x)
        found.append(
            Marginal(
                spread.groups.name,
                spread.groups.labels,
                tuple(p.tolist()),
                tuple(q.tolist()),
                total_variation(p, q),
            )
        )
    return found


def pairs(original: Tally, release: Tally) -> list[Pair]:
    """Return the pairs of attributes, the one that changed most first."""
    found = []
    for (x, y), before in original.joints.items():
        after = release.joints[x, y]
        found.append(
            Pair(
                original.spreads[x].groups.name,
                original.spreads[y].groups.name,
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


_NORMAL = 1.959963984540054
"""Of 95 %."""


@dataclass(frozen=True)
class Summary:
    """The mean, median and interval of a number in one group of one table."""

    records: float
    mean: float
    median: float
    low: float
    """Where the 95 % confidence interval of the mean begins."""
    high: float


@dataclass(frozen=True)
class GroupMean:
    """A number in one group of records, in both tables."""

    measure: str
    by: str
    group: str
    original: Summary
    release: Summary

    @property
    def overlap(self) -> float:
        """The overlap of the two confidence intervals."""
        return interval_overlap(self.original, self.release)


def interval_overlap(first: Summary, second: Summary) -> float:
    """Return Karr's overlap of two confidence intervals."""
    common = min(first.high, second.high) - max(first.low, second.low)
    lengths = (first.high - first.low, second.high - second.low)
    if min(lengths) <= 0:
        return 1.0 if first.mean == second.mean else 0.0
    return float(sum(common / length for length in lengths) / 2)


def group_means(original: Tally, release: Tally) -> list[GroupMean]:
    """Return the mean of every number by every grouping.

    Groups that either table has nobody of are left out.
    """
    found = []
    for x, by in original.weights:
        groups = original.spreads[by].groups
        for group, label in enumerate(groups.labels):
            if label == MISSING:
                continue
            both = [_summary(each, x, by, group) for each in (original, release)]
            if both[0] is not None and both[1] is not None:
                names = (original.spreads[x].groups.name, groups.name, label)
                found.append(GroupMean(*names, both[0], both[1]))
    return found


def is_measure(spread: Spread) -> bool:
    """Return whether the attribute has numbers to take the mean of."""
    return spread.means is not None and spread.groups.column.kind is Kind.NUMERIC


def _summary(tally: Tally, x: int, by: int, group: int) -> Summary | None:
    """Return the summary of a number in a group, from its cells; None where the group is empty."""
    numbers, weights = tally.spreads[x].means, tally.weights[x, by][:, group]
    assert numbers is not None
    known = ~np.isnan(numbers) & (weights > 0)
    numbers, weights = numbers[known], weights[known]
    total = weights.sum()
    if total <= 0:
        return None
    mean = float(numbers @ weights / total)
    variance = float(weights @ (numbers - mean) ** 2 / total)
    if total > 1:
        variance *= total / (total - 1)
    half = _NORMAL * np.sqrt(variance / total)
    return Summary(
        float(total), mean, _median(numbers, weights), float(mean - half), float(mean + half)
    )


def _median(numbers: Floats, weights: Floats) -> float:
    """Return the number with half of the weight on either side; the mean of two at exactly half."""
    order = np.argsort(numbers, kind="stable")
    reached = weights[order].cumsum()
    half = reached[-1] / 2
    place = int(np.searchsorted(reached, half * (1 - 1e-12)))
    if abs(reached[place] - half) <= half * 1e-12 and place + 1 < len(order):
        return float((numbers[order[place]] + numbers[order[place + 1]]) / 2)
    return float(numbers[order[place]])
