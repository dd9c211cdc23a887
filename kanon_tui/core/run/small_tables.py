"""Tables so small that a run is over before machine code would be there.

Compiling kernels takes seconds. A few records are done in less by the same functions as plain
Python (`kernels.interpreted`), with the same answer. So the first use of any algorithm on a first
small table takes no longer than the second.
"""

from __future__ import annotations

from math import prod

from kanon_tui.core.kernels.compiling import interpreted
from kanon_tui.core.task.steps import Algorithm, Family
from kanon_tui.core.task.task import Task

__all__ = ["interpreted", "is_small"]

MOST_CELLS = 800
"""Quasi-identifying cells of the largest table that is small: 100 records with 8 attributes."""
MOST_REFINED = 100
"""The same where classes are refined, which looks at every record again and again."""
MOST_STRINGS = 5_000
"""Strings of levels of the largest space that is searched so."""


def is_small(task: Task, algorithm: Algorithm) -> bool:
    """Whether a run needs no machine code."""
    cells = task.n * len(task.quasi)
    if algorithm.family is Family.FULL_DOMAIN:
        strings = prod(attribute.hierarchy.height + 1 for attribute in task.quasi)
        return cells <= MOST_CELLS and strings <= MOST_STRINGS
    return cells <= (MOST_REFINED if getattr(algorithm, "refine", False) else MOST_CELLS)
