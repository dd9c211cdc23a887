"""Bottom-up: merge groups of equal records by the lowest NCP, and split what grew too large.

Its page, with naive code, a picture and a run: algorithms/bottom-up.html of the manual, which
`kanon-tui explain bottom-up` prints.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from kanon_tui.core.clustering.boxes import Measure, MergeObjective
from kanon_tui.core.clustering.cutting_events import GroupSplit
from kanon_tui.core.clustering.events import NO_GROUP, LossFigure, Moves, moved_to
from kanon_tui.core.clustering.merging import Merging, MergingClustering
from kanon_tui.core.clustering.merging_steps import merge_all
from kanon_tui.core.clustering.splitting import Splitting, SplittingEvent
from kanon_tui.core.kernels.box_arrays import HEAD, PLACE, SIZE, TAIL
from kanon_tui.core.kernels.merging import EXTENT
from kanon_tui.core.task.task import Line, RunContext, Step, Steps, Task

_ROUNDS = 3  # of the walk to a far-apart pair, as in `top-down`


@dataclass(frozen=True)
class BottomUp(MergingClustering):
    """Agglomerative local recoding by normalised certainty penalty.

    Idea: a group is as good as its ranges are narrow. Join every group that is too small to the
    group with which it stays narrowest.

    Phases: groups start as the distinct records, in order of first appearance. While a group has
    fewer than k records, there is a round:

    1. Every such group, in order, merges with the group that gives the lowest NCP of the union
       (less than 1e-9 apart is a tie, and the group that comes first wins). The union takes the
       place of the group that was found; a union is left alone for the rest of the round, except
       that others may still join it.
    2. Every group of 2k records or more is split as `top-down` splits with `growth: class`, again
       and again, while both sides can hold k; the walk to a far-apart pair starts from its first
       record. The first part keeps the place of the group, the others go to the end of the list.

    A split never leaves a group under k and a round always lessens their number, so this ends.
    Records that are alike stay together: their class would be one anyway.

    The NCP of a union is that of one of its records, Σ w · NCP, not multiplied by how many there
    are: Morton describes it as ranges over domains times weights. A wide group is then as
    inviting when it is large, which is why groups are split again.

    Cost: rounds · (a search per small group); the tree that finds partners is that of `udc`. The
    number of rounds grows with log k.

    Reference: Xu, Wang, Pei, Wang, Shi and Fu, utility-based anonymization using local recoding
    (2006), as used by Morton.
    """

    name: ClassVar[str] = "bottom-up"
    title: ClassVar[str] = "Bottom-up"
    paper: ClassVar[str] = "Xu et al. 2006; Morton chapter 3"
    summary: ClassVar[str] = (
        "Merges small groups by the lowest certainty penalty and splits large ones again; for "
        "narrow ranges without rules"
    )
    twin: ClassVar[str] = ".twins.merging:bottom_up"
    pseudo_code: ClassVar[tuple[Line, ...]] = (
        Line("every distinct record is a group"),
        Line("while a group has fewer than k records:"),
        Line("each of these, in turn:", 1),
        Line("merge it with the one that gives the lowest NCP", 2, ("merge",)),
        Line("split groups of 2k and more around far-apart records", 1, ("split",)),
    )
    time_exponent: ClassVar[float] = 1.2

    def steps(self, task: Task, context: RunContext) -> Steps:
        """Merge and split, round by round, until every group has k records."""
        merging = Merging(task, context, MergeObjective(EXTENT, Measure.NCP))
        merging.more_counters = {"rounds": 0, "splits": 0}
        while merging.counters["under_k"]:
            merging.more_counters["rounds"] += 1
            yield from merge_all(merging, turn=int(merging.more_counters["rounds"]))
            yield from _split_large(merging)
        return merging.grouping()


def _placed_in_groups(
    event: SplittingEvent, merging: Merging, splitting: Splitting
) -> SplittingEvent:
    """Return an event with what splits did; new groups are numbered after those listed."""
    new = len(merging.list.at)
    records_of = merging.distinct.records_of
    if isinstance(event, GroupSplit):
        upper = records_of(event.second)
        number = new + splitting.splits - 1
        records = np.sort(np.concatenate([records_of(event.first), upper]))
        moves = moved_to(number, upper)
        return replace(event, upper=number, records=records, moves=moves)
    upper_parts = [records_of(part) for parts in splitting.parts() for part in parts[1:]]
    numbers = np.arange(new, new + len(upper_parts), dtype=np.int32)
    groups = np.repeat(numbers, [len(records) for records in upper_parts])
    return replace(event, moves=Moves(np.concatenate(upper_parts), groups))


def _split_large(merging: Merging) -> Iterator[Step]:
    """Split every group of 2k records or more that are not all alike."""
    task = merging.task
    info = merging.clusters.info
    large = np.flatnonzero(info[:, SIZE] >= 2 * task.k).astype(np.int32)
    large = large[info[large, HEAD] != info[large, TAIL]]
    large = large[np.argsort(info[large, PLACE])]
    if not len(large):
        return
    groups = merging.groups(large)
    splitting = Splitting(
        task, merging.attributes, merging.distinct, groups, _ROUNDS, per_record=False, draw=np.zeros
    )
    counters = merging.counters
    utility = merging.utility
    loss = splitting.loss
    while splitting.depth:
        splits = splitting.advance(merging.context.decisions_per_step)
        if splits:  # groups that are left as they are need no word
            utility_now = utility + (splitting.loss - loss) / task.n
            counters |= {
                "clusters": merging.counters["clusters"] + splitting.splits,
                "splits": merging.more_counters["splits"] + splitting.splits,
                "ncp": utility_now,
            }
            figure = LossFigure("NCP", None, utility_now)
            event = splitting.last_event(splits, figure, measured=False)
            if isinstance(event, GroupSplit):
                event = replace(event, group=NO_GROUP)  # merges tell how groups came about
            if merging.context.watched:
                event = _placed_in_groups(event, merging, splitting)
            yield Step(event, dict(counters), merging.progress)
    merging.more_counters["splits"] += splitting.splits
    parts = splitting.parts()
    first = [parts_of_group[0] for parts_of_group in parts]
    new_groups = [part for parts_of_group in parts for part in parts_of_group[1:]]
    if new_groups:
        merging.replace(large, first + new_groups)
