"""The next merge in a sentence that can be read aloud."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kanon_tui.core.clustering.box_sentences import broken_rules, in_words, kept_rule
from kanon_tui.core.clustering.merging import Merging
from kanon_tui.core.kernels.box_arrays import MERGES, PLACE, SIZE
from kanon_tui.core.numeric import Floats, Int32s
from kanon_tui.core.text import count_of, joined, plural

__all__ = ["tell_merge"]

_NAMED = 2  # attributes a sentence names


def tell_merge(merging: Merging, turn: int) -> tuple[str, dict[str, Any]] | None:
    """Template and facts of the merge that comes next; nothing when there is none."""
    from kanon_tui.core.kernels.merge_cost import HIDE_SMALL
    from kanon_tui.core.kernels.merging import next_small, union_extents
    from kanon_tui.core.kernels.partner_search import cheapest_partner

    task, load = merging.task, merging.load
    attributes, clusters = merging.attributes, merging.clusters
    place = next_small(clusters, merging.list, turn, task.k)
    if place == len(merging.list.at):
        return None
    info = clusters.info
    a = int(merging.list.at[place])
    b, _, side, _ = cheapest_partner(
        attributes, clusters, merging.tree, load, task.n, merging.objective.mode, a
    )
    hides = np.zeros(len(task.quasi), dtype=np.bool_)
    wide = union_extents(attributes, clusters, load, task.n, a, b, side, hides)
    hidden = np.flatnonzero(hides).tolist()
    shown_a, shown_b = _shown(merging, a), _shown(merging, b)
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
        "rules": _rules_in_words(merging, before, union),
    }
    template = "Cluster {small:,} ({small_box}) joins cluster {other:,} ({other_box})"
    if hidden:
        template += (
            " and hides its {hidden}" if side == HIDE_SMALL else ", which hides its {hidden}"
        )
    if hidden or not merging.list.tally[MERGES]:  # said every time, nobody would listen
        template += f", as {merging.objective.why}"
    template += f". They make {{union_box}}; {merging.objective.utility} {{change}}.{{rules}}"
    return template, facts


def _box(size: int, words: str) -> str:
    records = count_of(size, "record")
    return f"{records}, {words}" if words else records


def _shown(merging: Merging, c: int) -> list[Int32s]:
    """Per attribute the value codes a cluster shows."""
    members = merging.members(c)
    first = merging.distinct.first[members]
    hidden = merging.clusters.hidden[members]
    return [
        np.unique(attribute.column.codes[first[~hidden[:, x]]])
        for x, attribute in enumerate(merging.task.quasi)
    ]


def _most_different(costs: Floats, hidden: Sequence[int]) -> list[int]:
    """The attributes to name: those that hide, then those along which the union is costliest."""
    ranked = sorted(range(len(costs)), key=lambda x: (x not in hidden, -costs[x], x))
    return sorted(x for x in ranked[:_NAMED] if costs[x] > 0 or x in hidden)


def _broken(merging: Merging, codes: Sequence[Int32s]) -> set[str]:
    broken: set[str] = set()
    for attribute, own in zip(merging.task.quasi, codes, strict=True):
        broken.update(broken_rules(attribute, own))
    return broken


def _rules_in_words(merging: Merging, before: set[str], union: Sequence[Int32s]) -> str:
    """` The rule age 64 | 65 is kept.`, or which ones the merge breaks."""
    after = _broken(merging, union)
    broken = sorted(after - before)
    if broken:
        what, are = plural(len(broken), "rule"), plural(len(broken), "is", "are")
        return f" The {what} {joined(broken)} {are} broken."
    widened = [q for q, codes in zip(merging.task.quasi, union, strict=True) if len(codes) > 1]
    kept = kept_rule(widened, after)
    return f" The rule {kept} is kept." if kept else ""
