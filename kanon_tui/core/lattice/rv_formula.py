"""The research value of a string with the numbers put in."""

from __future__ import annotations

from collections.abc import Sequence

from kanon_tui.core.numeric import Floats
from kanon_tui.core.task.task import QuasiIdentifier

__all__ = ["rv_formula"]


def rv_formula(
    quasi: Sequence[QuasiIdentifier], values: Sequence[Floats], levels: Sequence[int]
) -> tuple[str, ...]:
    """One line per attribute: its weight, what the level leaves of it, and their product.

    What is left is the labels there are over those at level 0 (numbers: 1 over the mean width of
    a cell), times the share of the rules that the level keeps.
    """
    lines = ["RV = Σ weight × what the level leaves of the attribute"]
    total = 0.0
    for attribute, own, level in zip(quasi, values, levels, strict=True):
        value = float(own[level])
        total += value
        typed = attribute.typed_research_values
        at = f"{attribute.name} {level}"
        if level < len(typed) and typed[level] is not None:
            lines.append(f"{at}: {value:.4g}, typed by hand")
        elif level == attribute.hierarchy.height:
            lines.append(f"{at}: 0, the root leaves nothing")
        elif attribute.weight:
            left = value / attribute.weight
            lines.append(f"{at}: {attribute.weight:.3g} × {left:.4g} = {value:.4g}")
        else:
            lines.append(f"{at}: 0, its weight is 0")
    return (*lines, f"RV = {total:.4g}")
