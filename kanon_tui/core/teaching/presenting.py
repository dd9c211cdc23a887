"""Decisions in front of a class: the outcome in large letters, and a question to vote on before it.

A vote has the candidates of the decision as options A to D, in an order that gives nothing away.
"""

import re
from dataclasses import dataclass

from kanon_tui.core.task.task import Step
from kanon_tui.core.teaching.picture import Tone

LETTERS = "ABCD"
_SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-_. ?"
_ABOVE = (
    "▄▀█|█▄▄|█▀▀|█▀▄|█▀▀|█▀▀|█▀▀|█ █|█|  █|█▄▀|█  |█▀▄▀█|█▄ █|█▀█|█▀█|█▀█|█▀█|█▀▀|▀█▀|"
    "█ █|█ █|█ █ █|▀▄▀|█▄█|▀▀█|█▀█|▄█|▀▀█|▀▀█|█ █|█▀▀|█▄▄|▀▀█|█▀█|█▀█|▄█▄|▄▄|   | |  |▀▀█"
)
_BELOW = (
    "█▀█|█▄█|█▄▄|█▄▀|██▄|█▀ |█▄█|█▀█|█|█▄█|█ █|█▄▄|█ ▀ █|█ ▀█|█▄█|█▀▀|▀▀█|█▀▄|▄▄█| █ |"
    "█▄█|▀▄▀|▀▄▀▄▀|█ █| █ |█▄▄|█▄█| █|█▄▄|▄██|▀▀█|▄▄█|█▄█|  █|███|▄▄█| ▀ |  |▄▄▄|▄|  | ▄ "
)
_FONT = dict(zip(_SIGNS, zip(_ABOVE.split("|"), _BELOW.split("|"), strict=True), strict=True))
"""Letters two rows high; others are left out."""
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
"""The questions of each kind of decision; the first whose facts a step has is asked."""


_FIELDS = re.compile(r"{(\w+)}")


def banner(text: str, width: int = 0, height: int = 2) -> str:
    """Return a text in letters two rows high, or four where there is room for them.

    >>> print(banner("PASS"))
    █▀█ ▄▀█ █▀▀ █▀▀
    █▀▀ █▀█ ▄▄█ ▄▄█
    """
    glyphs = [_FONT[letter] for letter in text.upper() if letter in _FONT]
    rows = [" ".join(glyph[row] for glyph in glyphs) for row in (0, 1)]
    if height < 4 or 2 * len(rows[0]) > width:
        return "\n".join(rows)
    halves = [(row, f"█{half}") for row in rows for half in "▀▄"]
    return "\n".join("".join("██" if x in full else "  " for x in row) for row, full in halves)


def outcome_of(step: Step) -> tuple[str, Tone]:
    """Return the outcome of a decision in a word or two, and its tone: PASS, CUT age, +14."""
    facts = step.facts
    if step.kind == "test" and "passes" in facts:
        return ("PASS", "good") if facts["passes"] else ("FAIL", "bad")
    if step.kind in ("cut", "raise") and "attribute" in facts:
        return f"{step.kind} {facts['attribute']}", "main"
    if step.kind == "merge" and "merge" in facts:
        return f"{facts['merge'].small + 1} + {facts['merge'].other + 1}", "main"
    if step.kind == "pre-prune" and "attribute" in facts:
        return f"drop {facts['attribute']} {facts['level']}", "warn"
    if step.kind in ("prune", "pre-prune", "suppress"):
        gone = facts.get("dropped", facts.get("known", facts.get("small", "")))
        return f"- {gone}", "warn"
    if "record" in facts and step.kind in ("grow", "join", "close", "start"):
        return f"+ {facts['record']}", "good" if step.kind == "close" else "main"
    return _WORDS.get(step.kind, step.kind), "main"


@dataclass(frozen=True)
class Vote:
    """A question about the next decision, with what can be voted for."""

    question: str
    options: tuple[str, ...] = ()
    right: int = -1
    """The option that is right; -1 where there is nothing to choose from."""


def by_number(text: str) -> tuple[tuple[int, str], ...]:
    """Return what texts are sorted by: `record 3` stands before `record 19`."""
    parts = re.findall(r"\d+|\D+", text.replace(",", ""))
    return tuple((int(part) if part.isdigit() else -1, part) for part in parts)


def vote_on(step: Step) -> Vote:
    """Return the question that a decision answers, without giving it away."""
    facts = step.facts
    if step.kind == "test" and "string" in facts:
        right = 0 if facts.get("passes") else 1
        return Vote(f"Does {facts['string']} pass?", ("it passes", "it fails"), right)
    if step.kind == "join" and "names" in facts:
        return Vote(f"How many of the {facts['strings']:,} strings of {facts['names']} can pass?")
    choice = facts.get("choice")
    if choice is None:
        known = _QUESTIONS.get(step.kind, ())
        told = (each for each in known if all(name in facts for name in _FIELDS.findall(each)))
        return Vote(next(told, "What comes next?").format_map(facts))
    shown = sorted(choice.candidates[: len(LETTERS)], key=lambda each: by_number(str(each.what)))
    right = next((n for n, each in enumerate(shown) if each.chosen), -1)
    asked = f"{choice.question[0].upper()}{choice.question[1:]}?"
    options = tuple(str(each.what) for each in shown)
    return Vote(asked, options, right) if len(shown) > 1 and right >= 0 else Vote(asked)
