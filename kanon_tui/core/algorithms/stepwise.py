"""Stepwise: classes that are large enough at cheap strings first, the rest at dearer ones.

Its page, with naive code, a picture and a run: algorithms/stepwise.html of the manual, which
`kanon-tui explain stepwise` prints.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import ClassVar

import numpy as np

from kanon_tui.core.clustering.clustering import Clustering
from kanon_tui.core.clustering.events import NO_RECORDS, UNPLACED, GroupEvent, Moves
from kanon_tui.core.clustering.growing_events import LastJoined, StringsUsed, StringTried
from kanon_tui.core.fields.declaration import declared
from kanon_tui.core.lattice.frequency import CodedTuples, Frequency
from kanon_tui.core.lattice.objective import LevelLosses
from kanon_tui.core.numeric import Floats, Int32s, Int64s
from kanon_tui.core.task.task import (
    Grouping,
    Line,
    RunContext,
    Step,
    Steps,
    Task,
)

_WORK = 1_000_000  # tuples: some tens of milliseconds, so that a cancel is heard
_SHOWN = 5


@dataclass(frozen=True)
class Stepwise(Clustering):
    """Local recoding by repeated full-domain generalisation of the records that are left.

    Idea: most records of a table find k like them at a string that costs little; only the others
    need a dearer one. So strings are taken from the least NCP to the highest, and at each of them
    the records that are left and share their labels with at least k are a class.

    Phases:

    1. List the strings and sort them by the NCP that the table would have. Where there are more
       than `tests`, so many are drawn by the seed, specific and general ones alike: an attribute
       with h levels above its values is at level Binomial(h, p), with p rising from 0 to 1.
    2. Count the classes of each string among the records that are left. Those of at least k records
       are made; they print what their own records cover, which may be less than the labels.
    3. Fewer than k records left over each join the class of the nearest record.

    Cost: a count of the distinct tuples that are left per string; they soon are few.

    Reference: the scheme of local recoding in ARX (Prasser, Kohlmayer, Kuhn and others), which
    searches an optimal string of what is left again and again; not one of the five documents.
    """

    name: ClassVar[str] = "stepwise"
    title: ClassVar[str] = "Stepwise local recoding"
    paper: ClassVar[str] = "none: repeated full-domain generalisation, as in ARX"
    summary: ClassVar[str] = (
        "Makes classes at the cheapest string where k records are alike, and goes on with the rest "
        "at dearer ones; for tables of categories with hierarchies"
    )
    sample: ClassVar[str] = "race-rules"
    terms: ClassVar[tuple[str, ...]] = ("NCP",)
    twin: ClassVar[str] = ".twins.stepwise:stepwise"
    pseudo_code: ClassVar[tuple[Line, ...]] = (
        Line("sort the strings by the NCP that they give the table"),
        Line("for every string, while k records are left:"),
        Line("records left that share their labels with at least k are a class", 1, ("close",)),
        Line("a record left over joins the class of the nearest record", 0, ("join",)),
    )
    works_on_counted_rows: ClassVar[bool] = True

    tests: int = declared(20_000, "Largest number of strings at which classes are counted", low=1)

    def steps(self, task: Task, context: RunContext) -> Steps:
        """Make classes string by string until fewer than k records are left."""
        costs = [
            attribute.weight * LevelLosses(attribute, "ncp").without_suppression
            for attribute in task.quasi
        ]
        coded, tuple_of = CodedTuples.from_attributes(task.quasi, [0] * len(task.quasi))
        frequency = Frequency(coded, task.k, allowed=0)
        class_of = np.full(len(coded.counts), UNPLACED, dtype=np.int32)
        made = reported = strings = tested = before = work = 0
        unplaced = frequency.base
        # The latest strings since a class was made.
        tried: deque[StringTried] = deque(maxlen=_SHOWN)

        def step(event: GroupEvent) -> Step:
            if context.watched:
                labels = class_of[tuple_of]
                records = np.flatnonzero(labels >= reported)
                is_first = reported == 0 and isinstance(event, StringsUsed)
                start = np.full(len(labels), UNPLACED, dtype=np.int32) if is_first else None
                moves = Moves(records, labels[records])
                event = replace(event, start=start, moves=moves)
                if context.decisions_per_step == 1 and isinstance(event, StringsUsed):
                    event = replace(event, records=records)
            placed = task.n - int(unplaced.sizes.sum())
            counters = {"clusters": made, "placed": placed, "tested": tested}
            return Step(event, counters, placed / task.n)

        for string in _strings(costs, self.tests, task.seed):
            classes, number = frequency.classes(string, unplaced)
            large = classes.sizes >= task.k
            tested = tested + 1
            work = work + len(number)
            if context.watched and context.decisions_per_step == 1:
                cost = float(sum(losses[x] for losses, x in zip(costs, string, strict=True)))
                levels = tuple(string.tolist())
                tried.appendleft(StringTried(levels, cost, int(classes.sizes.max())))
            if large.any():
                new = np.where(large, made + np.cumsum(large) - 1, UNPLACED)[number]
                class_of[unplaced.members] = new
                unplaced = unplaced.chosen(new < 0)
                made = made + int(large.sum())
                strings = strings + 1
                last = string
            finished = int(unplaced.sizes.sum()) < task.k
            if strings >= context.decisions_per_step or work > _WORK or (strings and finished):
                levels = tuple((last if strings else string).tolist())
                compared: tuple[StringTried, ...] = ()
                if strings == 1 and tried and tried[0].largest >= task.k:
                    compared = tuple(tried)
                records_left = int(unplaced.sizes.sum())
                among = tested - before if compared else 0
                new_classes = made - reported
                event = StringsUsed(
                    strings,
                    levels,
                    new_classes,
                    records_left,
                    compared,
                    among,
                    decisions=max(strings, 1),
                )
                yield step(event)
                reported = made
                strings = 0
                work = 0
                before = tested
                tried.clear()
            if finished:
                break
        if len(unplaced.members):
            rows = np.flatnonzero(class_of[tuple_of] == UNPLACED)
            _join_nearest(task, costs, class_of, tuple_of)
            reported = 0
            unplaced = unplaced.chosen(np.zeros(len(unplaced.members), dtype=bool))
            yield step(LastJoined(records=rows if context.watched else NO_RECORDS))
        return Grouping(class_of[tuple_of], search={"clusters": made, "tested": tested})


def _join_nearest(task: Task, costs: Sequence[Floats], class_of: Int32s, tuple_of: Int32s) -> None:
    """Give every tuple without a class that of the nearest tuple which has one from the search.

    The distance is the cost of publishing both alike.
    """
    first = np.unique(tuple_of, return_index=True)[1]
    placed = np.flatnonzero(class_of >= 0)
    for row in np.flatnonzero(class_of < 0).tolist():
        distance = np.zeros(len(placed))
        for attribute, cost in zip(task.quasi, costs, strict=True):
            codes = attribute.column.codes[first]
            agree = np.array([labels == labels[codes[row]] for labels in attribute.hierarchy.maps])
            distance += cost[agree.argmax(axis=0)][codes[placed]]
        class_of[row] = class_of[placed[int(np.argmin(distance))]]


def _strings(costs: Sequence[Floats], most: int, seed: int) -> Int64s:
    """Return at most `most` strings as rows of levels, cheapest first; the roots are last."""
    heights = [len(losses) - 1 for losses in costs]
    if prod(height + 1 for height in heights) <= most:
        strings = np.indices([height + 1 for height in heights]).reshape(len(heights), -1).T
    else:
        chance = np.linspace(0, 1, most)
        random = np.random.default_rng(seed)
        drawn = np.column_stack([random.binomial(height, chance) for height in heights])
        strings = np.unique(np.vstack([drawn, heights]), axis=0)
    total = sum(losses[strings[:, a]] for a, losses in enumerate(costs))
    return strings[np.lexsort((*strings.T[::-1], total))]
