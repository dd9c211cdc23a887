"""What a release is still good for: every comparison of one release with its original.

    found = measure_utility(project, task, release)
    found.marginals, found.pairs, found.means, found.queries

What the figures mean and how cells are spread is told in the modules that compute them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kanon_tui.core.analysis.published.cell_reader import cell_readers
from kanon_tui.core.analysis.published.checks import check_published
from kanon_tui.core.analysis.utility.axis import axis_of
from kanon_tui.core.analysis.utility.distributions import Marginal, Pair, marginals, pairs
from kanon_tui.core.analysis.utility.group_means import GroupMean, group_means, is_measure
from kanon_tui.core.analysis.utility.models import Learnt, models
from kanon_tui.core.analysis.utility.queries import QueryErrors, query_errors
from kanon_tui.core.analysis.utility.spread import spreads
from kanon_tui.core.data.schema import Role
from kanon_tui.core.data.table import Table, as_table
from kanon_tui.core.errors import InputError
from kanon_tui.core.project.project import Project
from kanon_tui.core.run.result import Result
from kanon_tui.core.task.task import Task

__all__ = ["Utility", "measure_utility", "utility_of"]

SMALLEST_GROUP = 10
"""Records of the original in every group that is compared, at least: a mean of two people tells
either of them what the other has."""
SMALLEST_SHARE = 100
"""One in so many records at least is in every group that is compared."""
MOST_GROUPINGS = 4
MOST_ATTRIBUTES = 30
"""Attributes that are compared; of a wider table the quasi-identifiers come first."""


@dataclass(frozen=True)
class Utility:
    """An original and a release, compared."""

    original_records: int
    release_records: int
    marginals: tuple[Marginal, ...]
    """In the order of the table."""
    pairs: tuple[Pair, ...]
    """The one that changed most first."""
    means: tuple[GroupMean, ...]
    queries: QueryErrors | None
    """Random COUNT queries; None where none selects anybody."""
    as_they_are: tuple[str, ...] = ()
    """The attributes that are published as they are."""
    target: str | None = None
    learnt: tuple[Learnt, ...] = ()
    """What models of the target learn, where there is one."""


def utility_of(result: Result, target: str | None = None) -> Utility | None:
    """The utility of a result; None where the records themselves are not at hand."""
    task = result.task
    if result.project is None or task.copies is not None:
        return None
    release = as_table(result.table, task.table.missing_tokens)
    return measure_utility(result.project, task, release, target)


def measure_utility(
    project: Project,
    task: Task,
    release: Table,
    target: str | None = None,
    release_name: str = "the release",
) -> Utility:
    """Compare a release with its original; with a target, also what models learn of it."""
    names = _compared(task, release, release_name)
    if target is not None:
        check_published(task, release, target, release_name)
    readers = cell_readers(project, task, names)
    least = max(task.k, SMALLEST_GROUP, -(-task.n // SMALLEST_SHARE))
    axes = [axis_of(readers[name].column, least) for name in names]
    both = spreads(readers, axes, release, release_name)
    quasi = [name for name in names if task.roles[name] is Role.QUASI]
    others = [name for name in names if task.roles[name] is not Role.QUASI]
    numbers = [one for one in both if is_measure(one[0])]
    measures = [one for one in numbers if one[0].axis.name in others] or numbers
    if target is not None and any(one[0].axis.name == target for one in numbers):
        measures = [one for one in numbers if one[0].axis.name == target]
    groupings = [one for one in both if len(one[0].axis.labels) > 1]
    groupings.sort(key=lambda one: (one[0].axis.name not in quasi, one[0].axis.ordered))
    learnt = [] if target is None else models(project, task, release, target, None, release_name)
    return Utility(
        original_records=task.n,
        release_records=release.height,
        marginals=tuple(marginals(both)),
        pairs=tuple(pairs(both)),
        means=tuple(group_means(measures, groupings[:MOST_GROUPINGS])),
        queries=query_errors(readers, quasi, others, release, task.seed, where=release_name),
        as_they_are=tuple(others),
        target=target,
        learnt=tuple(learnt),
    )


def _compared(task: Task, release: Table, release_name: str) -> Sequence[str]:
    published = [
        name
        for name, role in task.roles.items()
        if role is not Role.IDENTIFIER and name in release.names
    ]
    quasi = [name for name in published if task.roles[name] is Role.QUASI]
    if not quasi:
        raise InputError(
            f"{release_name} has none of the quasi-identifiers of the project; use the project "
            "with which it was made"
        )
    if len(published) <= MOST_ATTRIBUTES:
        return published
    kept = {
        *quasi,
        *[n for n in published if n not in quasi][: max(0, MOST_ATTRIBUTES - len(quasi))],
    }
    return [name for name in published if name in kept]
