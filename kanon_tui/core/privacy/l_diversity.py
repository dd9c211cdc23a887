"""l-diversity: every class has at least l well-represented values of a sensitive attribute.

- distinct l: the number of distinct values;
- entropy l: e to the entropy, −Σ p ln p: as if the class had that many equally frequent values.

A missing value is no value: both look at the records that have one. A class in which all are
missing has 1, as if all had the same.

Reference: Machanavajjhala et al., l-diversity (2007).
"""

from __future__ import annotations

import numpy as np

from kanon_tui.core.fields.types import number, whole_number
from kanon_tui.core.numeric import TIE, Floats, Int64s
from kanon_tui.core.privacy.model import PrivacyModel
from kanon_tui.core.privacy.people import PeopleValues
from kanon_tui.core.privacy.shares import (
    fewest_removed,
    highest_shares,
    over_present,
    sums_per_class,
    value_shares,
)
from kanon_tui.core.table.column import Column
from kanon_tui.core.table.group_values import GroupValues
from kanon_tui.core.text import plural

__all__ = ["DistinctLDiversity", "EntropyLDiversity"]


class DistinctLDiversity(PrivacyModel):
    """At least so many distinct values."""

    key, bound_key, example = "l", "distinct", 3
    name, letter, title = "l_distinct", "l", "distinct l-diversity"
    check_title = title
    report_title = "Distinct l-diversity"
    report_meaning = "fewest different values in a class"
    at_least = True
    monotone = True
    closed_in_people = True
    digits = 0
    bound_type = whole_number(low=1)
    form_name = "l_distinct"
    help = "Every class has at least so many distinct values of it"

    def figures(self, groups: GroupValues, column: Column) -> Floats:
        """The number of distinct values of every class."""
        present = over_present(groups, column, lambda g: g.distinct.astype(np.float64), 1.0)
        return np.asarray(np.maximum(present, 1.0), dtype=np.float64)

    def people_figures(self, people: PeopleValues, column: Column) -> Floats:
        """How many people can each be given a different value: none counts for two."""
        return np.maximum(people.matched, 1).astype(np.float64)

    def __str__(self) -> str:
        values = plural(self.bound, "value")
        return f"at least {self.bound:,.0f} distinct {values} of {self.attribute}"

    @property
    def lack(self) -> str:
        """Too few values."""
        return f"fewer than {self.bound:,.0f} distinct values of {self.attribute}"


class EntropyLDiversity(PrivacyModel):
    """As much entropy as so many equally frequent values have."""

    key, bound_key, example = "l", "entropy", 2.5
    name, letter, title = "l_entropy", "entropy l", "entropy l-diversity"
    check_title = title
    report_title = "Entropy l-diversity"
    report_meaning = "the same, discounting rare values"
    at_least = True
    digits = 2
    bound_type = number(low=1)
    form_name = "l_entropy"
    help = "Every class is as diverse as so many equally frequent values of it"

    def figures(self, groups: GroupValues, column: Column) -> Floats:
        """exp(−Σ p ln p) over the values of every class."""
        return over_present(groups, column, _exp_entropy, 1.0)

    def least_removed(self, groups: GroupValues, column: Column) -> Int64s:
        """So much entropy allows no value more than a certain share of the class."""
        return over_present(groups, column, self._least_removed, 0)

    def _least_removed(self, groups: GroupValues) -> Int64s:
        values, place = np.unique(groups.distinct, return_inverse=True)
        most = np.array([_highest_share(count, self.bound) for count in values.tolist()])[place]
        return fewest_removed(groups, highest_shares(groups) - most, most)

    def __str__(self) -> str:
        return f"{self.attribute} as diverse as {self.bound:g} equally frequent values"

    @property
    def lack(self) -> str:
        """Too little entropy."""
        return f"{self.attribute} less diverse than {self.bound:g} equally frequent values"


def _exp_entropy(groups: GroupValues) -> Floats:
    shares = value_shares(groups)
    entropy = sums_per_class(groups, -shares * np.log(shares))
    return np.asarray(np.exp(entropy), dtype=np.float64)


def _highest_share(values: int, entropy_l: float) -> float:
    """The highest share of one value in a class of so many values with so much entropy.

    With share p for one value the entropy is highest when the others share the rest alike; it
    falls as p rises from 1 / values. 0 where even equal shares are not diverse enough.
    """
    if values < entropy_l * (1 - TIE):
        return 0.0
    low, high = 1.0 / values, 1.0
    for _ in range(60):
        p = (low + high) / 2
        rest = (1 - p) * np.log((1 - p) / (values - 1)) if p < 1 and values > 1 else 0.0
        if -p * np.log(p) - rest >= np.log(entropy_l):
            low = p
        else:
            high = p
    return high
