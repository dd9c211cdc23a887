"""People with several records: found by a column that numbers them, told before k is believed.

k counts records. Where five visits of one patient are five records, a class of five may be one
person, and k says nothing. A column of the role *person* makes privacy count people; without one,
a column that numbers people and repeats is warned of. Values are never told, only counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kanon_tui.core.table.role_guesses import guess_attribute
from kanon_tui.core.table.schema import Role
from kanon_tui.core.table.table import Table
from kanon_tui.core.text import Note, Quotable, note

__all__ = ["RepeatedPeople", "repeated_people"]


@dataclass(frozen=True)
class RepeatedPeople:
    """A column that numbers people of whom some have several records."""

    attribute: str
    records: int
    people: int

    @property
    def warning(self) -> Note:
        """What nobody should overlook."""
        return note(
            "{name} repeats: {records:,} rows are {people:,} people; k counts rows",
            name=Quotable(self.attribute),
            records=self.records,
            people=self.people,
        )


def repeated_people(table: Table, names: Iterable[str]) -> RepeatedPeople | None:
    """The first of some columns that numbers people and repeats; None where none does."""
    for name in names:
        if name in table.not_looked_at:
            continue
        if guess_attribute(table, name).role is Role.PERSON:
            distinct, present = table.present_values(name)
            return RepeatedPeople(name, present, distinct.len())
    return None
