"""The steps of merging algorithms: merge after merge, with a sentence for each or for many."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kanon_tui.core.clustering.box_sentences import change
from kanon_tui.core.clustering.merging import Merging
from kanon_tui.core.clustering.merging_sentences import many_merges, tell_merge
from kanon_tui.core.task.steps import Step

__all__ = ["merge_all"]


def merge_all(merging: Merging, turn: int = 0) -> Iterator[Step]:
    """Merge until no cluster is under k; with turns, until all small ones had theirs."""
    merging.start_turn()
    while True:
        step_by_step = merging.context.decisions_per_step == 1
        sentence = tell_merge(merging, turn) if step_by_step else None
        before = merging.utility
        merges = merging.advance(turn)
        if not merges:
            return
        after = merging.utility
        facts: dict[str, Any] = {"before": before, "after": after, "k": merging.task.k}
        facts["change"] = change(before, after)
        if sentence is None:
            template = many_merges(merging, merges)
            facts |= {"made": merges, **merging.counters} | merging.together(anew=True)
        else:
            template = sentence[0]
            facts |= sentence[1]
        facts["sizes"] = merging.sizes()
        yield Step("merge", template, facts, merging.counters, merging.progress)
        merging.renew_tree()
