"""(α, k)-anonymity: no sensitive value has more than a share α of a class.

The bound may be for some values alone: `alpha: {attribute: diagnosis, max: 0.5, values: [HIV]}`.

A missing value is no value: shares are those among the records of a class that have one, and 0
where none has. Otherwise missing values would thin out what is known of the others.

Reference: Wong et al., (α, k)-anonymity (2006).
"""

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Self

import numpy as np

from kanon_tui.core.errors import InputError, OnlyWithValues, suggestion
from kanon_tui.core.fields.declaration import list_of, number, text
from kanon_tui.core.numeric import Flags, Floats, Int64s
from kanon_tui.core.privacy.model import PrivacyModel
from kanon_tui.core.privacy.shares import PeopleValues, fewest_removed, highest_shares, over_present
from kanon_tui.core.table.column import Column, GroupValues
from kanon_tui.core.text import quoted_list


@dataclass(frozen=True)
class AlphaKAnonymity(PrivacyModel):
    """At most a share `bound` of a class for any value, or for any of `values`."""

    key = "alpha"
    bound_key = "max"
    example = 0.5
    own_keys = MappingProxyType(
        {"values": list_of(text("a value"), "a list of values", empty=False)}
    )
    name = "alpha"
    letter = "α"
    title = "(α, k)-anonymity"
    check_title = "highest share of one sensitive value"
    report_title = "Highest share (α)"
    report_meaning = "of one value in a class; 1: some class gives it away"
    bound_type = number(above=0, high=1, words="a share above 0, at most 1")
    help = "No value of it has more than this share of a class"
    condition = "{any} of {attribute} in at most {bound:.4g} of the records"
    violation = "{one} of {attribute} in more than {bound:.4g} of the records"

    values: tuple[str, ...] = ()
    """The values whose share is bounded; none: all."""

    def of_column(self, column: Column, who: str) -> Self:
        """Return the requirement for one column, its values in the order of the column's."""
        for value in self.values:
            bounded = f"{who}: the share of '{value}' is bounded, but"
            if value not in column.code_of:
                hint = OnlyWithValues(f"; {suggestion(value, column.values)}")
                raise InputError(f"{bounded} {column.name} has no such value{hint}")
            if column.code_of[value] == column.missing:
                raise InputError(
                    f"{bounded} it means missing, which is no value of {column.name}; leave it out"
                )
        in_order = tuple(sorted(set(self.values), key=column.code_of.__getitem__))
        return replace(self, attribute=column.name, values=in_order)

    # -- judging classes

    def figures(self, groups: GroupValues, column: Column) -> Floats:
        """Return the highest share of a value of every class, among the records that have one."""
        bounded = self._bounded(column)
        return over_present(groups, column, lambda g: highest_shares(g, bounded), 0.0)

    def people_figures(self, people: PeopleValues, column: Column) -> Floats:
        """Return the highest share of people who have a value in any of their records there."""
        return self.figures(people.each, column)

    def least_removed(self, groups: GroupValues, column: Column) -> Int64s:
        """Return for every class how many records must go until no bounded share is above α."""
        bounded = self._bounded(column)

        def removed(present: GroupValues) -> Int64s:
            most = np.full(present.count, self.bound)
            return fewest_removed(present, highest_shares(present, bounded) - most, most)

        return over_present(groups, column, removed, 0)

    def _bounded(self, column: Column) -> Flags | None:
        """Return per value of the column whether its share is bounded; None: all are."""
        if not self.values:
            return None
        bounded = np.zeros(len(column.values), dtype=bool)
        bounded[[column.code_of[value] for value in self.values]] = True
        return bounded

    # -- sentences

    def facts(self) -> dict[str, Any]:
        """Return the values for the clauses, with the bounded values."""
        which = quoted_list(self.values, most=3)
        return super().facts() | {"any": which or "any value", "one": which or "one value"}

    @property
    def long_title(self) -> str:
        """The title with the attribute and the bounded values."""
        which = f" ({quoted_list(self.values, most=3)})" if self.values else ""
        return super().long_title + which

    @property
    def only_values(self) -> tuple[str, ...]:
        """The values whose share is bounded; none: all."""
        return self.values
