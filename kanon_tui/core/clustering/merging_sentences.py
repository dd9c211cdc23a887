"""The next merge in a sentence that can be read aloud."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kanon_tui.core.clustering.box_sentences import broken_rules, in_words, told_apart
from kanon_tui.core.clustering.boxes import Measure
from kanon_tui.core.clustering.cluster_facts import Merge
from kanon_tui.core.clustering.merging import Merging
from kanon_tui.core.clustering.merging_choice import Partners
from kanon_tui.core.kernels.box_arrays import MERGES, PLACE, SIZE
from kanon_tui.core.kernels.merging import (
    HIDE_SMALL,
    cheapest_partner,
    next_small,
    union_extents,
)
from kanon_tui.core.numeric import Flags, Floats, Int32s
from kanon_tui.core.text import count_of, joined, plural

__all__ = ["many_merges", "tell_merge"]

_NAMED = 2  # attributes a sentence names


def many_merges(merging: Merging, made: int) -> str:
    """The template of a step that stands for so many merges, made by now."""
    left = int(merging.counters["clusters"])
    return (
        f"{count_of(made, 'merge')}: {count_of(left, 'cluster is', 'clusters are')} left, "
        f"{{under_k:,}} of them under {{k:,}} {plural(merging.task.k, 'record')}; "
        f"{merging.objective.utility} {{change}}."
    )


def tell_merge(merging: Merging, turn: int) -> tuple[str, dict[str, Any]] | None:
    """Template and facts of the merge that comes next; nothing when there is none."""
    task, clusters = merging.task, merging.clusters
    place = next_small(clusters, merging.list, turn, task.k)
    if place == len(merging.list.at):
        return None
    info = clusters.info
    a = int(merging.list.at[place])
    b, cost, side, _ = cheapest_partner(merging.state, merging.tree, a)
    wide = np.empty(len(task.quasi))
    hides = np.empty(len(task.quasi), dtype=np.bool_)
    union_extents(merging.state, a, b, side, wide, hides)
    hidden = np.flatnonzero(hides).tolist()
    partners = Partners.of(merging, a, b, cost)
    choice = partners.choice(hides, side == HIDE_SMALL)
    shown_a, shown_b = list(partners.own), partners.shown(b)
    before = _broken(merging, shown_a) | _broken(merging, shown_b)
    named = _most_different(wide * merging.price_of_extent(), hidden)
    quasi = [task.quasi[x] for x in named]
    small_words, other_words = (
        in_words(quasi, [shown[x] for x in named]) for shown in (shown_a, shown_b)
    )
    for x in hidden:
        (shown_a if side == HIDE_SMALL else shown_b)[x] = np.zeros(0, dtype=np.int32)
    union = [np.union1d(*codes) for codes in zip(shown_a, shown_b, strict=True)]
    facts = {
        "small": int(info[a, PLACE]) + 1,
        "other": int(info[b, PLACE]) + 1,
        "small_box": _box(int(info[a, SIZE]), small_words),
        "other_box": _box(int(info[b, SIZE]), other_words),
        "union_box": _box(
            int(info[[a, b], SIZE].sum()), in_words(quasi, [union[x] for x in named])
        ),
        "hidden": joined([task.quasi[x].name for x in hidden]),
        "rules": _rules_in_words(merging, before, union, partners),
        "choice": choice,
    }
    facts |= _drawn(merging, a, b, hides, side == HIDE_SMALL, float(partners.scores[0]))
    template = "Cluster {small:,} ({small_box}) joins cluster {other:,} ({other_box})"
    if hidden:
        template += (
            " and hides its {hidden}" if side == HIDE_SMALL else ", which hides its {hidden}"
        )
    if hidden or not merging.list.tally[MERGES]:  # said every time, nobody would listen
        template += f", as {merging.objective.why}"
    template += _against(partners)
    template += f". They make {{union_box}}; {merging.objective.utility} {{change}}.{{rules}}"
    return template, facts


def _box(size: int, words: str) -> str:
    records = count_of(size, "record")
    return f"{records}, {words}" if words else records


def _against(partners: Partners) -> str:
    """How much better the chosen partner is than the next: ` (NCP 0.04 against 0.06 with …)`."""
    if len(partners.chosen) < 2:
        return ""
    second = f"cluster {partners.number(1):,}"
    if partners.tie:
        return f" ({second} would do as well; the first in the list is taken)"
    objective = partners.merging.objective
    score = "score" if objective.measure is Measure.SPAN else objective.utility
    best, next_best = told_apart(*partners.scores[:2].tolist())
    if best == next_best:
        return f" ({second} is worse by less than 0.000001)"
    return f" ({score} {best} against {next_best} with {second})"


def _drawn(
    merging: Merging, a: int, b: int, hides: Flags, of_small: bool, score: float
) -> dict[str, Any]:
    """What pictures show of the merge to come."""
    if not merging.context.watched:
        return {}
    places, small, other = merging.clusters.info[:, PLACE], merging.rows(a), merging.rows(b)
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
    """The attributes to name: those that hide, then those along which the union is costliest."""
    ranked = sorted(range(len(costs)), key=lambda x: (x not in hidden, -costs[x], x))
    return sorted(x for x in ranked[:_NAMED] if costs[x] > 0 or x in hidden)


def _broken(merging: Merging, codes: Sequence[Int32s]) -> set[str]:
    broken: set[str] = set()
    for attribute, own in zip(merging.task.quasi, codes, strict=True):
        broken.update(broken_rules(attribute, own))
    return broken


def _rules_in_words(
    merging: Merging, before: set[str], union: Sequence[Int32s], partners: Partners
) -> str:
    """Which rules the merge breaks, or which one it keeps that the next best would have broken."""
    after = _broken(merging, union)
    broken = sorted(after - before)
    if broken:
        what, are = plural(len(broken), "rule"), plural(len(broken), "is", "are")
        return f" The {what} {joined(broken)} {are} broken."
    for place in range(1, len(partners.chosen)):
        spared = sorted(partners.broken_with(place) - after - before)
        if spared:
            what, are = plural(len(spared), "rule"), plural(len(spared), "is", "are")
            whom, them = f"cluster {partners.number(place):,}", plural(len(spared), "it", "them")
            return f" The {what} {joined(spared)} {are} kept; {whom} would have broken {them}."
    return ""
