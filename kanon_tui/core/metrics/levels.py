"""What the levels of one attribute are worth, each taken alone."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_tui.core.metrics.cells import CellGroups
from kanon_tui.core.metrics.ncp import attribute_ncp
from kanon_tui.core.metrics.research_value import level_research_values
from kanon_tui.core.task.task import QuasiIdentifier

__all__ = ["LevelMeasures", "level_measures"]


@dataclass(frozen=True)
class LevelMeasures:
    """One level of an attribute, taken alone."""

    level: int
    labels: int
    smallest: int
    """Records of the rarest label."""
    passes: bool
    """Whether the attribute at this level is k-anonymous by itself."""
    rv: float
    ncp: float


def level_measures(
    attribute: QuasiIdentifier, k: int, allowed_suppressed: int
) -> tuple[LevelMeasures, ...]:
    """Every level of an attribute alone, over all records of the table.

    A level passes when the records under labels rarer than k are no more than may be suppressed.
    """
    values = level_research_values(attribute)
    measures = []
    for level in range(attribute.hierarchy.height + 1):
        cells = CellGroups.of_level(attribute, level, attribute.column.counts)
        measures.append(
            LevelMeasures(
                level=level,
                labels=len(cells.size),
                smallest=int(cells.size.min()),
                passes=int(cells.size[cells.size < k].sum()) <= allowed_suppressed,
                rv=float(values[level]),
                ncp=attribute_ncp(cells),
            )
        )
    return tuple(measures)
