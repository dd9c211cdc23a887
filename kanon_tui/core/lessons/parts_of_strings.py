"""What is told about searches that begin with some of the attributes (incognito, distributed)."""

from __future__ import annotations

from kanon_tui.core.lattice.events import (
    ChoiceBegun,
    GoodStringSought,
    ListMade,
    MinimalChosen,
    PartsAwaited,
    PartSearched,
    PartsJoined,
    SpaceSplit,
)
from kanon_tui.core.lessons.lesson import Lesson, Vote, describes
from kanon_tui.core.lessons.strings import string_text, with_others
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import count_of, joined

_HALVE = "halve it again and again, as global does"


@describes(PartsJoined)
def parts_joined(event: PartsJoined, task: Task) -> Lesson:
    """Tell about the strings of a set of attributes that can pass."""
    names = joined([task.quasi[a].name for a in event.part])
    sentence = (
        f"Join {names}: {event.left:,} of {event.strings:,} strings can pass, as all their parts "
        f"do."
    )
    vote = Vote(f"How many of the {event.strings:,} strings of {names} can pass?")
    return Lesson(with_others(event, sentence), vote=vote)


@describes(MinimalChosen)
def minimal_chosen(event: MinimalChosen, task: Task) -> Lesson:
    """Tell why a minimal string is the answer."""
    why = "it is the only minimal string"
    if event.minimal > 1:
        why = (
            f"of {event.minimal:,} minimal strings it has the least height, {event.height:,} "
            f"levels in all"
        )
        if event.ties > 1:
            why += f", and of {event.ties:,} such the highest RV"
    sentence = f"{string_text(event.levels, task)} is the answer: {why}."
    return Lesson(with_others(event, sentence), vote=Vote("Which string is published?"))


@describes(ChoiceBegun)
def choice_begun(event: ChoiceBegun, task: Task) -> Lesson:
    """Tell from which strings the best is looked for."""
    sentence = (
        f"Choose among the {event.strings:,} strings that the lattices leave: halve the list again "
        f"and again, as global does."
    )
    vote = Vote("How many strings do the lattices leave?")
    return Lesson(with_others(event, sentence), vote=vote)


@describes(GoodStringSought)
def good_string_sought(event: GoodStringSought, task: Task) -> Lesson:
    """Tell why a good string is looked for first."""
    sentence = (
        "Look for a good string first, by a descent from the roots: what is worth less need not "
        "be tested."
    )
    vote = Vote("What is looked for before the parts are searched?")
    return Lesson(with_others(event, sentence), vote=vote)


@describes(SpaceSplit)
def space_split(event: SpaceSplit, task: Task) -> Lesson:
    """Tell into which parts the attributes are split."""
    names = "; ".join(joined([task.quasi[a].name for a in part]) for part in event.parts)
    sentence = (
        f"Split the attributes into {len(event.parts):,} parts, as a string can pass only if its "
        f"parts do: {names}."
    )
    vote = Vote("Into how many parts are the attributes split?")
    return Lesson(with_others(event, sentence), vote=vote)


@describes(PartsAwaited)
def parts_awaited(event: PartsAwaited, task: Task) -> Lesson:
    """Tell how many parts are settled."""
    sentence = f"{event.done} of {event.jobs} parts are settled, the others are at work."
    return Lesson(sentence, vote=Vote("How many parts are settled?"))


@describes(PartSearched)
def part_searched(event: PartSearched, task: Task) -> Lesson:
    """Tell how many strings of a part pass."""
    names = ", ".join(task.quasi[a].name for a in event.part)
    sentence = (
        f"Part {names}: {event.passing:,} of {event.strings:,} strings pass; {event.tested:,} "
        f"were tested."
    )
    return Lesson(with_others(event, sentence), vote=Vote("How many strings of this part pass?"))


@describes(ListMade)
def list_made(event: ListMade, task: Task) -> Lesson:
    """Tell which strings are left."""
    strings = count_of(event.strings, "string")
    made = f"A list of {strings} fits into one part"
    if event.of_parts:
        made = f"Combine what passes to a list of {strings}"
    vote = Vote("How many combinations of passing parts are left to search?")
    return Lesson(with_others(event, f"{made}: {_HALVE}."), vote=vote)
