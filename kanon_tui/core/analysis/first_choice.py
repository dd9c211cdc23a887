"""The algorithm for a table for which nobody has named one, and what another one would have lost.

Full-domain searches publish one level per column. Where categories have no hierarchy, that level is
soon `*`, and the data are gone although the release is verified. The first choice is therefore
`global`, unless it hides a whole column or loses more than twice as much as the algorithm that
loses least. Everything is tried on a sample that is drawn by the seed and run to the end, never
against a clock: the same table and settings have the same first choice on every machine.
"""

from dataclasses import dataclass, replace

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.errors import KanonError
from kanon_tui.core.pipeline.run import Run, conclude, start
from kanon_tui.core.pipeline.trial import sampled
from kanon_tui.core.processes.interruption import Stop, check_stopped, never
from kanon_tui.core.project.project import AlgorithmChoice
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.task.task import Family, Task, Wish
from kanon_tui.core.text import first_few

FULL_DOMAIN = AlgorithmChoice.name
"""The algorithm that runs where nothing speaks against one level per column."""
LOSES_MORE = 2.0
"""`global` is not the first choice where it loses so many times as much as another one."""
NOTICEABLE = 0.01
"""A difference of NCP below which nobody would notice the other algorithm."""
MOST_CELLS = 40_000
"""Cells of a sample: records times quasi-identifiers."""
MOST_RECORDS = 4_000
FEWEST_RECORDS = 500
FOR_WHOLE_TABLE = 100_000
"""Records up to which `global`, whose loss falls with their number, is tried on all of them."""
PROMPT = 1.0
"""The power of time with the records of algorithms that are chosen for larger tables."""


@dataclass(frozen=True)
class Alternative:
    """An algorithm, and what it loses on a table."""

    algorithm: str
    ncp: float
    exact: bool
    """Whether all records were run, not a sample."""
    hidden: tuple[str, ...] = ()
    """The columns that it hides from everybody."""

    @property
    def loss(self) -> str:
        """`NCP about 0.02`."""
        return f"NCP {'' if self.exact else 'about '}{self.ncp:.2f}"

    def keeps_more(self, ncp: float, hidden: tuple[str, ...]) -> bool:
        """Return whether it should be chosen over a release of this loss with hidden columns."""
        if self.ncp > ncp - NOTICEABLE:
            return False
        return bool(hidden) or ncp > LOSES_MORE * self.ncp


def first_choice(task: Task, stop: Stop = never) -> str:
    """Return the name of the algorithm for a task for which nobody has named one."""
    best = least_loss(task, stop)
    if best is None:
        return FULL_DOMAIN
    full_domain = full_domain_loss(task, stop)
    if full_domain is None or best.keeps_more(full_domain.ncp, full_domain.hidden):
        return best.algorithm
    return FULL_DOMAIN


def least_loss(task: Task, stop: Stop = never) -> Alternative | None:
    """Return the algorithm that loses least on a sample; None where none has a release."""
    cells = MOST_CELLS // max(len(task.quasi), 1)
    records = max(min(cells, MOST_RECORDS), FEWEST_RECORDS, 4 * task.k)
    names = [
        name
        for name, algorithm in ALGORITHMS.items()
        if Wish.LEAST_LOSS in algorithm.wishes(task)
        and (task.n <= FOR_WHOLE_TABLE or algorithm.time_exponent <= PROMPT)
    ]
    tried = [_loss_of(task, name, records, stop) for name in names]
    released = [alternative for alternative in tried if alternative is not None]
    return min(released, key=lambda alternative: alternative.ncp, default=None)


def full_domain_loss(task: Task, stop: Stop = never) -> Alternative | None:
    """Return what `global` loses; None where it has no release, or too many strings to search."""
    if Wish.ONE_LEVEL not in ALGORITHMS[FULL_DOMAIN].wishes(task):
        return None
    records = task.n if task.n <= FOR_WHOLE_TABLE else FOR_WHOLE_TABLE
    return _loss_of(task, FULL_DOMAIN, records, stop)


def _loss_of(task: Task, name: str, records: int, stop: Stop) -> Alternative | None:
    """Return what an algorithm loses on so many records; None where it has no release."""
    part = sampled(task, records)
    run = Run(part, ALGORITHMS[name]())
    try:
        for _ in run:
            if stop():
                run.cancel()
        result = conclude(run)
    except KanonError:
        check_stopped(stop)
        return None
    check_stopped(stop)
    return Alternative(name, result.measures.ncp, part.n == task.n, result.measures.hidden)


def with_first_choice(run: Run) -> Run:
    """Return the run of a data file with the first choice, if nobody has named an algorithm."""
    project = run.project
    if project is None or project.path is not None or not project.algorithm.guessed:
        return run
    chosen = replace(project.algorithm, name=first_choice(run.task))
    again = start(replace(project, algorithm=chosen), task=run.task, context=run.context)
    again.phases |= run.phases
    return again


def alternative_to(result: FinishedRun, stop: Stop = never) -> Alternative | None:
    """Return the other algorithm that is worth naming beside a result; None where there is none.

    Beside a full-domain release it is the one that would have kept much more; beside one by an
    algorithm that nobody named, it is `global`.
    """
    if result.algorithm.family is Family.FULL_DOMAIN:
        best = least_loss(result.task, stop)
        keeps_more = best is not None and best.keeps_more(
            result.measures.ncp, result.measures.hidden
        )
        return best if keeps_more else None
    unnamed = result.project is not None and result.project.algorithm.guessed
    return full_domain_loss(result.task, stop) if unnamed else None


def alternative_clause(result: FinishedRun, other: Alternative) -> str:
    """Return `top-down would have lost NCP about 0.05 instead of 0.75`."""
    hides = f" and hidden {first_few(other.hidden, 3)}" if other.hidden else ""
    loss = f"{other.loss} instead of {result.measures.ncp:.2f}"
    return f"{other.algorithm} would have lost {loss}{hides}"
