"""What is told about descents and about bounds on the optimum (anytime)."""

from __future__ import annotations

from kanon_tui.core.lattice.events import BoxDivided, DescentStarted, PaceMeasured
from kanon_tui.core.lessons.lesson import Lesson, Vote, describes
from kanon_tui.core.lessons.strings import string_text, with_others, worth_text
from kanon_tui.core.task.task import Task

_BETTER = Vote("Can a box of strings still have a better one?")


@describes(DescentStarted)
def descent_started(event: DescentStarted, task: Task) -> Lesson:
    """Tell from which string a descent starts."""
    sentence = f"Descend from {string_text(event.levels, task)}."
    vote = Vote("From which string does the next descent start?")
    return Lesson(with_others(event, sentence), vote=vote)


@describes(BoxDivided, PaceMeasured)
def bounding(event: BoxDivided | PaceMeasured, task: Task) -> Lesson:
    """Tell about the bound on what strings are worth."""
    if isinstance(event, PaceMeasured):
        sentence = (
            f"After {event.used:,} tests the gap is {event.gap:.1%}, by its pace "
            f"{event.expected:.1%} after {event.most:,}: {'go on' if event.goes_on else 'stop'}."
        )
        return Lesson(sentence, vote=_BETTER)
    limit = "the best found" if event.limit is None else worth_text(event.limit)
    sentence = (
        f"Divide a box of strings at {string_text(event.levels, task)}; open boxes: "
        f"{event.open_boxes:,}, and none has a string better than {limit}."
    )
    return Lesson(with_others(event, sentence), vote=_BETTER)
