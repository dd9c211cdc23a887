"""Requirements joined to the columns they are about, which makes them able to judge classes.

Requirements that count people: k in people, and what is required of sensitive attributes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from kanon_tui.core.numeric import Flags, Floats, Int64s
from kanon_tui.core.privacy.model import PrivacyModel
from kanon_tui.core.privacy.shares import PeopleValues
from kanon_tui.core.privacy.verify_figures import Claim
from kanon_tui.core.table.column import MISSING_TOKENS, Column, GroupValues, Kind
from kanon_tui.core.text import count_of


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
        """Return the figure of every class."""
        return self.model.figures(groups, self.column)

    def sizes(self, groups: GroupValues) -> Int64s:
        """Return the number of records of every class."""
        return groups.sizes

    def gaps(self, groups: GroupValues) -> Floats:
        """Return by how much every class misses the bound, in shares; 0 where it holds."""
        return self.model.gaps(self.figures(groups))

    def least_removed(self, groups: GroupValues) -> Int64s:
        """Return for every class how many records it must lose at least to hold."""
        return self.model.least_removed(groups, self.column)

    def worst_figure(self, groups: GroupValues) -> float:
        """Return the figure of the worst class."""
        return self.model.worst(self.figures(groups))

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
        """Return the message where even the whole table fails."""
        return self.model.unreachable(self.worst_figure(self._whole_table))

    def claim(self, missing_tokens: Sequence[str] = MISSING_TOKENS) -> Claim:
        """Return the requirement as plain data for the verifier, which judges spellings itself."""
        spelt = self.column
        tokens = missing_tokens
        if self.column.spellings is not None:
            spelt = self.column.spellings.column
            tokens = self.column.spellings.missing_tokens
        return Claim(
            model=self.model.name,
            bound=self.model.bound,
            only_values=self.model.only_values,
            fault=self.model.fault,
            attribute=self.column.name,
            values=spelt.values,
            counts=tuple(spelt.counts.tolist()),
            numbers=None if spelt.numbers is None else tuple(spelt.numbers.tolist()),
            missing_tokens=tuple(tokens),
            spellings_differ=spelt is self.column,
            proof=self.model.proof,
            at_least=self.model.at_least,
            strict=self.model.strict,
            **self.model.claim_fields(spelt),
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


def groups_that_hold(
    requirements: Iterable[ColumnRequirement],
    group: npt.NDArray[np.integer],
    records: npt.NDArray[np.integer],
    count: int,
) -> Flags:
    """Return for each of `count` groups whether it meets all requirements.

    `group` has the group of each of some records of the table.
    """
    holds = np.ones(count, dtype=np.bool_)
    for requirement in requirements:
        column = requirement.column
        copies = None if column.copies is None else column.copies[records]
        values = GroupValues.from_records(group, column.codes[records], count, copies)
        holds &= requirement.gaps(values) <= 0
    return holds


def out_of_reach(
    requirements: Iterable[ColumnRequirement], suppression: bool
) -> ColumnRequirement | None:
    """Return a requirement that no release can keep, however general it is.

    With suppression only a monotone one is proof: the rest of a table may be better than the whole.
    So it may where classes that hold can make one that does not.
    """
    for requirement in requirements:
        proof = requirement.monotone if suppression else requirement.closed
        if proof and not requirement.whole_table_holds:
            return requirement
    return None


class PeopleCount(PrivacyModel):
    """As many distinct people as k: the requirement that a column of the role person makes."""

    name = "people"
    letter = "people"
    title = "k in people"
    at_least = True
    monotone = True
    digits = 0
    condition = "records of at least {different}"
    violation = "fewer than {people}"

    def figures(self, groups: GroupValues, column: Column) -> Floats:
        """Return the number of people of every class."""
        return groups.distinct.astype(np.float64)

    def unreachable(self, of_table: float) -> str:
        """Return the message for a table of too few people."""
        return (
            f"k is {self.bound:,.0f} but the table has records of only "
            f"{count_of(round(of_table), 'person', 'people')} ({self.attribute}); choose k of at "
            f"most {of_table:,.0f}"
        )

    def loosened(self, bound: float) -> str:
        """Return a clause with a smaller k."""
        return f"k {bound:g} instead of {self.bound:g}"

    def facts(self) -> dict[str, Any]:
        """Return the values for the clauses."""
        k = round(self.bound)
        different, people = (
            count_of(k, singular, "people") for singular in ("different person", "person")
        )
        return super().facts() | {"different": different, "people": people}


def k_in_people(person: Column, k: int) -> ColumnRequirement:
    """Return the requirement that every class has records of k different people."""
    return ColumnRequirement(PeopleCount(k, person.name), person)


@dataclass(frozen=True, eq=False)
class PeopleRequirement(ColumnRequirement):
    """A requirement of one column whose values count once per person and class.

    Its `column` has one code per combination of person and value, numbered by person.
    """

    valued: Column
    person_of: Int64s
    value_of: Int64s

    @classmethod
    def from_requirements(
        cls, requirements: Sequence[ColumnRequirement], person: Column
    ) -> tuple[PeopleRequirement, ...]:
        """Return the requirements counted in people; those of one column share its pairs."""
        columns = {id(requirement.column): requirement.column for requirement in requirements}
        pairs = {key: cls._pairs(column, person) for key, column in columns.items()}
        return tuple(
            cls(requirement.model, *pairs[id(requirement.column)]) for requirement in requirements
        )

    @staticmethod
    def _pairs(valued: Column, person: Column) -> tuple[Column, Column, Int64s, Int64s]:
        width = np.int64(len(valued.values))
        keys = person.codes.astype(np.int64) * width + valued.codes
        pairs, codes = np.unique(keys, return_inverse=True)
        combined = Column(
            name=valued.name,
            kind=Kind.CATEGORICAL,
            codes=codes.astype(np.int32),
            values=("",) * len(pairs),
            numbers=None,
            missing=None,
            copies=valued.copies,
        )
        return combined, valued, pairs // width, pairs % width

    @property
    def closed(self) -> bool:
        """Whether two classes that hold make one that holds: not where shares of people count."""
        return self.model.closed_in_people

    def figures(self, groups: GroupValues) -> Floats:
        """Return the figure of every class, by its people."""
        return self.model.people_figures(self._people(groups), self._counted)

    def sizes(self, groups: GroupValues) -> Int64s:
        """Return the number of people of every class."""
        return self._people(groups).people

    def least_removed(self, groups: GroupValues) -> Int64s:
        """Return all records of a class that cannot hold; 0 everywhere where shares count."""
        if not self.monotone:
            return np.zeros(groups.count, dtype=np.int64)
        return np.where(self.gaps(groups) > 0, groups.sizes, 0)

    def claim(self, missing_tokens: Sequence[str] = MISSING_TOKENS) -> Claim:
        """Return the requirement for the verifier, which counts people by itself."""
        return ColumnRequirement(self.model, self.valued).claim(missing_tokens)

    def _people(self, groups: GroupValues) -> PeopleValues:
        return PeopleValues.from_groups(groups, self.person_of, self.value_of, self.valued.missing)

    @cached_property
    def _counted(self) -> Column:
        """The column with its counts over the whole table in people."""
        table = self._people(self._whole_table).shared
        counts = np.zeros(len(self.valued.values))
        counts[table.code] = table.records
        return replace(self.valued, value_counts=counts)  # type: ignore[arg-type]  # shares of people
