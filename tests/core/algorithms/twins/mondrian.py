"""Mondrian as the walk-through tells it, one list of records at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

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
    attribute: QuasiIdentifier, part: Sequence[int], k: int, where: str
) -> tuple[list[int], list[int]] | None:
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
    if not cuts:
        return None
    left = min(cuts, key=lambda left: (abs(2 * left - len(part)), left))
    return sorted(by_value[:left]), sorted(by_value[left:])


def mondrian(
    task: Task, where: str = "allowable", part: Sequence[int] | None = None
) -> list[list[int]]:
    """The classes, lower sides first."""
    part = list(range(task.n)) if part is None else part
    widths = {x: width(attribute, part) for x, attribute in enumerate(task.quasi)}
    while widths:
        x = min(y for y in widths if widths[y] > max(widths.values()) - 1e-9)
        del widths[x]
        both = sides(task.quasi[x], part, task.k, where)
        if both:
            return [c for side in both for c in mondrian(task, where, side)]
    return [list(part)]
