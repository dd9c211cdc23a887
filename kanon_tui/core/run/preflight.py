"""Before a run: how large it is, what is missing, and how long it will roughly take."""

from __future__ import annotations

from dataclasses import dataclass
from math import log2, prod

from kanon_tui.core.errors import KanonError
from kanon_tui.core.fields.declaration import with_parameters
from kanon_tui.core.metrics.levels import level_measures
from kanon_tui.core.privacy.column_requirement import out_of_reach
from kanon_tui.core.project.project import Project
from kanon_tui.core.task.steps import Algorithm, Family
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import count_of, short_list

__all__ = ["Preflight", "preflight"]


@dataclass(frozen=True)
class Preflight:
    """What a person should know before starting."""

    facts: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    problem: str = ""
    """Why it cannot start; empty when it can."""


def preflight(project: Project, task: Task, algorithm: type[Algorithm]) -> Preflight:
    """Size, gaps and estimates for one algorithm on a task."""
    try:
        with_parameters(algorithm, project.algorithm.params, algorithm.name)
    except KanonError as error:
        return Preflight(problem=str(error))
    beyond = out_of_reach(task.requirements, _may_suppress(task, algorithm))
    if beyond is not None:
        return Preflight(problem=beyond.unreachable())
    facts = [f"{task.n:,} records", count_of(len(task.quasi), "quasi-identifier")]
    if task.requirements:
        facts.append(count_of(len(task.requirements), "requirement") + " beyond k")
    warnings = [*task.output.warnings, *(str(each) for each in task.singling_out)]
    if algorithm.family is Family.FULL_DOMAIN:
        strings, left = _strings(task)
        facts.append(
            f"{strings:,} strings" + (f", {left:,} after pre-pruning" if left < strings else "")
        )
        warnings += task.built
    else:
        facts.append(f"about {max(task.n // task.k, 1):,} classes to build")
        if algorithm.name == "gcka" and not any(a.hierarchy.marks for a in task.quasi):
            warnings.append("no MAGVal is marked, so gcka groups like k-member")
    facts.append(_seconds(_effort(task, algorithm)))
    facts.append(f"about {_megabytes(task, algorithm):,.0f} MB")
    facts += _published(task)
    return Preflight(tuple(facts), tuple(warnings))


def _published(task: Task) -> list[str]:
    """Which columns are published as they are, and which not at all."""
    columns = {"published as they are": task.published_as_they_are, "left out": task.left_out}
    return [f"{what}: {short_list(names, most=6)}" for what, names in columns.items() if names]


def _may_suppress(task: Task, algorithm: type[Algorithm]) -> bool:
    """Whether records may go to reach what is required."""
    if algorithm.family is Family.FULL_DOMAIN:
        return task.allowed_suppressed > 0 or algorithm.name == "datafly"
    return algorithm.keeps_magvals


def _strings(task: Task) -> tuple[int, int]:
    """Strings of the whole space, and of the levels that pass alone."""
    surviving = [
        sum(level.passes for level in level_measures(a, task.k, task.allowed_suppressed))
        for a in task.quasi
    ]
    return prod(a.hierarchy.height + 1 for a in task.quasi), prod(surviving)


def _effort(task: Task, algorithm: type[Algorithm]) -> float:
    """Seconds on an ordinary machine, within a factor of a few: fitted to `make bench`."""
    n, q = task.n, len(task.quasi)
    if algorithm.family is Family.FULL_DOMAIN:
        _, left = _strings(task)
        tests = {"datafly": 10.0 * q, "local": 4.0 * q, "incognito": left / 4 + 50}
        tests_needed = tests.get(algorithm.name, 20 * log2(left + 2))
        return tests_needed * n * q * 4e-9 + left * 2e-7 + 0.05
    seconds, exponent = _AT_30_000.get(algorithm.name, (1.0, 1.2))
    repair = 8.0 * (n / task.k / 10_000) ** 1.3 if task.requirements else 0.0
    return float(seconds * (n / 30_000) ** exponent * q / 8 + repair + 0.05)


_AT_30_000 = {
    "k-member": (0.3, 1.1),
    "gcka": (0.3, 1.1),
    "mondrian": (0.05, 1.0),
    "bottom-up": (0.7, 1.05),
    "top-down": (1.5, 1.35),
    "euclidean": (0.5, 1.05),
    "udc": (0.8, 1.0),
    "udc-suppress": (0.6, 1.1),
    "sbc": (0.8, 1.2),
    "sd": (0.4, 1.1),
}
"""Clusterings: seconds for 30,000 records of eight attributes, and how they grow."""


def _megabytes(task: Task, algorithm: type[Algorithm]) -> float:
    """Working memory beyond the table itself."""
    codes = task.n * len(task.quasi) * 4
    per_record = 60 if algorithm.family is Family.CLUSTERING else 24
    strings = 0
    if algorithm.name in ("global", "hybrid"):
        strings = _strings(task)[1] * (len(task.quasi) + 16)
    return (2 * codes + per_record * task.n + strings) / 1e6 + 20


def _seconds(seconds: float) -> str:
    if seconds < 1:
        return "less than a second"
    if seconds < 60:
        return f"some {seconds:.0f} s"
    if seconds < 3600:
        return f"some {seconds / 60:.0f} min"
    return f"some {seconds / 3600:.0f} h"
