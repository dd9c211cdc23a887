"""The tree of boxes: every row has one position, and boxes are those of the rows that are left."""

from __future__ import annotations

import numpy as np

from kanon_tui.core.kernels.box_tree import GONE, BoxTree, Division, grow_tree, take


def check_boxes(tree: BoxTree) -> None:
    """Compare the box of every node with its rows."""
    for node, (start, end) in enumerate(zip(tree.start, tree.end, strict=True)):
        left = np.arange(start, end)[tree.record[start:end] != GONE]
        assert tree.first[node] == tree.record[left].min(initial=GONE)
        if not len(left):
            continue
        places = tree.places[left]
        labels = tree.labels[left]
        missing = np.isnan(places)
        assert (tree.low[node] == np.where(missing, np.inf, places).min(axis=0)).all()
        assert (tree.high[node] == np.where(missing, -np.inf, places).max(axis=0)).all()
        assert (tree.blank[node] == missing.any(axis=0)).all()
        bits = np.uint64(1) << (labels % 64).astype(np.uint64)
        assert (tree.sets[node] == np.bitwise_or.reduce(bits, axis=0)).all()


def test_boxes_are_those_of_the_rows_that_are_left() -> None:
    rng = np.random.default_rng(1)
    places = rng.random((400, 3))
    places[rng.random(places.shape) < 0.2] = np.nan
    labels = rng.integers(0, 90, (400, 2)).astype(np.int32)
    division = Division(labels, np.ones((2, 2)))
    known = np.hstack([places, places[:, :1] + 1])
    tree = grow_tree(known, labels, division, np.arange(400, dtype=np.int32), places)
    assert sorted(tree.row.tolist()) == list(range(400))
    assert np.array_equal(tree.places[:, :3], places[tree.row], equal_nan=True)
    inner = np.flatnonzero(tree.child >= 0)
    assert len(tree.start) == 2 * len(inner) + 1
    assert (tree.parent[tree.child[inner]] == inner).all()
    assert (tree.parent[tree.child[inner] + 1] == inner).all()
    check_boxes(tree)
    for position in rng.permutation(400).tolist():
        take(tree, position, GONE)
        if position % 20 == 0:
            check_boxes(tree)
    assert tree.first[0] == GONE


def test_equal_numbers_are_not_divided_where_their_mean_is_rounded() -> None:
    """The mean of twenty times 0.1 is not 0.1, and labels without weight do not count."""
    places = np.full((20, 1), 0.1)
    labels = np.arange(20, dtype=np.int32)[:, None]
    division = Division(labels, np.zeros((1, 2)))
    tree = grow_tree(places, labels, division, np.arange(20, dtype=np.int32))
    assert len(tree.start) == 1
    check_boxes(tree)
