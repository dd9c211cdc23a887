"""SBC figure 3-6 and SD figure 3, record by record, as they are told."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from kanon_tui.core.task.task import Task

TIE = 1e-9
Tables = dict[int, dict[int, float]]


def code(task: Task, x: int, record: int) -> int:
    """Return the value that a record has of an attribute, as a number."""
    return int(task.quasi[x].column.codes[record])


def number(task: Task, x: int, record: int) -> float:
    """Return where a number lies in its domain, 0 to 1; nan for missing."""
    attribute = task.quasi[x]
    assert attribute.column.numbers is not None
    value = attribute.column.numbers[code(task, x, record)]
    return float((value - attribute.domain[0]) / (attribute.domain_width or 1))


def numbers_and_categories(task: Task) -> tuple[list[int], list[int]]:
    """Return the attributes with numbers or dates, and the others by rising cardinality."""
    every = range(len(task.quasi))
    categories = [x for x in every if not task.quasi[x].ordered]
    categories.sort(key=lambda x: len(task.quasi[x].column.values))
    return [x for x in every if task.quasi[x].ordered], categories


def in_order(task: Task) -> list[int]:
    """Return the records, sorted by the attribute with most distinct values."""

    def key(x: int, record: int) -> float:
        if task.quasi[x].ordered:
            place = number(task, x, record)
            return math.inf if math.isnan(place) else place
        return code(task, x, record)

    columns = [[key(x, i) for i in range(task.n)] for x in range(len(task.quasi))]
    column = max(columns, key=lambda column: len(set(column)))
    return sorted(range(task.n), key=lambda i: column[i])


def similarities(
    task: Task, unplaced: Sequence[int], t1: int, x: int, conditions: Sequence[int]
) -> dict[int, Fraction]:
    """Return how often values of an attribute are seen among the records left that are like t1.

    These share its values of the attributes that are `conditions`. The last condition is dropped,
    and the one before it, while fewer than k records do.
    """
    while True:
        row = [
            i for i in unplaced if all(code(task, y, i) == code(task, y, t1) for y in conditions)
        ]
        if len(row) >= task.k:
            break
        conditions = conditions[:-1]
    values = [code(task, x, i) for i in row]
    return {v: Fraction(values.count(v), len(values)) for v in {code(task, x, i) for i in unplaced}}


def tables(task: Task, unplaced: Sequence[int], t1: int, spatial: bool) -> Tables:
    """Return per category the distance of every value left from that of t1."""
    _, categories = numbers_and_categories(task)
    distances: Tables = {}
    below = 1.0
    for j, x in enumerate(categories):
        value_of_t1 = code(task, x, t1)
        missing = task.quasi[x].column.missing
        values = sorted({code(task, x, i) for i in unplaced})
        distances[x] = {v: 0.0 if v == value_of_t1 else 1.0 for v in values}
        other_values = [v for v in values if v not in (value_of_t1, missing)]
        if value_of_t1 == missing or len(other_values) < 2:
            below = 1.0
            continue
        conditions = categories[:j] if spatial else categories[:j][-1:]
        share = similarities(task, unplaced, t1, x, conditions)
        other_values.sort(key=lambda v: (abs(share[v] - share[value_of_t1]), v))
        if not spatial:
            distances[x].update(
                {v: (i + 1) / len(other_values) for i, v in enumerate(other_values)}
            )
            continue
        for v in reversed(other_values):
            below /= len(other_values)
            distances[x][v] = below
    return distances


def distance(task: Task, members: Sequence[int], record: int, table: Tables) -> float:
    """Return how far a record is from others: from their mean numbers and all their categories."""
    numbers, categories = numbers_and_categories(task)
    total = 0.0
    for x in numbers:
        places = [number(task, x, i) for i in members]
        present = [place for place in places if not math.isnan(place)]
        place = number(task, x, record)
        if math.isnan(place):
            total += float(len(present) == len(places))
        elif present:
            centre = 0.0
            for member in present:  # one by one: what `sum` rounds differs among versions of Python
                centre += member
            total += abs(place - centre / len(present))
        else:
            total += 1.0
    for x in categories:
        inside = code(task, x, record) in {code(task, x, i) for i in members}
        total += 0.0 if inside else table[x][code(task, x, record)]
    return total


def lowest_of_nearest(distances: dict[int, float]) -> int:
    """Return the smallest number of those at the least distance."""
    enough = min(distances.values()) + TIE
    return min(key for key in distances if distances[key] < enough)


def cluster(task: Task, spatial: bool, left_over: str = "nearest") -> list[list[int]]:
    """Return the classes, members in the order in which they joined; suppressed records in none."""
    unplaced = in_order(task)
    classes: list[list[int]] = []
    distances_of: list[Tables] = []
    while len(unplaced) >= task.k:
        table = tables(task, unplaced, unplaced[0], spatial)
        members = [unplaced.pop(0)]
        away: dict[int, float] = {}
        while len(members) < task.k:
            if spatial or not away:  # the centre of sbc stays where it is
                away = {i: distance(task, members, i, table) for i in unplaced}
            nearest = lowest_of_nearest(away)
            del away[nearest]
            members.append(nearest)
            unplaced.remove(nearest)
        classes.append(members)
        distances_of.append(table)
    for record in unplaced if left_over != "suppress" else []:
        c = len(classes) - 1
        if left_over == "nearest":
            centres = [members if spatial else members[:1] for members in classes]
            pairs = enumerate(zip(centres, distances_of, strict=True))
            away = {b: distance(task, centre, record, table) for b, (centre, table) in pairs}
            c = lowest_of_nearest(away)
        classes[c].append(record)
    return classes


def sbc(task: Task) -> list[list[int]]:
    """Return the classes around the first record left; those left over join the last class."""
    return cluster(task, spatial=False, left_over="join-last")


def sd(task: Task) -> list[list[int]]:
    """Return the classes that grow around a moving centre."""
    return cluster(task, spatial=True)
