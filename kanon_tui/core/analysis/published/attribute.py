"""What is known of an attribute whose published cells are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kanon_tui.core.hierarchy.level_table import Hierarchy
from kanon_tui.core.numeric import Flags
from kanon_tui.core.table.column import MISSING_TOKENS, Column

__all__ = ["PublishedAttribute"]


@dataclass(frozen=True, eq=False)
class PublishedAttribute:
    """An attribute of the original table with its hierarchy."""

    column: Column
    """The attribute in the original table."""
    hierarchy: Hierarchy | None
    unnamed: tuple[str, ...] = ()
    """The labels of values that the hierarchy does not name; most hierarchies have none."""
    missing_tokens: tuple[str, ...] = MISSING_TOKENS
    one_value: bool = False
    """Whether a class publishes one value for all its members, which need not be theirs."""

    @cached_property
    def known(self) -> frozenset[str]:
        """The values of the data and of the hierarchy."""
        return frozenset(self.column.values).union(self.hierarchy.values if self.hierarchy else ())

    def is_missing(self, values: Sequence[str]) -> Flags:
        """Which of these texts say that the value is missing."""
        return np.array([value in self.missing_tokens for value in values], dtype=bool)
