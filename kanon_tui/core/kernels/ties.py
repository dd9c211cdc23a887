"""Which of several scores wins: of those that rounding cannot tell apart, the first.

One pass over the scores for the best, one for the first that is as good.
"""

from __future__ import annotations

import numpy as np

from kanon_tui.core.kernels import part_of_kernel
from kanon_tui.core.numeric import TIE, Floats

__all__: list[str] = []  # all of it is for kernels only


@part_of_kernel
def first_of_largest(scores: Floats) -> int:
    """The place of the first score that is as large as any."""
    largest = -np.inf
    for score in scores:
        largest = max(largest, score)
    place = 0
    while scores[place] < largest - TIE:
        place += 1
    return place


@part_of_kernel
def first_of_smallest(scores: Floats) -> int:
    """The place of the first score that is as small as any."""
    smallest = np.inf
    for score in scores:
        smallest = min(smallest, score)
    place = 0
    while scores[place] >= smallest + TIE:
        place += 1
    return place
