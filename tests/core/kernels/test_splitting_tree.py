"""The trees of a group: what nodes know of the rows that are left in them."""

from __future__ import annotations

import numpy as np

from kanon_tui.core.clustering.boxes import Measure, attributes_of
from kanon_tui.core.clustering.features import collapse
from kanon_tui.core.clustering.splitting import Splitting
from kanon_tui.core.kernels.box_arrays import START
from kanon_tui.core.kernels.partner_tree import BEGIN, END
from kanon_tui.core.kernels.splitting_tree import FRESH, GroupTrees
from tests.helpers import make_task


def _left_of_trees(columns: dict[str, list[object]]) -> tuple[Splitting, GroupTrees]:
    """The largest trees after some splits."""
    task = make_task(columns, k=5)
    distinct = collapse([attribute.column.codes for attribute in task.quasi])
    everything = np.arange(len(distinct), dtype=np.int32)
    draw = np.random.default_rng(3).random
    splitting = Splitting(
        task, attributes_of(task, Measure.NCP), distinct, [everything], 3, False, draw
    )
    splitting.advance(60)
    trees = max((trees for _, trees in splitting._trees), key=lambda both: len(both.near.items))
    left = np.count_nonzero(trees.near.items >= 0)
    assert 100 < left < len(trees.near.items), "some have left"
    return splitting, trees


def test_nodes_know_the_signed_sums_of_the_rows_that_are_left() -> None:
    rng = np.random.default_rng(3)
    columns = {f"x{i}": rng.permutation(2000).tolist() for i in range(3)}
    near = _left_of_trees(columns | {"sex": rng.choice(["F", "M"], 2000).tolist()})[1].near
    checked = 0
    for node, (begin, end) in enumerate(near.branches[:, [BEGIN, END]].tolist()):
        items = near.items[begin:end]
        sums = near.sums.values[items[items >= 0]]
        if len(sums):
            reach = np.column_stack([sums.min(axis=0), sums.max(axis=0)])
            assert np.array_equal(near.sums_reach[node], reach), node
            checked += 1
    assert checked > 30
    assert near.sums.values.shape[1] == 4, "a ± b ± c, each with its negative"


def test_nodes_know_where_a_label_comes_first_among_the_rows_that_are_left() -> None:
    rng = np.random.default_rng(5)
    labels = [f"c{code}" for code in np.minimum(rng.zipf(1.3, 2000), 5000)]
    columns = {"x": rng.permutation(2000).tolist(), "sex": rng.choice(["F", "M"], 2000).tolist()}
    splitting, trees = _left_of_trees({"code": labels} | columns)
    left = np.sort(trees.near.items[trees.near.items >= 0])
    codes, first = np.unique(splitting.priced[left, 0], return_index=True)
    assert len(codes) > 64
    assert trees.near.links.values.tolist() == [len(codes)]
    start = splitting.attributes.facts[0, START]
    assert (trees.near.links.heads[start + codes] == left[first] + 1).all()
    for tree in (trees.near, trees.turns):
        for node, (begin, end) in enumerate(tree.branches[:, [BEGIN, END]].tolist()):
            new = np.isin(tree.items[begin:end], left[first]).any()
            assert (tree.words[node, FRESH] != 0) == new, node
