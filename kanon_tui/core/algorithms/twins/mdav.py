"""MDAV, record by record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from kanon_tui.core.numeric import Floats
from kanon_tui.core.task.task import Task


def scores(task: Task) -> Floats:
    """Return the standard scores of all records × numbers; missing is far beyond the largest."""
    columns = []
    for attribute in task.quasi:
        if attribute.ordered:
            assert attribute.column.numbers is not None
            numbers = attribute.column.numbers[attribute.column.codes]
            present = numbers[~np.isnan(numbers)]
            if not len(present):
                columns.append(np.zeros(task.n))
                continue
            column = (numbers - present.mean()) / (present.std() or 1.0)
            far = 2 * np.nanmax(column) - np.nanmin(column)
            columns.append(np.where(np.isnan(column), far, column))
    return np.array(columns).reshape(-1, task.n).T


def mdav(task: Task) -> list[list[int]]:
    """Return the classes in the order in which they are made."""
    numbers = scores(task)
    categories = [a.column.codes.tolist() for a in task.quasi if not a.ordered]

    def away(record: int, middle: Floats, labels: Sequence[int]) -> float:
        differing: int = sum(
            codes[record] != label for codes, label in zip(categories, labels, strict=True)
        )
        squares = float(((numbers[record] - middle) ** 2).sum())
        return round(squares + 2.0 * differing, 9)

    def distances_from(origin: int) -> list[float]:
        labels = [codes[origin] for codes in categories]
        return [away(record, numbers[origin], labels) for record in range(task.n)]

    def nearest(unplaced: list[int], distances: list[float]) -> list[int]:
        return sorted(sorted(unplaced, key=lambda record: (distances[record], record))[: task.k])

    unplaced = list(range(task.n))
    classes = []
    while len(unplaced) >= 2 * task.k:
        counts = [Counter(codes[record] for record in unplaced) for codes in categories]
        common = [min(count, key=lambda label: (-count[label], label)) for count in counts]
        middle = numbers[unplaced].mean(axis=0)
        r = max(unplaced, key=lambda record: (away(record, middle, common), -record))
        from_r = distances_from(r)
        s = max(unplaced, key=lambda record: (from_r[record], -record))
        around = [from_r, distances_from(s)] if len(unplaced) >= 3 * task.k else [from_r]
        for distances in around:
            members = nearest(unplaced, distances)
            classes.append(members)
            unplaced = [record for record in unplaced if record not in members]
    if unplaced:
        classes.append(unplaced)
    return classes
