"""k-anonymity: every published record shares its quasi-identifier cells with k − 1 others.

k is no requirement like the others: every algorithm builds classes of k records by itself. So this
says only how k is measured; the other models are what is required beyond it.

Reference: Samarati and Sweeney, Protecting privacy when disclosing information (1998).

Personal k: every class has at least as many records as any of its members asks for.

A column of the data says how many each person wants to be among; a missing one asks for nothing
beyond k. The figure of a class is its records / the largest k asked for in it, and 1 or more holds.

Unlike the models of `models` it is about no sensitive attribute and has no bound to choose, so that
it is no line there; to searches and clusterings it is a requirement like any other. Two classes
that hold make one that holds: it is larger than both, and nobody asks for more than before. One
more record can spoil a class when it asks for much, so it is not monotone. What must go from a
class at least are those who ask for the most: of those who ask for at most v, all may stay when
they are at least v.

Reference: the SBC thesis, end of 5.1 (a suggestion).
"""

import numpy as np

from kanon_tui.core.errors import InputError, Value
from kanon_tui.core.numeric import Floats, Int64s
from kanon_tui.core.privacy.model import PrivacyModel
from kanon_tui.core.privacy.requirements import ColumnRequirement
from kanon_tui.core.privacy.shares import PeopleValues
from kanon_tui.core.table.column import Column, GroupValues
from kanon_tui.core.text import Note, note

SMALL_K = 5
"""Below it, ends of ranges and members of sets are often enough to rebuild records."""


def small_k_warning(k: int) -> tuple[Note, ...]:
    """Return the warning about a small k; none from `SMALL_K` on."""
    if k >= SMALL_K:
        return ()
    return (
        note(
            "k = {k} is small: ends of ranges and members of sets may be enough to rebuild "
            "records; choose k of at least {enough}, or publish rounded ranges and labels",
            k=k,
            enough=SMALL_K,
        ),
    )


def smallest_size(sizes: Int64s) -> int:
    """Return the size of the smallest class, the k that is reached; 0 where there is no class."""
    return int(sizes.min()) if len(sizes) else 0


def personal_requirement(column: Column) -> ColumnRequirement:
    """Return the requirement of a column with each person's k; refuse values that are no k."""
    strange = [
        code
        for code, wanted_k in enumerate(column.value_numbers.tolist())
        if not np.isnan(wanted_k) and (wanted_k < 1 or wanted_k != round(wanted_k))
    ]
    if strange:
        text = Value(column.values[strange[0]], "a value that is no k")
        raise InputError(
            f"privacy: personal_k: column '{column.name}' holds {text}"
            f"{column.first_record_text(strange)}; a person's k is a "
            f"whole number of at least 1, or missing"
        )
    return ColumnRequirement(PersonalK(1, column.name), column)


def asked_for(column: Column) -> Int64s:
    """Return the k that each value of the column asks for; 1 where it is missing."""
    return np.where(np.isnan(column.value_numbers), 1, column.value_numbers).astype(np.int64)


class PersonalK(PrivacyModel):
    """At least as many records as the largest k that a person in the class asks for."""

    name = "personal_k"
    letter = "personal k"
    title = "personal k"
    at_least = True
    digits = 2
    loosest = 0.0
    closed_in_people = True
    condition = "at least 1 × the records that anybody in it asks for in {attribute}"
    violation = "fewer records than a person in it asks for in {attribute}"

    def figures(self, groups: GroupValues, column: Column) -> Floats:
        """Return records / the largest k asked for, of every class."""
        wanted_k = asked_for(column)[groups.code]
        largest = np.maximum.reduceat(wanted_k, groups.starts[:-1])
        return np.asarray(groups.sizes / largest, dtype=np.float64)

    def people_figures(self, people: PeopleValues, column: Column) -> Floats:
        """Return people / the largest k asked for, of every class."""
        largest = np.zeros(people.count, dtype=np.int64)
        np.maximum.at(largest, people.group, asked_for(column)[people.code])
        return np.asarray(people.people / largest, dtype=np.float64)

    def least_removed(self, groups: GroupValues, column: Column) -> Int64s:
        """Return the records of every class beyond the largest part that can stay together."""
        wanted_k = asked_for(column)[groups.code]
        order = np.lexsort((wanted_k, groups.group))
        group = groups.group[order]
        wanted_k = wanted_k[order]
        upto = np.cumsum(groups.records[order])
        before = np.concatenate([[0], upto])[groups.starts[:-1]]
        together = upto - before[group]
        staying = np.zeros(groups.count, dtype=np.int64)
        np.maximum.at(staying, group, np.where(together >= wanted_k, together, 0))
        return np.asarray(groups.sizes - staying, dtype=np.int64)

    def unreachable(self, of_table: float) -> str:
        """Return the message for a person who asks for more records than there are."""
        return (
            f"{self.attribute}: somebody asks for more records than there are: the whole table has "
            f"only {of_table:.0%} of them; lower that k or leave the record out"
        )

    def loosened(self, bound: float) -> str:
        """Return a clause without the requirement: it has no bound to choose."""
        return f"without {self.long_title}"
