"""Recommend an algorithm for each wish, with the loss to expect of it on the data.

Every wish has one or more candidates; they are tried on samples of the table for a second each
(`pipeline/trial.py`), with all that is required, and the one that loses least is recommended. None
that is named loses more than another one named for the least loss. Where suppressing a few records
would keep much more, that is a recommendation too.
"""

from dataclasses import dataclass, replace

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.pipeline.run import Result
from kanon_tui.core.pipeline.trial import Trial, in_words, try_out
from kanon_tui.core.processes.interruption import Stop, never
from kanon_tui.core.project.project import AlgorithmChoice, Project
from kanon_tui.core.task.task import Family, Task, Wish
from kanon_tui.core.text import first_few

BUDGET = 1.0
"""Seconds for each candidate."""
PATIENCE = 600.0
"""Seconds that nobody is recommended to wait longer than."""
WORTH_SAYING = 0.8
"""Another algorithm is named when it would lose less than this share of the loss."""


SUPPRESSION = 0.01
"""The share of records whose suppression is tried where none is allowed."""


@dataclass(frozen=True)
class Recommendation:
    """A wish, the algorithm that fulfils it best, and the loss and time to expect."""

    want: str
    algorithm: str
    trial: Trial
    max_suppression: float | None = None
    """The share of records to be suppressed; None for that of the project."""
    rounded: tuple[str, ...] = ()
    """The attributes whose ranges get round ends."""

    def taken_over(self, project: Project) -> Project:
        """Return a project with the algorithm, suppression and ranges that are recommended."""
        privacy = project.privacy
        if self.max_suppression is not None:
            privacy = replace(privacy, max_suppression=self.max_suppression)
        specs = project.attributes
        chosen = [name for name in self.rounded if name in specs]
        round_ends = {name: replace(specs[name], publish="rounded") for name in chosen}
        return replace(
            project,
            algorithm=AlgorithmChoice(self.algorithm),
            privacy=privacy,
            attributes={**specs, **round_ends},
        )

    @property
    def figures(self) -> str:
        """`NCP about .26, rules 97%, 8 s`."""
        trial = self.trial
        if trial.ncp is None:
            return "no release on a sample"
        about = "" if trial.is_of_whole_table else "about "
        parts = [f"NCP {about}{trial.ncp:.2f}".replace("0.", ".", 1)]
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
    """Return what recommendations depend on: the project without its algorithm and its file."""
    return replace(project, algorithm=AlgorithmChoice(), path=None)


def recommend(task: Task, stop: Stop = never) -> tuple[Recommendation, ...]:
    """Return one recommendation for every wish that this data can have; fewer when stopped."""
    wishes = {wish: _candidates(task, wish) for wish in Wish}
    tried = {
        name: try_out(task, ALGORITHMS[name](), BUDGET, stop)
        for name in dict.fromkeys(name for names in wishes.values() for name in names)
        if not stop()
    }
    known = [name for name, trial in tried.items() if trial.samples]
    if wishes[Wish.LEAST_LOSS]:
        wishes[Wish.LEAST_LOSS] = known  # who was tried for another wish may lose less
    found = []
    for wish, names in wishes.items():
        fitting = [name for name in names if name in known]
        if fitting and not stop():
            best = min(fitting, key=lambda name: _cost(tried[name]))
            found.append(Recommendation(wish.value, best, tried[best]))
            if wish is Wish.ONE_LEVEL:
                found += _with_suppression(task, best, tried[best], stop)
            if wish is Wish.LEAST_LOSS:
                found += _with_round_ends(task, best, stop)
    return tuple(found)


def _with_suppression(task: Task, name: str, without: Trial, stop: Stop) -> list[Recommendation]:
    """Return the recommendation to suppress a few records, where that keeps much more."""
    if task.allowed_suppressed or task.n * SUPPRESSION < 1 or stop():
        return []
    few = replace(task, privacy=replace(task.privacy, max_suppression=SUPPRESSION))
    trial = try_out(few, ALGORITHMS[name](), BUDGET, stop)
    if trial.ncp is None or (without.ncp or 1.0) * WORTH_SAYING < trial.ncp:
        return []
    want = f"{Wish.ONE_LEVEL.value}, {SUPPRESSION:.0%} suppressed"
    return [Recommendation(want, name, trial, SUPPRESSION)]


def _with_round_ends(task: Task, name: str, stop: Stop) -> list[Recommendation]:
    """Return the recommendation of ranges whose ends are no values of people, with its loss."""
    names = tuple(attribute.name for attribute in task.quasi if attribute.publishes_observed_ends)
    clusters = ALGORITHMS[name].family is Family.CLUSTERING
    if not names or not clusters or not task.overlap or stop():
        return []
    quasi = tuple(
        replace(each, publish="rounded") if each.name in names else each for each in task.quasi
    )
    trial = try_out(replace(task, quasi=quasi), ALGORITHMS[name](), BUDGET, stop)
    return [Recommendation(f"{Wish.LEAST_LOSS.value}, round ends", name, trial, rounded=names)]


def keeps_more(result: Result, try_others: bool = True) -> str:
    """Return a sentence on a release that hides whole columns and on what keeps more; else empty.

    Others are tried on samples, which takes seconds: nobody waits for that where nobody reads.
    """
    hidden = result.measures.hidden
    if not hidden:
        return ""
    clause = f"{first_few(hidden, 3)} {'is' if len(hidden) == 1 else 'are'} hidden from everybody"
    others = [
        name for name in _candidates(result.task, Wish.LEAST_LOSS) if name != result.algorithm.name
    ]
    if not others:
        return clause
    if not try_others:
        return (
            f"{clause}; an algorithm with ranges of its own for every class, such as {others[0]}, "
            f"may keep more"
        )
    trials = {name: try_out(result.task, ALGORITHMS[name](), BUDGET) for name in others}
    best = min(trials, key=lambda name: _cost(trials[name]))
    ncp = trials[best].ncp
    if ncp is None or ncp > WORTH_SAYING * result.measures.ncp:
        return clause
    change = f"NCP about {ncp:.2f} instead of {result.measures.ncp:.2f}"
    return f"{clause}; {best} would keep more: {change}"


def _candidates(task: Task, wish: Wish) -> list[str]:
    """Return the algorithms that can be recommended for a wish, the quickest first."""
    found = [name for name, algorithm in ALGORITHMS.items() if wish in algorithm.wishes(task)]
    return sorted(found, key=lambda name: ALGORITHMS[name].time_exponent)


def _cost(trial: Trial) -> tuple[bool, float]:
    """Return a sort key: trials too slow to wait for come last, then the least loss first."""
    slow = trial.seconds is None or trial.seconds > PATIENCE
    return slow, 2.0 if trial.ncp is None else trial.ncp
