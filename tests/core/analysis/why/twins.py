"""What tests of Why share where more than k is required: bounds that give way, tried for real."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from kanon_tui.core.algorithms import find_algorithm
from kanon_tui.core.analysis.why.reasons import Change, Explanation
from kanon_tui.core.metrics.research_value import level_research_values
from kanon_tui.core.pipeline.run import Result, Run, conclude
from kanon_tui.core.privacy.model import PrivacyModel
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.task.task import Task

ILL = AttributeSpec(role=Role.SENSITIVE, kind=Kind.CATEGORICAL)

STRICTER = {"l_distinct": 1, "p": 1, "l_entropy": 0.01, "t": -0.001, "alpha": -0.001}
"""What must be added to a bound for the next that could have been named instead."""


def run(task: Task, name: str) -> Result:
    return conclude(Run(task, find_algorithm(name)()))


def told(why: Explanation) -> list[str]:
    return [change.sentence for change in why.changes]


def requiring(task: Task, *requirements: PrivacyModel) -> Task:
    return replace(task, privacy=replace(task.privacy, requirements=requirements))


def with_k(task: Task, k: int) -> Task:
    return replace(task, privacy=replace(task.privacy, k=k))


def with_bound(task: Task, r: int, bound: float) -> Task:
    requirements = list(task.privacy.requirements)
    requirements[r] = replace(requirements[r], bound=bound)
    return requiring(task, *requirements)


def all_differ(task: Task) -> bool:
    """No two requirements that read alike when they are left out."""
    required = task.privacy.requirements
    return len({(each.name, each.only_values) for each in required}) == len(required)


def number_of(task: Task, change: Change) -> int:
    """Which requirement a change is about, by its sentence; `label` is the sensitive attribute."""
    assert (change.kind, change.attribute) == ("requirement", "label")
    for r, requirement in enumerate(task.privacy.requirements):
        what = f"{requirement.title} of label"
        if requirement.only_values:
            what += f" ({', '.join(map(repr, requirement.only_values))})"
        looser = f"{what} {change.value:g} instead of {requirement.bound:g}:"
        if change.sentence.startswith(f"without {what}:" if change.value == 1 else looser):
            return r
    raise AssertionError(change.sentence)


def check_bounds(task: Task, changes: list[Change], holds: Callable[[Task], bool]) -> None:
    """Every bound that is named lets something hold, one step less does not, no other can."""
    named = set()
    for change in changes:
        r = number_of(task, change)
        named.add(r)
        required = task.privacy.requirements[r]
        least = required.at_least
        assert change.value < required.bound if least else change.value > required.bound
        harder = change.value + STRICTER[required.name]
        harder = min(harder, required.bound) if least else max(harder, required.bound)
        assert holds(with_bound(task, r, change.value))
        assert not holds(with_bound(task, r, harder))
    assert len(named) == len(changes)
    for r in set(range(len(task.privacy.requirements))) - named:
        assert not holds(with_bound(task, r, 1.0))


def string_rv(result: Result) -> float:
    """What searches compare: the value of the levels, whoever is suppressed."""
    assert result.grouping.levels is not None
    pairs = zip(result.task.quasi, result.grouping.levels, strict=True)
    return sum(float(level_research_values(a)[level]) for a, level in pairs)
