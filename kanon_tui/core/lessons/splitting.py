"""What is told about groups that are split around two records that are far apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kanon_tui.core.clustering.cutting_events import (
    GroupKept,
    GroupsDecided,
    GroupSplit,
    SplitLosses,
)
from kanon_tui.core.clustering.events import LossFigure
from kanon_tui.core.lessons.lesson import Candidate, Choice, Lesson, Vote, describes
from kanon_tui.core.lessons.words import change, in_words
from kanon_tui.core.numeric import TIE, Floats, Int32s
from kanon_tui.core.task.task import QuasiIdentifier, Task
from kanon_tui.core.text import count_of, short_number, small_number

_NAMED = 2
"""Attributes that a sentence names."""
_SHOWN = 5
_SEEDS = Vote("Which records are the seeds of the two sides?")
_DIVIDED = Vote("Can these records still be divided?")


@describes(GroupSplit, GroupKept, GroupsDecided)
def splitting(event: GroupSplit | GroupKept | GroupsDecided, task: Task) -> Lesson:
    """Tell about a split, a group that stays whole, or many of both."""
    if isinstance(event, GroupKept):
        size = count_of(int(event.distinct.counts[event.rows].sum()), "record")
        sentence = f"Close a group of {size}: {_why_kept(event, task)}."
        return Lesson(sentence, vote=_DIVIDED, outcome="CLOSED")
    figure_change = _figure_now(event.figure)
    if isinstance(event, GroupsDecided):
        sentence = f"{event.splits:,} of {event.decisions:,} groups split, the others closed."
        if not event.splits:
            return Lesson(sentence, vote=_DIVIDED, outcome="CLOSED")
        return Lesson(f"{sentence} {figure_change}", vote=_SEEDS)
    rows = [np.concatenate([event.first, event.second]), event.first, event.second]
    sides = [event.distinct.first[side] for side in rows]
    quasi = [task.quasi[x] for x in _most_parted(task, sides)]
    sizes = event.left + event.right, event.left, event.right
    group, first, second = (
        _side(quasi, records, size) for records, size in zip(sides, sizes, strict=True)
    )
    sentence = f"Split {group} around two that are far apart: {first} and {second}. {figure_change}"
    if event.losses is None or event.figure.name != "NCP":
        return Lesson(sentence, vote=_SEEDS, sides=_side_names(event, task))
    ranked = _saving_most(event.losses)
    return Lesson(
        sentence + _narrowing(task, event.losses, ranked),
        _choice(task, event.losses, ranked),
        sides=_side_names(event, task),
    )


def _figure_now(figure: LossFigure) -> str:
    name = f"{figure.name[0].upper()}{figure.name[1:]}"
    if figure.before is None:
        return f"{name} falls to {short_number(figure.after, 4)}."
    return f"{name} {change(figure.before, figure.after)}."


def _why_kept(event: GroupKept, task: Task) -> str:
    """Return the reason why a group is not split."""
    if event.distinct.counts[event.rows].sum() < 2 * task.k:
        return f"too few for two groups of {task.k:,}"
    if len(event.rows) == 1:
        return "they are all alike"
    return f"no split leaves {task.k:,} on either side"


def _most_parted(task: Task, sides: Sequence[Int32s]) -> list[int]:
    """Return the attributes to name: those along which a split narrows the group most.

    `sides` are a record of every distinct row in the group, in its first and its second side.
    """
    narrowed = []
    for attribute in task.quasi:
        codes = attribute.column.codes
        undivided, first, second = (len(np.unique(codes[records])) for records in sides)
        narrowed.append(2.0 - (first + second) / undivided)
    ranked = sorted(range(len(narrowed)), key=lambda x: (-narrowed[x], x))
    return sorted(x for x in ranked[:_NAMED] if narrowed[x] > 0)


def _side(quasi: Sequence[QuasiIdentifier], records: Int32s, size: int) -> str:
    """Return `12 records (age 40–52, zip {A|B})`."""
    codes = [attribute.column.codes[records] for attribute in quasi]
    words = f" ({in_words(quasi, codes)})" if quasi else ""
    return count_of(size, "record") + words


def _side_names(event: GroupSplit, task: Task) -> tuple[str, str]:
    """Return the values of both sides in the attribute that parts them."""
    attribute = task.quasi[event.along]
    first, second = (
        in_words([attribute], [attribute.column.codes[event.distinct.first[side]]])
        for side in (event.first, event.second)
    )
    return first, second


def _saving_most(losses: SplitLosses) -> list[int]:
    saved = losses.whole - losses.apart
    return sorted(range(len(saved)), key=lambda x: (-saved[x], x))


def _narrowing(task: Task, losses: SplitLosses, ranked: Sequence[int]) -> str:
    """Return ` Along age they narrow most, by 0.31 of NCP; runner-up zip with 0.12.`"""
    saved = _saved(task, losses)
    first, *runners_up = ranked
    if not runners_up or saved[first] <= 0:
        return ""
    name = task.quasi[first].name
    words = f" Along {name} they narrow most, by {small_number(saved[first])} of NCP"
    second = runners_up[0]
    if saved[second] <= 0:
        return f"{words}."
    name = task.quasi[second].name
    if abs(saved[first] - saved[second]) <= TIE:
        return f"{words}, as along {name}."
    return f"{words}; runner-up {name} with {small_number(saved[second])}."


def _saved(task: Task, losses: SplitLosses) -> Floats:
    return np.asarray((losses.whole - losses.apart) / task.n)


def _choice(task: Task, losses: SplitLosses, ranked: Sequence[int]) -> Choice:
    """Return the attributes, that which the split narrows most first."""
    saved = _saved(task, losses)
    candidates = tuple(
        Candidate(task.quasi[x].name, float(saved[x]), chosen=x == ranked[0])
        for x in ranked[:_SHOWN]
    )
    n = task.n
    formula = (
        f"the decrease of NCP · records by the split, attribute by attribute, / {n:,} records",
        *(
            f"{task.quasi[x].name}: ({short_number(losses.whole[x], 4)} − "
            f"{short_number(losses.apart[x], 4)}) / {n:,} = {short_number(saved[x], 4)}"
            for x in ranked
        ),
    )
    rule = "two records far apart are the seeds; each other one goes where NCP grows less"
    return Choice("what narrows most", "NCP saved", candidates, len(ranked), rule, formula)
