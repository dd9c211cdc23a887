"""SBC figure 3-6 and SD figure 3, record by record, as they are told."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from kanon_tui.core.task.task import Task

TIE = 1e-9
Tables = dict[int, dict[int, float]]


def code(task: Task, x: int, record: int) -> int:
    return int(task.quasi[x].column.codes[record])


def number(task: Task, x: int, record: int) -> float:
    """Where a number lies in its domain, 0 to 1; nan for missing."""
    attribute = task.quasi[x]
    numbers = attribute.column.numbers
    return float(
        (numbers[code(task, x, record)] - attribute.domain[0]) / (attribute.domain_width or 1)
    )


def numbers_and_categories(task: Task) -> tuple[list[int], list[int]]:
    """The attributes with numbers or dates, and the others by rising cardinality."""
    every = range(len(task.quasi))
    categories = [x for x in every if not task.quasi[x].ordered]
    categories.sort(key=lambda x: len(task.quasi[x].column.values))
    return [x for x in every if task.quasi[x].ordered], categories


def in_order(task: Task) -> list[int]:
    """The records, sorted by the attribute with most distinct values."""

    def key(x: int, record: int) -> float:
        if task.quasi[x].ordered:
            place = number(task, x, record)
            return math.inf if math.isnan(place) else place
        return code(task, x, record)

    columns = [[key(x, i) for i in range(task.n)] for x in range(len(task.quasi))]
    column = max(columns, key=lambda column: len(set(column)))
    return sorted(range(task.n), key=lambda i: column[i])


def similarities(
    task: Task, left: Sequence[int], t1: int, x: int, conditions: Sequence[int]
) -> dict[int, Fraction]:
    """How often each value of an attribute is seen among the records left that share t1's values.

    The last condition is dropped, and the one before it, while fewer than k records do.
    """
    while True:
        row = [i for i in left if all(code(task, y, i) == code(task, y, t1) for y in conditions)]
        if len(row) >= task.k:
            break
        conditions = conditions[:-1]
    seen = [code(task, x, i) for i in row]
    return {v: Fraction(seen.count(v), len(seen)) for v in {code(task, x, i) for i in left}}


def tables(task: Task, left: Sequence[int], t1: int, spatial: bool) -> Tables:
    """Per category the distance of every value left from that of t1."""
    _, categories = numbers_and_categories(task)
    found: Tables = {}
    below = 1.0
    for j, x in enumerate(categories):
        own, missing = code(task, x, t1), task.quasi[x].column.missing
        values = sorted({code(task, x, i) for i in left})
        found[x] = {v: 0.0 if v == own else 1.0 for v in values}
        others = [v for v in values if v not in (own, missing)]
        if own == missing or len(others) < 2:
            below = 1.0
            continue
        share = similarities(task, left, t1, x, categories[:j] if spatial else categories[:j][-1:])
        others.sort(key=lambda v: (abs(share[v] - share[own]), v))
        if not spatial:
            found[x].update({v: (i + 1) / len(others) for i, v in enumerate(others)})
            continue
        for v in reversed(others):
            below /= len(others)
            found[x][v] = below
    return found


def distance(task: Task, members: Sequence[int], record: int, table: Tables) -> float:
    """From the centre of some records: mean of their numbers, each of their categories."""
    numbers, categories = numbers_and_categories(task)
    total = 0.0
    for x in numbers:
        theirs = [number(task, x, i) for i in members]
        present = [place for place in theirs if not math.isnan(place)]
        place, middle = number(task, x, record), 0.0
        for one in present:
            middle += one
        if math.isnan(place):
            total += 0.0 if len(present) < len(theirs) else 1.0
        else:
            total += abs(place - middle / len(present)) if present else 1.0
    for x in categories:
        inside = code(task, x, record) in {code(task, x, i) for i in members}
        total += 0.0 if inside else table[x][code(task, x, record)]
    return total


def lowest_of_nearest(distances: dict[int, float]) -> int:
    enough = min(distances.values()) + TIE
    return min(key for key in distances if distances[key] < enough)


def cluster(task: Task, spatial: bool, left_over: str = "nearest") -> list[list[int]]:
    """The classes, members in the order in which they joined; suppressed records in none."""
    left = in_order(task)
    classes: list[list[int]] = []
    known: list[Tables] = []
    while len(left) >= task.k:
        table = tables(task, left, left[0], spatial)
        members = [left.pop(0)]
        away: dict[int, float] = {}
        while len(members) < task.k:
            if spatial or not away:  # the centre of sbc stays where it is
                away = {i: distance(task, members, i, table) for i in left}
            nearest = lowest_of_nearest(away)
            del away[nearest]
            members.append(nearest)
            left.remove(nearest)
        classes.append(members)
        known.append(table)
    for record in left if left_over != "suppress" else []:
        c = len(classes) - 1
        if left_over == "nearest":
            centres = [members if spatial else members[:1] for members in classes]
            c = lowest_of_nearest(
                {b: distance(task, centres[b], record, known[b]) for b in range(len(classes))}
            )
        classes[c].append(record)
    return classes
