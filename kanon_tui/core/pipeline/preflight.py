"""Facts about a run before it starts: its size, gaps, and estimated time and memory."""

from collections.abc import Sequence
from dataclasses import dataclass

from kanon_tui.core.errors import KanonError
from kanon_tui.core.fields.declaration import with_parameters
from kanon_tui.core.lattice.full_domain import string_figures
from kanon_tui.core.pipeline.trial import Trial
from kanon_tui.core.privacy.requirements import out_of_reach
from kanon_tui.core.project.project import Project
from kanon_tui.core.task.task import Algorithm, Family, Task
from kanon_tui.core.text import count_of, first_few, large, short_list


@dataclass(frozen=True)
class Preflight:
    """Facts and warnings about a run before it starts."""

    facts: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    problem: str = ""
    """Why it cannot start; empty when it can."""


def preflight(
    project: Project,
    task: Task,
    algorithm: type[Algorithm],
    trial: Trial | None = None,
    whole: int | None = None,
) -> Preflight:
    """Return size, gaps and estimates of a run; `trial` has its expected time.

    `whole` is the number of records where the task is of a sample of them.
    """
    try:
        with_parameters(algorithm, project.algorithm.params, algorithm.name)
    except KanonError as error:
        return Preflight(problem=str(error))
    beyond = out_of_reach(task.requirements, _may_suppress(task, algorithm))
    if beyond is not None:
        return Preflight(problem=beyond.unreachable())
    records = (
        f"{task.n:,} records" if whole is None else f"{whole:,} records, looked at in a sample"
    )
    if task.repeated is not None:
        records += f" of {task.people:,} people"
    facts = [records, count_of(len(task.quasi), "quasi-identifier")]
    if task.sensitive_requirements:
        facts.append(count_of(len(task.sensitive_requirements), "requirement") + " beyond k")
    warnings = [*(str(each) for each in task.singling_out), *task.warnings]
    if algorithm.family is Family.FULL_DOMAIN:
        counts = string_figures(task)
        strings, left = counts["all"], counts["after_pre_pruning"]
        facts.append(
            count_of(strings, "string")
            + (f", {large(left)} after pre-pruning" if left < strings else "")
        )
        warnings += task.built
    else:
        facts.append(f"about {max((whole or task.n) // task.k, 1):,} classes to build")
        if algorithm.keeps_magvals and not any(a.hierarchy.marks for a in task.quasi):
            warnings.append(f"no MAGVal is marked, so {algorithm.name} has no limits to keep")
    facts.append(_time(trial))
    if trial is not None and hiding(trial):
        warnings.insert(0, hiding(trial))
    if whole is None:  # a streaming run keeps to its memory limit
        facts.append(f"about {large(_megabytes(task, algorithm))} MB")
    facts += _published(task)
    return Preflight(tuple(facts), folded(warnings))


def folded(notes: Sequence[str]) -> tuple[str, ...]:
    """Return notes in their order, those on several columns that say the same as one.

    >>> folded(["a: no hierarchy is given", "b: no hierarchy is given"])
    ('2 columns (a, b): no hierarchy is given',)
    """
    alike: dict[str, list[str]] = {}
    for each in notes:
        said = each.partition(": ")[2].partition(";")[0] or each
        alike.setdefault(said, []).append(each)
    names = {said: [each.partition(": ")[0] for each in own] for said, own in alike.items()}
    kept = [
        own[0] if len(own) == 1 else f"{len(own)} columns ({first_few(names[said], 3)}): {said}"
        for said, own in alike.items()
    ]
    return tuple(kept)


def _published(task: Task) -> list[str]:
    """Return sentences about the columns that are published unchanged or left out."""
    columns = {"published as they are": task.published_as_they_are, "left out": task.left_out}
    return [f"{what}: {short_list(names, most=6)}" for what, names in columns.items() if names]


def _may_suppress(task: Task, algorithm: type[Algorithm]) -> bool:
    """Return whether records may be suppressed to reach what is required."""
    by_share = algorithm.family is Family.FULL_DOMAIN and task.allowed_suppressed > 0
    return by_share or algorithm.always_suppresses


def _megabytes(task: Task, algorithm: type[Algorithm]) -> int:
    """Return the working memory of a run in MB, the table not counted."""
    codes = task.n * len(task.quasi) * 4
    strings = 0
    if algorithm.bytes_per_string:
        strings = string_figures(task)["after_pre_pruning"] * (
            len(task.quasi) + algorithm.bytes_per_string
        )
    return (2 * codes + algorithm.bytes_per_record * task.n + strings) // 1_000_000 + 20


def _time(trial: Trial | None) -> str:
    """Return how long a run takes, or why that is not known."""
    if trial is None:
        return "time not known yet"
    if trial.seconds is None:
        return "longer than a sample could show"
    tried = "" if trial.is_of_whole_table else f", tried on {trial.samples[-1].records:,} records"
    return in_words(trial.seconds) + tried


def in_words(seconds: float) -> str:
    """Return a time in words: `less than a second`, `about 7 s`, `about 46 min`."""
    if seconds < 1:
        return "less than a second"
    if seconds < 100:
        return f"about {seconds:.0f} s"
    if seconds < 6000:
        return f"about {seconds / 60:.0f} min"
    return f"about {seconds / 3600:.0f} h"


def hiding(trial: Trial) -> str:
    """Return a warning about attributes hidden in every record; empty where there are none."""
    if not trial.hidden or trial.ncp is None:
        return ""
    return f"{first_few(trial.hidden, 3)} would be hidden from everybody (NCP {trial.ncp:.2f})"
