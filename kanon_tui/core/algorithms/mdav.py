"""MDAV: microaggregation around the two records that are furthest from the middle.

Its page, with naive code, a picture and a run: algorithms/mdav.html of the manual, which
`kanon-tui explain mdav` prints.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np

from kanon_tui.core.clustering.clustering import BlockClustering
from kanon_tui.core.clustering.events import UNPLACED, Alternatives, GroupEvent, Moves
from kanon_tui.core.clustering.features import standard_scores
from kanon_tui.core.clustering.growing_events import ClassesTaken, ClassTaken
from kanon_tui.core.clustering.similarity import class_loss
from kanon_tui.core.numeric import Floats, Int64s
from kanon_tui.core.task.task import Grouping, Line, RunContext, Step, Steps, Task

_OTHER_CATEGORY = 2.0
"""What another category counts: as much as two standard scores differ on average, squared."""
_SHOWN = 5
"""Candidates that a choice shows."""


@dataclass(frozen=True)
class Mdav(BlockClustering):
    """Maximum distance to average vector, the usual method of numeric microaggregation.

    Idea: records far from the middle are hardest to place, so they come first, each with its
    k − 1 nearest. Classes of k records have the smallest squared differences from their means,
    which is what a release of means (`publish: mean`) loses.

    Phases:

    1. While 3k records are left: find the record r furthest from the mean of those left, and the
       record s furthest from r. r and its k − 1 nearest are a class, then s and its k − 1 nearest.
    2. With 2k to 3k − 1 left, r and its k − 1 nearest are a class, and the others another; fewer
       than 2k are one class.

    The distance is the sum of squared differences of standard scores; another category than that
    of a record, or than the most frequent of those left, counts 2. A missing number lies as far
    beyond the largest as that is from the smallest. Of distances that agree to nine digits behind
    the point the lowest record comes first.

    Cost: a class measures every record that is left, O(n² / k) in all, so that tables of more than
    20,000 records are clustered in blocks. `refine` with `refine_by: sse` lowers them more.

    Reference: Domingo-Ferrer and Torra, Ordinal, continuous and heterogeneous k-anonymity through
    microaggregation (2005); not one of the five documents.
    """

    name: ClassVar[str] = "mdav"
    title: ClassVar[str] = "MDAV microaggregation"
    paper: ClassVar[str] = "Domingo-Ferrer and Torra 2005"
    summary: ClassVar[str] = (
        "Gives the records furthest from the middle their k − 1 nearest; for numbers that are "
        "published as means"
    )
    sample: ClassVar[str] = "race-rules"
    terms: ClassVar[tuple[str, ...]] = ("centre",)
    twin: ClassVar[str] = ".twins.mdav:mdav"
    pseudo_code: ClassVar[tuple[Line, ...]] = (
        Line("while 3k records are left:"),
        Line("r is the furthest from the mean of those left, s the furthest from r", 1),
        Line("r and its k − 1 nearest are a class, then s and its k − 1 nearest", 1, ("close",)),
        Line("of fewer than 3k the last one or two classes are made", 0, ("rest",)),
    )
    scans: ClassVar[bool] = True
    time_exponent: ClassVar[float] = 1.9

    def steps(self, task: Task, context: RunContext) -> Steps:
        """Make classes until no record is left."""
        labels = np.full(task.n, -1, dtype=np.int32)
        made = 0
        lost = 0.0
        new = []
        for members, of_the_last, furthest in _classes(_Points(task), task.k):
            labels[members] = made
            made += 1
            lost += class_loss(task.quasi, members[None])
            new.append(members)
            placed = int((labels >= 0).sum())
            if len(new) < context.decisions_per_step and placed < task.n:
                continue
            event: GroupEvent = ClassesTaken(len(new), made, of_the_last, decisions=len(new))
            if len(new) == 1:
                best = furthest.alternatives() if context.watched else None
                record = int(furthest.records[furthest.distances.argmax()])
                event = ClassTaken(made - 1, members, record, furthest.origin, of_the_last, best)
            if context.watched:
                records = np.concatenate(new)
                is_first = made == len(new)
                start = np.full(task.n, UNPLACED, dtype=np.int32) if is_first else None
                moves = Moves(records, labels[records])
                event = replace(event, start=start, moves=moves, records=members)
            counters = {"clusters": made, "placed": placed, "ncp": lost / placed}
            new = []
            yield Step(event, counters, placed / task.n)
        return Grouping(labels, search={"clusters": made})


class _Points:
    """The records that are left, as standard scores and category codes."""

    def __init__(self, task: Task) -> None:
        numbers = [attribute for attribute in task.quasi if attribute.ordered]
        categories = [attribute for attribute in task.quasi if not attribute.ordered]
        self.records: Int64s = np.arange(task.n)
        self._scores = [standard_scores(attribute)[attribute.column.codes] for attribute in numbers]
        self._codes = [attribute.column.codes for attribute in categories]

    def distances(self, i: int | None) -> Floats:
        """Return the squared distances of all records from one, by place, or from their middle."""
        total = np.zeros(len(self.records))
        for scores in self._scores:
            total += (scores - (scores.mean() if i is None else scores[i])) ** 2
        for codes in self._codes:
            label = np.bincount(codes).argmax() if i is None else codes[i]
            total += _OTHER_CATEGORY * (codes != label)
        return np.round(total, 9)

    def take(self, distances: Floats, count: int) -> Int64s:
        """Take the nearest records by their distances, of equals the first, and return them."""
        furthest = np.partition(distances, count - 1)[count - 1]
        taken = distances < furthest
        taken[np.flatnonzero(distances == furthest)[: count - int(taken.sum())]] = True
        nearest: Int64s = self.records[taken]
        remaining = ~taken
        self.records = self.records[remaining]
        self._scores = [scores[remaining] for scores in self._scores]
        self._codes = [codes[remaining] for codes in self._codes]
        return nearest


class _Furthest(NamedTuple):
    """The record that a class is made around, as far from something as no other that is left."""

    records: Int64s
    distances: Floats
    origin: int | None
    """The record that it is furthest from; None for the mean of those left."""

    def alternatives(self) -> Alternatives:
        """Return the furthest few, to be compared."""
        order = np.argsort(-self.distances, kind="stable")[:_SHOWN]
        nothing = np.zeros((len(order), 0))
        numbers = self.records[order].astype(np.int32)
        return Alternatives(numbers, self.distances[order], nothing, len(self.records))


def _classes(points: _Points, k: int) -> Iterator[tuple[Int64s, bool, _Furthest]]:
    """Yield the records of every class, if it is one of the last, and the record it is around."""
    while len(points.records) >= 2 * k:
        of_the_last = len(points.records) < 3 * k
        before = points.records
        from_mean = points.distances(None)
        r = int(from_mean.argmax())
        from_r = points.distances(r)
        from_s = points.distances(int(from_r.argmax()))
        taken = points.take(from_r, k)
        yield taken, of_the_last, _Furthest(before, from_mean, None)
        if not of_the_last:
            remaining = ~np.isin(before, taken)
            furthest = _Furthest(before[remaining], from_r[remaining], int(before[r]))
            yield points.take(from_s[remaining], k), of_the_last, furthest
    if len(points.records):
        yield points.records, True, _Furthest(points.records, points.distances(None), None)
