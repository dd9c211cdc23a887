"""Slow twins of what is required beyond k: plain Python over lists of values."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import accumulate
from math import exp, log

from kanon_tui.core.algorithms.twins.full_domain import Levels, all_strings
from kanon_tui.core.metrics.cells import cells_of
from kanon_tui.core.metrics.losses import attribute_ncp
from kanon_tui.core.privacy.alpha_k import AlphaKAnonymity
from kanon_tui.core.privacy.l_diversity import DistinctLDiversity, EntropyLDiversity, PSensitivity
from kanon_tui.core.privacy.requirements import ColumnRequirement
from kanon_tui.core.privacy.t_closeness import TCloseness
from kanon_tui.core.release.recode import recode
from kanon_tui.core.task.task import Grouping, Task

REQUIREMENTS = (
    DistinctLDiversity(2),
    DistinctLDiversity(3, "label"),
    PSensitivity(2, "label"),
    EntropyLDiversity(1.5),
    EntropyLDiversity(2.4, "label"),
    TCloseness(0.35),
    TCloseness(0.15, "label"),
    AlphaKAnonymity(0.7),
    AlphaKAnonymity(0.5, "label"),
    AlphaKAnonymity(0.4, "label", ("a",)),
)


def with_requirements(task: Task, seed: int) -> Task:
    """The task with one or two requirements, whose values occur in it."""
    rng = random.Random(seed)
    known = set(next(c for c in task.sensitive if c.name == "label").values)
    possible = [r for r in REQUIREMENTS if known.issuperset(r.only_values)]
    chosen = rng.sample(possible, rng.choice([1, 1, 2]))
    return replace(task, privacy=replace(task.privacy, requirements=tuple(chosen)))


def figure(requirement: ColumnRequirement, records: Iterable[int]) -> float:
    """The figure of a class, by the definitions."""
    codes = requirement.column.codes.tolist()
    inside = Counter(codes[i] for i in records)
    size = sum(inside.values())
    shares = {code: count / size for code, count in inside.items()}
    whole = Counter(codes)
    values = sorted(whole)
    match requirement.model:
        case DistinctLDiversity():
            return len(inside)
        case EntropyLDiversity():
            return exp(-sum(p * log(p) for p in shares.values()))
        case AlphaKAnonymity(values=bounded):
            named = [requirement.column.values.index(value) for value in bounded] or values
            return max((p for v, p in shares.items() if v in named), default=0.0)
        case TCloseness():
            apart = [shares.get(v, 0.0) - whole[v] / len(codes) for v in values]
            if requirement.column.kind.ordered:
                return sum(abs(s) for s in accumulate(apart)) / max(len(values) - 1, 1)
            return sum(abs(d) for d in apart) / 2
    raise AssertionError(requirement.model)


def gap(requirement: ColumnRequirement, records: Iterable[int]) -> float:
    """How far a class is from what is required; 0 where it holds."""
    found = figure(requirement, records)
    bound = requirement.model.bound
    missed = (bound - found) / bound if requirement.model.at_least else found - bound
    return missed if missed > 1e-9 else 0.0


def gaps(task: Task, records: Sequence[int]) -> float:
    return sum(gap(each, records) for each in task.requirements)


def classes(task: Task, levels: Levels) -> list[list[int]]:
    """The classes of a string, from its labels."""
    found: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for i in range(task.n):
        row = tuple(
            a.hierarchy.paths[int(a.column.codes[i])][level]
            for a, level in zip(task.quasi, levels, strict=True)
        )
        found[row].append(i)
    return list(found.values())


def must_go(task: Task, levels: Levels) -> set[int]:
    """The records that a string would suppress."""
    return {
        i
        for records in classes(task, levels)
        if len(records) < task.k or gaps(task, records) > 0
        for i in records
    }


def passing_beyond_k(task: Task) -> list[Levels]:
    """Every string that passes."""
    allowed = min(task.allowed_suppressed, task.n - 1)
    return [s for s in all_strings(task) if len(must_go(task, s)) <= allowed]


def ncp(task: Task, records: Sequence[int], hidden: object = None) -> float:
    """NCP of one record of a class, as it would be published: the class alone is the release."""
    import numpy as np

    labels = np.full(task.n, -1, dtype=np.int32)
    labels[list(records)] = 0
    release = recode(task, Grouping(labels, suppressed_cells=hidden))  # type: ignore[arg-type]
    # The suppressed rest loses everything; what the class loses is what remains.
    share = len(records) / task.n
    return sum(
        cells.attribute.weight * (attribute_ncp(cells) - (1 - share)) / share
        for cells in cells_of(release)
    )


def choice(
    task: Task,
    alive: dict[int, list[int]],
    one: int,
    order: list[int],
    cost: Callable[[int], float],
) -> int:
    """Nearest with which it holds; else the cheapest per gap closed; of 128 near ones at a time."""
    own = gaps(task, alive[one])
    for begin in range(0, len(order), 128):
        near = order[begin : begin + 128]
        left = {x: gaps(task, alive[one] + alive[x]) for x in near}
        holding = [x for x in near if left[x] == 0]
        if holding:
            return holding[0]
        helping = [x for x in near if own - left[x] > 1e-9]
        if helping:
            return min(helping, key=lambda x: max(cost(x), 1e-9) / (own - left[x]))
    return order[0]


def merged_on(
    task: Task, clusters: list[list[int]], block: Sequence[object] | None = None
) -> tuple[list[list[int]], set[int]]:
    """Merge the first class that misses something with the nearest that helps, until none does."""
    clusters = [list(c) for c in clusters]
    group = [None if block is None else block[c[0]] for c in clusters]
    gone: set[int] = set()
    for each in set(group):
        members = [c for c, g in zip(clusters, group, strict=True) if g == each]
        if gaps(task, [i for c in members for i in c]) > 0:
            gone |= {i for c in members if gaps(task, c) > 0 for i in c}
    alive = {x: c for x, c in enumerate(clusters) if not gone.intersection(c)}
    while missing := [x for x, c in alive.items() if gaps(task, c) > 0]:
        one = missing[0]

        def cost(other: int, one: int = one) -> float:
            a = alive[one]
            b = alive[other]
            return (
                (len(a) + len(b)) * ncp(task, a + b) - len(a) * ncp(task, a) - len(b) * ncp(task, b)
            )

        partners = [x for x in alive if x != one and group[x] == group[one]]
        order = sorted(partners, key=lambda x: (round(cost(x) / 1e-9), x))
        other = choice(task, alive, one, order, cost)
        alive[other] = alive[other] + alive.pop(one)
    return [sorted(c) for c in alive.values()], gone
