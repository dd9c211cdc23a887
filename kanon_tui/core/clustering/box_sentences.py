"""Boxes in words, for the sentences of a step-by-step run."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log10

import numpy as np
import numpy.typing as npt

from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.task.task import QuasiIdentifier
from kanon_tui.core.text import short_number

__all__ = ["broken_rules", "change", "in_words", "texts", "told_apart"]

Codes = npt.NDArray[np.integer]
_VALUES_SHOWN = 4
_DECIMALS, _MOST_DECIMALS = 4, 6  # of figures before and after


def told_apart(one: float, other: float) -> tuple[str, str]:
    """Two figures with as many decimals as it takes to see that they differ."""
    apart = abs(other - one)
    needed = ceil(-log10(apart)) if apart > 0 else 0
    decimals = min(max(needed, _DECIMALS), _MOST_DECIMALS)
    return short_number(one, decimals), short_number(other, decimals)


def change(before: float, after: float) -> str:
    """`1 → 0.9167`, with more decimals where the change would not show."""
    return " → ".join(told_apart(before, after))


def texts(attribute: QuasiIdentifier, codes: Codes) -> str:
    """What some values of an attribute would be called together: `60–64`, `Married`, `{A|B}`."""
    present = np.unique(codes)
    values, missing = attribute.column.values, attribute.column.missing
    if len(present) == 0:
        return "hidden"
    if len(present) == 1:
        return str(values[present[0]])
    if attribute.ordered:
        if present[-1] == missing:
            return HIDDEN
        return f"{values[present[0]]}–{values[present[-1]]}"
    if attribute.publishes_ancestor:
        level = attribute.hierarchy.lca_level(present)
        return str(attribute.hierarchy.paths[present[0]][level])
    if len(present) > _VALUES_SHOWN:
        return f"{len(present)} values"
    return "{" + "|".join(values[code] for code in present) + "}"


def in_words(attributes: Sequence[QuasiIdentifier], codes: Sequence[Codes]) -> str:
    """`age 63–64, sex Female`: what some attributes show."""
    return ", ".join(
        f"{attribute.name} {texts(attribute, own)}"
        for attribute, own in zip(attributes, codes, strict=True)
    )


def broken_rules(attribute: QuasiIdentifier, codes: Codes) -> list[str]:
    """The rules of an attribute that these values break together."""
    rules = attribute.rules
    broken = rules.first[:, codes].any(axis=1) & rules.second[:, codes].any(axis=1)
    return [f"{attribute.name} {rules.rules[r]}" for r in np.flatnonzero(broken)]
