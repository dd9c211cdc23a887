"""How a class is printed: ranges of numbers and dates, common ancestors, sets, one value for all.

Algorithms label records; only this module knows what a class of them shows.
"""

from __future__ import annotations

from functools import cache

from kanon_tui.core.data.column import range_text
from kanon_tui.core.data.group_values import GroupValues
from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.numeric import Int32s
from kanon_tui.core.release.one_value import one_value_texts
from kanon_tui.core.task.task import QuasiIdentifier

__all__ = ["cell_texts"]


def cell_texts(
    attribute: QuasiIdentifier, clusters: GroupValues, stretches: Int32s | None = None
) -> list[str]:
    """What every cluster prints for its shown values; with stretches, the whole of one or `*`."""
    if attribute.publishes_one_value:
        return one_value_texts(attribute, clusters)
    if attribute.ordered:
        return _ranges(attribute, clusters, stretches)
    if attribute.publishes_ancestor:
        return _common_ancestors(attribute, clusters)
    return _sets(attribute, clusters)


def _ranges(
    attribute: QuasiIdentifier, clusters: GroupValues, stretches: Int32s | None
) -> list[str]:
    """`[lo..hi]` with both ends observed; `*` where missing meets present."""
    values, missing = attribute.column.values, attribute.column.missing
    low, high = clusters.ends(clusters.code)
    if stretches is not None:
        low, high, several = clusters.stretch_ends(stretches)
        low[several] = -1

    @cache  # many classes have the same ends
    def text(lo: int, hi: int) -> str:
        if lo < 0 or (hi == missing and lo != missing):
            return HIDDEN
        if lo == hi:
            return values[lo]
        return range_text(attribute.column, values[lo], values[hi])

    return list(map(text, low.tolist(), high.tolist()))


def _common_ancestors(attribute: QuasiIdentifier, clusters: GroupValues) -> list[str]:
    """The label of the lowest level at which all values of a cluster agree."""
    hierarchy = attribute.hierarchy
    levels, labels = hierarchy.common_ancestors(clusters)
    return [
        HIDDEN if label < 0 else hierarchy.labels[level][label]
        for level, label in zip(levels.tolist(), labels.tolist(), strict=True)
    ]


def _sets(attribute: QuasiIdentifier, clusters: GroupValues) -> list[str]:
    """`{A|B|C}`: the values of a cluster, sorted as text."""
    values = attribute.column.values
    same, examples = clusters.same_sets  # many clusters print the same
    begins, ends = clusters.starts[examples].tolist(), clusters.starts[examples + 1].tolist()
    texts = []
    for begin, end in zip(begins, ends, strict=True):
        members = sorted(values[code] for code in clusters.code[begin:end].tolist())
        text = "{" + "|".join(members) + "}" if len(members) > 1 else "".join(members)
        texts.append(text if members else HIDDEN)
    return [texts[number] for number in same.tolist()]
