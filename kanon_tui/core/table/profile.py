"""Facts about a column: its profile, people it singles out, people with several records.

A column that is published as it is (roles *other* and *sensitive*) undoes a release when it names
people by itself: whoever knows somebody's exact wage finds the record, whatever its class. A column
singles people out when at least `MANY` records have a value in it and at least the share `SHARE` of
them have one that no other record has. In a smaller table most columns differ only because it is
small. Values are compared exactly as they are printed: a trailing blank is enough to know a record.

k counts records. Where five visits of one patient are five records, a class of five may be one
person, and k says nothing. A column of the role *person* makes privacy count people; without one,
a column that numbers people and repeats is warned of. Warnings hold counts, never values.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from kanon_tui.core.table.column import Column, Role
from kanon_tui.core.table.role_guesses import guess_attribute
from kanon_tui.core.table.table import Table
from kanon_tui.core.text import Note, Quotable, note


@dataclass(frozen=True)
class ColumnProfile:
    """The facts of a column that the data screen shows."""

    name: str
    kind: str
    records: int
    distinct: int
    missing: int
    unique: int
    """The number of values that only one record has."""
    lowest: str | None
    highest: str | None
    histogram: tuple[int, ...]
    """Numbers and dates: records in equal-width bins from lowest to highest."""
    top: tuple[tuple[str, int], ...]
    """The commonest values and their records."""


def profile(column: Column, bins: int = 24, top: int = 8) -> ColumnProfile:
    """Profile a coded column; missing cells are counted apart from the values."""
    counts = column.counts.copy()
    missing = 0
    if column.missing is not None:
        missing = int(counts[column.missing])
        counts = counts[: column.missing]
    order = np.argsort(-counts, kind="stable")[:top]
    lowest = highest = None
    histogram: tuple[int, ...] = ()
    if column.numbers is not None and len(counts):
        numbers = column.numbers[: len(counts)]
        lowest = column.values[0]
        highest = column.values[len(counts) - 1]
        heights, _ = np.histogram(numbers, bins=min(bins, len(counts)), weights=counts)
        histogram = tuple(int(height) for height in heights)
    return ColumnProfile(
        name=column.name,
        kind=str(column.kind),
        records=len(column.codes),
        distinct=len(counts),
        missing=missing,
        unique=int((counts == 1).sum()),
        lowest=lowest,
        highest=highest,
        histogram=histogram,
        top=tuple((column.values[code], int(counts[code])) for code in order),
    )


MANY = 20
"""The fewest records with a value for which a column is judged."""
SHARE = 0.1
"""The share of records with a unique value from which a column singles people out."""


@dataclass(frozen=True)
class SinglingOut:
    """The number of people that a column identifies by itself."""

    attribute: str
    unique: int
    """The number of values that only one record has."""
    records: int
    """The number of records that have a value."""

    @property
    def share(self) -> float:
        """The share of the values that belong to one record."""
        return self.unique / self.records

    @property
    def percent(self) -> str:
        """The share in percent; never rounded up to all or down to none."""
        return f"{min(max(self.share * 100, 1), 99 if self.unique < self.records else 100):.0f} %"

    def __str__(self) -> str:
        return (
            f"{self.attribute} is published as it is: {self.percent} of its values belong to one "
            f"person ({self.unique:,} of {self.records:,})"
        )


def singling_out_columns(table: Table, names: Iterable[str]) -> tuple[SinglingOut, ...]:
    """Return those of these columns that single people out, in the order of the names."""
    columns = []
    for name in names:
        values = table.occurrences(name)
        missing = values["value"].is_in(list(table.missing_tokens))
        counts = values["records"].filter(~missing)
        columns.append(SinglingOut(name, int((counts == 1).sum()), int(counts.sum())))
    return tuple(column for column in columns if column.records >= MANY and column.share >= SHARE)


@dataclass(frozen=True)
class RepeatedPeople:
    """A column that numbers people of whom some have several records."""

    attribute: str
    records: int
    people: int

    @property
    def warning(self) -> Note:
        """The warning that records are not people."""
        return note(
            "{name} repeats: {records:,} rows are {people:,} people; k counts rows",
            name=Quotable(self.attribute),
            records=self.records,
            people=self.people,
        )


def repeated_people(table: Table, names: Iterable[str]) -> RepeatedPeople | None:
    """Return the first of these columns that numbers people and repeats, or None."""
    for name in names:
        if name in table.given_up:
            continue
        if guess_attribute(table, name).role is Role.PERSON:
            distinct, present = table.present_values(name)
            return RepeatedPeople(name, present, distinct.len())
    return None
