"""The space of strings as packed codes, against plain tuples."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from kanon_tui.core.lattice.strings import Lattice, NodeList

SPACES = [
    ((0, 0, 0), (3, 1, 2)),
    ((1, 0, 2, 0), (4, 0, 2, 5)),
    ((0,), (6,)),
    ((3,), (3,)),
]


def space_of(lowest: tuple[int, ...], heights: tuple[int, ...], seed: int = 0) -> Lattice:
    rng = np.random.default_rng(seed)
    return Lattice(lowest, heights, [rng.integers(0, 5, top + 1) / 10 for top in heights])


def vectors(space: Lattice) -> list[tuple[int, ...]]:
    limits = zip(space.lowest, space.heights, strict=True)
    return list(product(*(range(low, top + 1) for low, top in limits)))


def total(space: Lattice, levels: tuple[int, ...]) -> float:
    return sum((v[x] for v, x in zip(space.values, levels, strict=True)), 0.0)


def more_general(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return all(a >= b for a, b in zip(one, other, strict=True))


def listed(strings: NodeList) -> list[tuple[int, ...]]:
    return [strings.lattice.levels(code) for code in strings.codes]


@pytest.mark.parametrize(("lowest", "heights"), SPACES)
def test_strings_are_all_level_vectors_greatest_first(
    lowest: tuple[int, ...], heights: tuple[int, ...]
) -> None:
    space = space_of(lowest, heights)
    codes, rvs = space.strings()
    assert [space.levels(code) for code in codes] == vectors(space)[::-1]
    assert rvs.tolist() == [total(space, levels) for levels in vectors(space)[::-1]]
    assert space.worth(codes).tolist() == rvs.tolist()
    assert space.count == len(codes)
    assert all((space.code(space.levels(code)) == code).all() for code in codes)


def test_strings_of_some_attributes_have_the_others_at_the_root() -> None:
    space = space_of((0, 1, 0), (2, 2, 3))
    codes, rvs = space.strings((0, 2))
    assert {space.levels(code) for code in codes} == {
        v for v in vectors(space) if v[1] == 2
    }  # fmt: skip
    expected = [space.values[0][a] + space.values[2][c] for a, _, c in
                (space.levels(code) for code in codes)]  # fmt: skip
    assert rvs.tolist() == pytest.approx(expected)


@pytest.mark.parametrize("attributes", [5, 40])
def test_list_drops_and_takes_what_it_says(attributes: int) -> None:
    """40 attributes of 2 and 3 levels need two words; a sample of their strings stands for all."""
    rng = np.random.default_rng(attributes)
    heights = tuple(1 + x % 2 for x in range(attributes))
    space = space_of((0,) * attributes, heights)
    assert space.words == (1 if attributes == 5 else 2)
    for _ in range(40):
        general = rng.random(attributes) < 0.9
        rows = {
            tuple(
                int(top) if g and rng.random() < 0.9 else int(rng.integers(0, top + 1))
                for top, g in zip(heights, general, strict=True)
            )
            for _ in range(60)
        }
        codes = np.array([space.code(row) for row in sorted(rows)])
        pivot = space.levels(codes[int(rng.integers(len(codes)))])
        strings = NodeList(space, codes, space.worth(codes))
        assert strings.worths.tolist() == sorted(total(space, row) for row in rows)
        specific = {row for row in rows if more_general(pivot, row)}
        assert strings.drop_specific(space.code(pivot)) == len(specific)
        assert set(listed(strings)) == rows - specific

        strings = NodeList(space, codes, space.worth(codes))
        taken = {space.levels(code) for code in strings.take_general(space.code(pivot))}
        assert taken == {row for row in rows if more_general(row, pivot)}
        assert set(listed(strings)) == rows - taken

        floor = total(space, pivot)
        lower = {row for row in listed(strings) if total(space, row) < floor}
        left = set(listed(strings)) - lower
        assert strings.drop_below(floor) == len(lower)
        assert set(listed(strings)) == left


def test_midpoint_is_the_middle_of_what_is_left() -> None:
    space = Lattice((0,), (6,), [np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3])])
    strings = NodeList(space, *space.strings())
    assert space.levels(strings.midpoint()) == (3,)
    strings.drop_below(0.6)
    assert space.levels(strings.midpoint()) == (1,)
    assert space.code((1,)) in strings
    assert space.code((5,)) not in strings


@pytest.mark.parametrize("seed", range(20))
def test_dominated_strings_lose_value_or_tie(seed: int) -> None:
    space = space_of((0, 1, 0), (2, 3, 2), seed)
    rng = np.random.default_rng(seed)
    strings = NodeList(space, *space.strings())
    rows = vectors(space)
    best = [rows[i] for i in rng.choice(len(rows), 2, replace=False)]

    def rank(levels: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        return sum(a == b for a, b in zip(levels, space.heights, strict=True)), levels

    expected = {
        row
        for row in rows
        if not any(total(space, b) >= total(space, row) and rank(b) <= rank(row) for b in best)
    }
    strings.drop_dominated(
        np.array([space.code(b) for b in best]),
        np.array([total(space, b) for b in best]),
        np.array([rank(b)[0] for b in best]),
    )
    assert set(listed(strings)) == expected


@pytest.mark.parametrize("seed", range(20))
def test_best_above_is_the_best_of_all_more_general_strings(seed: int) -> None:
    space = space_of((0, 1, 0), (3, 3, 2), seed)
    for levels in vectors(space):
        above = [row for row in vectors(space) if more_general(row, levels)]
        highest = max(total(space, row) for row in above)
        assert total(space, space.best_above(levels)) == pytest.approx(highest)
        assert more_general(space.best_above(levels), levels)
