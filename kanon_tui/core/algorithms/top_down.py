"""Top-down: split the table around two far-apart records, and each side again.

Its page, with naive code, a picture and a run: algorithms/top-down.html of the manual, which
`kanon-tui explain top-down` prints.
"""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from kanon_tui.core.clustering.boxes import Measure, attributes_of
from kanon_tui.core.clustering.clustering import NumericClustering
from kanon_tui.core.clustering.events import LossFigure
from kanon_tui.core.clustering.features import collapse
from kanon_tui.core.clustering.splitting import Splitting
from kanon_tui.core.fields.declaration import declared
from kanon_tui.core.task.task import Grouping, Line, RunContext, Step, Steps, Task, Wish
from kanon_tui.core.text import Note, note

_UNFINISHED = note("stopped early: some groups could still have been split")


@dataclass(frozen=True)
class TopDown(NumericClustering):
    """Divisive local recoding by normalised certainty penalty.

    Idea: two records that are far apart should not share a class. Let them be the seeds of two
    groups, give every other record to the group whose NCP it raises less, and go on in each group.

    Each group of 2k records or more that are not all alike:

    1. Seeds: from a record drawn at random, go to the record furthest from it (NCP of the pair; the
       first among equals), from there to the furthest from that one, `rounds` times in all; the
       last two are the seeds.
    2. Sides: the seed that comes first in the table has the first side. In table order, every
       other distinct record goes, with its copies, to the side whose NCP grows less; the first side
       when they grow alike (less than 1e-9 apart). The NCP of a side is that of its class, however
       many records it has.
    3. Balance: a side with fewer than k records takes from the other, one by one, the record that
       raises its NCP least, as long as k stay behind. If it cannot reach k the group is not split.

    A side that has become wide takes nearly everything, because it grows no more, and a split often
    takes no more than k far-off records away. That gives narrow classes, and nearly as many splits
    of large groups as there are classes. With `growth: records` the NCP of a side is the sum over
    its records: splits are even and few, and classes wider (on Adult with nine quasi-identifiers
    and k = 5 an NCP of 0.062 instead of 0.038).

    With `objective: sse` the extent of a side is the sum of its ranges in standard deviations, in
    place of NCP: narrow sides have small squared differences from their means.

    Two trees over the rows of a large group make its splits cheap. One holds rows that lie
    together: it finds the seeds and the records that a poor side takes. The other holds rows in
    table order: it finds the next row that no box has covered yet. Only the side that is found
    sooner is listed; the other is what is left, and does not move.

    The first side is split before the second. The random number of a split is the next of
    `default_rng(seed)`, times the number of distinct records in the group, rounded down.

    Cost: up to n / k levels of splits, of which each looks at the rows that widen a box, at those
    of the smaller side, and at those that may be furthest or cheapest, times log n. With
    `growth: records` about log(n / k) levels, each O(distinct records · attributes · (rounds + k)).
    Memory is linear.

    Departures from the paper: records are assigned in table order instead of a random one, so that
    the seed only decides where walks start, and equal records always stay together.

    Reference: Xu, Wang, Pei, Wang, Shi and Fu, utility-based anonymization using local recoding
    (2006), named by Morton, chapter 3.
    """

    name: ClassVar[str] = "top-down"
    title: ClassVar[str] = "Top-down"
    paper: ClassVar[str] = "Xu et al. 2006; Morton chapter 3"
    summary: ClassVar[str] = (
        "Splits the table around two far-apart records, again and again; the lowest certainty "
        "penalty of all on most tables"
    )
    sample: ClassVar[str] = "race-rules"
    pictures: ClassVar[tuple[str, ...]] = ("map", "tree")
    terms: ClassVar[tuple[str, ...]] = ("cut",)
    twin: ClassVar[str] = ".twins.merging:top_down"
    pseudo_code: ClassVar[tuple[Line, ...]] = (
        Line("the whole table is one group"),
        Line("while a group has 2k records that differ:"),
        Line("two records that are far apart are the seeds of two sides", 1),
        Line("give every other record to the side whose NCP grows less", 1, ("split",)),
        Line("a side below k takes the nearest of the other", 1),
        Line("it cannot reach k: the group is a class", 1, ("close",)),
    )
    recommended_for: ClassVar[tuple[Wish, ...]] = (Wish.LEAST_LOSS,)
    time_exponent: ClassVar[float] = 1.2

    growth: str = declared(
        "class",
        "A record joins the side whose penalty it raises least: that of the side's class (narrower "
        "classes), or of all its records together (even splits, faster)",
        choices=("class", "records"),
    )
    rounds: int = declared(3, "Steps of the walk to two far-apart records", low=1, high=20)

    def steps(self, task: Task, context: RunContext) -> Steps:
        """Split until no group can be split."""
        squared = self.squared(task)
        attributes = attributes_of(task, Measure.SQUARES if squared else Measure.NCP)
        figure = "ranges" if squared else "NCP"
        distinct = collapse([attribute.column.codes for attribute in task.quasi])
        everything = np.arange(len(distinct), dtype=np.int32)
        draw = np.random.default_rng(task.seed).random
        per_record = self.growth == "records"
        splitting = Splitting(
            task, attributes, distinct, [everything], self.rounds, per_record, draw
        )
        while splitting.depth:
            is_first = splitting.is_untouched
            before = splitting.loss / task.n
            splits = splitting.advance(context.decisions_per_step)
            change = LossFigure(figure, before, splitting.loss / task.n)
            measured = context.watched or (context.decisions_per_step == 1 and not squared)
            event = splitting.last_event(splits, change, measured)
            parts = splitting.record_parts()
            if context.watched:
                event = splitting.placed_in_groups(event, is_first)
            counters = {
                "clusters": splitting.depth + splitting.closed,
                "splits": splitting.splits,
                "closed": splitting.closed,
                figure.lower(): change.after,
            }
            keep = partial(_grouping, splitting, parts, _UNFINISHED)
            yield Step(event, counters, splitting.placed / len(distinct), keep)
        return _grouping(splitting, splitting.record_parts())


def _grouping(splitting: Splitting, step: int, *notes: Note) -> Grouping:
    """Return the groups at a step as a grouping; they have k records at every step."""
    labels = splitting.labels(step)
    clusters = int(labels.max()) + 1
    search = {"start_clusters": 1, "splits": clusters - 1, "clusters": clusters}
    return Grouping(labels[splitting.distinct.number], search=search, notes=notes)
