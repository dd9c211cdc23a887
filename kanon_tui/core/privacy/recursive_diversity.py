"""Recursive (c, l)-diversity: the most frequent value is not too frequent beside the rare ones.

With r₁ ≥ r₂ ≥ … ≥ rₘ the records of a class by sensitive value, it holds where

    r₁ < c · (r_l + r_{l+1} + … + rₘ)

An attacker who rules out l − 2 values still does not see one that is c times as frequent as the
rest. The figure of a class is r₁ / (r_l + … + rₘ), which must be below c; without bound where there
are fewer than l values. It is written `l: {attribute: diagnosis, c: 2, l: 3}`; l is 2 if not given.

Merging. The most frequent value of a union has at most what the two have together. All but the
l − 1 most frequent of a union are at least what all but the l − 1 most frequent of its parts are.
So two classes that hold make one that holds. More records of the most frequent value can spoil one.

A missing value is no value, as for the other kinds of l.

Reference: Machanavajjhala et al., l-diversity (2007), definition 4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.fields.types import number, plain_number, whole_number
from kanon_tui.core.numeric import TIE, Floats, Int64s
from kanon_tui.core.privacy.model import PrivacyModel
from kanon_tui.core.privacy.shares import over_present, strictly_below, sums_per_class
from kanon_tui.core.table.column import Column
from kanon_tui.core.table.group_values import GroupValues

__all__ = ["RecursiveDiversity"]

_L = whole_number(low=2)


@dataclass(frozen=True)
class RecursiveDiversity(PrivacyModel):
    """The most frequent value less than c times as frequent as all from the l-th on."""

    key, bound_key, example = "l", "c", 2
    own_keys = ("l",)
    name, letter, title = "l_recursive", "c", "recursive (c, l)-diversity"
    check_title = "recursive (c, 2)-diversity: more than this c"
    report_title = "Recursive (c, 2)-diversity"
    report_meaning = "most frequent value / all others together; c must be above it"
    at_least = False
    loosest = np.inf
    bound_type = number(above=0)
    form_name = "l_recursive"
    help = "No value is so many times as frequent in a class as all from the second on (l: 2)"

    l: int = 2  # noqa: E741 - the letter of the definition

    @classmethod
    def read(
        cls,
        bound: LocatedValue,
        attribute: str | None = None,
        own: Mapping[str, LocatedValue] = MappingProxyType({}),
    ) -> Self:
        """c, and the l it goes with."""
        return cls(cls.bound_type.read(bound), attribute, _L.read(own["l"]) if "l" in own else 2)

    def written(self) -> dict[str, Any]:
        """c, and l where it is not 2."""
        named = {} if self.l == 2 else {"l": plain_number(self.l)}
        return super().written() | named

    def figures(self, groups: GroupValues, column: Column) -> Floats:
        """r₁ / (r_l + … + rₘ) of every class."""
        return over_present(groups, column, self._figures, np.inf)

    def _figures(self, groups: GroupValues) -> Floats:
        most, tail = self._most_and_tail(groups)
        with np.errstate(divide="ignore"):
            return np.asarray(np.where(tail > TIE, most / np.maximum(tail, TIE), np.inf))

    def _most_and_tail(self, groups: GroupValues) -> tuple[Floats, Floats]:
        """r₁ and r_l + … + rₘ of every class."""
        order = np.lexsort((-groups.records, groups.group))
        falling = groups.records[order].astype(np.float64)
        place = np.arange(len(order)) - groups.starts[groups.group[order]]
        most = falling[groups.starts[:-1]]
        return most, sums_per_class(groups, np.where(place >= self.l - 1, falling, 0.0))

    def gaps(self, figures: Floats) -> Floats:
        """As shares of the most frequent value beside the rare ones; c itself is too much."""
        return strictly_below(figures, self.bound)

    def least_removed(self, groups: GroupValues, column: Column) -> Int64s:
        """Whoever goes, the rare ones get no more and r₁ falls by one at most."""

        def removed(present: GroupValues) -> Int64s:
            most, tail = self._most_and_tail(present)
            over = np.floor(most - self.bound * tail + TIE) + 1
            return np.asarray(np.clip(over, 0, present.sizes), dtype=np.int64)

        return over_present(groups, column, removed, 0)

    def said_to_verifier(self, column: Column) -> dict[str, Any]:
        """Where the rare values begin."""
        return {"l": self.l}

    def unreachable(self, whole: float) -> str:
        """The whole table has too few values, or one of them too often."""
        if np.isinf(whole):
            return (
                f"{self.attribute}: {self.title} with l = {self.l} is required, but the whole "
                f"table has fewer values; require a smaller l"
            )
        return super().unreachable(whole)

    def __str__(self) -> str:
        return (
            f"({self.bound:g}, {self.l})-diversity of {self.attribute}: its most frequent value "
            f"less than {self.bound:g} times the rest from the {_ordinal(self.l)} on"
        )

    @property
    def lack(self) -> str:
        """One value too often."""
        return (
            f"one value of {self.attribute} at least {self.bound:g} times as often as all from the "
            f"{_ordinal(self.l)} on"
        )

    @property
    def short(self) -> str:
        """`(2,3)-l`."""
        return f"({self.bound:g},{self.l})-l"


def _ordinal(place: int) -> str:
    return {2: "second", 3: "third"}.get(place, f"{place}th")
