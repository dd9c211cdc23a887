"""What is told about the decisions of algorithms that still write their own sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kanon_tui.core.lessons.lesson import Lesson, Tone, Vote, describes
from kanon_tui.core.task.events import Narrated
from kanon_tui.core.task.task import Task

_WORDS = {
    "close": "CLOSED", "rest": "CLOSED",
}  # fmt: skip
_QUESTIONS = {
    "cut": ("Which attribute is cut, and where?",),
    "split": ("Which records are the seeds of the two sides?",),
    "close": (
        "Is cluster {cluster} full, or does it take one more?",
        "How many classes does {string} make of the records left?",
        "Can these records still be divided?",
    ),
    "start": ("Which record starts cluster {cluster}?",),
    "join": (
        "Which cluster takes record {record}, which is left over?",
        "Which class takes each record left over?",
    ),
    "suppress": ("How many records are suppressed?",),
    "group": ("How many groups do the MAGVals of the records make?",),
    "enter": ("Which group of MAGVals comes next, and how far may it be generalised?",),
    "sort": ("Which attribute are the records sorted by?",),
    "compare": ("How many clusters are compared with the records left over?",),
}
"""The questions of each kind of decision; the first whose facts the step has is used."""
_FIELDS = re.compile(r"{(\w+)}")


@describes(Narrated)
def narrated(event: Narrated, task: Task) -> Lesson:
    """Tell what the algorithm wrote."""
    outcome, tone = _outcome(event.kind, event.facts)
    return Lesson(
        event.template.format_map(event.facts),
        event.facts.get("choice"),
        _vote(event.kind, event.facts),
        outcome,
        tone,
    )


def _outcome(kind: str, facts: Mapping[str, Any]) -> tuple[str, Tone]:
    if kind == "cut" and "attribute" in facts:
        return f"{kind} {facts['attribute']}", "main"
    if kind == "suppress":
        dropped = facts.get("dropped", facts.get("known", facts.get("small", "")))
        return f"- {dropped}", "warn"
    if "record" in facts and kind in ("grow", "join", "close", "start"):
        return f"+ {facts['record']}", "good" if kind == "close" else "main"
    return _WORDS.get(kind, ""), "main"


def _vote(kind: str, facts: Mapping[str, Any]) -> Vote | None:
    if "choice" in facts:
        return None
    for question in _QUESTIONS.get(kind, ()):
        if all(name in facts for name in _FIELDS.findall(question)):
            return Vote(question.format_map(facts))
    return None
