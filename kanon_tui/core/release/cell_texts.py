"""How a class is printed: ranges of numbers and dates, common ancestors, sets, one value for all.

Algorithms label records; only this module knows what a class of them shows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.numeric import Int32s, Int64s
from kanon_tui.core.release.one_value import one_value_texts
from kanon_tui.core.table.column import Column
from kanon_tui.core.table.group_values import GroupValues
from kanon_tui.core.table.range_texts import end_text, range_of_ends
from kanon_tui.core.task.task import QuasiIdentifier

__all__ = ["ClassTexts", "cell_texts", "class_texts"]


class ClassTexts(NamedTuple):
    """What every class prints: many print the same."""

    numbers: Int64s
    """Per class an index into the texts."""
    texts: list[str]


def cell_texts(
    attribute: QuasiIdentifier, clusters: GroupValues, stretches: Int32s | None = None
) -> list[str]:
    """What every cluster prints for its shown values; with stretches, the whole of one or `*`."""
    numbers, texts = class_texts(attribute, clusters, stretches)
    return [texts[number] for number in numbers.tolist()]


def class_texts(
    attribute: QuasiIdentifier, clusters: GroupValues, stretches: Int32s | None = None
) -> ClassTexts:
    """The same, every text made once or a few times, however many clusters print it."""
    if attribute.publishes_one_value:
        return ClassTexts(np.arange(clusters.count), one_value_texts(attribute, clusters))
    if attribute.ordered:
        return _ranges(attribute.column, clusters, stretches)
    if attribute.publishes_ancestor:
        return _common_ancestors(attribute, clusters)
    return _sets(attribute.column, clusters)


def _ranges(column: Column, clusters: GroupValues, stretches: Int32s | None) -> ClassTexts:
    """`[lo..hi]` with both ends observed; `*` where missing meets present."""
    values, missing = column.values, column.missing
    low, high = clusters.ends(clusters.code)
    if stretches is not None:
        low, high, several = clusters.stretch_ends(stretches)
        low[several] = -1
    width = len(values) + 1
    ends, numbers = np.unique((low + 1) * width + high, return_inverse=True)
    low, high = ends // width - 1, ends % width
    apart = (low >= 0) & (low != high)
    used = np.unique(np.concatenate([low[apart], high[apart]])).tolist()
    end_of = {code: end_text(column, values[code]) for code in used}

    def text(lo: int, hi: int) -> str:
        if lo < 0 or (hi == missing and lo != missing):
            return HIDDEN
        if lo == hi:
            return values[lo]
        return range_of_ends(column, (values[lo], values[hi]), (end_of[lo], end_of[hi]))

    return ClassTexts(numbers, list(map(text, low.tolist(), high.tolist())))


def _common_ancestors(attribute: QuasiIdentifier, clusters: GroupValues) -> ClassTexts:
    """The label of the lowest level at which all values of a cluster agree."""
    hierarchy = attribute.hierarchy
    levels, labels = hierarchy.common_ancestors(clusters)
    before = np.cumsum([0, *map(len, hierarchy.labels)])
    texts = [label for level in hierarchy.labels for label in level]
    return ClassTexts(np.where(labels < 0, len(texts), before[levels] + labels), [*texts, HIDDEN])


def _sets(column: Column, clusters: GroupValues) -> ClassTexts:
    """`{A|B|C}`: the values of a cluster, sorted as text."""
    values = column.values
    same, examples = clusters.same_sets
    begins, ends = clusters.starts[examples].tolist(), clusters.starts[examples + 1].tolist()
    texts = []
    for begin, end in zip(begins, ends, strict=True):
        members = sorted(values[code] for code in clusters.code[begin:end].tolist())
        text = "{" + "|".join(members) + "}" if len(members) > 1 else "".join(members)
        texts.append(text if members else HIDDEN)
    return ClassTexts(same, texts)
