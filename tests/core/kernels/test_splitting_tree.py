"""The tree of a group: every node knows the signed sums of the rows that are left in it."""

from __future__ import annotations

import numpy as np

from kanon_tui.core.clustering.boxes import Measure, attributes_of
from kanon_tui.core.clustering.features import collapse
from kanon_tui.core.clustering.splitting import Splitting
from kanon_tui.core.kernels.partner_tree import BEGIN, END
from tests.helpers import make_task


def test_nodes_know_the_signed_sums_of_the_rows_that_are_left() -> None:
    rng = np.random.default_rng(3)
    columns = {f"x{i}": rng.permutation(2000).tolist() for i in range(3)}
    columns |= {"sex": rng.choice(["F", "M"], 2000).tolist()}
    task = make_task(columns, k=5)
    distinct = collapse([attribute.column.codes for attribute in task.quasi])
    everything = np.arange(len(distinct), dtype=np.int32)
    splitting = Splitting(
        task, attributes_of(task, Measure.NCP), distinct, [everything], 3, False, rng.random
    )
    splitting.advance(60)
    near = max((trees.near for _, trees in splitting._trees), key=lambda tree: len(tree.items))
    left = np.count_nonzero(near.items >= 0)
    assert 100 < left < len(near.items), "some have left"
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
