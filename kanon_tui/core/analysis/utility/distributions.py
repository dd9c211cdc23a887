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

Count a table for the comparison of original and release, in one pass over its records.

Attributes are compared in a few groups of values, made from the original alone. Every group has at
least `least` of its records, so that a figure about it is never one about a few people; what is
rarer is joined with its neighbours (numbers and dates) or becomes `others` (categories). Ends of
groups of numbers are round, not values of somebody.

Records come some at a time (`Table.coded_blocks`): all at once from a table in memory, piece by
piece from one that is in its files. What is kept of them does not grow with their number.

  cells     per attribute how many records have each cell
  joints    per pair of attributes the shares of the records in all pairs of groups; a record is
            spread over those that its two cells cover, independently
  weights   per number and grouping how much of the records with each cell is in every group

Cost: O(records) per attribute, pair, and number by grouping.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from kanon_tui.core.analysis.published_cells import ReadCells, ValueGroups
from kanon_tui.core.numeric import Floats, Int32s, Int64s
from kanon_tui.core.optional import require
from kanon_tui.core.table.column import Column, Kind
from kanon_tui.core.table.table import Table

MOST_GROUPS = 12
MISSING = "missing"
_DAYS_OF_A_YEAR = 365
_FEW_GROUPS = 4


def groups_of(column: Column, least: int) -> ValueGroups:
    """Return groups of at least `least` records each, wherever the column has as many."""
    labels_and_groups = (
        _ordered(column, least) if column.numbers is not None else _categories(column, least)
    )
    labels, groups = labels_and_groups
    if column.missing is not None:
        labels = (*labels, MISSING)
        groups[column.missing] = len(labels) - 1
    return ValueGroups(column, labels, groups)


def _categories(column: Column, least: int) -> tuple[tuple[str, ...], Int64s]:
    counts = column.counts
    present = [code for code in range(len(column.values)) if code != column.missing]
    by_size = sorted(present, key=lambda code: (-int(counts[code]), code))
    named = [code for code in by_size if counts[code] >= least][:MOST_GROUPS]
    if len(named) == MOST_GROUPS and len(present) > MOST_GROUPS:
        named.pop()
    unnamed = [code for code in by_size if code not in set(named)]
    while unnamed and named and sum(int(counts[code]) for code in unnamed) < least:
        unnamed.insert(0, named.pop())
    groups = np.full(len(column.values), len(named), dtype=np.int64)
    named.sort()
    groups[named] = np.arange(len(named))
    labels = tuple(column.values[code] for code in named)
    return (*labels, *((f"{len(unnamed):,} others",) if unnamed else ())), groups


def _ordered(column: Column, least: int) -> tuple[tuple[str, ...], Int64s]:
    groups = np.zeros(len(column.values), dtype=np.int64)
    present = ~np.isnan(column.value_numbers)
    numbers = column.value_numbers[present]
    if not len(numbers):
        return (), groups
    counts = np.asarray(column.counts)[present]
    line, place = np.unique(numbers, return_inverse=True)
    records_per_number = np.bincount(place, weights=counts).astype(np.float64)
    if (
        len(line) <= MOST_GROUPS
        and records_per_number.min() >= least
        and column.kind is Kind.NUMERIC
    ):
        groups[present] = place
        return tuple(f"{number:.10g}" for number in line), groups
    starts = _joined(_round_starts(column, line), line, records_per_number, least)
    if len(starts) < _FEW_GROUPS and column.kind is Kind.NUMERIC:  # most are in one: incomes
        starts = _joined(
            _round_quantiles(line, records_per_number), line, records_per_number, least
        )
    groups[present] = np.searchsorted(starts, numbers, "right") - 1
    return _range_labels(column, starts), groups


def _round_starts(column: Column, line: Floats) -> Floats:
    """Return the starts of groups of equal width, at round numbers, years or months."""
    low = float(line[0])
    high = float(line[-1])
    if column.kind is Kind.DATE:
        unit = "Y" if high - low > 2 * _DAYS_OF_A_YEAR else "M"
        first, last = np.array([low, high]).astype("datetime64[D]").astype(f"datetime64[{unit}]")
        step = max(1, math.ceil((int(last.astype(int)) - int(first.astype(int)) + 1) / MOST_GROUPS))
        begin = int(first.astype(int)) // step * step
        starts = np.arange(begin, int(last.astype(int)) + 1, step)
        return np.asarray(starts.astype(f"datetime64[{unit}]").astype("datetime64[D]"), np.float64)
    rough = max(high - low, 1e-12) / MOST_GROUPS
    power = 10.0 ** math.floor(math.log10(rough))
    step_width = next(power * f for f in (1, 2, 5, 10) if power * f >= rough * (1 - 1e-9))
    if (line == np.round(line)).all():
        step_width = max(step_width, 1.0)
    begin_at = math.floor(low / step_width)
    count = math.floor(high / step_width) - begin_at + 1
    return np.array([float(f"{(begin_at + i) * step_width:.12g}") for i in range(count)])


def _round_quantiles(line: Floats, records_per_number: Floats) -> Floats:
    """Return the starts of groups of about as many records, rounded to two digits."""
    reached = records_per_number.cumsum() / records_per_number.sum()
    shares = np.arange(1, MOST_GROUPS - 1) / (MOST_GROUPS - 1)
    quantiles = line[np.searchsorted(reached, shares, "right").clip(max=len(line) - 1)]
    return np.unique([float(line[0]), *(float(f"{number:.2g}") for number in quantiles)])


def _joined(starts: Floats, line: Floats, records_per_number: Floats, least: int) -> Floats:
    """Return the starts without those that leave a group of fewer than `least` records."""
    group_of = np.maximum(np.searchsorted(starts, line, "right") - 1, 0)
    inside = np.bincount(group_of, weights=records_per_number, minlength=len(starts))
    kept_groups = [0]
    size = 0.0
    for group, records in enumerate(inside):
        if group and size >= least:
            kept_groups.append(group)
            size = 0.0
        size += records
    if size < least and len(kept_groups) > 1:
        kept_groups.pop()
    return np.concatenate([[-np.inf], starts[kept_groups[1:]]])


def _range_labels(column: Column, starts: Floats) -> tuple[str, ...]:
    if len(starts) == 1:
        return ("all",)
    ends = [_end(column, start) for start in starts[1:]]
    between = [f"{a} to below {b}" for a, b in pairwise(ends)]
    return (f"below {ends[0]}", *between, f"{ends[-1]} or more")


def _end(column: Column, number: float) -> str:
    if column.kind is not Kind.DATE:
        return f"{number:,.10g}" if abs(number) >= 10_000 else f"{number:.10g}"
    day = str(np.datetime64(int(number), "D"))
    return day[:4] if day.endswith("-01-01") else day[:7]


@dataclass(frozen=True, eq=False)
class Spread:
    """One attribute of one table in its groups of values."""

    groups: ValueGroups
    column: Column
    """Its cells, as the table has them."""
    shares: Floats
    """Cells × groups: how a record with this cell counts; every row adds up to 1."""
    means: Floats | None
    """Numbers: per cell the mean of the values it covers; nan where it is missing."""


def spreads(groups: ValueGroups, printed: Column, cells: ReadCells) -> tuple[Spread, Spread]:
    """Return an attribute as the original has it, and as a release prints it.

    A published number that does not occur in the original (a mean) counts as the nearest that does.
    """
    covered = groups.covered(cells, nearest=True)
    lost = covered.sum(axis=1) == 0
    covered[lost] = np.bincount(groups.group_of_value, minlength=len(groups.labels))
    shares = covered / covered.sum(axis=1, keepdims=True)
    return (
        Spread(groups, groups.column, groups.of_values, groups.column.numbers),
        Spread(groups, printed, shares, _means(cells) if groups.ordered else None),
    )


def _means(cells: ReadCells) -> Floats:
    """Return per cell the mean of the numbers of the original that it covers."""
    line = cells.attribute.line
    first, behind = cells.places()
    sums = np.concatenate([[0.0], line.cumsum()])
    covered = np.maximum(behind - first, 0)
    means = np.where(covered, (sums[behind] - sums[first]) / np.maximum(covered, 1), cells.low)
    return np.where(cells.missing | (len(line) == 0), np.nan, means)


@dataclass(frozen=True, eq=False)
class Tally:
    """One table in numbers; attributes by their places among the spreads."""

    spreads: Sequence[Spread]
    records: int
    cells: Sequence[Int64s]
    joints: Mapping[tuple[int, int], Floats]
    weights: Mapping[tuple[int, int], Floats]

    def distribution(self, x: int) -> Floats:
        """Return the share of the records in every group of an attribute."""
        return np.asarray(self.cells[x] @ self.spreads[x].shares / max(self.records, 1))


def tally(table: Table, spreads: Sequence[Spread], numbers: Sequence[tuple[int, int]]) -> Tally:
    """Count all attributes and pairs; `numbers` are places of a number and of its grouping."""
    records = 0
    cells = [np.zeros(len(spread.shares), dtype=np.int64) for spread in spreads]
    groups = [spread.shares.shape[1] for spread in spreads]
    pairs = list(combinations(range(len(spreads)), 2))
    joints = {(x, y): np.zeros((groups[x], groups[y])) for x, y in pairs}
    weights = {(x, by): np.zeros((len(spreads[x].shares), groups[by])) for x, by in numbers}
    for block in table.coded_blocks([spread.column for spread in spreads]):
        records += len(block[0])
        for counted, codes in zip(cells, block, strict=True):
            counted += np.bincount(codes, minlength=len(counted))
        shared = [spread.shares for spread in spreads]
        for x, y in pairs:
            records_by_group = _spread_over(block[x], block[y], len(shared[x]), shared[y])
            joints[x, y] += shared[x].T @ records_by_group
        for x, by in numbers:
            weights[x, by] += _spread_over(block[x], block[by], len(shared[x]), shared[by])
    shares = {pair: joint / max(records, 1) for pair, joint in joints.items()}
    return Tally(spreads, records, cells, shares, weights)


def _spread_over(codes: Int32s, other_codes: Int32s, cells: int, shares: Floats) -> Floats:
    """Return cells of one attribute × groups of another: the records there, by their codes."""
    sparse = require("scipy.sparse", "comparing distributions")
    counts = sparse.csr_matrix((np.ones(len(codes)), (codes, other_codes)), (cells, len(shares)))
    return np.asarray(counts @ shares, dtype=np.float64)


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
    """Return ½ Σ |p − q| of two distributions, arrays of equal shape that sum to 1."""
    return float(np.abs(first - second).sum() / 2)


def marginals(original: Tally, release: Tally) -> list[Marginal]:
    """Return the marginals of all attributes, in the given order."""
    attribute_marginals = []
    for x, spread in enumerate(original.spreads):
        p = original.distribution(x)
        q = release.distribution(x)
        attribute_marginals.append(
            Marginal(
                spread.groups.name,
                spread.groups.labels,
                tuple(p.tolist()),
                tuple(q.tolist()),
                total_variation(p, q),
            )
        )
    return attribute_marginals


def pairs(original: Tally, release: Tally) -> list[Pair]:
    """Return the pairs of attributes, the one that changed most first."""
    compared_pairs = []
    for (x, y), before in original.joints.items():
        after = release.joints[x, y]
        compared_pairs.append(
            Pair(
                original.spreads[x].groups.name,
                original.spreads[y].groups.name,
                total_variation(before, after),
                _cramers_v(before, original.records),
                _cramers_v(after, release.records),
            )
        )
    return sorted(compared_pairs, key=lambda pair: (-pair.distance, pair.first, pair.second))


def _cramers_v(joint: Floats, records: int) -> float:
    rows = joint.sum(axis=1)
    columns = joint.sum(axis=0)
    joint = joint[rows > 1e-12][:, columns > 1e-12]
    least = min(joint.shape) - 1
    if least < 1 or not records:
        return 0.0
    expected = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    return float(min(1.0, np.sqrt(((joint - expected) ** 2 / expected).sum() / least)))


_NORMAL = 1.959963984540054
"""The quantile of the normal distribution for intervals of 95 %."""


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
    means = []
    for x, by in original.weights:
        groups = original.spreads[by].groups
        for group, label in enumerate(groups.labels):
            if label == MISSING:
                continue
            both = [_summary(table_tally, x, by, group) for table_tally in (original, release)]
            if both[0] is not None and both[1] is not None:
                names = (original.spreads[x].groups.name, groups.name, label)
                means.append(GroupMean(*names, both[0], both[1]))
    return means


def is_measure(spread: Spread) -> bool:
    """Return whether the attribute has numbers to take the mean of."""
    return spread.means is not None and spread.groups.column.kind is Kind.NUMERIC


def _summary(tally: Tally, x: int, by: int, group: int) -> Summary | None:
    """Return the summary of a number in a group, from its cells; None where the group is empty."""
    numbers = tally.spreads[x].means
    weights = tally.weights[x, by][:, group]
    assert numbers is not None
    counted = ~np.isnan(numbers) & (weights > 0)
    numbers = numbers[counted]
    weights = weights[counted]
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
    """Return the number with half of the weight on either side; the mean of two at exactly half.

    `numbers` and `weights` have the same shape (n,).
    """
    order = np.argsort(numbers, kind="stable")
    reached = weights[order].cumsum()
    half = reached[-1] / 2
    place = int(np.searchsorted(reached, half * (1 - 1e-12)))
    if abs(reached[place] - half) <= half * 1e-12 and place + 1 < len(order):
        return float((numbers[order[place]] + numbers[order[place + 1]]) / 2)
    return float(numbers[order[place]])
