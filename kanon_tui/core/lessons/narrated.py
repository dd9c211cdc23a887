"""What is told about the decisions of algorithms that still write their own sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kanon_tui.core.lessons.lesson import Lesson, Tone, Vote, describes
from kanon_tui.core.task.events import Narrated
from kanon_tui.core.task.task import Task

_WORDS = {
    "close": "CLOSED",    "accept": "ANSWER", "rest": "CLOSED",
}  # fmt: skip
_QUESTIONS = {
    "cut": ("Which attribute is cut, and where?",),
    "split": ("Which records are the seeds of the two sides?",),
    "close": (
        "Is cluster {cluster} full, or does it take one more?",
        "How many classes does {string} make of the records left?",
        "Can these records still be divided?",
    ),
    "start": (
        "Which record starts cluster {cluster}?",
        "From which string does the next descent start?",
    ),
    "join": (
        "Which cluster takes record {record}, which is left over?",
        "Which class takes each record left over?",
    ),
    "move": ("Which way do the attributes move?",),
    "prune": ("How many strings need no test any more?",),
    "pre-prune": ("Which level of {attribute} fails alone?", "Which levels fail alone?"),
    "suppress": ("How many records are suppressed?",),
    "answer": ("Which string is published?",),
    "seek": ("What is looked for before the parts are searched?",),
    "part": ("How many strings of this part pass?",),
    "combine": ("How many combinations of passing parts are left to search?",),
    "bound": ("Can a box of strings still have a better one?",),
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
        _short(event),
    )


def _outcome(kind: str, facts: Mapping[str, Any]) -> tuple[str, Tone]:
    if kind == "test" and "passes" in facts:
        return ("PASS", "good") if facts["passes"] else ("FAIL", "bad")
    if kind in ("cut", "raise") and "attribute" in facts:
        return f"{kind} {facts['attribute']}", "main"
    if kind == "pre-prune" and "attribute" in facts:
        return f"drop {facts['attribute']} {facts['level']}", "warn"
    if kind in ("prune", "pre-prune", "suppress"):
        dropped = facts.get("dropped", facts.get("known", facts.get("small", "")))
        return f"- {dropped}", "warn"
    if "record" in facts and kind in ("grow", "join", "close", "start"):
        return f"+ {facts['record']}", "good" if kind == "close" else "main"
    return _WORDS.get(kind, ""), "main"


def _vote(kind: str, facts: Mapping[str, Any]) -> Vote | None:
    if kind == "test" and "string" in facts:
        right = 0 if facts.get("passes") else 1
        return Vote(f"Does {facts['string']} pass?", ("it passes", "it fails"), right)
    if kind == "join" and "names" in facts:
        return Vote(f"How many of the {facts['strings']:,} strings of {facts['names']} can pass?")
    if "choice" in facts:
        return None
    for question in _QUESTIONS.get(kind, ()):
        if all(name in facts for name in _FIELDS.findall(question)):
            return Vote(question.format_map(facts))
    return None


def _short(event: Narrated) -> str:
    facts = event.facts
    if event.kind != "test" or "string" not in facts or "decisions" in facts:
        return ""
    levels = " ".join(str(level) for level in facts["string"].levels)
    if facts["fault"] is not None:
        verdict = f"{facts['lacking']:,} with {facts['fault']}"
    elif facts["small"]:
        verdict = f"{facts['small']:,} below k"
    elif facts["smallest"] is not None:
        verdict = f"smallest class {facts['smallest']:,}"
    else:
        verdict = f"{facts['classes']:,} classes and more"
    value = f" · RV {facts['shown_rv']}" if "shown_rv" in event.template else ""
    return f"⟨{levels}⟩ {verdict}{value}"
