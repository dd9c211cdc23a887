"""What is told about raising one attribute after another (datafly)."""

from __future__ import annotations

from kanon_tui.core.lattice.events import AttributeRaised, RecordsSuppressed, WentOn
from kanon_tui.core.lessons.lesson import Candidate, Choice, Lesson, Vote, describes
from kanon_tui.core.lessons.strings import with_others
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import plural

_SHOWN = 5


@describes(AttributeRaised)
def raised(event: AttributeRaised, task: Task) -> Lesson:
    """Tell about an attribute that is raised."""
    name = task.quasi[event.attribute].name
    changed = f"still {event.after:,}"
    if event.after != event.before:
        changed = f"{event.before:,} become {event.after:,}"
    level = event.levels[event.attribute]
    sentence = f"Raise {name}, {_why(event, task)}, to level {level}: {changed}."
    return Lesson(with_others(event, sentence), _choice(event, task), outcome=f"raise {name}")


def _why(event: AttributeRaised, task: Task) -> str:
    if event.by != "values":
        return f"which costs least by {event.by}"
    other_attributes = [x for x in event.scores if x != event.attribute]
    why = "the attribute with most distinct values"
    if not other_attributes:
        return why
    second = max(other_attributes, key=lambda x: event.scores[x])
    runner_up = f"runner-up {task.quasi[second].name} with {event.scores[second]:,.0f}"
    return f"{why} ({event.before:,}, {runner_up})"


def _choice(event: AttributeRaised, task: Task) -> Choice:
    """Return the choice among the attributes that could have been raised."""
    scores = event.scores
    ranked = sorted(scores, key=lambda x: (-scores[x], x))[:_SHOWN]
    candidates = [
        Candidate(task.quasi[x].name, scores[x], chosen=x == event.attribute) for x in ranked
    ]
    return Choice(
        "which attribute is raised",
        "distinct values" if event.by == "values" else f"change of {event.by}",
        tuple(candidates),
        len(scores),
        "the highest, the first of equals",
    )


@describes(WentOn)
def went_on(event: WentOn, task: Task) -> Lesson:
    """Tell why a more general string is looked at."""
    why = f"fewer than {task.k} records would be suppressed, and no class can join them"
    if event.may_lose_less:
        why = "a higher level may lose less than suppression does"
    vote = Vote("Is this string published, or is a more general one looked at?")
    return Lesson(with_others(event, f"Go on: {why}."), vote=vote)


@describes(RecordsSuppressed)
def suppressed(event: RecordsSuppressed, task: Task) -> Lesson:
    """Tell how many records are suppressed."""
    who = plural(event.small, "one record in a class", f"{event.small:,} records in classes")
    beyond_k = "" if event.missed is None else f" or with {event.missed}"
    sentence = f"Suppress the {who} below {task.k}{beyond_k}"
    if event.joining:
        sentence += (
            f", and {event.joining:,} of the smallest class that can join: at least {task.k} in all"
        )
    full_sentence = with_others(event, f"{sentence}.")
    vote = Vote("How many records are suppressed?")
    return Lesson(full_sentence, vote=vote, outcome=f"- {event.small}", tone="warn")
