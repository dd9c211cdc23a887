"""Stepwise local recoding, string by string and record by record."""

from __future__ import annotations

from itertools import product

from kanon_tui.core.lattice.objective import LevelLosses
from kanon_tui.core.task.task import Task


def stepwise(task: Task) -> list[set[int]]:
    """Return the classes in the order in which they are made."""
    costs = [
        (attribute.weight * LevelLosses(attribute, "ncp").without_suppression).tolist()
        for attribute in task.quasi
    ]  # per attribute and level the NCP of the whole table
    codes = [attribute.column.codes.tolist() for attribute in task.quasi]
    labels = [[level.tolist() for level in attribute.hierarchy.maps] for attribute in task.quasi]

    def cost(string: tuple[int, ...]) -> float:
        return float(sum(losses[x] for losses, x in zip(costs, string, strict=True)))

    def away(record: int, neighbour: int) -> float:
        total = 0.0
        for own_codes, levels, losses in zip(codes, labels, costs, strict=True):
            pair = own_codes[record], own_codes[neighbour]
            lowest = next(x for x, level in enumerate(levels) if level[pair[0]] == level[pair[1]])
            total += losses[lowest]
        return total

    strings = product(*(range(len(losses)) for losses in costs))
    unplaced = list(range(task.n))
    classes: list[set[int]] = []
    for string in sorted(strings, key=lambda string: (cost(string), string)):
        groups: dict[tuple[int, ...], set[int]] = {}
        for record in unplaced:
            shown = tuple(labels[a][x][codes[a][record]] for a, x in enumerate(string))
            groups.setdefault(shown, set()).add(record)
        classes += [group for group in groups.values() if len(group) >= task.k]
        unplaced = [record for record in unplaced if not any(record in group for group in classes)]
        if len(unplaced) < task.k:
            break
    placed = sorted(set().union(*classes))
    nearest = {record: min(placed, key=lambda i: (away(record, i), i)) for record in unplaced}
    for record, neighbour in nearest.items():
        next(group for group in classes if neighbour in group).add(record)
    return classes
