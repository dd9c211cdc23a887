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
    """Return per value code something that sorts as the attribute is cut."""
    column = attribute.column
    if column.numbers is not None:
        return [math.inf if math.isnan(number) else number for number in column.numbers.tolist()]
    if attribute.hierarchy_given:
        return list(attribute.hierarchy.order.tolist())
    return list(range(len(column.values)))


def width(attribute: QuasiIdentifier, part: Sequence[int]) -> float:
    """Return how wide a part is in an attribute, 0 to 1."""
    values = {line(attribute)[attribute.column.codes[record]] for record in part}
    if len(values) == 1:
        return 0.0
    if not attribute.ordered:
        return (len(values) - 1) / (len(attribute.column.values) - 1)
    if math.inf in values:
        return 1.0
    return float((max(values) - min(values)) / attribute.domain_width)


def sides(
    attribute: QuasiIdentifier, part: Sequence[int], task: Task, where: str
) -> tuple[list[int], list[int]] | None:
    """Return both sides of the cut nearest to the middle; None where none is allowed."""
    place = line(attribute)
    by_value = sorted(part, key=lambda record: (place[attribute.column.codes[record]], record))
    values = [place[attribute.column.codes[record]] for record in by_value]
    if values[0] == values[-1]:
        return None
    cuts = [
        cut
        for cut in range(task.k, len(part) - task.k + 1)
        if (where == "relaxed" and cut == len(part) // 2)
        or (where != "relaxed" and values[cut - 1] < values[cut])
    ]
    if where == "median":
        median = values[(len(values) - 1) // 2]
        cuts = [cut for cut in cuts if values[cut - 1] == median]
    for cut in sorted(cuts, key=lambda cut: (abs(2 * cut - len(part)), cut))[:8]:
        if holds(task, by_value[:cut]) and holds(task, by_value[cut:]):
            return sorted(by_value[:cut]), sorted(by_value[cut:])
    return None


def holds(task: Task, part: Sequence[int]) -> bool:
    """Return whether a part, as a class, meets everything that is required beyond k."""
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
    """Return the classes, lower sides first."""
    if part is None:
        part = range(task.n)
    widths = {x: width(attribute, part) for x, attribute in enumerate(task.quasi)}
    while widths:
        widest = min(x for x in widths if widths[x] > max(widths.values()) - 1e-9)
        del widths[widest]
        both = sides(task.quasi[widest], part, task, where)
        if both is not None:
            return mondrian(task, where, both[0]) + mondrian(task, where, both[1])
    return [list(part)]
