"""Builder `quantiles`: ranges that hold about equally many records.

Labels are `[lo..hi]`, both ends values of the data as they stand there.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from kanon_tui.core.fields.declaration import Field
from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.fields.types import FieldType, list_of, whole_number
from kanon_tui.core.hierarchy.builders.builder import Builder
from kanon_tui.core.hierarchy.builders.line import levels_hierarchy, present_numbers
from kanon_tui.core.hierarchy.level_table import Hierarchy
from kanon_tui.core.table.column import Column
from kanon_tui.core.table.range_texts import range_text
from kanon_tui.core.table.schema import Kind

__all__ = ["QUANTILES"]

_MOST_BINS = 10_000
_BINS = f"a list of falling whole numbers from 2 to {_MOST_BINS}, such as [10, 5]"
_COUNTS = list_of(whole_number(2, _MOST_BINS), _BINS, empty=False)


def _read_bins(located: LocatedValue) -> tuple[int, ...]:
    counts: tuple[int, ...] = _COUNTS.read(located)
    if any(before <= after for before, after in pairwise(counts)):
        raise located.refuse(f"these numbers do not fall; write {_BINS}")
    return counts


def _build(column: Column, options: Mapping[str, Any]) -> Hierarchy:
    """Bins that hold about equally many records.

    The i-th of b - 1 cuts lies between the two neighbouring values where the records below it come
    nearest to i/b of all (the lower one on a tie); a value is never split, so frequent values make
    bins fewer or uneven. Coarser levels choose among the cuts of the level below, so levels nest.
    """
    numbers = present_numbers(column)
    last_of_number = np.flatnonzero(np.append(np.diff(numbers) > 0, True))
    below = np.cumsum(column.counts[: len(numbers)])[last_of_number]
    total = int(below[-1])
    cuts = list(range(len(last_of_number) - 1))  # cut c lies above the c-th distinct number
    values = column.values
    levels = []
    for bins in options["bins"]:
        targets = [total * i for i in range(1, bins)]
        cuts = _nearest_cuts(cuts, [int(below[c]) * bins for c in cuts], targets)
        ends = [int(last_of_number[c]) for c in cuts] + [len(numbers) - 1]
        level: list[str] = []
        for end in ends:
            low, high = values[len(level)], values[end]
            label = low if low == high else range_text(column, low, high)
            level += [label] * (end + 1 - len(level))
        levels.append(level)
    return levels_hierarchy(column, levels)


def _nearest_cuts(cuts: Sequence[int], records: Sequence[int], targets: Iterable[int]) -> list[int]:
    """For every target the cut whose record count is nearest to it, without repeats."""
    chosen: set[int] = set()
    for target in targets:
        above = bisect_right(records, target)
        nearby = [i for i in (above - 1, above) if 0 <= i < len(cuts)]
        chosen.update(cuts[i] for i in sorted(nearby, key=lambda i: abs(records[i] - target))[:1])
    return sorted(chosen)


QUANTILES = Builder(
    "quantiles",
    "Ranges that hold about equally many records",
    (Kind.NUMERIC, Kind.DATE),
    (
        Field(
            "bins",
            FieldType(_BINS, _read_bins),
            help="How many ranges at every level",
            required="bins: [10, 5]",
        ),
    ),
    _build,
)
