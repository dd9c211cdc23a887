"""What a rule means for the data: which levels keep it and how many records it is about."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_tui.core.task.rules import Rule
from kanon_tui.core.task.task import QuasiIdentifier

__all__ = ["RuleOverview", "rule_overviews"]


@dataclass(frozen=True)
class RuleOverview:
    """One rule of an attribute against its hierarchy."""

    rule: Rule
    kept: tuple[bool, ...]
    """Per level: is the rule kept there?"""
    concerned: int
    """Records in the groups that mix its two sides, at the first level that breaks it."""


def rule_overviews(attribute: QuasiIdentifier) -> tuple[RuleOverview, ...]:
    """Every rule of an attribute."""
    hierarchy, rules, counts = attribute.hierarchy, attribute.rules, attribute.column.counts
    codes = np.arange(len(attribute.column.values))
    broken = [rules.broken(codes, mapping) for mapping in hierarchy.maps]
    overviews = []
    for r, rule in enumerate(rules.rules):
        kept = tuple(not groups[r].any() for groups in broken)
        first = next((level for level, fine in enumerate(kept) if not fine), None)
        concerned = 0
        if first is not None:
            mixed = broken[first][r][hierarchy.maps[first]]
            concerned = int(counts[mixed].sum())
        overviews.append(RuleOverview(rule, kept, concerned))
    return tuple(overviews)
