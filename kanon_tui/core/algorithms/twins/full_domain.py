"""The full-domain searches with every string tried, its classes counted record by record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product

from kanon_tui.core.metrics.research_value import level_research_values
from kanon_tui.core.task.task import Task

Levels = tuple[int, ...]


def heights(task: Task) -> Levels:
    """Return the string of roots."""
    return tuple(attribute.hierarchy.height for attribute in task.quasi)


def all_strings(task: Task) -> Iterator[Levels]:
    """Yield every string of levels."""
    return product(*(range(top + 1) for top in heights(task)))


def class_members(task: Task, levels: Levels, part: Sequence[int] | None = None) -> list[list[int]]:
    """Return the records of every class by their printed labels, in order of first appearance.

    With `part`, only these attributes are looked at.
    """
    chosen = range(len(levels)) if part is None else part
    members: dict[tuple[str, ...], list[int]] = {}
    columns = []
    for x in chosen:
        paths = task.quasi[x].hierarchy.paths
        codes = task.quasi[x].column.codes.tolist()
        columns.append([paths[code][levels[x]] for code in codes])
    for record in range(task.n):
        labels = tuple(column[record] for column in columns)
        members.setdefault(labels, []).append(record)
    return list(members.values())


def class_sizes(task: Task, levels: Levels, part: Sequence[int] | None = None) -> list[int]:
    """Return the sizes of the classes."""
    return [len(records) for records in class_members(task, levels, part)]


def small_records(task: Task, levels: Levels, part: Sequence[int] | None = None) -> int:
    """Return the number of records in classes of fewer than k."""
    return sum(size for size in class_sizes(task, levels, part) if size < task.k)


def passing(task: Task) -> list[Levels]:
    """Return every string that passes; one that would suppress all records does not."""
    allowed = min(task.allowed_suppressed, task.n - 1)
    return [levels for levels in all_strings(task) if small_records(task, levels) <= allowed]


@cache
def _values(task: Task) -> list[list[float]]:
    return [level_research_values(attribute).tolist() for attribute in task.quasi]


def rv(task: Task, levels: Levels) -> float:
    """Return the research value of a string."""
    return sum((values[x] for values, x in zip(_values(task), levels, strict=True)), 0.0)


def roots(task: Task, levels: Levels) -> int:
    """Return the number of attributes at their root."""
    return sum(level == top for level, top in zip(levels, heights(task), strict=True))


def best(task: Task, strings: Sequence[Levels]) -> Levels:
    """Return the string of highest research value.

    Ties within 1e-9 go by fewest roots, then by the smallest level vector.
    """
    highest = max(rv(task, levels) for levels in strings)
    tied = [levels for levels in strings if rv(task, levels) >= highest - 1e-9]
    return min(tied, key=lambda levels: (roots(task, levels), levels))


def optimum(task: Task) -> Levels:
    """Return the answer of global, hybrid and distributed: the best of all strings that pass."""
    return best(task, passing(task))


def minimal(strings: Sequence[Levels]) -> set[Levels]:
    """Return the strings with no other one just below them."""
    every = set(strings)

    def below(levels: Levels) -> Iterator[Levels]:
        for x, level in enumerate(levels):
            if level:
                yield (*levels[:x], level - 1, *levels[x + 1 :])

    return {levels for levels in every if not any(lower in every for lower in below(levels))}


def incognito(task: Task) -> Levels:
    """Return the best of the minimal passing strings of least height."""
    strings = minimal(passing(task))
    least = min(sum(levels) for levels in strings)
    return best(task, [levels for levels in strings if sum(levels) == least])


def local(task: Task) -> tuple[Levels, int]:
    """Return the answer of the binary search on all attributes, and the number of its tests."""
    allowed = min(task.allowed_suppressed, task.n - 1)
    remaining = []  # per attribute the levels that pass alone, general to specific
    for x, top in enumerate(heights(task)):
        levels = range(top, -1, -1)
        count = len(task.quasi)
        remaining.append([y for y in levels if small_records(task, (y,) * count, [x]) <= allowed])
    low = [0] * len(remaining)
    high = [len(levels) for levels in remaining]
    met: list[Levels] = []
    tests = 0
    while True:
        middle = [(a + b) // 2 for a, b in zip(low, high, strict=True)]
        string = tuple(levels[m] for levels, m in zip(remaining, middle, strict=True))
        tests += 1
        if small_records(task, string) <= allowed:
            met.append(string)
            low = middle
        else:
            high = middle
        if [(a + b) // 2 for a, b in zip(low, high, strict=True)] == middle:
            return best(task, met), tests


def datafly(task: Task) -> tuple[Levels, set[int]]:
    """Return the levels at which Datafly ends and the records it suppresses: none, or k at least.

    Where a share may be suppressed, those of least loss on the way to the roots.
    """
    limit = task.allowed_suppressed if task.privacy.max_suppression > 0 else task.k
    limit = min(limit, task.n - 1)
    string = (0,) * len(task.quasi)
    answers: list[tuple[float, Levels, set[int]]] = []
    while True:
        if small_records(task, string) <= limit:
            classes = class_members(task, string)
            suppressed = complemented(task, classes, limit)
            if suppressed is not None:
                small = {i for members in classes if len(members) < task.k for i in members}
                answers.append((loss(task, string, small), string, suppressed))
                if task.privacy.max_suppression == 0 or string == heights(task):
                    least = min(value for value, _, _ in answers)
                    return next(answer[1:] for answer in answers if answer[0] <= least + 1e-9)
        distinct = {
            x: len({path[string[x]] for path in attribute.hierarchy.paths})
            for x, attribute in enumerate(task.quasi)
            if string[x] < attribute.hierarchy.height
        }
        x = max(distinct, key=lambda y: (distinct[y], -y))
        string = (*string[:x], string[x] + 1, *string[x + 1 :])


def loss(task: Task, levels: Levels, gone: set[int]) -> float:
    """Return the mean of (values covered − 1) / (distinct − 1), record by record."""
    total = 0.0
    for attribute, level in zip(task.quasi, levels, strict=True):
        labels = attribute.hierarchy.maps[level].tolist()
        for record, code in enumerate(attribute.column.codes.tolist()):
            if record in gone:
                total += 1.0
            elif len(labels) > 1:
                total += (labels.count(labels[code]) - 1) / (len(labels) - 1)
    return total / task.n / len(task.quasi)


def complemented(task: Task, classes: list[list[int]], limit: int) -> set[int] | None:
    """Return records of small classes and those who join them to be k; None if too many."""
    small = {i for members in classes if len(members) < task.k for i in members}
    if not 0 < len(small) < task.k:
        return small
    large = [members for members in classes if len(members) >= task.k]
    needed = task.k - len(small)
    sparing = [members for members in large if len(members) - needed >= task.k]
    if sparing and task.k <= limit:
        return small.union(min(sparing, key=len)[-needed:])
    smallest: list[int] = min(large, key=len)
    together = small.union(smallest)
    return together if len(together) <= limit else None
