"""The changes of a refining: what they say, and what the classes were after each of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kanon_tui.core.clustering.box_sentences import told_apart
from kanon_tui.core.numeric import Int32s, Int64s
from kanon_tui.core.task.steps import Grouping
from kanon_tui.core.text import count_of

__all__ = ["Change", "RefiningHistory", "told_together"]

_NAMES = {"ncp": "NCP", "rv": "RV"}


@dataclass(frozen=True, eq=False)
class Change:
    """Two classes exchanged records, or one was split."""

    round: int
    one: int
    other: int
    split: bool
    splits: int
    """Splits so far, this one included."""
    figure: float
    """NCP or RV afterwards …"""
    before: float
    """… and before."""
    records: Int64s
    """All records of the two."""
    moved: Int64s
    """Those that have another class now …"""
    to: Int32s
    """… and that class."""

    def groups(self) -> Iterator[tuple[int, Int64s]]:
        """The classes that got records, and these."""
        for group in (self.one, self.other):
            if (self.to == group).any():
                yield group, self.moved[self.to == group]

    def told(self, name: str) -> tuple[str, dict[str, Any]]:
        """Template and facts of a step."""
        before, now = told_apart(self.before, self.figure)
        given = int((self.to == self.other).sum())
        taken = len(self.to) - given
        facts = {
            "one": self.one + 1,
            "other": self.other + 1,
            "given": count_of(given, "record"),
            "taken": count_of(taken, "record"),
            "size": count_of(len(self.records), "record"),
            "name": name,
            "before": before,
            "now": now,
        }
        end = ": {name} {now} instead of {before}."
        if self.split:
            return "Split class {one:,} of {size}: {given} become class {other:,}" + end, facts
        if not taken:
            return "Class {one:,} gives {given} to class {other:,}" + end, facts
        if not given:
            return "Class {one:,} takes {taken} from class {other:,}" + end, facts
        return "Class {one:,} gives {given} to class {other:,} for {taken}" + end, facts


def told_together(made: Sequence[Change], name: str) -> tuple[str, dict[str, Any]]:
    """Template and facts of a step that stands for many changes."""
    splits = sum(change.split for change in made)
    facts = {
        "exchanges": count_of(len(made) - splits, "exchange"),
        "splits": count_of(splits, "split"),
        "name": name,
        "now": made[-1].figure,
    }
    return "{exchanges} and {splits}: {name} is {now:.4f}.", facts


@dataclass(eq=False)
class RefiningHistory:
    """All changes, from the first."""

    before: Grouping
    labels: Int32s
    """Per record its class before the first change, -1 where it is suppressed."""
    by: str
    start: float
    """The figure before the first change."""
    changes: list[Change] = field(default_factory=list)

    @property
    def name(self) -> str:
        """What the figure is called."""
        return _NAMES[self.by]

    @property
    def figure(self) -> float:
        """The figure after all changes."""
        return self.changes[-1].figure if self.changes else self.start

    def add(
        self,
        round_: int,
        classes: tuple[int, int],
        split: bool,
        figure: float,
        records: Int64s,
        moved: Int64s,
        to: Int32s,
    ) -> Change:
        """One more change."""
        splits = (self.changes[-1].splits if self.changes else 0) + split
        change = Change(round_, *classes, split, splits, figure, self.figure, records, moved, to)
        self.changes.append(change)
        return change

    def counters(self, count: int) -> dict[str, float]:
        """The running totals after so many changes."""
        splits = self.changes[count - 1].splits if count else 0
        return {
            "clusters": int(self.labels.max()) + 1 + splits,
            "exchanges": count - splits,
            self.by: self.changes[count - 1].figure if count else self.start,
        }

    def grouping(self, count: int | None = None) -> Grouping:
        """The classes after so many changes, or after all."""
        changes = self.changes[:count]
        labels = self.labels.copy()
        for change in changes:
            labels[change.moved] = change.to
        splits = changes[-1].splits if changes else 0
        search = {
            **self.before.search,
            "clusters": len(np.unique(labels[labels >= 0])),
            "refine_by": self.by,
            "refine_start": self.start,
            "refine_rounds": changes[-1].round if changes else 0,
            "refine_exchanges": len(changes) - splits,
            "refine_splits": splits,
        }
        return replace(self.before, labels=labels, search=search)
