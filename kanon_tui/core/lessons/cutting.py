"""What is told about a table that is cut in two, and again."""

from __future__ import annotations

from collections.abc import Sequence

from kanon_tui.core.clustering.cutting_events import CutMade, PartClosed, PartsDecided, TablePart
from kanon_tui.core.lessons.lesson import Candidate, Choice, Lesson, Vote, describes
from kanon_tui.core.task.task import QuasiIdentifier, Task
from kanon_tui.core.text import count_of, short_number

_SHOWN = 5
_WIDTH = "width = range / domain, of categories (distinct − 1) / (distinct in the table − 1)"
_WHERE = Vote("Which attribute is cut, and where?")
_DIVIDED = Vote("Can these records still be divided?")


@describes(CutMade, PartClosed, PartsDecided)
def cutting(event: CutMade | PartClosed | PartsDecided, task: Task) -> Lesson:
    """Tell about a cut, a part without one, or many of both."""
    if isinstance(event, PartsDecided):
        cuts = count_of(event.cuts, "cut")
        closed = count_of(event.closed_parts, "class", "classes")
        placed = f"{event.placed:,} of {task.n:,} records are in closed classes"
        vote, outcome = (_WHERE, "") if event.cuts else (_DIVIDED, "CLOSED")
        return Lesson(f"{cuts} made and {closed} closed; {placed}.", vote=vote, outcome=outcome)
    if isinstance(event, PartClosed):
        why = _why_closed(event, task)
        sentence = f"Close a class of {event.part.size:,} records: {why}."
        return Lesson(sentence, vote=_DIVIDED, outcome="CLOSED")
    name = task.quasi[event.attribute].name
    below = _value(task.quasi[event.attribute], event.below)
    above = _value(task.quasi[event.attribute], event.above)
    where = f"inside {below}" if event.below == event.above else f"between {below} and {above}"
    sentence = (
        f"Cut {event.part.size:,} records by {name}, {_why_this(event, task)}, {where}: "
        f"{event.left:,} below and {event.right:,} above."
    )
    sides = f"{name} ≤ {below}", f"{name} > {below}"
    return Lesson(sentence, _choice(event, task), outcome=f"cut {name}", sides=sides)


def _why_closed(event: PartClosed, task: Task) -> str:
    """Return the reason why a part is not cut."""
    if not event.tried:
        alike = event.part.size >= 2 * task.k
        return "they are all alike" if alike else f"too few for two classes of {task.k:,}"
    cut = "cut at the median" if event.at_median else "cut"
    required = " with what is required" if task.requirements else ""
    tried = _names(event.tried, task)
    return f"no {cut} of {tried} leaves {task.k:,} records{required} on either side"


def _why_this(event: CutMade, task: Task) -> str:
    """Return why a part is cut along this attribute and no other."""
    if event.passed_over:
        return f"since {_names(event.passed_over, task)} cannot be cut"
    widths = event.part.widths
    width = widths[event.attribute]
    other_attributes = [x for x in range(len(widths)) if x != event.attribute and widths[x] > 0]
    if not other_attributes:
        return "their widest attribute"
    second = max(other_attributes, key=lambda x: widths[x])
    name = task.quasi[second].name
    if widths[second] == width:
        return f"the first of the widest attributes (width {short_number(width, 2)}, as {name})"
    return (
        f"their widest attribute (width {short_number(width, 2)}, runner-up {name} with "
        f"{short_number(widths[second], 2)})"
    )


def _choice(event: CutMade, task: Task) -> Choice:
    """Return the attributes of a part, the widest first."""
    names = [attribute.name for attribute in task.quasi]
    ranked = _widest_first(event.part)
    candidates = tuple(
        Candidate(
            names[x],
            event.part.widths[x],
            "no cut leaves k" if x in event.passed_over else "",
            chosen=x == event.attribute,
        )
        for x in ranked[:_SHOWN]
    )
    formula = (_WIDTH, *(f"{names[x]}: {event.part.widths[x]:.4g}" for x in ranked))
    rule = "the widest attribute with a cut that leaves k records on either side"
    question = "which attribute is cut"
    return Choice(question, "width", candidates, len(ranked), rule, formula)


def _widest_first(part: TablePart) -> list[int]:
    return sorted(range(len(part.widths)), key=lambda x: -part.widths[x])


def _names(attributes: Sequence[int], task: Task) -> str:
    return ", ".join(task.quasi[x].name for x in attributes)


def _value(attribute: QuasiIdentifier, code: int) -> str:
    return str(attribute.column.values[code])
