"""The tree over clusters: after merges every node knows what it would know if filled anew."""

from __future__ import annotations

import random

import numpy as np

from kanon_tui.core.clustering.boxes import Measure
from kanon_tui.core.clustering.merging import Merging, Objective
from kanon_tui.core.kernels.merging import SUPPRESS
from kanon_tui.core.kernels.partner_tree import fill_nodes
from kanon_tui.core.task.task import RunContext
from tests.core.algorithms.random_tables import COLUMNS
from tests.helpers import make_task

KNOWN = ("branches", "reach", "words")


def test_nodes_know_after_merges_what_they_would_know_if_filled_anew() -> None:
    rng = random.Random(5)
    columns = {name: [make(rng) for _ in range(300)] for name, (make, _) in COLUMNS.items()}
    task = make_task(columns, k=4, specs={name: spec for name, (_, spec) in COLUMNS.items()})
    merging = Merging(task, RunContext(), Objective(SUPPRESS, Measure.SPAN, "RV", ""))
    assert len(merging.tree.branches) > 50, "there is something to bring up to date"
    while merging.advance(turn=0, most=20):
        tree = merging.tree
        known = {name: getattr(tree, name).copy() for name in KNOWN}
        fill_nodes(merging.attributes, merging.clusters, tree)
        for name, before in known.items():
            assert np.array_equal(before, getattr(tree, name)), name
    assert merging.clusters.hidden.any(), "some boxes show nothing of an attribute"
