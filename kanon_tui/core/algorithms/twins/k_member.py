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
    """Return range / domain, or height(lca) / height; 1 for missing among numbers."""
    if not attribute.ordered:
        return attribute.hierarchy.lca_level(codes) / (attribute.hierarchy.height or 1)
    assert attribute.column.numbers is not None
    numbers = attribute.column.numbers[list(codes)].tolist()
    gaps = sum(map(math.isnan, numbers))
    if gaps:
        return float(gaps < len(numbers))
    return float((max(numbers) - min(numbers)) / (attribute.domain_width or 1.0))


def information_loss(task: Task, cluster: Sequence[int]) -> float:
    """Return the loss of all records of a cluster together."""
    return len(cluster) * sum(
        loss_of(attribute, attribute.column.codes[list(cluster)].tolist())
        for attribute in task.quasi
    )


def distance(task: Task, record: int, second: int) -> float:
    """Return the loss of each of two records, if they were a cluster."""
    return information_loss(task, [record, second]) / 2


def best(candidates: Sequence[Candidate], cost: Callable[[Candidate], float]) -> Candidate:
    """Return the first of the candidates whose cost is less than 1e-9 above the smallest."""
    costs = [cost(candidate) for candidate in candidates]
    return candidates[next(n for n, c in enumerate(costs) if c < min(costs) + 1e-9)]


def growth(task: Task, cluster: Sequence[int], record: int) -> float:
    """Return the loss that a record adds to a cluster."""
    return information_loss(task, [*cluster, record]) - information_loss(task, cluster)


def furthest_from(task: Task, record: int, candidates: Sequence[int]) -> int:
    """Return the record that is furthest from one."""
    return best(candidates, lambda candidate: -distance(task, record, candidate))


def cheapest_record(
    task: Task,
    cluster: Sequence[int],
    candidates: Sequence[int],
    labels: Sequence[str],
    penalty: float,
) -> int:
    """Return the record that adds least to a cluster, and a penalty if its label is unusual."""
    if not penalty:
        return best(candidates, lambda record: growth(task, cluster, record))
    counts = Counter(labels[record] for record in cluster)
    usual = min(label for label in counts if counts[label] == max(counts.values()))
    return best(
        candidates,
        lambda record: growth(task, cluster, record) + penalty * (labels[record] != usual),
    )


def cheapest_cluster(task: Task, clusters: Clusters, record: int) -> list[int]:
    """Return the cluster to which a record adds least."""
    return best(clusters, lambda cluster: growth(task, cluster, record))


def grown_clusters(
    task: Task,
    records: Sequence[int],
    rng: np.random.Generator,
    labels: Sequence[str] = (),
    penalty: float = 0.0,
    shuffle: bool = False,
) -> Clusters:
    """Return clusters of some records; a `penalty` is for labels unlike most of a cluster."""
    unplaced = list(records)
    last = unplaced[rng.integers(len(unplaced))]
    clusters: Clusters = []
    while len(unplaced) >= task.k:
        last = furthest_from(task, last, unplaced)
        unplaced.remove(last)
        cluster = [last]
        while len(cluster) < task.k:
            last = cheapest_record(task, cluster, unplaced, labels, penalty)
            unplaced.remove(last)
            cluster.append(last)
        clusters.append(cluster)
    if shuffle:
        unplaced = [unplaced[place] for place in rng.permutation(len(unplaced))]
    for record in unplaced:
        cheapest_cluster(task, clusters, record).append(record)
    return clusters


def k_member(task: Task) -> Clusters:
    """Return the classes of k-member clustering."""
    return grown_clusters(task, range(task.n), np.random.default_rng(task.seed))


def gcka(task: Task) -> Clusters:
    """Return the classes of GreedyCKA; records of small groups are in none."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for record in range(task.n):
        magvals = []
        for attribute in task.quasi:
            code = attribute.column.codes[record]
            level = attribute.hierarchy.mark_levels[code]
            magvals.append((level, attribute.hierarchy.paths[code][level]))
        groups.setdefault(tuple(magvals), []).append(record)
    rng = np.random.default_rng(task.seed)
    clusters: Clusters = []
    for records in groups.values():
        if len(records) >= task.k:
            clusters += grown_clusters(task, records, rng)
    return clusters
