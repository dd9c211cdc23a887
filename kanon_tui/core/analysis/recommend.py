"""Which algorithm for what one wants, with the loss to expect of it on the data at hand.

Every wish has one or more candidates; they are tried on samples of the table for a second each
(`run/trial.py`), and the one that loses least is recommended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.project.project import AlgorithmChoice, Project
from kanon_tui.core.run.preflight import in_words
from kanon_tui.core.run.result import Result
from kanon_tui.core.run.trial import Trial, hidden_columns, try_out
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import first_few

__all__ = ["Recommendation", "keeps_more", "question", "recommend"]

BUDGET = 1.0
"""Seconds for each candidate."""
PATIENCE = 600.0
"""Seconds that nobody is recommended to wait longer than."""
LARGEST_SPACE = 1_000_000
"""Strings that the exact search is recommended for."""
LEAST_LOSS = ("mondrian", "k-member", "top-down")
WORTH_SAYING = 0.8
"""Another algorithm is named when it would lose less than this share of the loss."""


@dataclass(frozen=True)
class Recommendation:
    """A wish, who fulfils it best, and what that is expected to cost."""

    want: str
    algorithm: str
    trial: Trial

    @property
    def figures(self) -> str:
        """`NCP about .26, rules 97%, 8 s`."""
        trial = self.trial
        if trial.ncp is None:
            return "no release on a sample"
        parts = [f"NCP {'' if trial.whole else 'about '}{trial.ncp:.2f}".replace("0.", ".", 1)]
        if trial.rules_kept is not None:
            parts.append(f"rules {trial.rules_kept:.0%}")
        if trial.seconds is not None and trial.seconds >= 1:
            parts.append(in_words(trial.seconds))
        return ", ".join(parts)

    @property
    def hides(self) -> str:
        """`hides zip and sex`; empty when it hides no column from everybody."""
        return f"hides {first_few(self.trial.hidden, 3)}" if self.trial.hidden else ""


def question(project: Project) -> Project:
    """What recommendations depend on: the project but for its algorithm and its file."""
    return replace(project, algorithm=AlgorithmChoice(), path=None)


def recommend(
    task: Task, stop: Callable[[], bool] = lambda: False, budget: float = BUDGET
) -> tuple[Recommendation, ...]:
    """One recommendation for every wish that this data can have; fewer when stopped."""
    tried: dict[str, Trial] = {}
    found = []
    for want, names in _wishes(task):
        for name in names:
            if name not in tried and not stop():
                tried[name] = try_out(task, ALGORITHMS[name](), budget, stop)
        known = [name for name in names if name in tried and tried[name].samples]
        if known and not stop():
            best = min(known, key=lambda name: _cost(tried[name]))
            found.append(Recommendation(want, best, tried[best]))
    return tuple(found)


def keeps_more(result: Result, budget: float = BUDGET, try_others: bool = True) -> str:
    """What a reader should know of a release that hides whole columns; empty for any other.

    Others are tried on samples, which takes seconds: nobody waits for that where nobody reads.
    """
    hidden = hidden_columns(result)
    if not hidden:
        return ""
    said = f"{first_few(hidden, 3)} {'is' if len(hidden) == 1 else 'are'} hidden from everybody"
    others = [name for name in LEAST_LOSS if name != result.algorithm.name]
    if not try_others:
        return (
            f"{said}; an algorithm with ranges of its own for every class, such as {others[0]}, "
            f"may keep more"
        )
    trials = {name: try_out(result.task, ALGORITHMS[name](), budget) for name in others}
    best = min(trials, key=lambda name: _cost(trials[name]))
    ncp = trials[best].ncp
    if ncp is None or ncp > WORTH_SAYING * result.measures.ncp:
        return said
    return (
        f"{said}; {best} would keep more: NCP about {ncp:.2f} instead of {result.measures.ncp:.2f}"
    )


def _wishes(task: Task) -> Iterator[tuple[str, Sequence[str]]]:
    """What somebody may want of this data, and who could give it."""
    strings = prod(attribute.hierarchy.height + 1 for attribute in task.quasi)
    yield "one level per column", ("global" if strings <= LARGEST_SPACE else "local",)
    yield "least loss", LEAST_LOSS
    if any(attribute.rules.rules for attribute in task.quasi):
        yield "rules kept", ("udc",)
    if any(attribute.hierarchy.marks for attribute in task.quasi):
        yield "MAGVals respected", ("gcka",)


def _cost(trial: Trial) -> tuple[bool, float]:
    """Those that nobody can wait for come last, then the one that loses least."""
    slow = trial.seconds is None or trial.seconds > PATIENCE
    return slow, 2.0 if trial.ncp is None else trial.ncp
