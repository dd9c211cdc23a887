"""Mondrian as the walk-through tells it, one list of records at a time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from kanon_tui.core.table.column import GroupValues
from kanon_tui.core.task.task import QuasiIdentifier, Task


def line(attribute: QuasiIdentifier) -> list[Any]:
    """Per value code, something that sorts as the attribute is cut."""
    column = attribute.column
    if column.numbers is not None:
        return [math.inf if math.isnan(number) else number for number in column.numbers.tolist()]
    if attribute.hierarchy_given:
        return attribute.hierarchy.order.tolist()
    return list(range(len(column.values)))


def width(attribute: QuasiIdentifier, part: Sequence[int]) -> float:
    values = {line(attribute)[attribute.column.codes[i]] for i in part}
    if len(values) == 1:
        return 0.0
    if not attribute.ordered:
        return (len(values) - 1) / (len(attribute.column.values) - 1)
    if math.inf in values:
        return 1.0
    return (max(values) - min(values)) / attribute.domain_width


def sides(
    attribute: QuasiIdentifier, part: Sequence[int], task: Task, where: str
) -> tuple[list[int], list[int]] | None:
    k = task.k
    place = line(attribute)
    by_value = sorted(part, key=lambda i: (place[attribute.column.codes[i]], i))
    values = [place[attribute.column.codes[i]] for i in by_value]
    if values[0] == values[-1]:
        return None
    cuts = [
        left
        for left in range(k, len(part) - k + 1)
        if (where == "relaxed" and left == len(part) // 2)
        or (where != "relaxed" and values[left - 1] < values[left])
    ]
    if where == "median":
        median = values[(len(values) - 1) // 2]
        cuts = [left for left in cuts if values[left - 1] == median]
    for left in sorted(cuts, key=lambda left: (abs(2 * left - len(part)), left))[:8]:
        if holds(task, by_value[:left]) and holds(task, by_value[left:]):
            return sorted(by_value[:left]), sorted(by_value[left:])
    return None


def holds(task: Task, part: Sequence[int]) -> bool:
    """Whether a part, as a class of its own, meets everything that is required beyond k."""
    for requirement in task.requirements:
        counts = Counter(requirement.column.codes[list(part)].tolist())
        codes, records = (np.array(column) for column in zip(*sorted(counts.items()), strict=True))
        values = GroupValues(1, np.zeros_like(codes), codes, records)
        if requirement.gaps(values).any():
            return False
    return True


def mondrian(
    task: Task, where: str = "allowable", part: Sequence[int] | None = None
) -> list[list[int]]:
    """The classes, lower sides first."""
    part = list(range(task.n)) if part is None else part
    widths = {x: width(attribute, part) for x, attribute in enumerate(task.quasi)}
    while widths:
        x = min(y for y in widths if widths[y] > max(widths.values()) - 1e-9)
        del widths[x]
        both = sides(task.quasi[x], part, task, where)
        if both:
            return [c for side in both for c in mondrian(task, where, side)]
    return [list(part)]
