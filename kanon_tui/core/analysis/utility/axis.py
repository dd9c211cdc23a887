"""An attribute in a few groups of values, in which two tables are compared.

Groups are made from the original alone. Every group has at least `least` of its records, so that
a figure about it is never one about a few people; what is rarer is joined with its neighbours
(numbers and dates) or becomes `others` (categories). Ends of groups of numbers are round, not
values of somebody.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from kanon_tui.core.numeric import Floats, Int64s
from kanon_tui.core.table.column import Column
from kanon_tui.core.table.schema import Kind

__all__ = ["Axis", "axis_of"]

MOST_GROUPS = 12
MISSING = "missing"
_DAYS_OF_A_YEAR = 365
_FEW_GROUPS = 4


@dataclass(frozen=True, eq=False)
class Axis:
    """The groups of one attribute."""

    column: Column
    labels: tuple[str, ...]
    group_of_value: Int64s
    """Per value of the column its group."""

    @property
    def name(self) -> str:
        """The attribute's name."""
        return self.column.name

    @property
    def ordered(self) -> bool:
        """Whether the groups lie on a line."""
        return self.column.numbers is not None


def axis_of(column: Column, least: int) -> Axis:
    """Groups of at least `least` records each, wherever the column has as many."""
    found = _ordered(column, least) if column.numbers is not None else _categories(column, least)
    labels, groups = found
    if column.missing is not None:
        labels = (*labels, MISSING)
        groups[column.missing] = len(labels) - 1
    return Axis(column, labels, groups)


def _categories(column: Column, least: int) -> tuple[tuple[str, ...], Int64s]:
    counts = column.counts
    present = [code for code in range(len(column.values)) if code != column.missing]
    by_size = sorted(present, key=lambda code: (-int(counts[code]), code))
    named = [code for code in by_size if counts[code] >= least][:MOST_GROUPS]
    if len(named) == MOST_GROUPS and len(present) > MOST_GROUPS:
        named.pop()
    rest = [code for code in by_size if code not in set(named)]
    while rest and named and sum(int(counts[code]) for code in rest) < least:
        rest.insert(0, named.pop())
    groups = np.full(len(column.values), len(named), dtype=np.int64)
    named.sort()
    groups[named] = np.arange(len(named))
    labels = tuple(column.values[code] for code in named)
    return (*labels, *((f"{len(rest):,} others",) if rest else ())), groups


def _ordered(column: Column, least: int) -> tuple[tuple[str, ...], Int64s]:
    assert column.numbers is not None
    groups = np.zeros(len(column.values), dtype=np.int64)
    present = ~np.isnan(column.numbers)
    numbers = column.numbers[present]
    if not len(numbers):
        return (), groups
    counts = np.asarray(column.counts)[present]
    line, place = np.unique(numbers, return_inverse=True)
    each = np.bincount(place, weights=counts).astype(np.float64)
    if len(line) <= MOST_GROUPS and each.min() >= least and column.kind is Kind.NUMERIC:
        groups[present] = place
        return tuple(f"{number:.10g}" for number in line), groups
    starts = _joined(_round_starts(column, line), line, each, least)
    if len(starts) < _FEW_GROUPS and column.kind is Kind.NUMERIC:  # most are in one: incomes
        starts = _joined(_round_quantiles(line, each), line, each, least)
    groups[present] = np.searchsorted(starts, numbers, "right") - 1
    return _range_labels(column, starts), groups


def _round_starts(column: Column, line: Floats) -> Floats:
    """Where groups of equal width begin, at round numbers, years or months."""
    low, high = float(line[0]), float(line[-1])
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


def _round_quantiles(line: Floats, each: Floats) -> Floats:
    """Where groups of about as many records begin, rounded to two digits."""
    reached = each.cumsum() / each.sum()
    wanted = np.arange(1, MOST_GROUPS - 1) / (MOST_GROUPS - 1)
    found = line[np.searchsorted(reached, wanted, "right").clip(max=len(line) - 1)]
    return np.unique([float(line[0]), *(float(f"{number:.2g}") for number in found)])


def _joined(starts: Floats, line: Floats, each: Floats, least: int) -> Floats:
    """The same without the starts that would leave a group of fewer than `least` records."""
    inside = np.bincount(
        np.maximum(np.searchsorted(starts, line, "right") - 1, 0), weights=each,
        minlength=len(starts),
    )  # fmt: skip
    kept = [0]
    size = 0.0
    for group, records in enumerate(inside):
        if group and size >= least:
            kept.append(group)
            size = 0.0
        size += records
    if size < least and len(kept) > 1:
        kept.pop()
    return np.concatenate([[-np.inf], starts[kept[1:]]])


def _range_labels(column: Column, starts: Floats) -> tuple[str, ...]:
    if len(starts) == 1:
        return ("all",)
    said = [_end(column, start) for start in starts[1:]]
    between = [f"{a} to below {b}" for a, b in pairwise(said)]
    return (f"below {said[0]}", *between, f"{said[-1]} or more")


def _end(column: Column, number: float) -> str:
    if column.kind is not Kind.DATE:
        return f"{number:,.10g}" if abs(number) >= 10_000 else f"{number:.10g}"
    day = str(np.datetime64(int(number), "D"))
    return day[:4] if day.endswith("-01-01") else day[:7]
