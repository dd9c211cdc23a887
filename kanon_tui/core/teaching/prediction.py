"""What a class is asked before a decision is shown."""

from __future__ import annotations

from kanon_tui.core.task.steps import Step

__all__ = ["question_before"]

_QUESTIONS = {
    "cut": "Which attribute is cut, and where?",
    "split": "Which records are the seeds of the two sides?",
    "close": "Can it still be divided?",
    "merge": "Which cluster does it join?",
    "grow": "Which record joins next?",
    "start": "Which record starts the next cluster?",
    "join": "Where does the record that is left over go?",
    "raise": "Which attribute is raised?",
    "move": "Which way do the attributes move?",
    "prune": "Which strings need no test any more?",
    "pre-prune": "Which level fails alone?",
    "suppress": "Which records are suppressed?",
    "answer": "Which string is published?",
}


def question_before(step: Step) -> str:
    """Return the question that a decision answers, without giving it away."""
    if step.kind == "test" and "string" in step.facts:
        return f"Does {step.facts['string']} pass?"
    if step.kind in _QUESTIONS:
        return _QUESTIONS[step.kind]
    if "choice" in step.facts:
        asked = str(step.facts["choice"].question)
        return f"{asked[0].upper()}{asked[1:]}?"
    return "What comes next?"
