"""What a merge is chosen from: the best five partners, their scores, the formula with numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kanon_tui.core.clustering.box_sentences import broken_rules, in_words, texts
from kanon_tui.core.clustering.boxes import Measure
from kanon_tui.core.clustering.merging import Merging
from kanon_tui.core.kernels.box_arrays import CLUSTERS_LEFT, HIDE, PLACE, SIZE, WEIGHT
from kanon_tui.core.kernels.merging import (
    CLUSTER,
    EXTENT,
    HIDE_NONE,
    best_partners,
    union_extents,
)
from kanon_tui.core.metrics.research_value import emphasised
from kanon_tui.core.numeric import TIE, Flags, Floats, Int32s
from kanon_tui.core.task.steps import Candidate, Choice
from kanon_tui.core.task.task import EVEN_EMPHASIS, QuasiIdentifier
from kanon_tui.core.text import short_number

__all__ = ["Partners"]

_SHOWN = 5
_RULES = {
    "release": "the highest Σ w · n / D · DR wins, D with the merge in it; of equals the first",
    "cluster": "the highest Σ w / span · DR of the union wins; of equals the first in the list",
    "NCP": "the lowest NCP of the union wins; of equals the first in the list",
    "ranges": "the smallest sum of the union's ranges wins; of equals the first in the list",
}


@dataclass(frozen=True, eq=False)
class Partners:
    """The best partners of one cluster, the chosen one first."""

    merging: Merging
    a: int
    """The cluster that is to be merged."""
    chosen: Int32s
    costs: Floats

    @classmethod
    def of(cls, merging: Merging, a: int, b: int, cost: float) -> Partners:
        """Look at all partners of a; b is the one that was chosen, at a cost."""
        found, costs = np.empty(_SHOWN, dtype=np.int32), np.empty(_SHOWN)
        count = best_partners(merging.state, a, found, costs)
        others = np.flatnonzero(found[:count] != b)[: _SHOWN - 1]
        chosen = np.concatenate([[b], found[others]]).astype(np.int32)
        return cls(merging, a, chosen, np.concatenate([[cost], costs[others]]))

    @property
    def scores(self) -> Floats:
        """What the choice is made by, as the paper has it."""
        if self.merging.objective.mode == EXTENT:
            return self.costs
        weights = self.merging.attributes.prices[:, WEIGHT]
        whole = weights.sum()
        if self.merging.objective.mode != CLUSTER:
            whole = self.merging.values(self.merging.load, np.ones_like(weights)).sum()
        return np.asarray(whole - self.costs, dtype=np.float64)

    @property
    def tie(self) -> bool:
        """Whether the second is as good."""
        return len(self.costs) > 1 and bool(abs(self.costs[1] - self.costs[0]) <= TIE)

    def number(self, place: int) -> int:
        """The number that a partner has in sentences."""
        return int(self.merging.clusters.info[self.chosen[place], PLACE]) + 1

    def shown(self, c: int) -> list[Int32s]:
        """Per attribute the value codes a cluster shows."""
        members = self.merging.members(c)
        first = self.merging.distinct.first[members]
        hidden = self.merging.clusters.hidden[members]
        return [
            np.unique(attribute.column.codes[first[~hidden[:, x]]])
            for x, attribute in enumerate(self.merging.task.quasi)
        ]

    @cached_property
    def own(self) -> list[Int32s]:
        """What the cluster itself shows."""
        return self.shown(self.a)

    def broken_with(self, place: int) -> set[str]:
        """The rules that a union with a partner breaks."""
        other = self.shown(int(self.chosen[place]))
        broken: set[str] = set()
        for attribute, one, two in zip(self.merging.task.quasi, self.own, other, strict=True):
            broken.update(broken_rules(attribute, np.union1d(one, two)))
        return broken

    def choice(self, hides: Flags, of_small: bool) -> Choice:
        """The candidates and the formula of the chosen one, for the pane that says why."""
        merging = self.merging
        objective = merging.objective
        release = objective.measure is Measure.SPAN
        sizes = merging.clusters.info[self.chosen, SIZE].tolist()
        candidates = tuple(
            Candidate(
                f"cluster {self.number(place):,}",
                float(score),
                f"{sizes[place]:,}×",
                chosen=not place,
            )
            for place, score in enumerate(self.scores)
        )
        rule = objective.utility if not release else self._kind
        return Choice(
            f"whom does cluster {int(merging.clusters.info[self.a, PLACE]) + 1:,} join",
            "score" if release else objective.utility,
            candidates,
            int(merging.list.tally[CLUSTERS_LEFT]) - 1,
            _RULES[rule],
            tuple(self._formula(hides, of_small)),
        )

    @property
    def _kind(self) -> str:
        return "cluster" if self.merging.objective.mode == CLUSTER else "release"

    def _formula(self, hides: Flags, of_small: bool) -> list[str]:
        merging, b = self.merging, int(self.chosen[0])
        wide, unused = np.empty(len(hides)), np.empty(len(hides), dtype=np.bool_)
        union_extents(merging.state, self.a, b, HIDE_NONE, wide, unused)
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
        """An attribute's part of the score, as text and number."""
        merging, clusters = self.merging, self.merging.clusters
        attribute, n = merging.task.quasi[x], merging.task.n
        weight = short_number(attribute.weight)
        of_detail, of_rules = _powers(attribute)
        if self._kind == "cluster":
            span = 1.0 + wide
            text = f"{weight} / {short_number(span)}{of_detail} · {short_number(kept)}{of_rules}"
            width, rules = emphasised(attribute, span, kept)
            return text, attribute.weight / width * rules
        more = 0.0
        for c, small in ((self.a, True), (b, False)):
            if hidden and small is not of_small:
                continue
            target = float(merging.attributes.prices[x, HIDE]) if hidden else wide
            more += float(clusters.shown[c, x] * (target - clusters.extents[c, x]))
        after = n + float(merging.load[x]) + more
        share = f"{n:,} / {short_number(after)}"
        if of_detail:
            share = f"({share}){of_detail}"
        detail, rules = emphasised(attribute, n / after, kept)
        text = f"{weight} · {share} · {short_number(kept)}{of_rules}"
        return text, attribute.weight * detail * rules

    def _sum_of_extents(self, wide: Floats, other: Sequence[Int32s]) -> list[str]:
        quasi, utility = self.merging.task.quasi, self.merging.objective.utility
        ncp = self.merging.objective.measure is Measure.NCP
        lines = [
            "Σ w · range / domain, of categories w · values covered / values"
            if ncp
            else "Σ largest − smallest, of categories values covered − 1"
        ]
        for x, attribute in enumerate(quasi):
            union = np.union1d(self.own[x], other[x])
            value = short_number(float(wide[x]), 4)
            what = in_words([attribute], [union])
            numbers = attribute.column.numbers
            missing = attribute.column.missing in union
            if attribute.ordered and len(union) > 1 and numbers is not None and not missing:
                low, high = short_number(numbers[union[0]]), short_number(numbers[union[-1]])
                text = f"{high} − {low}"
                if ncp:
                    text = (
                        f"{short_number(attribute.weight)} · ({text}) / "
                        f"{short_number(attribute.domain_width)}"
                    )
                what += f": {text}"
            lines.append(f"{what} = {value}")
        return [*lines, f"{utility} of the union = {short_number(float(wide.sum()), 4)}"]


def _powers(attribute: QuasiIdentifier) -> tuple[str, str]:
    """What granularity and rules are raised to, as text; nothing where both count alike."""
    f = attribute.rule_emphasis
    if f == EVEN_EMPHASIS:
        return "", ""
    return f"^{short_number(2 * (1 - f))}", f"^{short_number(2 * f)}"


def _rules_kept(attribute: QuasiIdentifier, codes: Int32s) -> float:
    rules = attribute.rules
    broken = rules.broken(codes, np.zeros(len(codes), dtype=np.int64), 1)
    return float(rules.ratio(broken)[0])
