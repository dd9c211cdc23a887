"""What is told about classes that are made one after the other (mdav, stepwise)."""

from __future__ import annotations

from kanon_tui.core.clustering.events import Alternatives
from kanon_tui.core.clustering.growing_events import (
    ClassesTaken,
    ClassTaken,
    LastJoined,
    StringsUsed,
)
from kanon_tui.core.lattice.search import StringText
from kanon_tui.core.lessons.lesson import Candidate, Choice, Lesson, Vote, describes
from kanon_tui.core.lessons.words import in_words
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import count_of


@describes(ClassTaken, ClassesTaken)
def class_taken(event: ClassTaken | ClassesTaken, task: Task) -> Lesson:
    """Tell about a class around a record, or several."""
    made = event.cluster + 1 if isinstance(event, ClassTaken) else event.in_all
    vote = Vote(f"Is cluster {made} full, or does it take one more?")
    if event.of_the_last:
        vote = Vote("What comes next?")
    if isinstance(event, ClassesTaken):
        new = count_of(event.new, "class is", "classes are")
        return Lesson(f"{new} made, {event.in_all:,} so far.", vote=vote, outcome="CLOSED")
    origin = "the mean of those left"
    if event.origin is not None:
        origin = f"record {event.origin + 1:,}"
    box = in_words(task.quasi, [a.column.codes[event.members] for a in task.quasi])
    size = count_of(len(event.members), "record")
    sentence = (
        f"Record {event.record + 1:,} is the furthest from {origin}: it and its nearest are class "
        f"{made:,}, {size}: {box}."
    )
    if event.alternatives is None:
        return Lesson(sentence, vote=vote, outcome="CLOSED")
    return Lesson(sentence, _furthest(event.alternatives, origin), outcome="CLOSED")


def _furthest(alternatives: Alternatives, origin: str) -> Choice:
    """Return the furthest records, to be compared."""
    scores = alternatives.scores.tolist()
    candidates = tuple(
        Candidate(f"record {number + 1:,}", scores[place], chosen=place == 0)
        for place, number in enumerate(alternatives.numbers.tolist())
    )
    question = f"which record is furthest from {origin}"
    rule = "the furthest; of equals the lowest row"
    return Choice(question, "squared distance", candidates, alternatives.among, rule)


@describes(StringsUsed, LastJoined)
def strings_used(event: StringsUsed | LastJoined, task: Task) -> Lesson:
    """Tell about strings that make classes, and the records that are left at the end."""
    if isinstance(event, LastJoined):
        sentence = f"Fewer than {task.k:,} records were left: each joins the class of the nearest."
        return Lesson(sentence, vote=Vote("Which class takes each record left over?"))
    string = _string(task, event.levels)
    records_left = f"{count_of(event.left, 'record is', 'records are')} left"
    new = count_of(event.new, "class", "classes")
    sentence = f"{string} makes {new} of at least {task.k:,}; {records_left}."
    if not event.strings:
        sentence = f"No string up to {string} makes a class; {records_left}."
    elif event.strings > 1:
        sentence = f"{event.strings:,} strings make {new}, the last {string}; {records_left}."
    if not event.tried:
        vote = Vote(f"How many classes does {string} make of the records left?")
        return Lesson(sentence, vote=vote, outcome="CLOSED")
    return Lesson(sentence, _which_string(event, task), outcome="CLOSED")


def _string(task: Task, levels: tuple[int, ...]) -> StringText:
    return StringText(tuple(attribute.name for attribute in task.quasi), levels)


def _which_string(event: StringsUsed, task: Task) -> Choice:
    """Return the string that made classes, before the dearest ones that made none."""
    candidates = tuple(
        Candidate(
            _string(task, string.levels),
            string.cost,
            f"largest {string.largest:,}",
            chosen=string.largest >= task.k,
        )
        for string in event.tried
    )
    ranked = tuple(sorted(candidates, key=lambda candidate: not candidate.chosen))
    rule = "the cheapest at which k of those left are alike"
    question = "which string makes classes"
    return Choice(question, "NCP", ranked, event.among, rule, best_first=False)
