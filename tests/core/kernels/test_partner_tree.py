"""The tree over clusters: what its nodes know after merges, and partners among near ties."""

from __future__ import annotations

import random

import numpy as np

from kanon_tui.core.clustering.boxes import Measure, MergeObjective
from kanon_tui.core.clustering.merging import Merging
from kanon_tui.core.kernels import box_arrays as box
from kanon_tui.core.kernels.merging import (
    EXTENT,
    SUPPRESS,
    cheapest_partner,
    costs_with,
    next_small,
)
from kanon_tui.core.kernels.partner_tree import fill_nodes
from kanon_tui.core.numeric import TIE
from kanon_tui.core.task.task import RunContext
from tests.core.algorithms.random_tables import COLUMNS
from tests.helpers import make_task

KNOWN = ("branches", "reach", "words")
RUN = 32  # searches, as in merging.c


def test_nodes_know_after_merges_what_they_would_know_if_filled_anew() -> None:
    rng = random.Random(5)
    columns = {name: [make(rng) for _ in range(300)] for name, (make, _) in COLUMNS.items()}
    task = make_task(columns, k=4, specs={name: spec for name, (_, spec) in COLUMNS.items()})
    merging = Merging(task, RunContext(), MergeObjective(SUPPRESS, Measure.SPAN))
    assert len(merging.tree.branches) > 50, "there is something to bring up to date"
    while merging.advance(turn=0, most=20):
        tree = merging.tree
        known = {name: getattr(tree, name).copy() for name in KNOWN}
        fill_nodes(merging.attributes, merging.clusters, tree)
        for name, before in known.items():
            assert np.array_equal(before, getattr(tree, name)), name
    assert merging.clusters.hidden.any(), "some boxes show nothing of an attribute"


def test_partner_is_the_first_in_the_list_within_a_tie_of_the_lowest_cost() -> None:
    rng = random.Random(8)
    near = [rng.randrange(15_000) for _ in range(900)]  # thirty units are a tie
    columns = {"near": [*near, 3 * 10**10], "sex": [rng.choice("mf") for _ in range(901)]}
    merging = Merging(make_task(columns, k=3), RunContext(), MergeObjective(EXTENT, Measure.NCP))
    places = merging.clusters.info[:, box.PLACE]
    costs = np.empty(len(places))
    first = 0
    for a in range(len(places)):
        costs_with(merging.state, a, costs)
        costs[a] = np.inf
        tied = np.flatnonzero(costs <= costs.min() + TIE)
        expected = tied[places[tied].argmin()]
        assert cheapest_partner(merging.state, merging.tree, a).cluster == expected
        first += costs[expected] > costs.min()
    assert first > 50, "the first is often not the cheapest"


def test_only_boxes_beyond_the_usual_number_cost_patience() -> None:
    rng = random.Random(2)
    columns = {name: [rng.randrange(10**6) for _ in range(600)] for name in "abc"}
    merging = Merging(make_task(columns, k=4), RunContext(), MergeObjective(EXTENT, Measure.NCP))
    tally = merging.list.tally
    patience = int(tally[box.PATIENCE])
    tried = []
    while len(tried) < 3 * RUN:
        place = next_small(merging.clusters, merging.list, 0, 4)
        a = int(merging.list.at[place])
        tried.append(cheapest_partner(merging.state, merging.tree, a).tried)
        merging.advance(0, most=1)
    first, second, third = (sum(tried[begin : begin + RUN]) for begin in (0, RUN, 2 * RUN))
    usual = min(first // RUN, second // RUN)
    assert tally[box.USUAL] == min(usual, third // RUN)
    beyond = second - first // RUN * RUN + third - usual * RUN
    assert tally[box.PATIENCE] == patience - beyond
    merging.grow_tree()
    assert tally[box.USUAL] == 0, "a new tree has another usual number"
