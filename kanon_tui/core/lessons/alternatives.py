"""Words for the alternatives of a decision: candidates, and how far the runner-up is behind."""

from __future__ import annotations

from dataclasses import replace

from kanon_tui.core.clustering.events import Alternatives
from kanon_tui.core.lessons.lesson import Candidate, Choice
from kanon_tui.core.lessons.words import distinguishable
from kanon_tui.core.numeric import TIE
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import small_number


def chosen_among(
    alternatives: Alternatives, task: Task, choice: Choice, of_clusters: bool = False
) -> Choice:
    """Return a question with its candidates, records or clusters, the chosen one first."""
    what = "cluster" if of_clusters else "record"
    numbers = alternatives.numbers.tolist()
    candidates = tuple(
        Candidate(
            f"{what} {number + 1:,}",
            float(alternatives.scores[place]),
            chosen=place == 0,
            parts=tuple(alternatives.parts[place].tolist()),
            record=None if of_clusters else number,
        )
        for place, number in enumerate(numbers)
    )
    names = [attribute.name for attribute in task.quasi]
    parts = alternatives.parts[0].tolist()
    terms = [f"{name}: {small_number(part)}" for name, part in zip(names, parts, strict=True)]
    total = f"{choice.score} = {small_number(float(alternatives.scores[0]))}"
    formula = (*choice.formula, *terms, total)
    return replace(choice, candidates=candidates, among=alternatives.among, formula=formula)


def against(choice: Choice | None) -> str:
    """Return the runner-up of a choice in words: `, runner-up record 9 with 0.4`."""
    if choice is None or len(choice.candidates) < 2:
        return ""
    best, second = choice.candidates[:2]
    if abs(best.score - second.score) <= TIE:
        return f", as much as {second.what}, which comes later"
    score, behind = distinguishable(best.score, second.score)
    return f", runner-up {second.what} " + (f"with {behind}" if score != behind else "just behind")
