"""The effect of a rule on the data: which levels keep it, and how many records it concerns."""

from dataclasses import dataclass, replace

import numpy as np

from kanon_tui.core.task.rules import Rule, RuleTable
from kanon_tui.core.task.task import QuasiIdentifier


@dataclass(frozen=True)
class RuleOverview:
    """One rule of an attribute against its hierarchy."""

    rule: Rule
    kept: tuple[bool, ...]
    """Per level: is the rule kept there?"""
    concerned: int
    """Records in the groups that mix its two sides, at the first level that breaks it."""


def never_kept(attribute: QuasiIdentifier, rule: Rule) -> str:
    """Return a sentence on a rule that every level above the values breaks; empty for any other."""
    bound = RuleTable(0.0, (rule,)).bind(attribute.column, attribute.hierarchy)
    (overview,) = rule_overviews(replace(attribute, rules=bound))
    if any(overview.kept[1:]):
        return ""
    return (
        f"{attribute.name}: no level above the values keeps {rule}; give its hierarchy a level "
        f"that keeps the two apart, or the rule is kept only where nothing is generalised"
    )


def rule_overviews(attribute: QuasiIdentifier) -> tuple[RuleOverview, ...]:
    """Return an overview of every rule of an attribute."""
    hierarchy = attribute.hierarchy
    rules = attribute.rules
    counts = attribute.column.counts
    codes = np.arange(len(attribute.column.values))
    broken = [rules.broken(codes, mapping) for mapping in hierarchy.maps]
    overviews = []
    for r, rule in enumerate(rules.rules):
        holds_by_level = tuple(not groups[r].any() for groups in broken)
        first = next((level for level, fine in enumerate(holds_by_level) if not fine), None)
        concerned = 0
        if first is not None:
            mixed = broken[first][r][hierarchy.maps[first]]
            concerned = int(counts[mixed].sum())
        overviews.append(RuleOverview(rule, holds_by_level, concerned))
    return tuple(overviews)
