"""Pruning a list of strings: one pass over packed codes, in place.

A code holds the level of every attribute in a bit field with a guard bit of 0 above it. With the
guards of s set, s − x keeps the guard of a field exactly where x's level is not above s's: one
subtraction compares all the attributes of a word. A pass costs O(strings · words).

`tests/core/full_domain/test_strings.py` compares levels one by one.
"""

from __future__ import annotations

import numpy as np

from kanon_tui.core.kernels import kernel
from kanon_tui.core.numeric import Floats, Int32s, Int64s, Words

__all__ = ["drop_dominated", "drop_lonely", "drop_specific", "take_general"]


@kernel
def drop_specific(
    codes: Words, rvs: Floats, start: int, end: int, code: Words, guards: Words
) -> int:
    """Drop the strings that nowhere have a higher level than `code`; gives the new end."""
    kept = start
    for i in range(start, end):
        for w in range(len(code)):
            if ((code[w] | guards[w]) - codes[i, w]) & guards[w] != guards[w]:
                for v in range(len(code)):
                    codes[kept, v] = codes[i, v]
                rvs[kept] = rvs[i]
                kept += 1
                break
    return kept


@kernel
def take_general(
    codes: Words, rvs: Floats, start: int, end: int, code: Words, guards: Words, taken: Words
) -> tuple[int, int]:
    """Move the strings that nowhere have a lower level than `code` to `taken`.

    Gives the new end of the list and how many were moved.
    """
    kept, moved = start, 0
    for i in range(start, end):
        general = True
        for w in range(len(code)):
            if ((codes[i, w] | guards[w]) - code[w]) & guards[w] != guards[w]:
                general = False
                break
        if general:
            for w in range(len(code)):
                taken[moved, w] = codes[i, w]
            moved += 1
        else:
            for w in range(len(code)):
                codes[kept, w] = codes[i, w]
            rvs[kept] = rvs[i]
            kept += 1
    return kept, moved


@kernel
def drop_dominated(
    codes: Words,
    rvs: Floats,
    start: int,
    tied: int,
    end: int,
    best_codes: Words,
    best_rvs: Floats,
    best_roots: Int64s,
    word: Int64s,
    shift: Words,
    mask: Words,
    root: Words,
) -> int:
    """Drop the strings before `tied` that lose to one of the best; gives the new end.

    A string loses to one that has no lower research value and either fewer attributes at the root
    or as many and no greater code (which is the order of level vectors).
    """
    kept = start
    for i in range(start, end):
        lost = False
        if i < tied:
            roots = 0
            for a in range(len(word)):
                if (codes[i, word[a]] >> shift[a]) & mask[a] == root[a]:
                    roots += 1
            for b in range(len(best_rvs)):
                if best_rvs[b] < rvs[i] or best_roots[b] > roots:
                    continue
                lost = True
                if best_roots[b] == roots:
                    for w in range(codes.shape[1]):
                        if best_codes[b, w] != codes[i, w]:
                            lost = best_codes[b, w] < codes[i, w]
                            break
                if lost:
                    break
        if not lost:
            for w in range(codes.shape[1]):
                codes[kept, w] = codes[i, w]
            rvs[kept] = rvs[i]
            kept += 1
    return kept


@kernel
def drop_lonely(
    codes: Words,
    rvs: Floats,
    start: int,
    end: int,
    word: Int64s,
    shift: Words,
    mask: Words,
    places: Int64s,
    sizes: Int32s,
    k: int,
) -> int:
    """Drop the strings whose point of a grid with these place values holds less than k."""
    kept = start
    for i in range(start, end):
        point = np.int64(0)
        for a in range(len(word)):
            field = np.int64((codes[i, word[a]] >> shift[a]) & mask[a])
            point += field * places[a]
        if sizes[point] >= k:
            for w in range(codes.shape[1]):
                codes[kept, w] = codes[i, w]
            rvs[kept] = rvs[i]
            kept += 1
    return kept
