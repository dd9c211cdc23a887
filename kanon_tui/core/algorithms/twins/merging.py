"""The merging and splitting algorithms, straight from their definitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from kanon_tui.core.task.task import QuasiIdentifier, Task

TIE = 1e-9
Cluster = list[int]
"""Record numbers."""


def codes_of(task: Task, x: int, records: Sequence[int]) -> set[int]:
    """Return the values that some records have of an attribute."""
    return {int(task.quasi[x].column.codes[i]) for i in records}


def covered(attribute: QuasiIdentifier, codes: set[int]) -> int:
    """Return how many values the published cell of a category stands for."""
    if not attribute.hierarchy_given:
        return len(codes)
    level = attribute.hierarchy.lca_level(codes)
    labels = attribute.hierarchy.maps[level]
    return int((labels == labels[min(codes)]).sum())


def width(attribute: QuasiIdentifier, codes: set[int]) -> float | None:
    """Return max − min of some numbers; None where missing meets present."""
    if len(codes) == 1:
        return 0.0
    if attribute.column.missing in codes:
        return None
    assert attribute.column.numbers is not None
    numbers = [attribute.column.numbers[code] for code in codes]
    return float(max(numbers) - min(numbers))


def ncp(attribute: QuasiIdentifier, codes: set[int]) -> float:
    """Return range / domain, or the share of the values that a cell covers."""
    if attribute.ordered:
        wide = width(attribute, codes)
        return 1.0 if wide is None else wide / (attribute.domain_width or 1.0)
    return 0.0 if len(codes) == 1 else covered(attribute, codes) / len(attribute.column.values)


def raw_range(attribute: QuasiIdentifier, codes: set[int]) -> float:
    """Return max − min, or the number of other values that a cell covers."""
    if attribute.ordered:
        wide = width(attribute, codes)
        return attribute.domain_width if wide is None else wide
    return 0.0 if len(codes) == 1 else covered(attribute, codes) - 1.0


def span(attribute: QuasiIdentifier, codes: set[int]) -> float:
    """Return how many values of the finest step a range or a cell stands for."""
    if attribute.ordered:
        wide = width(attribute, codes)
        return attribute.domain_span if wide is None else wide / attribute.resolution + 1
    return 1.0 if len(codes) == 1 else float(covered(attribute, codes))


def rules_kept(attribute: QuasiIdentifier, codes: set[int]) -> float:
    """Return DR of a cluster; hidden cells are not among the codes."""
    rules = attribute.rules
    if not rules.rules:
        return 1.0
    importance = rules.table.base
    importance_kept = rules.table.base
    for r, rule in enumerate(rules.rules):
        importance += rule.importance
        first = any(rules.first[r][code] for code in codes)
        second = any(rules.second[r][code] for code in codes)
        if not (first and second):
            importance_kept += rule.importance
    return importance_kept / importance


def emphasised(attribute: QuasiIdentifier, granularity: float, kept_share: float) -> float:
    """Return G ** (2 − 2f) · DR ** 2f, f being the emphasis of rules."""
    f = attribute.rule_emphasis
    return float(granularity ** (2 - 2 * f) * kept_share ** (2 * f))


def total_ncp(task: Task, records: Sequence[int]) -> float:
    """Return the weighted NCP of a cluster."""
    return sum(a.weight * ncp(a, codes_of(task, x, records)) for x, a in enumerate(task.quasi))


def total_range(task: Task, records: Sequence[int]) -> float:
    """Return the sum of the ranges of a cluster."""
    return sum(raw_range(a, codes_of(task, x, records)) for x, a in enumerate(task.quasi))


def distinct_records(task: Task) -> list[Cluster]:
    """Return equal records together, in order of first appearance."""
    clusters: dict[tuple[int, ...], Cluster] = {}
    for i in range(task.n):
        clusters.setdefault(tuple(int(a.column.codes[i]) for a in task.quasi), []).append(i)
    return list(clusters.values())


def first_best(scores: Sequence[float]) -> int:
    """Return the place of the highest score, the first of those less than a tie below it."""
    return next(i for i, score in enumerate(scores) if score >= max(scores) - TIE)


def merge_first(
    task: Task, scorer: Callable[[list[Cluster]], Callable[[int, int], float]]
) -> list[Cluster]:
    """Return the clusters after the first under k has merged with the best other, again and again.

    `scorer` gives, for the clusters as they are, the score of a merge of two of them.
    """
    clusters = distinct_records(task)
    while any(len(c) < task.k for c in clusters):
        i = next(i for i, c in enumerate(clusters) if len(c) < task.k)
        partners = [j for j in range(len(clusters)) if j != i]
        score = scorer(clusters)
        j = partners[first_best([score(i, j) for j in partners])]
        clusters[j] = clusters[j] + clusters[i]
        del clusters[i]
    return clusters


def euclidean(task: Task) -> list[Cluster]:
    """Return the classes of merging by the smallest ranges."""
    return merge_first(task, lambda c: lambda i, j: -total_range(task, c[i] + c[j]))


def closest(task: Task) -> list[Cluster]:
    """Return the classes of merging the pair of smallest ranges, one of them under k."""
    clusters = distinct_records(task)
    while any(len(c) < task.k for c in clusters):
        pairs = [
            (i, j)
            for i, small in enumerate(clusters)
            for j in range(len(clusters))
            if j != i and len(small) < task.k
        ]
        ranges = {pair: total_range(task, clusters[pair[0]] + clusters[pair[1]]) for pair in pairs}
        least = {i: min(r for (x, _), r in ranges.items() if x == i) for i, _ in pairs}
        i = min(x for x in least if least[x] <= min(least.values()) + TIE)
        j = min(y for x, y in pairs if x == i and ranges[i, y] <= least[i] + TIE)
        clusters[j] = clusters[j] + clusters[i]
        del clusters[i]
    return clusters


def udc(task: Task, objective: str = "release") -> list[Cluster]:
    """Return the classes of merging where the research value stays highest."""

    def scorer(clusters: list[Cluster]) -> Callable[[int, int], float]:
        loads = [
            [len(c) * span(a, codes_of(task, x, c)) for c in clusters]
            for x, a in enumerate(task.quasi)
        ]

        def score(i: int, j: int) -> float:
            merged = clusters[i] + clusters[j]
            total = 0.0
            for x, a in enumerate(task.quasi):
                wide = span(a, codes_of(task, x, merged))
                after = sum(loads[x]) - loads[x][i] - loads[x][j] + len(merged) * wide
                share = 1 / wide if objective == "cluster" else task.n / after
                total += a.weight * emphasised(a, share, rules_kept(a, codes_of(task, x, merged)))
            return total

        return score

    return merge_first(task, scorer)


class HidingClusters:
    """Clusters and, per record and attribute, whether its cell is hidden."""

    def __init__(self, task: Task, objective: str = "release") -> None:
        self.task = task
        self.objective = objective
        self.clusters = distinct_records(task)
        self.hidden = np.zeros((task.n, len(task.quasi)), dtype=bool)

    def shown(self, x: int, cluster: Cluster) -> Cluster:
        """Return the records of a cluster that show an attribute."""
        return [i for i in cluster if not self.hidden[i, x]]

    def load(self, x: int, size: int, visible: Cluster) -> float:
        """Return Σ span over the records of a cluster of which only some show the attribute."""
        attribute = self.task.quasi[x]
        load = (size - len(visible)) * attribute.domain_span
        if visible:
            load += len(visible) * span(attribute, codes_of(self.task, x, visible))
        return load

    def terms(self, small: Cluster, partner: Cluster) -> list[tuple[float, float, float]]:
        """Return per attribute its score with nothing hidden, small hidden, and other hidden."""
        result = []
        for x, a in enumerate(self.task.quasi):
            load_elsewhere = sum(
                self.load(x, len(c), self.shown(x, c))
                for c in self.clusters
                if c is not small and c is not partner
            )
            scores = []
            for visible in (small + partner, partner, small):
                showing = self.shown(x, visible)
                size = len(small + partner)
                union = self.load(x, size, showing)
                share = self.task.n / (load_elsewhere + union)
                if self.objective == "cluster":
                    share = size / union
                rules = rules_kept(a, codes_of(self.task, x, showing))
                scores.append(a.weight * emphasised(a, share, rules))
            result.append((scores[0], scores[1], scores[2]))
        return result

    def trial(self, small: Cluster, partner: Cluster) -> tuple[float, Cluster, list[int]]:
        """Return the best of three merges: its score, whose cells it hides, of what attributes."""
        terms = self.terms(small, partner)
        best: tuple[float, Cluster, list[int]] = (sum(t[0] for t in terms), small, [])
        for side, hiding in ((1, small), (2, partner)):
            hides = [x for x, t in enumerate(terms) if t[side] > t[0] + TIE]
            score = sum(t[side] if x in hides else t[0] for x, t in enumerate(terms))
            if score > best[0] + TIE:
                best = (score, hiding, hides)
        return best

    def run(self) -> HidingClusters:
        """Merge until no cluster is under k, and return itself."""
        while any(len(c) < self.task.k for c in self.clusters):
            small = next(c for c in self.clusters if len(c) < self.task.k)
            partners = [c for c in self.clusters if c is not small]
            trials = [self.trial(small, partner) for partner in partners]
            pick = first_best([score for score, _, _ in trials])
            _, hiding, hides = trials[pick]
            for x in hides:
                self.hidden[hiding, x] = True
            self.clusters = [
                c + small if c is partners[pick] else c for c in self.clusters if c is not small
            ]
        return self


def udc_suppress(task: Task) -> list[Cluster]:
    """Return the classes of merging where cells may be hidden."""
    return HidingClusters(task).run().clusters


def bottom_up(task: Task) -> list[Cluster]:
    """Return the classes of merging by the lowest NCP and splitting what grew too large."""
    groups = dict(enumerate(distinct_records(task)))  # by place in the list
    places = len(groups)
    while any(len(g) < task.k for g in groups.values()):
        merged: set[int] = set()
        for place in sorted(groups):
            if place in merged or len(groups[place]) >= task.k:
                continue
            partners = [p for p in sorted(groups) if p != place]
            costs = [-total_ncp(task, groups[place] + groups[p]) for p in partners]
            partner = partners[first_best(costs)]
            groups[partner] = groups[partner] + groups.pop(place)
            merged.add(partner)
        for place in sorted(groups):
            first, *parts = split(task, sorted(groups[place]), per_record=False)
            groups[place] = first
            for part in parts:
                groups[places] = part
                places += 1
    return [groups[place] for place in sorted(groups)]


def top_down(task: Task, rounds: int = 3, growth: str = "class") -> list[Cluster]:
    """Return the classes of splitting around two far-apart records."""
    rng = np.random.default_rng(task.seed)
    return split(task, list(range(task.n)), growth == "records", rounds, rng.random)


def split(
    task: Task,
    group: Cluster,
    per_record: bool,
    rounds: int = 3,
    draw: Callable[[], float] = lambda: 0.0,
) -> list[Cluster]:
    """Return the parts of a group, split as often as both sides can hold k."""
    copies = [[i for i in equal if i in set(group)] for equal in distinct_records(task)]
    copies = [equal for equal in copies if equal]
    if len(group) < 2 * task.k or len(copies) < 2:
        return [group]
    furthest = int(draw() * len(copies))
    for _ in range(rounds):
        origin = furthest
        distances = [total_ncp(task, copies[origin] + candidate) for candidate in copies]
        furthest = first_best(distances)
    if distances[furthest] <= TIE:
        return [group]
    seeds = sorted((origin, furthest))
    side_of = {seeds[0]: 0, seeds[1]: 1}
    sides = [list(copies[seed]) for seed in seeds]

    def growth(side: Cluster, more: Cluster) -> float:
        before = total_ncp(task, side)
        after = total_ncp(task, side + more)
        return len(side + more) * after - len(side) * before if per_record else after - before

    for c, equal in enumerate(copies):
        if c not in side_of:
            side_of[c] = int(growth(sides[0], equal) > growth(sides[1], equal) + TIE)
            sides[side_of[c]] += equal
    poor, rich = sorted((0, 1), key=lambda s: (len(sides[s]), -s))
    while len(sides[poor]) < task.k:
        spare = [
            c
            for c in range(len(copies))
            if side_of[c] == rich and len(sides[rich]) - len(copies[c]) >= task.k
        ]
        if not spare:
            return [group]
        c = spare[first_best([-growth(sides[poor], copies[c]) for c in spare])]
        side_of[c] = poor
        sides[poor] += copies[c]
        sides[rich] = [i for i in sides[rich] if i not in copies[c]]
    return [part for side in sides for part in split(task, sorted(side), per_record, rounds, draw)]
