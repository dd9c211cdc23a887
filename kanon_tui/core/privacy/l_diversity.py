"""l-diversity: every class has at least l well-represented values of a sensitive attribute.

- distinct l: the number of distinct values;
- entropy l: e to the entropy, −Σ p ln p: as if the class had that many equally frequent values.

A missing value is no value: both look at the records that have one. A class in which all are
missing has 1, as if all had the same.

Reference: Machanavajjhala et al., l-diversity (2007).

p-sensitive k-anonymity: every class has at least p distinct values of a sensitive attribute.

The figure is that of distinct l-diversity, where missing is no value; the two came up under
different names.

Reference: Truta and Vinay, p-sensitive k-anonymity (2006).

Recursive (c, l)-diversity: the most frequent value is not too frequent beside the rare ones.

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

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from kanon_tui.core.fields.declaration import number, whole_number
from kanon_tui.core.numeric import TIE, Floats, Int64s
from kanon_tui.core.privacy.model import PrivacyModel
from kanon_tui.core.privacy.shares import (
    PeopleValues,
    fewest_removed,
    highest_shares,
    over_present,
    sums_per_class,
    value_shares,
)
from kanon_tui.core.table.column import Column, GroupValues
from kanon_tui.core.text import plural


class DistinctLDiversity(PrivacyModel):
    """At least `bound` distinct values in every class."""

    key = "l"
    bound_key = "distinct"
    example = 3
    name = "l_distinct"
    letter = "l"
    title = "distinct l-diversity"
    report_title = "Distinct l-diversity"
    report_meaning = "fewest different values in a class"
    at_least = True
    monotone = True
    closed_in_people = True
    digits = 0
    bound_type = whole_number(low=1)
    help = "The fewest distinct values of it in every class"
    condition = "at least {bound:,.0f} distinct {values} of {attribute}"
    violation = "fewer than {bound:,.0f} distinct values of {attribute}"

    def figures(self, groups: GroupValues, column: Column) -> Floats:
        """Return the number of distinct values of every class."""
        present = over_present(groups, column, lambda g: g.distinct.astype(np.float64), 1.0)
        return np.asarray(np.maximum(present, 1.0), dtype=np.float64)

    def people_figures(self, people: PeopleValues, column: Column) -> Floats:
        """Return the most people of every class who can each be given a different value."""
        return np.maximum(people.matched, 1).astype(np.float64)

    def facts(self) -> dict[str, Any]:
        """Return the values for the clauses."""
        return super().facts() | {"values": plural(self.bound, "value")}


class EntropyLDiversity(PrivacyModel):
    """At least the entropy of `bound` equally frequent values."""

    key = "l"
    bound_key = "entropy"
    example = 2.5
    name = "l_entropy"
    letter = "entropy l"
    title = "entropy l-diversity"
    report_title = "Entropy l-diversity"
    report_meaning = "the same, discounting rare values"
    at_least = True
    digits = 2
    bound_type = number(low=1)
    help = "Every class is at least as diverse as this many equally frequent values of it"
    condition = "{attribute} as diverse as {bound:g} equally frequent values"
    violation = "{attribute} less diverse than {bound:g} equally frequent values"

    def figures(self, groups: GroupValues, column: Column) -> Floats:
        """Return exp(−Σ p ln p) over the values of every class."""
        return over_present(groups, column, _exp_entropy, 1.0)

    def least_removed(self, groups: GroupValues, column: Column) -> Int64s:
        """Return how many records must go: the entropy bounds the highest share in a class."""
        return over_present(groups, column, self._least_removed, 0)

    def _least_removed(self, groups: GroupValues) -> Int64s:
        values, place = np.unique(groups.distinct, return_inverse=True)
        most = np.array([_highest_share(count, self.bound) for count in values.tolist()])[place]
        return fewest_removed(groups, highest_shares(groups) - most, most)


def _exp_entropy(groups: GroupValues) -> Floats:
    shares = value_shares(groups)
    entropy = sums_per_class(groups, -shares * np.log(shares))
    return np.asarray(np.exp(entropy), dtype=np.float64)


def _highest_share(values: int, entropy_l: float) -> float:
    """Return the highest share that one of `values` values can have at the entropy of `entropy_l`.

    With share p for one value the entropy is highest when the others share the rest alike; it
    falls as p rises from 1 / values. 0 where even equal shares are not diverse enough.
    """
    if values < entropy_l * (1 - TIE):
        return 0.0
    low = 1.0 / values
    high = 1.0
    for _ in range(60):
        p = (low + high) / 2
        entropy_of_others = (
            (1 - p) * np.log((1 - p) / (values - 1)) if p < 1 and values > 1 else 0.0
        )
        diverse = -p * np.log(p) - entropy_of_others >= np.log(entropy_l)
        low, high = (p, high) if diverse else (low, p)
    return high


class PSensitivity(DistinctLDiversity):
    """At least `bound` distinct values in every class."""

    key = "p"
    bound_key = "min"
    example = 2
    name = "p"
    letter = "p"
    title = "p-sensitivity"
    report_title = title
    report_meaning = "every class has at least this many values"
    form_name = "p_sensitive"


@dataclass(frozen=True)
class RecursiveDiversity(PrivacyModel):
    """The most frequent value occurs less than c times as often as all from the l-th on."""

    key = "l"
    bound_key = "c"
    example = 2
    own_keys = MappingProxyType({"l": whole_number(low=2)})
    name = "l_recursive"
    letter = "c"
    title = "recursive (c, l)-diversity"
    check_title = "recursive (c, 2)-diversity: more than this c"
    report_title = "Recursive (c, 2)-diversity"
    report_meaning = "most frequent value / all others together; c must be above it"
    strict = True
    loosest = np.inf
    bound_type = number(above=0)
    help = "The most frequent value occurs less than this many times as often as all others (l: 2)"
    condition = (
        "({bound:g}, {l})-diversity of {attribute}: its most frequent value less than {bound:g} "
        "times the rest from the {nth} on"
    )
    violation = (
        "one value of {attribute} at least {bound:g} times as often as all from the {nth} on"
    )

    l: int = 2  # noqa: E741 - the letter of the definition

    def figures(self, groups: GroupValues, column: Column) -> Floats:
        """Return r₁ / (r_l + … + rₘ) of every class."""
        return over_present(groups, column, self._figures, np.inf)

    def _figures(self, groups: GroupValues) -> Floats:
        most, tail = self._most_and_tail(groups)
        with np.errstate(divide="ignore"):
            return np.asarray(np.where(tail > TIE, most / np.maximum(tail, TIE), np.inf))

    def _most_and_tail(self, groups: GroupValues) -> tuple[Floats, Floats]:
        """Return r₁ and r_l + … + rₘ of every class."""
        order = np.lexsort((-groups.records, groups.group))
        falling = groups.records[order].astype(np.float64)
        place = np.arange(len(order)) - groups.starts[groups.group[order]]
        most = falling[groups.starts[:-1]]
        return most, sums_per_class(groups, np.where(place >= self.l - 1, falling, 0.0))

    def least_removed(self, groups: GroupValues, column: Column) -> Int64s:
        """Return r₁ − c · tail, rounded up: a record that goes lowers r₁ by one at most."""

        def removed(present: GroupValues) -> Int64s:
            most, tail = self._most_and_tail(present)
            over = np.floor(most - self.bound * tail + TIE) + 1
            return np.asarray(np.clip(over, 0, present.sizes), dtype=np.int64)

        return over_present(groups, column, removed, 0)

    def claim_fields(self, column: Column) -> dict[str, Any]:
        """Return the l, at which the rare values begin."""
        return {"l": self.l}

    def unreachable(self, of_table: float) -> str:
        """Return the message where the table has too few values, or one of them too often."""
        if np.isinf(of_table):
            return (
                f"{self.attribute}: {self.title} with l = {self.l} is required, but the whole "
                f"table has fewer values; require a smaller l"
            )
        return super().unreachable(of_table)

    def facts(self) -> dict[str, Any]:
        """Return the values for the clauses."""
        nth = {2: "second", 3: "third"}.get(self.l, f"{self.l}th")
        return super().facts() | {"l": self.l, "nth": nth}

    @property
    def short(self) -> str:
        """The requirement as `(2,3)-l`."""
        return f"({self.bound:g},{self.l})-l"
