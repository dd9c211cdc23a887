"""Research value: how much of an attribute is left for a researcher who cares for some contrasts.

With span the width of a group in units (numbers and dates) or the values its label covers, and DR
the importance of the rules that are kept:

- level j of a number or date: `w · n / Σ Nᵢ·spanᵢ · DR(level)` over the level's groups;
- level j of a category: `w · |labels at j| / |labels at 0| · DR(level)`;
- the root: 0, and wherever a person typed a value, that value as it is;
- a clustering: `w · n / Σ N·span · Σ N·DR / published` over classes.

A string's value is that of its levels in the whole table, which searches compare. In a release a
suppressed cell and a hidden one count with the span of the whole domain, and a suppressed record as
all its cells suppressed; a level of a category, or one with a typed value, is worth the share of it
that is published. A suppressed cell tells nothing, so it breaks no rule
either, and the mean of DR is over the published records.

`rule_emphasis` f puts more weight on one of the two parts: with G the granularity (n / Σ N·span,
labels / labels) and DR the rules, the product G · DR becomes `G^(2(1−f)) · DR^(2f)`. f = ½ is the
product, bit for bit; f = 0 looks at granularity alone and f = 1 at rules alone, as 0⁰ counts as 1.
Both parts are at most 1 and fall when a level is raised or classes are merged, so that their powers
do, and every f leaves research value falling. Where records are suppressed the share that is left
is part of the granularity.

Reference: Morton, research value (the worked example gives 0.2 · 125/2300 · 0.5 = 0.00543).
"""

import numpy as np
import numpy.typing as npt

from kanon_tui.core.metrics.cells import CellGroups
from kanon_tui.core.task.task import EVEN_EMPHASIS, QuasiIdentifier


def level_research_values(attribute: QuasiIdentifier) -> npt.NDArray[np.float64]:
    """Return the research value of every level, weight included, from level 0 to the root.

    Cost: O(levels · distinct values).
    """
    hierarchy = attribute.hierarchy
    values = np.zeros(hierarchy.height + 1)
    for level in range(hierarchy.height):
        if attribute.ordered:
            cells = CellGroups.of_level(attribute, level, attribute.column.counts)
            ratio = 1.0 / mean_span(cells)
        else:
            ratio = len(hierarchy.labels[level]) / attribute.column.distinct
        kept = attribute.rules.of_level(hierarchy.maps[level])
        detail, kept = emphasised(attribute, ratio, kept)
        values[level] = attribute.weight * detail * kept
    for level, typed in enumerate(attribute.typed_research_values):
        if typed is not None:
            values[level] = typed
    return values


def original_research_value(attribute: QuasiIdentifier, by_level: bool) -> float:
    """Return what an attribute is worth before it is generalised.

    `by_level` says that its release is measured by its level, where typed values count; cells of
    classes are worth at most the weight.
    """
    if not by_level or not attribute.hierarchy.height:
        return attribute.weight
    return float(level_research_values(attribute)[0])


def attribute_research_value(cells: CellGroups) -> float:
    """Return the research value that a release leaves an attribute."""
    published = int(cells.size.sum())
    if published == 0:
        return 0.0
    if cells.level is not None:
        level_value = float(level_research_values(cells.attribute)[cells.level])
        return level_value * _share_of_level(cells, cells.level, published)
    mean_ratio = float((cells.size * cells.rules_kept).sum()) / published
    width, kept = emphasised(cells.attribute, mean_span(cells), mean_ratio)
    return cells.attribute.weight / width * kept


def emphasised(attribute: QuasiIdentifier, detail: float, kept: float) -> tuple[float, float]:
    """Return granularity (or its reciprocal) and rules, raised to the emphasis of the attribute."""
    f = attribute.rule_emphasis
    if f == EVEN_EMPHASIS:
        return detail, kept
    return detail ** (2 * (1 - f)), kept ** (2 * f)


def _share_of_level(cells: CellGroups, level: int, published: int) -> float:
    """Return the share of a level's value that is left when records are suppressed."""
    attribute = cells.attribute
    n = attribute.column.records
    typed = attribute.typed_research_values
    if published == n:
        return 1.0
    if typed and typed[level] is not None:
        return published / n
    if not attribute.ordered:
        return emphasised(attribute, published / n, 1.0)[0]
    everything = CellGroups.of_level(attribute, level, attribute.column.counts)
    spans = np.where(everything.hidden, attribute.domain_span, everything.span)
    before = float((everything.size * spans).sum())
    after = float((cells.size * spans).sum()) + (n - published) * attribute.domain_span
    return emphasised(attribute, before / after, 1.0)[0]


def mean_span(cells: CellGroups) -> float:
    """Return the mean over all records of the span of their cell: Σ N·span / n."""
    domain = cells.attribute.domain_span
    return cells.total(cells.span, worst=domain) / cells.attribute.column.records


def rules_kept(cells: CellGroups) -> npt.NDArray[np.float64]:
    """Return per rule the share of the published records whose group keeps it."""
    published = max(int(cells.size.sum()), 1)
    return np.asarray((~cells.broken) @ cells.size / published, dtype=np.float64)
