"""What is told about searches for a string: tests, prunings and the end."""

from __future__ import annotations

from kanon_tui.core.lattice.events import (
    ABOVE,
    BELOW,
    BEST_OF_BOX,
    DESCENT,
    HALF_WAY,
    IN_PART,
    LOSES_TIE,
    MIDDLE,
    NEIGHBOUR,
    NO_BETTER,
    NO_MORE_GENERAL,
    RAISED,
    SMALL_CLASS,
    AnswerFound,
    LevelDropped,
    Picked,
    PointersMoved,
    Pruned,
    SearchEnded,
    StringAccepted,
    StringTested,
)
from kanon_tui.core.lessons.lesson import Candidate, Choice, Lesson, Vote, describes
from kanon_tui.core.lessons.strings import (
    bound_title,
    objective_title,
    reason_text,
    rv_formula,
    string_text,
    value_text,
    with_others,
    worth_text,
)
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import count_of, plural

_WAYS = {
    HALF_WAY: "half-way in what is left of every attribute",
    DESCENT: "where a descent starts",
    BEST_OF_BOX: "the best string of a box",
    IN_PART: "",
}
_WHICH_PRUNED = Vote("How many strings need no test any more?")
_PUBLISHED = Vote("Which string is published?")


def way_picked(picked: Picked, task: Task) -> str:
    """Return why a string is tested and no other; empty where it is just the next one."""
    if picked.how == MIDDLE:
        return _of_list(picked)
    origin = "" if picked.origin is None else string_text(picked.origin, task)
    if picked.how == NEIGHBOUR:
        return f"a neighbour of {origin}"
    if picked.how == RAISED:
        return f"raised from {origin} to see how far it fails and to drop more at once"
    return _WAYS.get(picked.how, picked.how)


def _of_list(picked: Picked) -> str:
    if picked.left == 1:
        return "the last string left"
    if picked.left == 2:
        return "the better of the last two strings"
    by = "the classes they can have" if picked.by == "classes" else objective_title(picked.by)
    return f"the middle of the {picked.left:,} strings left when sorted by {by}"


@describes(StringTested)
def tested(event: StringTested, task: Task) -> Lesson:
    """Tell about a test."""
    string = string_text(event.levels, task, event.part)
    way = way_picked(event.picked, task)
    sentence = f"{string}, {way}, " if way else f"{string} "
    sentence += _verdict(event, task)
    if event.part is None:
        sentence += f"; RV {value_text(event.rv)}"
    if event.worth is not None:
        sentence += f", {worth_text(event.worth)}"
    passes = event.outcome.passes
    short = "" if event.decisions > 1 else _in_short(event, string.levels)
    return Lesson(
        with_others(event, f"{sentence}."),
        _choice(event, task, way),
        Vote(f"Does {string} pass?", ("it passes", "it fails"), 0 if passes else 1),
        "PASS" if passes else "FAIL",
        "good" if passes else "bad",
        short,
    )


def _verdict(event: StringTested, task: Task) -> str:
    """Return the outcome of a test."""
    outcome = event.outcome
    k = task.k
    smallest = outcome.smallest
    missed = outcome.missed
    if missed is not None and not outcome.passes:
        records = plural(missed.records, "record is in a class", "records are in classes")
        return f"fails: {missed.records:,} {records} with {missed}"
    if outcome.small is None:
        return f"fails: its {outcome.classes:,} or more classes are too many for k = {k}"
    small = f"{outcome.small:,} {plural(outcome.small, 'record')}"
    if outcome.passes and (outcome.small or missed is not None):
        beyond_k = "" if missed is None else f" or with {missed}"
        return f"passes: {small} in classes below {k}{beyond_k} may be suppressed"
    if smallest is None or (event.allowed and not outcome.passes):
        if outcome.passes:
            return f"passes: its classes have {k:,} records or more"
        records = plural(outcome.small, "record is in a class", "records are in classes")
        return f"fails: {outcome.small:,} {records} below {k}, {event.allowed:,} may be suppressed"
    least = f"its smallest class has {smallest:,} {plural(smallest, 'record')}"
    return f"passes: {least}" if outcome.passes else f"fails: {least}, k is {k}"


def _in_short(event: StringTested, levels: tuple[int, ...]) -> str:
    """Return `⟨2 0 3 1⟩ 724 below k · RV 0.5971`."""
    outcome = event.outcome
    if outcome.missed is not None:
        verdict = f"{outcome.missed.records:,} with {outcome.missed}"
    elif outcome.small:
        verdict = f"{outcome.small:,} below k"
    elif outcome.smallest is not None:
        verdict = f"smallest class {outcome.smallest:,}"
    else:
        verdict = f"{outcome.classes:,} classes and more"
    value = f" · RV {value_text(event.rv)}" if event.part is None else ""
    return f"⟨{' '.join(map(str, levels))}⟩ {verdict}{value}"


def _choice(event: StringTested, task: Task, way: str) -> Choice | None:
    """Return the choice among the strings around the one that is tested."""
    picked = event.picked
    if not picked.around:
        return None
    candidates = tuple(
        Candidate(
            string_text(string.levels, task),
            string.figure,
            f"{string.rank:,} of {picked.left:,}",
            chosen=string.levels == event.levels,
        )
        for string in picked.around
    )
    return Choice(
        "which string is tested",
        bound_title(picked.by),
        candidates,
        picked.left,
        way,
        rv_formula(event.levels, task) if picked.by == "rv" else (),
        best_first=False,
    )


@describes(LevelDropped)
def dropped(event: LevelDropped, task: Task) -> Lesson:
    """Tell about a level that fails alone."""
    name = task.quasi[event.attribute].name
    sentence = (
        f"Drop level {event.level} of {name}: alone it leaves {event.small:,} "
        f"{plural(event.small, 'record')} in groups below {task.k}."
    )
    return Lesson(
        with_others(event, sentence),
        vote=Vote(f"Which level of {name} fails alone?"),
        outcome=f"drop {name} {event.level}",
        tone="warn",
    )


@describes(Pruned)
def pruned(event: Pruned, task: Task) -> Lesson:
    """Tell about strings that need no test."""
    sentence = f"Drop {count_of(event.strings, 'string')}: {_why_dropped(event, task)}."
    if event.reason == ABOVE:
        clause = plural(event.strings, "string passes too and needs", "strings pass too and need")
        sentence = f"{event.strings:,} more general {clause} no test."
    full_sentence = with_others(event, sentence)
    return Lesson(full_sentence, vote=_WHICH_PRUNED, outcome=f"- {event.strings}", tone="warn")


def _why_dropped(event: Pruned, task: Task) -> str:
    if event.mark is not None:
        return f"worth less than the best so far, {worth_text(event.mark)}"
    reasons = {
        BELOW: "more specific than a failing one",
        NO_MORE_GENERAL: "no more general than one that failed",
        SMALL_CLASS: f"a record of the failing string would still be in a class of fewer than "
        f"{task.k}",
        LOSES_TIE: "worth no more than one that passes",
        NO_BETTER: "more general, with no more classes",
    }
    return reasons.get(event.reason, reason_text(event.reason))


@describes(StringAccepted)
def accepted(event: StringAccepted, task: Task) -> Lesson:
    """Tell about a string that passes without a test."""
    sentence = (
        f"{string_text(event.levels, task)} is more general, so it passes without a test, and is "
        f"worth more: {worth_text(event.worth)}."
    )
    vote = Vote("Which more general string is worth more?")
    return Lesson(with_others(event, sentence), vote=vote, outcome="ANSWER")


@describes(PointersMoved)
def moved(event: PointersMoved, task: Task) -> Lesson:
    """Tell about pointers that move."""
    direction = "specific" if event.to_specific else "general"
    string = string_text(event.levels, task)
    sentence = f"Every attribute moves half-way to its more {direction} levels: {string}."
    return Lesson(with_others(event, sentence), vote=Vote("Which way do the attributes move?"))


@describes(AnswerFound)
def answered(event: AnswerFound, task: Task) -> Lesson:
    """Tell which string is published."""
    string = string_text(event.levels, task)
    sentence = f"{string} is the answer: RV {value_text(event.rv)}."
    return Lesson(with_others(event, sentence), vote=_PUBLISHED)


@describes(SearchEnded)
def ended(event: SearchEnded, task: Task) -> Lesson:
    """Tell that a search is over."""
    decisions = plural(event.decisions, "decision")
    sentence = f"{event.decisions:,} more {decisions}: the search is over."
    return Lesson(sentence, vote=_PUBLISHED)
