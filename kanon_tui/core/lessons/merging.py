"""What is told about clusters that are merged because they are too small."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kanon_tui.core.clustering.boxes import Measure, MergeObjective
from kanon_tui.core.clustering.merging_events import ClustersMerged, MergesMade
from kanon_tui.core.lessons.alternatives import against
from kanon_tui.core.lessons.lesson import Candidate, Choice, Lesson, describes
from kanon_tui.core.lessons.words import change, distinguishable, in_words, texts
from kanon_tui.core.metrics.research_value import emphasised
from kanon_tui.core.numeric import Int32s
from kanon_tui.core.task.task import EVEN_EMPHASIS, QuasiIdentifier, Task
from kanon_tui.core.text import count_of, joined, plural, short_number

_NAMED = 2
"""Attributes that a sentence names."""
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


@describes(ClustersMerged, MergesMade)
def merging(event: ClustersMerged | MergesMade, task: Task) -> Lesson:
    """Tell about a merge, or many."""
    before = event.figure.before
    figure_change = event.figure.name
    if before is not None:
        figure_change += f" {change(before, event.figure.after)}"
    if isinstance(event, MergesMade):
        remaining = count_of(event.clusters, "cluster is", "clusters are")
        return Lesson(
            f"{count_of(event.decisions, 'merge')}: {remaining} left, {event.under_k:,} of them "
            f"under {task.k:,} {plural(task.k, 'record')}; {figure_change}."
        )
    choice = _choice(event, task)
    named = _most_different(event)
    sentence = _who_joins_whom(event, task, named)
    if event.hides.any() or event.first_of_all:  # the reason is the same for every merge
        sentence += f", as {_why(event.objective)}"
    if runner_up := against(choice):
        best, _ = distinguishable(*event.scores[:2].tolist())
        sentence += f" ({choice.score} {best}{runner_up})"
    union = _union(event)
    size = event.small.size + event.other.size
    sentence += f". They make {_box(task, named, size, union)}; {figure_change}."
    outcome = f"{event.small.number + 1} + {event.other.number + 1}"
    return Lesson(sentence + _rules_in_words(event, task, union), choice, outcome=outcome)


def _why(objective: MergeObjective) -> str:
    """Return why a cluster joins this one and no other."""
    if objective.measure is not Measure.SPAN:
        best = "smallest" if objective.utility == "ranges" else "lowest"
        return f"their union has the {best} {objective.utility}"
    return "their union has the highest RV" if objective.of_union else "that keeps RV highest"


def _who_joins_whom(event: ClustersMerged, task: Task, named: Sequence[int]) -> str:
    """Return `Cluster 4 (1 record, age 63) joins cluster 9 (2 records, age 60–64)`."""
    small, partner = (
        f"{cluster.number + 1:,} ({_box(task, named, cluster.size, cluster.shown)})"
        for cluster in (event.small, event.other)
    )
    sentence = f"Cluster {small} joins cluster {partner}"
    if not event.hides.any():
        return sentence
    hidden = joined([task.quasi[x].name for x in np.flatnonzero(event.hides).tolist()])
    return sentence + (" and" if event.small_hides else ", which") + f" hides its {hidden}"


def _box(task: Task, named: Sequence[int], size: int, shown: Sequence[Int32s]) -> str:
    """Return `2 records, age 60–64, sex Female`."""
    words = in_words([task.quasi[x] for x in named], [shown[x] for x in named])
    records = count_of(size, "record")
    return f"{records}, {words}" if words else records


def _most_different(event: ClustersMerged) -> list[int]:
    """Return the attributes to name: those that hide, then those with the costliest union."""
    costs = event.differences
    ranked = sorted(range(len(costs)), key=lambda x: (not event.hides[x], -costs[x], x))
    return sorted(x for x in ranked[:_NAMED] if costs[x] > 0 or event.hides[x])


def _union(event: ClustersMerged) -> list[Int32s]:
    """Return per attribute the codes that the union shows."""
    nothing = np.zeros(0, dtype=np.int32)
    union = []
    for x, hides in enumerate(event.hides.tolist()):
        small = nothing if hides and event.small_hides else event.small.shown[x]
        partner = nothing if hides and not event.small_hides else event.other.shown[x]
        union.append(np.union1d(small, partner))
    return union


def _broken(task: Task, codes: Sequence[Int32s]) -> set[str]:
    """Return the rules that values break together, given their codes per attribute."""
    broken: set[str] = set()
    for attribute, shown in zip(task.quasi, codes, strict=True):
        rules = attribute.rules
        if not rules.rules:
            continue
        both = rules.first[:, shown].any(axis=1) & rules.second[:, shown].any(axis=1)
        broken.update(f"{attribute.name} {rules.rules[r]}" for r in np.flatnonzero(both))
    return broken


def _rules_in_words(event: ClustersMerged, task: Task, union: Sequence[Int32s]) -> str:
    """Return the rules that the merge breaks, or those that the runner-up would have broken."""
    if not any(attribute.rules.rules for attribute in task.quasi):
        return ""
    before = _broken(task, event.small.shown) | _broken(task, event.other.shown)
    after = _broken(task, union)
    if broken := sorted(after - before):
        return f" The {_rules_clause(broken)} broken."
    for partner in event.partners[1:]:
        with_it = _broken(task, [*map(np.union1d, event.small.shown, partner.shown)])
        if spared := sorted(with_it - after - before):
            whom = f"cluster {partner.number + 1:,}"
            them = plural(len(spared), "it", "them")
            return f" The {_rules_clause(spared)} kept; {whom} would have broken {them}."
    return ""


def _rules_clause(rules: Sequence[str]) -> str:
    are = plural(len(rules), "is", "are")
    return f"{plural(len(rules), 'rule')} {joined(rules)} {are}"


def _choice(event: ClustersMerged, task: Task) -> Choice:
    """Return the candidates and the formula of the chosen one."""
    objective = event.objective
    of_span = objective.measure is Measure.SPAN
    candidates = tuple(
        Candidate(f"cluster {partner.number + 1:,}", score, f"{partner.size:,}×", chosen=not place)
        for place, (partner, score) in enumerate(
            zip(event.partners, event.scores.tolist(), strict=True)
        )
    )
    rule = objective.utility
    if of_span:
        rule = "cluster" if objective.of_union else "release"
    return Choice(
        f"which cluster does cluster {event.small.number + 1:,} join",
        "score" if of_span else objective.utility,
        candidates,
        event.among,
        _RULES[rule],
        tuple(_research_value(event, task) if of_span else _sum_of_extents(event, task)),
    )


def _research_value(event: ClustersMerged, task: Task) -> list[str]:
    """Return the computation of a research value, attribute by attribute."""
    lines = ["Σ w · n / D · DR, D = Σ records · span after the merge"]
    if event.objective.of_union:
        lines = ["Σ w / span · DR of the union"]
    total = 0.0
    for x, attribute in enumerate(task.quasi):
        hides = bool(event.hides[x])
        union = np.union1d(event.small.shown[x], event.other.shown[x])
        if hides:
            union = event.other.shown[x] if event.small_hides else event.small.shown[x]
        text, value = _term(event, task, x, _rules_kept(attribute, union))
        total += value
        what = "some hidden" if hides else texts(attribute, union)
        lines.append(f"{attribute.name} {what}: {text} = {value:.4f}")
    return [*lines, f"score = {total:.4f}"]


def _term(event: ClustersMerged, task: Task, x: int, share_kept: float) -> tuple[str, float]:
    """Return an attribute's part of the score, as text and number."""
    attribute = task.quasi[x]
    terms = event.terms
    weight = short_number(attribute.weight)
    of_detail, of_rules = _powers(attribute)
    shown = terms.shown[:, x]
    extents = terms.extents[:, x]
    hide = float(terms.hide[x])
    hides = bool(event.hides[x])
    small_hides = event.small_hides
    widened = np.array([not hides or small_hides, not hides or not small_hides])
    wide = hide if hides else float(terms.union[x])
    more = float((shown * (wide - extents))[widened].sum())
    if event.objective.of_union:
        sizes = np.array([event.small.size, event.other.size])
        load = float((shown * extents + (sizes - shown) * hide).sum()) + more
        span = 1.0 + load / float(sizes.sum())
        text = f"{weight} / {short_number(span)}{of_detail} · {short_number(share_kept)}{of_rules}"
        width, rules = emphasised(attribute, span, share_kept)
        return text, attribute.weight / width * rules
    n = task.n
    after = n + float(terms.load[x]) + more
    share = f"{n:,} / {short_number(after)}"
    if of_detail:
        share = f"({share}){of_detail}"
    detail, rules = emphasised(attribute, n / after, share_kept)
    text = f"{weight} · {share} · {short_number(share_kept)}{of_rules}"
    return text, attribute.weight * detail * rules


def _sum_of_extents(event: ClustersMerged, task: Task) -> list[str]:
    """Return the sum of what every attribute of the union adds."""
    lines = [_SUMS[event.objective.measure]]
    wide = event.terms.union
    for x, attribute in enumerate(task.quasi):
        union = np.union1d(event.small.shown[x], event.other.shown[x])
        what = in_words([attribute], [union]) + _difference(event, attribute, union, float(wide[x]))
        lines.append(f"{what} = {short_number(float(wide[x]), 4)}")
    utility = event.objective.utility
    return [*lines, f"{utility} of the union = {short_number(float(wide.sum()), 4)}"]


def _difference(
    event: ClustersMerged, attribute: QuasiIdentifier, union: Int32s, wide: float
) -> str:
    """Return `: 64 − 60` in the units of the measure; nothing where there is no range."""
    numbers = attribute.column.numbers
    missing = attribute.column.missing in union
    if not attribute.ordered or len(union) < 2 or numbers is None or missing:
        return ""
    low = numbers[union[0]]
    high = numbers[union[-1]]
    text = f"{short_number(high)} − {short_number(low)}"
    if event.objective.measure is Measure.NCP:
        width = short_number(attribute.domain_width)
        return f": {short_number(attribute.weight)} · ({text}) / {width}"
    if event.objective.measure is Measure.SQUARES and wide > 0:
        return f": ({text}) / {short_number(float((high - low) / wide))}"
    return f": {text}"


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
