"""Greedy k-member clustering and GreedyCKA, straight from the pseudo-code (Byun fig. 5, CKA)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from kanon_tui.core.task.task import QuasiIdentifier, Task

Candidate = TypeVar("Candidate")
Clusters = list[list[int]]


def loss_of(attribute: QuasiIdentifier, codes: Sequence[int]) -> float:
    """range / domain, or height(lca) / height; 1 for missing among numbers."""
    if not attribute.ordered:
        return attribute.hierarchy.lca_level(codes) / (attribute.hierarchy.height or 1)
    assert attribute.column.numbers is not None
    numbers = attribute.column.numbers[list(codes)].tolist()
    gaps = sum(map(math.isnan, numbers))
    if gaps:
        return float(gaps < len(numbers))
    return (max(numbers) - min(numbers)) / (attribute.domain_width or 1.0)


def information_loss(task: Task, cluster: Sequence[int]) -> float:
    return len(cluster) * sum(
        loss_of(attribute, attribute.column.codes[list(cluster)].tolist())
        for attribute in task.quasi
    )


def distance(task: Task, a: int, b: int) -> float:
    return information_loss(task, [a, b]) / 2


def best(candidates: Sequence[Candidate], cost: Callable[[Candidate], float]) -> Candidate:
    """The first of the candidates whose cost is less than 1e-9 above the smallest."""
    costs = [cost(candidate) for candidate in candidates]
    return next(x for x, c in zip(candidates, costs, strict=True) if c < min(costs) + 1e-9)


def k_member(
    task: Task,
    records: Sequence[int],
    rng: np.random.Generator,
    labels: Sequence[object] = (),
    penalty: float = 0.0,
    shuffle: bool = False,
) -> Clusters:
    left = list(records)
    r = left[rng.integers(len(left))]
    result: Clusters = []
    while len(left) >= task.k:
        r = best(left, lambda s, r=r: -distance(task, r, s))  # type: ignore[misc]
        left.remove(r)
        c = [r]
        while len(c) < task.k:
            majority = None
            if penalty:
                counts = Counter(labels[i] for i in c)
                majority = min(x for x in counts if counts[x] == max(counts.values()))

            def increase(s: int, c: list[int] = c, majority: object = majority) -> float:
                more = information_loss(task, [*c, s]) - information_loss(task, c)
                return more + (penalty if penalty and labels[s] != majority else 0.0)

            r = best(left, increase)
            left.remove(r)
            c.append(r)
        result.append(c)
    for r in [left[i] for i in rng.permutation(len(left))] if shuffle else left:
        best(
            result,
            lambda c, r=r: information_loss(task, [*c, r]) - information_loss(task, c),  # type: ignore[misc]
        ).append(r)
    return result


def gcka(task: Task) -> tuple[Clusters, list[int]]:
    """The clusters and the suppressed records."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for i in range(task.n):
        key = []
        for attribute in task.quasi:
            code = attribute.column.codes[i]
            level = attribute.hierarchy.mark_levels[code]
            key.append((level, attribute.hierarchy.paths[code][level]))
        groups.setdefault(tuple(key), []).append(i)
    rng = np.random.default_rng(task.seed)
    clusters, suppressed = [], []
    for records in groups.values():
        if len(records) < task.k:
            suppressed += records
        else:
            clusters += k_member(task, records, rng)
    return clusters, suppressed
