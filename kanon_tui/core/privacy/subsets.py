"""k for every subset of m quasi-identifiers: what an attacker who knows only m of them can find.

    privacy: {k: 2, subset_size: 2, subset_k: 20}

Whoever knows the published values of any m attributes of a person (or of fewer) faces at least
`subset_k` records, or people where a person has several. Classes of k over all attributes imply k
for every subset, so the requirement says something where it is larger than k: few attributes are
easily known, and a strict bound for them costs less than a large k. With `k: 1` it stands alone:
only combinations of m attributes are protected, as sdcMicro does with `combs`.

Full-domain searches leave out the records in subsets that are too small, again and again until none
is left: the largest set of records that keeps the bound. At a more general string the same records
keep it too, so that the number of those left out only falls and searches may prune by it.
Clusterings make classes of `subset_k` records, which is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from kanon_tui.core.errors import InputError
from kanon_tui.core.numeric import Flags, Int32s, Int64s

_MOST = 2_000
"""Subsets that are counted for a string and again in the proof."""


@dataclass(frozen=True)
class SubsetBound:
    """At least `k` records for every combination of values of `m` quasi-identifiers."""

    m: int
    k: int

    @classmethod
    def from_settings(cls, size: int, k: int | None, quasi: int) -> SubsetBound | None:
        """Return the bound for `quasi` quasi-identifiers; None where none is required."""
        if k is None:
            return None
        size = min(size, quasi)
        if comb(quasi, size) > _MOST:
            raise InputError(
                f"privacy: subset_size: {quasi} quasi-identifiers have {comb(quasi, size):,} "
                f"subsets of {size}, more than {_MOST:,}; choose a smaller size"
            )
        return cls(size, k)

    def __str__(self) -> str:
        return f"at least {self.k:,} for any {self.m} quasi-identifiers"

    def kept(
        self, labels: Sequence[Int32s], kept: Flags, count: Callable[[Int64s, Flags], Int64s]
    ) -> Flags:
        """Return the classes that stay when those in subsets below k are left out.

        `labels` has per attribute the label of every class; `count` counts the records, or people,
        of the classes that are kept by the numbers of their subsets.
        """
        subsets = []
        for chosen in combinations(labels, self.m):
            number = np.zeros(len(kept), dtype=np.int64)
            for attribute_labels in chosen:
                number = np.unique(
                    number * (int(attribute_labels.max()) + 1) + attribute_labels,
                    return_inverse=True,
                )[1]
            subsets.append(number)
        before = -1
        while before != kept.sum():
            before = int(kept.sum())
            for number in subsets:
                kept = kept & (count(number, kept)[number] >= self.k)
        return kept
