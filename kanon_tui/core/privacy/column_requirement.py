"""Requirements joined to the columns they are about, which makes them able to judge classes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kanon_tui.core.numeric import Floats, Int64s
from kanon_tui.core.privacy.model import PrivacyModel
from kanon_tui.core.privacy.verify import Claim
from kanon_tui.core.table.column import MISSING_TOKENS, Column
from kanon_tui.core.table.distinct_values import CountedColumn
from kanon_tui.core.table.group_values import GroupValues

__all__ = ["ColumnRequirement", "join_columns", "out_of_reach"]


@dataclass(frozen=True, eq=False)
class ColumnRequirement:
    """A requirement of one column."""

    model: PrivacyModel
    column: Column

    @property
    def monotone(self) -> bool:
        """Whether more records never hurt a class."""
        return self.model.monotone

    @property
    def closed(self) -> bool:
        """Whether two classes that hold make one that holds."""
        return True

    def figures(self, groups: GroupValues) -> Floats:
        """The figure of every class."""
        return self.model.figures(groups, self.column)

    def gaps(self, groups: GroupValues) -> Floats:
        """How much every class misses the bound by, in shares; 0 where it holds."""
        return self.model.gaps(self.figures(groups))

    def least_removed(self, groups: GroupValues) -> Int64s:
        """For every class a number of records without which it cannot hold, 0 where it may."""
        return self.model.least_removed(groups, self.column)

    def worst_figure(self, groups: GroupValues) -> float:
        """The figure of the worst class."""
        return float(self.model.worst(self.figures(groups)))

    @cached_property
    def _whole_table(self) -> GroupValues:
        """All records as one class."""
        codes = np.flatnonzero(self.column.counts)
        return GroupValues(1, np.zeros_like(codes), codes, self.column.counts[codes])

    @cached_property
    def whole_table_holds(self) -> bool:
        """Whether the whole table as one class holds."""
        return not self.gaps(self._whole_table).any()

    def unreachable(self) -> str:
        """What to say where even the whole table fails."""
        return self.model.unreachable(self.worst_figure(self._whole_table))

    def claim(self, missing_tokens: Sequence[str] = MISSING_TOKENS) -> Claim:
        """What the verifier is to prove, as plain data: of spellings, which it judges by itself."""
        spelt, tokens = self.column, missing_tokens
        if isinstance(self.column, CountedColumn) and self.column.spelt is not None:
            spelt, tokens = self.column.spelt, self.column.missing_tokens
        return Claim(
            model=self.model.name,
            bound=self.model.bound,
            only_values=self.model.only_values,
            lack=self.model.lack,
            attribute=self.column.name,
            values=spelt.values,
            counts=tuple(spelt.counts.tolist()),
            numbers=None if spelt.numbers is None else tuple(spelt.numbers.tolist()),
            missing_tokens=tuple(tokens),
            spellings_differ=spelt is self.column,
            **self.model.said_to_verifier(spelt),
        )


def join_columns(
    requirements: Iterable[PrivacyModel], sensitive: Sequence[Column], who: str
) -> tuple[ColumnRequirement, ...]:
    """Join requirements to the sensitive columns; `who` begins the messages."""
    return tuple(
        ColumnRequirement(model, column)
        for requirement in requirements
        for model, column in requirement.of_columns(sensitive, who)
    )


def out_of_reach(
    requirements: Iterable[ColumnRequirement], suppression: bool
) -> ColumnRequirement | None:
    """A requirement that no release can keep, however general it is.

    With suppression only a monotone one is proof: the rest of a table may be better than the whole.
    So it may where classes that hold can make one that does not.
    """
    for requirement in requirements:
        proof = requirement.monotone if suppression else requirement.closed
        if proof and not requirement.whole_table_holds:
            return requirement
    return None
