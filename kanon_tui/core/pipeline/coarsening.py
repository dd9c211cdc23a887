"""Pre-pruning before tuples are counted: which levels need not be told apart.

The values of every attribute are counted first. Where a level cannot pass alone, whatever is
suppressed, no search looks at it; so tuples are counted at the lowest level that is left. There are
fewer of them, and the release is the same.

A value is then counted as another with the same label. What is measured of the values themselves is
measured by their counts, and by those of suppressed records, which the recoding pass counts. What
would need more than that keeps its values: an attribute with MAGVals or a largest width (records
that go beyond are counted once, whatever goes beyond in them), one that publishes a single value of
every class, and every search that weighs suppressed records by their values.

Mondrian has no levels that could be ruled out: it may cut between any two values that have k
records on either side.
"""

from __future__ import annotations

import numpy as np

from kanon_tui.core.algorithms import find_algorithm
from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.fields.declaration import with_parameters
from kanon_tui.core.lattice.pre_pruning import lowest_levels
from kanon_tui.core.numeric import Int32s
from kanon_tui.core.project.algorithm_choice import AlgorithmChoice
from kanon_tui.core.task.task import QuasiIdentifier, Task

__all__ = ["coarsest_codes", "levels_to_count"]

_PRE_PRUNED = ("global", "local", "hybrid", "distributed", "incognito")
"""The algorithms that begin at the lowest levels that pass alone."""
_BY_VALUES = ("ncp", "il")
"""What a suppressed record loses in these depends on its values."""


def levels_to_count(task: Task, choice: AlgorithmChoice) -> tuple[int, ...]:
    """Per quasi-identifier the lowest level that has to be told apart."""
    values = (0,) * len(task.quasi)
    if choice.name not in _PRE_PRUNED:
        return values
    algorithm = with_parameters(find_algorithm(choice.name), choice.params, choice.name)
    weighed = getattr(algorithm, "objective", "") in _BY_VALUES and task.allowed_suppressed > 0
    if weighed or getattr(algorithm, "levels", None) is not None:
        return values
    try:
        lowest, _ = lowest_levels(task)
    except NotReachedError:
        return values  # the search says it
    return tuple(
        0 if _needs_values(attribute) else level
        for attribute, level in zip(task.quasi, lowest, strict=True)
    )


def _needs_values(attribute: QuasiIdentifier) -> bool:
    limited = bool(attribute.hierarchy.marks) or attribute.max_width is not None
    return limited or attribute.publishes_one_value


def coarsest_codes(attribute: QuasiIdentifier, level: int) -> Int32s:
    """By code the first one that has the same label at a level."""
    labels = attribute.hierarchy.maps[level]
    first = np.zeros(int(labels.max(initial=0)) + 1, dtype=np.int32)
    first[labels[::-1]] = np.arange(len(labels) - 1, -1, -1, dtype=np.int32)
    return first[labels]
