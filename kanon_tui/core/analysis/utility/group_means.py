"""Means, medians and confidence intervals per group, as a statistical report would print them.

  mean       Σ w·y / Σ w over the records of a group, where a record that may be in several groups
             counts with its share w in each, and a generalised number with the mean of the values
             of the original that it covers
  interval   mean ± 1.96 · s / √n, where n = Σ w is the expected number of records in the group
  overlap    ½ · (common / length of the original's + common / length of the release's) of the two
             intervals: 1 where they are the same, below 0 where they are apart

Reference: Karr, Kohnen, Oganian, Reiter, Sanil, A Framework for Evaluating the Utility of Data
Altered to Protect Confidentiality, The American Statistician 60(3), 2006 (overlap of intervals).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_tui.core.analysis.utility.axis import MISSING
from kanon_tui.core.analysis.utility.spread import Spread
from kanon_tui.core.analysis.utility.tally import Tally
from kanon_tui.core.numeric import Floats
from kanon_tui.core.table.schema import Kind

__all__ = ["GroupMean", "Summary", "group_means", "interval_overlap"]

_NORMAL = 1.959963984540054
"""Of 95 %."""


@dataclass(frozen=True)
class Summary:
    """What one table says of one group."""

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
        """How much the two confidence intervals have in common."""
        return interval_overlap(self.original, self.release)


def interval_overlap(first: Summary, second: Summary) -> float:
    """Karr's overlap of two confidence intervals."""
    common = min(first.high, second.high) - max(first.low, second.low)
    lengths = (first.high - first.low, second.high - second.low)
    if min(lengths) <= 0:
        return 1.0 if first.mean == second.mean else 0.0
    return float(sum(common / length for length in lengths) / 2)


def group_means(original: Tally, release: Tally) -> list[GroupMean]:
    """Every number by every grouping; groups that either table has nobody of are left out."""
    found = []
    for x, by in original.weights:
        axis = original.spreads[by].axis
        for group, label in enumerate(axis.labels):
            if label == MISSING:
                continue
            both = [_summary(each, x, by, group) for each in (original, release)]
            if both[0] is not None and both[1] is not None:
                names = (original.spreads[x].axis.name, axis.name, label)
                found.append(GroupMean(*names, both[0], both[1]))
    return found


def is_measure(spread: Spread) -> bool:
    """Whether the attribute has numbers to take the mean of."""
    return spread.means is not None and spread.axis.column.kind is Kind.NUMERIC


def _summary(tally: Tally, x: int, by: int, group: int) -> Summary | None:
    """By cells: the records with one cell of a number are alike in it."""
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
    """Half of the weight on either side; between two numbers where it is exactly half."""
    order = np.argsort(numbers, kind="stable")
    reached = weights[order].cumsum()
    half = reached[-1] / 2
    place = int(np.searchsorted(reached, half * (1 - 1e-12)))
    if abs(reached[place] - half) <= half * 1e-12 and place + 1 < len(order):
        return float((numbers[order[place]] + numbers[order[place + 1]]) / 2)
    return float(numbers[order[place]])
