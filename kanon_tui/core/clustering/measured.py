"""What a decision is chosen from where records or clusters are measured one by one.

Kernels find the best one alone. While somebody watches, everything that a decision could take is
measured before it is taken: the best five are told, with what each attribute adds to their scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kanon_tui.core.clustering.box_sentences import told_apart
from kanon_tui.core.clustering.cluster_facts import Away, Distances
from kanon_tui.core.numeric import TIE, Floats, Int32s
from kanon_tui.core.task.steps import Candidate, Choice
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import small_number

__all__ = ["Asked", "Measured", "against"]

_SHOWN = 5


@dataclass(frozen=True)
class Asked:
    """What a decision asks, in words."""

    question: str
    score: str
    rule: str
    origin: str
    formula: tuple[str, ...]
    what: str = "record"
    """What candidates are: records or clusters."""
    highest: bool = False


@dataclass(frozen=True, eq=False)
class Measured:
    """Everything a decision could take, measured before it is taken."""

    numbers: Int32s
    """Records or clusters, rising, from 0."""
    parts: Floats
    """Candidates × attributes: what each attribute contributes to a score."""
    scores: Floats

    def told(self, task: Task, taken: int, asked: Asked) -> dict[str, Any]:
        """The facts: the best five, the one that was taken first, and attribute by attribute."""
        names = tuple(attribute.name for attribute in task.quasi)
        rounded = np.round(-self.scores if asked.highest else self.scores, 9)
        chosen = int(np.flatnonzero(self.numbers == taken)[0])
        order = np.argsort(rounded, kind="stable")[: _SHOWN + 1]
        places = [chosen, *(i for i in order.tolist() if i != chosen)][:_SHOWN]
        is_record = asked.what == "record"
        candidates, rows = [], []
        for i in places:
            what, score = f"{asked.what} {self.numbers[i] + 1:,}", float(self.scores[i])
            candidates.append(Candidate(what, score, chosen=i == chosen))
            record = int(self.numbers[i]) if is_record else None
            rows.append(Away(what, record, tuple(self.parts[i].tolist()), score, i == chosen))
        own = zip(names, self.parts[chosen].tolist(), strict=True)
        terms = [f"{name}: {small_number(value)}" for name, value in own]
        total = f"{asked.score} = {small_number(float(self.scores[chosen]))}"
        choice = Choice(
            asked.question,
            asked.score,
            tuple(candidates),
            len(self.scores),
            asked.rule,
            (*asked.formula, *terms, total),
        )
        distances = Distances(asked.origin, names, asked.score, tuple(rows))
        return {"choice": choice, "distances": distances}


def against(choice: Choice) -> str:
    """The runner-up in words: `, against 0.4 of record 9`."""
    if len(choice.candidates) < 2:
        return ""
    best, second = choice.candidates[:2]
    if abs(best.score - second.score) <= TIE:
        return f", as would {second.what}, which comes later"
    one, other = told_apart(best.score, second.score)
    return f", against {other if one != other else 'hardly another'} of {second.what}"
