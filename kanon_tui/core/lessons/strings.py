"""How strings, what they are worth and why they need no test are told."""

from __future__ import annotations

from collections.abc import Sequence

from kanon_tui.core.lattice.events import (
    ABOVE,
    ALONE,
    BELOW,
    LOSES_TIE,
    NO_BETTER,
    NO_MORE_GENERAL,
    PART,
    SMALL_CLASS,
    WORTH_LESS,
    Attributes,
    Reason,
    SearchEvent,
)
from kanon_tui.core.lattice.objective import Worth
from kanon_tui.core.lattice.search import StringText
from kanon_tui.core.metrics.research_value import level_research_values
from kanon_tui.core.task.task import Task

_ALMOST_NOTHING = 1e-6
_REASONS = {
    ALONE: "one of its levels fails alone",
    BELOW: "it is more specific than one that fails",
    NO_MORE_GENERAL: "it is no more general than one that failed before",
    SMALL_CLASS: "a record of a failing string would be in a class below k here too",
    PART: "a part of its attributes fails",
    ABOVE: "it is more general than one that passes",
    WORTH_LESS: "it is worth less than the best so far",
    LOSES_TIE: "it is worth no more than one that passes",
    NO_BETTER: "it is more general than one that passes, and worth no more",
}


def reason_text(reason: Reason) -> str:
    """Return why a string needs no test, as a clause."""
    return _REASONS.get(reason, reason.name)


def string_text(levels: Sequence[int], task: Task, part: Attributes | None = None) -> StringText:
    """Return a string in words; with `part`, that of these attributes alone."""
    shown = range(len(task.quasi)) if part is None else part
    names = tuple(task.quasi[a].name for a in shown)
    return StringText(names, tuple(levels[a] for a in shown))


def value_text(value: float) -> str:
    """Return a research value for a sentence: `0.4125`, but `almost 0` for 1.6e-109.

    >>> value_text(0.41254), value_text(1.6e-109)
    ('0.4125', 'almost 0')
    """
    if 0 < abs(value) < _ALMOST_NOTHING:
        return "almost 0"
    return f"{value:.4g}"


def objective_title(objective: str) -> str:
    """Return the name of an objective in a sentence: RV, NCP, IL, loss, classes."""
    return objective if objective in ("loss", "classes") else objective.upper()


def bound_title(objective: str) -> str:
    """Return the name of the figure that bounds what a string is worth: `NCP at least`."""
    if objective == "rv":
        return "RV"
    least = "at most" if objective == "classes" else "at least"
    return f"{objective_title(objective)} {least}"


def worth_text(worth: Worth) -> str:
    """Return what a string is worth: `RV 0.4125`, `12 classes`, `NCP 0.28`."""
    if worth.objective == "classes":
        return f"{round(worth.figure):,} classes"
    figure = value_text(worth.figure) if worth.objective == "rv" else f"{worth.figure:.4g}"
    return f"{objective_title(worth.objective)} {figure}"


def rv_formula(levels: Sequence[int], task: Task) -> tuple[str, ...]:
    """Return the formula of the research value of a string, with a line per attribute.

    A line has the weight, the share that the level keeps, and their product. What is left is the
    labels there are over those at level 0 (numbers: 1 over the mean width of a cell), times the
    share of the rules that the level keeps.
    """
    lines = ["RV = Σ weight × what the level leaves of the attribute"]
    total = 0.0
    for attribute, level in zip(task.quasi, levels, strict=True):
        value = float(level_research_values(attribute)[level])
        total += value
        typed = attribute.typed_research_values
        at = f"{attribute.name} {level}"
        if level < len(typed) and typed[level] is not None:
            lines.append(f"{at}: {value:.4g}, typed by hand")
        elif level == attribute.hierarchy.height:
            lines.append(f"{at}: 0, the root leaves nothing")
        elif attribute.weight:
            share_kept = value / attribute.weight
            lines.append(f"{at}: {attribute.weight:.3g} × {share_kept:.4g} = {value:.4g}")
        else:
            lines.append(f"{at}: 0, its weight is 0")
    return (*lines, f"RV = {total:.4g}")


def with_others(event: SearchEvent, sentence: str) -> str:
    """Return a sentence, after the number of decisions where it tells the last of several."""
    if event.decisions == 1:
        return sentence
    return f"{event.decisions:,} decisions; the last: {sentence}"
