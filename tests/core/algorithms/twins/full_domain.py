"""Slow twins of the full-domain searches: every string, counted record by record."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from math import prod

from kanon_tui.core.metrics.research_value import level_research_values
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.table.column import Role
from kanon_tui.core.task.task import Task
from tests.core.algorithms.random_tables import random_task

Levels = tuple[int, ...]


@cache
def searchable_task(seed: int) -> Task:
    """A small random task: some with suppression, some with research values that rise or tie."""
    rng = random.Random(seed)
    task = random_task(seed, most=24)
    attributes = list(task.quasi)
    roles = dict(task.roles)
    while prod(a.hierarchy.height + 1 for a in attributes) > 400:
        roles[attributes.pop().name] = Role.OTHER
    style = rng.choice(["computed", "typed", "tied", "nearly tied"])
    for x, attribute in enumerate(attributes):
        choices: list[float | None] = {
            "computed": [None],
            "typed": [None, 0.0, 0.1, 0.25, 0.7, 1.0],
            "tied": [0.0, 0.1, 0.2, 0.3],
            "nearly tied": [0.1, 0.1 + 4e-10, 0.1 - 4e-10, 0.2, 0.2 + 1e-12],
        }[style]
        typed = tuple(rng.choice(choices) for _ in range(attribute.hierarchy.height + 1))
        attributes[x] = replace(attribute, typed_research_values=typed)
    share = rng.choice([0.0, 0.0, 0.1, 0.25, 0.5])
    privacy = Privacy(k=task.k, max_suppression=share)
    return replace(task, quasi=tuple(attributes), roles=roles, privacy=privacy)


def heights(task: Task) -> Levels:
    return tuple(a.hierarchy.height for a in task.quasi)


def all_strings(task: Task) -> Iterator[Levels]:
    return product(*(range(top + 1) for top in heights(task)))


def class_sizes(task: Task, levels: Levels, part: tuple[int, ...] | None = None) -> list[int]:
    """Sizes of the classes in order of first appearance, from the printed labels."""
    chosen = range(len(levels)) if part is None else part
    columns = []
    for x in chosen:
        attribute = task.quasi[x]
        paths = attribute.hierarchy.paths
        columns.append([paths[code][levels[x]] for code in attribute.column.codes.tolist()])
    rows = zip(*columns, strict=True) if columns else [()] * task.n
    return list(Counter(rows).values())


def small_records(task: Task, levels: Levels) -> int:
    return sum(size for size in class_sizes(task, levels) if size < task.k)


def passing(task: Task) -> list[Levels]:
    """Every string that passes; one that would suppress all records does not."""
    allowed = min(task.allowed_suppressed, task.n - 1)
    return [s for s in all_strings(task) if small_records(task, s) <= allowed]


@cache
def _values(task: Task) -> list[list[float]]:
    return [level_research_values(a).tolist() for a in task.quasi]


def rv(task: Task, levels: Levels) -> float:
    return sum((v[level] for v, level in zip(_values(task), levels, strict=True)), 0.0)


def roots(task: Task, levels: Levels) -> int:
    return sum(level == top for level, top in zip(levels, heights(task), strict=True))


def best(task: Task, strings: list[Levels]) -> Levels:
    """Highest research value; ties within 1e-9 by fewest roots, then smallest level vector."""
    highest = max(rv(task, s) for s in strings)
    tied = [s for s in strings if rv(task, s) >= highest - 1e-9]
    return min(tied, key=lambda s: (roots(task, s), s))


def minimal(strings: list[Levels]) -> set[Levels]:
    """The strings with no other one below them."""
    known = set(strings)

    def below(s: Levels) -> Iterator[Levels]:
        for x, level in enumerate(s):
            if level:
                yield (*s[:x], level - 1, *s[x + 1 :])

    return {s for s in known if not any(t in known for t in below(s))}


def local(task: Task) -> tuple[Levels, int]:
    """SPEC's binary search, letter by letter: the answer and the number of tests."""
    allowed = min(task.allowed_suppressed, task.n - 1)
    levels = []  # per attribute the surviving levels, general to specific
    for x, top in enumerate(heights(task)):
        alone = [
            level
            for level in range(top, -1, -1)
            if sum(s for s in class_sizes(task, (level,) * len(task.quasi), (x,)) if s < task.k)
            <= allowed
        ]
        levels.append(alone)
    low = [0] * len(levels)
    high = [len(alone) for alone in levels]
    met, tests = [], 0
    while True:
        mid = [(a + b) // 2 for a, b in zip(low, high, strict=True)]
        string = tuple(alone[m] for alone, m in zip(levels, mid, strict=True))
        tests += 1
        if small_records(task, string) <= allowed:
            met.append(string)
            low = mid
        else:
            high = mid
        if [(a + b) // 2 for a, b in zip(low, high, strict=True)] == mid:
            return best(task, met), tests


def datafly(task: Task) -> tuple[Levels, set[int]]:
    """The levels Datafly ends at and the records it suppresses: nobody, or k at least.

    Where a share may be suppressed, those of least loss on the way to the roots.
    """
    limit = task.allowed_suppressed if task.privacy.max_suppression > 0 else task.k
    limit = min(limit, task.n - 1)
    string = (0,) * len(task.quasi)
    found: list[tuple[float, Levels, set[int]]] = []
    while True:
        if small_records(task, string) <= limit:
            suppressed = complemented(task, class_members(task, string), limit)
            if suppressed is not None:
                small = {i for m in class_members(task, string) if len(m) < task.k for i in m}
                found.append((loss(task, string, small), string, suppressed))
                if task.privacy.max_suppression == 0 or string == heights(task):
                    least = min(value for value, _, _ in found)
                    return next(each[1:] for each in found if each[0] <= least + 1e-9)
        distinct = {
            x: len({path[string[x]] for path in a.hierarchy.paths})
            for x, a in enumerate(task.quasi)
            if string[x] < a.hierarchy.height
        }
        x = max(distinct, key=lambda y: (distinct[y], -y))
        string = (*string[:x], string[x] + 1, *string[x + 1 :])


def loss(task: Task, levels: Levels, gone: set[int]) -> float:
    """Return the mean of (values covered − 1) / (distinct − 1), record by record."""
    total = 0.0
    for attribute, level in zip(task.quasi, levels, strict=True):
        column, labels = attribute.column, attribute.hierarchy.maps[level].tolist()
        for record, code in enumerate(column.codes.tolist()):
            covered = labels.count(labels[code])
            share = (covered - 1) / (len(labels) - 1) if len(labels) > 1 else 0.0
            total += 1.0 if record in gone else share
    return total / task.n / len(task.quasi)


def class_members(task: Task, levels: Levels) -> list[list[int]]:
    """The records of every class, in order of first appearance."""
    members: dict[tuple[str, ...], list[int]] = {}
    for i in range(task.n):
        row = tuple(
            a.hierarchy.paths[int(a.column.codes[i])][level]
            for a, level in zip(task.quasi, levels, strict=True)
        )
        members.setdefault(row, []).append(i)
    return list(members.values())


def complemented(task: Task, classes: list[list[int]], limit: int) -> set[int] | None:
    """Those in small classes and those who join them to be k; None where that is too many."""
    small = {i for members in classes if len(members) < task.k for i in members}
    if not 0 < len(small) < task.k:
        return small
    large = [members for members in classes if len(members) >= task.k]
    needed = task.k - len(small)
    sparing = [members for members in large if len(members) - needed >= task.k]
    if sparing and task.k <= limit:
        return small | set(min(sparing, key=len)[-needed:])
    together = small | set(min(large, key=len))
    return together if len(together) <= limit else None
