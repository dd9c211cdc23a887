"""The steps of merging: its two orders, the choice of a partner, and their sentences.

Small clusters are merged by their place in the list, or the closest pair first.

Closest first: of all pairs of a cluster under k and any other, the one whose union costs least is
merged next; of pairs less than 1e-9 apart the one whose small cluster comes first in the list, and
of its partners the first. A union with a cluster that has grown costs no less than before, so the
least cost of a cluster only ever rises: a queue of costs, some of them out of date, needs a new
search only for those at its head.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from typing import Any

import numpy as np

from kanon_tui.core.clustering.boxes import Measure
from kanon_tui.core.clustering.facts import Merge, against, change, distinguishable, in_words, texts
from kanon_tui.core.clustering.merging import Merging
from kanon_tui.core.kernels import box_arrays as box
from kanon_tui.core.kernels import merging as kernel
from kanon_tui.core.metrics.research_value import emphasised
from kanon_tui.core.numeric import TIE, Flags, Floats, Int32s
from kanon_tui.core.task.task import (
    EVEN_EMPHASIS,
    Candidate,
    Choice,
    Line,
    QuasiIdentifier,
    Step,
    narrated,
)
from kanon_tui.core.text import count_of, joined, plural, short_number

MERGE_SMALL = (
    Line("every distinct record is a cluster"),
    Line("while a cluster has fewer than k records:"),
    Line("take the first such cluster", 1),
)
_MOST_MERGES = 500  # in one step, so that a cancel takes effect soon


def merge_all(merging: Merging, turn: int = 0) -> Iterator[Step]:
    """Merge until no cluster is under k; with turns, until all small ones had theirs."""
    merging.list.tally[box.NEXT_PLACE] = 0  # from the beginning of the list again
    while True:
        step_by_step = merging.context.decisions_per_step == 1
        sentence = describe_merge(merging, turn) if step_by_step else None
        before = merging.utility
        merges = merging.advance(turn)
        if not merges:
            return
        yield _step(merging, sentence, merges, before)
        merging.renew_tree()


def merge_closest(merging: Merging) -> Iterator[Step]:
    """Merge the closest two clusters, again and again, until none is under k."""
    queue = [(-1.0, place) for place in range(len(merging.list.at))]
    merges, before = 0, merging.utility
    while (place := _next_place(merging, queue)) is not None:
        step_by_step = merging.context.decisions_per_step == 1
        merging.list.tally[box.NEXT_PLACE] = place
        sentence = describe_merge(merging, 0) if step_by_step else None
        merging.list.tally[box.NEXT_PLACE] = place
        merges += merging.advance(0, most=1)
        done = not merging.counters["under_k"]
        if done or merges >= min(_MOST_MERGES, merging.context.decisions_per_step):
            yield _step(merging, sentence, merges, before)
            merges, before = 0, merging.utility
        merging.renew_tree()


def _step(
    merging: Merging, sentence: tuple[str, dict[str, Any]] | None, merges: int, before: float
) -> Step:
    """Return the step of one merge with its sentence, or of several."""
    after = merging.utility
    facts: dict[str, Any] = {"before": before, "after": after, "k": merging.task.k}
    facts["change"] = change(before, after)
    if sentence is None:
        template = many_merges(merging, merges)
        facts |= {"made": merges, **merging.counters} | merging.together(anew=True)
    else:
        template, more = sentence
        facts |= more
    facts["sizes"] = merging.sizes()
    return narrated("merge", template, facts, merging.counters, merging.progress)


def _next_place(merging: Merging, queue: list[tuple[float, int]]) -> int | None:
    """Return the place of the cluster to merge next; None where none is under k.

    `queue` is a heap of places in the list, by lower bounds on the cost of their merges.
    """
    found: list[tuple[float, int]] = []
    least = float("inf")
    while queue and queue[0][0] <= least + TIE:
        _, place = heappop(queue)
        c = int(merging.list.at[place])
        if c >= 0 and merging.clusters.info[c, box.SIZE] < merging.task.k:
            partner = kernel.cheapest_partner(merging.state, merging.tree, c)
            merging.list.tally[box.PATIENCE] -= partner.tried - merging.list.tally[box.USUAL]
            found.append((partner.cost, place))
            least = min(least, partner.cost)
    for entry in found:
        heappush(queue, entry)
    return min((place for cost, place in found if cost <= least + TIE), default=None)


_NAMED = 2  # attributes a sentence names


def many_merges(merging: Merging, made: int) -> str:
    """Return the template of a step that stands for several merges."""
    left = int(merging.counters["clusters"])
    return (
        f"{count_of(made, 'merge')}: {count_of(left, 'cluster is', 'clusters are')} left, "
        f"{{under_k:,}} of them under {{k:,}} {plural(merging.task.k, 'record')}; "
        f"{merging.objective.utility} {{change}}."
    )


def describe_merge(merging: Merging, turn: int) -> tuple[str, dict[str, Any]] | None:
    """Return template and facts of the next merge; None where there is none."""
    task, clusters = merging.task, merging.clusters
    place = kernel.next_small(clusters, merging.list, turn, task.k)
    if place == len(merging.list.at):
        return None
    info = clusters.info
    a = int(merging.list.at[place])
    b, cost, side, _ = kernel.cheapest_partner(merging.state, merging.tree, a)
    wide = np.empty(len(task.quasi))
    hides = np.empty(len(task.quasi), dtype=np.bool_)
    kernel.union_extents(merging.state, a, b, side, wide, hides)
    hidden = np.flatnonzero(hides).tolist()
    partners = Partners.find(merging, a, b, cost)
    choice = partners.choice(hides, side == kernel.HIDE_SMALL)
    shown_a, shown_b = list(partners.own), partners.shown(b)
    before = _broken(merging, shown_a) | _broken(merging, shown_b)
    named = _most_different(wide * merging.price_of_extent(), hidden)
    quasi = [task.quasi[x] for x in named]
    small_words, other_words = (
        in_words(quasi, [shown[x] for x in named]) for shown in (shown_a, shown_b)
    )
    for x in hidden:
        (shown_a if side == kernel.HIDE_SMALL else shown_b)[x] = np.zeros(0, dtype=np.int32)
    union = [np.union1d(*codes) for codes in zip(shown_a, shown_b, strict=True)]
    facts = {
        "small": int(info[a, box.PLACE]) + 1,
        "other": int(info[b, box.PLACE]) + 1,
        "small_box": _box(int(info[a, box.SIZE]), small_words),
        "other_box": _box(int(info[b, box.SIZE]), other_words),
        "union_box": _box(
            int(info[[a, b], box.SIZE].sum()), in_words(quasi, [union[x] for x in named])
        ),
        "hidden": joined([task.quasi[x].name for x in hidden]),
        "rules": _rules_in_words(merging, before, union, partners),
        "choice": choice,
    }
    facts |= _drawn(merging, a, b, hides, side == kernel.HIDE_SMALL, float(partners.scores[0]))
    template = "Cluster {small:,} ({small_box}) joins cluster {other:,} ({other_box})"
    if hidden:
        template += (
            " and hides its {hidden}" if side == kernel.HIDE_SMALL else ", which hides its {hidden}"
        )
    if hidden or not merging.list.tally[box.MERGES]:  # the reason is the same for every merge
        template += f", as {merging.objective.why}"
    if runner_up := against(facts):
        best, _ = distinguishable(*partners.scores[:2].tolist())
        template += f" ({choice.score} {best}{runner_up})"
    template += f". They make {{union_box}}; {merging.objective.utility} {{change}}.{{rules}}"
    return template, facts


def _box(size: int, words: str) -> str:
    records = count_of(size, "record")
    return f"{records}, {words}" if words else records


def _drawn(
    merging: Merging, a: int, b: int, hides: Flags, of_small: bool, score: float
) -> dict[str, Any]:
    """Return the facts that pictures need of the merge to come."""
    if not merging.context.watched:
        return {}
    places, small, other = merging.clusters.info[:, box.PLACE], merging.rows(a), merging.rows(b)
    merge = Merge(int(places[a]), int(places[b]), small, other, score)
    facts: dict[str, Any] = {
        "merge": merge,
        "rows": np.concatenate([small, other]),
        "moved": ((merge.other, small),),
    }
    if hides.any():
        facts["hide"] = (small if of_small else other, hides)
    return facts | merging.together(anew=False)


def _most_different(costs: Floats, hidden: Sequence[int]) -> list[int]:
    """Return the attributes to name: those that hide, then those with the costliest union."""
    ranked = sorted(range(len(costs)), key=lambda x: (x not in hidden, -costs[x], x))
    return sorted(x for x in ranked[:_NAMED] if costs[x] > 0 or x in hidden)


def _broken(merging: Merging, codes: Sequence[Int32s]) -> set[str]:
    """Return the rules that values break together, given their codes per attribute."""
    broken: set[str] = set()
    for attribute, own in zip(merging.task.quasi, codes, strict=True):
        rules = attribute.rules
        both = rules.first[:, own].any(axis=1) & rules.second[:, own].any(axis=1)
        broken.update(f"{attribute.name} {rules.rules[r]}" for r in np.flatnonzero(both))
    return broken


def _rules_in_words(
    merging: Merging, before: set[str], union: Sequence[Int32s], partners: Partners
) -> str:
    """Return the rules that the merge breaks, or those that the runner-up would have broken."""
    after = _broken(merging, union)
    if broken := sorted(after - before):
        return f" The {_rules_clause(broken)} broken."
    for place in range(1, len(partners.chosen)):
        if spared := sorted(partners.broken_with(place) - after - before):
            whom, them = f"cluster {partners.number(place):,}", plural(len(spared), "it", "them")
            return f" The {_rules_clause(spared)} kept; {whom} would have broken {them}."
    return ""


def _rules_clause(rules: Sequence[str]) -> str:
    are = plural(len(rules), "is", "are")
    return f"{plural(len(rules), 'rule')} {joined(rules)} {are}"


_SHOWN = 5
_RULES = {
    "release": "the highest Σ w · n / D · DR wins, D with the merge in it; of equals the first",
    "cluster": "the highest Σ w / span · DR of the union wins; of equals the first in the list",
    "NCP": "the lowest NCP of the union wins; of equals the first in the list",
    "ranges": "the smallest sum of the union's ranges wins; of equals the first in the list",
}

_SUMS = {
    Measure.NCP: "Σ w · range / domain, of categories w · values covered / values",
    Measure.RAW: "Σ largest − smallest, of categories values covered − 1",
    Measure.SQUARES: "Σ (largest − smallest) / standard deviation",
}
"""What the extents of a union add up to, where that is the score."""


@dataclass(frozen=True, eq=False)
class Partners:
    """The best partners of one cluster, the chosen one first."""

    merging: Merging
    a: int
    """The cluster that is to be merged."""
    chosen: Int32s
    costs: Floats

    @classmethod
    def find(cls, merging: Merging, a: int, b: int, cost: float) -> Partners:
        """Look at all partners of a; b is the one that was chosen, at a cost."""
        info = merging.clusters.info
        costs = np.empty(len(info))
        kernel.costs_with(merging.state, a, costs)
        costs[(info[:, box.SIZE] == 0) | np.isin(np.arange(len(info)), [a, b])] = np.inf
        others = np.lexsort((info[:, box.PLACE], costs))[: _SHOWN - 1]
        others = others[costs[others] < np.inf]
        chosen = np.append(b, others).astype(np.int32)
        return cls(merging, a, chosen, np.append(cost, costs[others]))

    @property
    def scores(self) -> Floats:
        """The scores of the partners, in the paper's terms."""
        if self.merging.objective.mode == kernel.EXTENT:
            return self.costs
        weights = self.merging.attributes.prices[:, box.WEIGHT]
        whole = weights.sum()
        if self._kind == "release":
            whole = self.merging.values(self.merging.load, np.ones_like(weights)).sum()
        return np.asarray(whole - self.costs, dtype=np.float64)

    def number(self, place: int) -> int:
        """Return the number of a partner's cluster, from 1."""
        return int(self.merging.clusters.info[self.chosen[place], box.PLACE]) + 1

    def shown(self, c: int) -> list[Int32s]:
        """Return per attribute the value codes a cluster shows."""
        members = self.merging.members(c)
        first = self.merging.distinct.first[members]
        hidden = self.merging.clusters.hidden[members]
        return [
            np.unique(attribute.column.codes[first[~hidden[:, x]]])
            for x, attribute in enumerate(self.merging.task.quasi)
        ]

    @cached_property
    def own(self) -> list[Int32s]:
        """The value codes that the cluster itself shows, per attribute."""
        return self.shown(self.a)

    def broken_with(self, place: int) -> set[str]:
        """Return the rules that a union with a partner breaks."""
        other = self.shown(int(self.chosen[place]))
        return _broken(self.merging, [*map(np.union1d, self.own, other)])

    def choice(self, hides: Flags, of_small: bool) -> Choice:
        """Return the candidates and the formula of the chosen one, for the pane that says why."""
        merging = self.merging
        objective = merging.objective
        release = objective.measure is Measure.SPAN
        sizes = merging.clusters.info[self.chosen, box.SIZE].tolist()
        candidates = tuple(
            Candidate(f"cluster {self.number(i):,}", score, f"{sizes[i]:,}×", chosen=not i)
            for i, score in enumerate(self.scores.tolist())
        )
        rule = objective.utility if not release else self._kind
        return Choice(
            f"which cluster does cluster {merging.clusters.info[self.a, box.PLACE] + 1:,} join",
            "score" if release else objective.utility,
            candidates,
            int(merging.list.tally[box.CLUSTERS_LEFT]) - 1,
            _RULES[rule],
            tuple(self._formula(hides, of_small)),
        )

    @property
    def _kind(self) -> str:
        of_union = (kernel.CLUSTER, kernel.SUPPRESS_CLUSTER)
        return "cluster" if self.merging.objective.mode in of_union else "release"

    def _formula(self, hides: Flags, of_small: bool) -> list[str]:
        merging, b = self.merging, int(self.chosen[0])
        wide, unused = np.empty(len(hides)), np.empty(len(hides), dtype=np.bool_)
        kernel.union_extents(merging.state, self.a, b, kernel.HIDE_NONE, wide, unused)
        other = self.shown(b)
        if merging.objective.measure is not Measure.SPAN:
            return self._sum_of_extents(wide, other)
        lines = [
            "Σ w · n / D · DR, D = Σ records · span after the merge"
            if self._kind == "release"
            else "Σ w / span · DR of the union"
        ]
        total = 0.0
        for x, attribute in enumerate(merging.task.quasi):
            union = np.union1d(self.own[x], other[x])
            if hides[x]:
                union = other[x] if of_small else self.own[x]
            kept = _rules_kept(attribute, union)
            text, value = self._term(x, b, float(wide[x]), kept, bool(hides[x]), of_small)
            total += value
            what = "some hidden" if hides[x] else texts(attribute, union)
            lines.append(f"{attribute.name} {what}: {text} = {value:.4f}")
        return [*lines, f"score = {total:.4f}"]

    def _term(
        self, x: int, b: int, wide: float, kept: float, hidden: bool, of_small: bool
    ) -> tuple[str, float]:
        """Return an attribute's part of the score, as text and number."""
        merging, clusters = self.merging, self.merging.clusters
        attribute, n = merging.task.quasi[x], merging.task.n
        weight = short_number(attribute.weight)
        of_detail, of_rules = _powers(attribute)
        sides = np.array([self.a, b])
        shown, extents = clusters.shown[sides, x], clusters.extents[sides, x]
        hide = float(merging.attributes.prices[x, box.HIDE])
        widened = np.array([not hidden or of_small, not hidden or not of_small])
        more = float((shown * ((hide if hidden else wide) - extents))[widened].sum())
        if self._kind == "cluster":
            sizes = clusters.info[sides, box.SIZE]
            load = float((shown * extents + (sizes - shown) * hide).sum()) + more
            span = 1.0 + load / float(sizes.sum())
            text = f"{weight} / {short_number(span)}{of_detail} · {short_number(kept)}{of_rules}"
            width, rules = emphasised(attribute, span, kept)
            return text, attribute.weight / width * rules
        after = n + float(merging.load[x]) + more
        share = f"{n:,} / {short_number(after)}"
        if of_detail:
            share = f"({share}){of_detail}"
        detail, rules = emphasised(attribute, n / after, kept)
        text = f"{weight} · {share} · {short_number(kept)}{of_rules}"
        return text, attribute.weight * detail * rules

    def _sum_of_extents(self, wide: Floats, other: Sequence[Int32s]) -> list[str]:
        quasi, utility = self.merging.task.quasi, self.merging.objective.utility
        measure = self.merging.objective.measure
        lines = [_SUMS[measure]]
        for x, attribute in enumerate(quasi):
            union = np.union1d(self.own[x], other[x])
            value = short_number(float(wide[x]), 4)
            what = in_words([attribute], [union])
            numbers = attribute.column.numbers
            missing = attribute.column.missing in union
            if attribute.ordered and len(union) > 1 and numbers is not None and not missing:
                low, high = short_number(numbers[union[0]]), short_number(numbers[union[-1]])
                text = f"{high} − {low}"
                if measure is Measure.NCP:
                    text = (
                        f"{short_number(attribute.weight)} · ({text}) / "
                        f"{short_number(attribute.domain_width)}"
                    )
                elif measure is Measure.SQUARES and wide[x] > 0:
                    deviation = (numbers[union[-1]] - numbers[union[0]]) / wide[x]
                    text = f"({text}) / {short_number(float(deviation))}"
                what += f": {text}"
            lines.append(f"{what} = {value}")
        return [*lines, f"{utility} of the union = {short_number(float(wide.sum()), 4)}"]


def _powers(attribute: QuasiIdentifier) -> tuple[str, str]:
    """Return the exponents of granularity and rules as text; empty where both are 1."""
    f = attribute.rule_emphasis
    if f == EVEN_EMPHASIS:
        return "", ""
    return f"^{short_number(2 * (1 - f))}", f"^{short_number(2 * f)}"


def _rules_kept(attribute: QuasiIdentifier, codes: Int32s) -> float:
    rules = attribute.rules
    broken = rules.broken(codes, np.zeros(len(codes), dtype=np.int64), 1)
    return float(rules.ratio(broken)[0])
