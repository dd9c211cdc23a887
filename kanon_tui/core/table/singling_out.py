"""Columns that single people out: values that only one record has.

A column that is published as it is (roles *other* and *sensitive*) undoes a release when it names
people by itself: whoever knows somebody's exact wage finds the record, whatever its class.

A column singles people out when at least `MANY` records have a value in it and at least the share
`SHARE` of them have one that no other record has. In a smaller table most columns differ only
because it is small. Values are compared exactly as they are printed: a trailing blank is enough to
know a record by.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import polars as pl

from kanon_tui.core.table.table import Table

__all__ = ["MANY", "SHARE", "SinglingOut", "singling_out", "singling_out_columns"]

MANY = 20
"""Records with a value from which a column is judged at all."""
SHARE = 0.1
"""The share of records with a value of their own from which a column singles people out."""


@dataclass(frozen=True)
class SinglingOut:
    """How many people a column gives away by itself."""

    attribute: str
    unique: int
    """Values that only one record has."""
    records: int
    """Records that have a value."""

    @property
    def share(self) -> float:
        """The share of the values that belong to one record."""
        return self.unique / self.records

    @property
    def percent(self) -> str:
        """The share for people; never rounded up to all or down to none."""
        return f"{min(max(self.share * 100, 1), 99 if self.unique < self.records else 100):.0f} %"

    def __str__(self) -> str:
        return (
            f"{self.attribute} is published as it is: {self.percent} of its values belong to one "
            f"person ({self.unique:,} of {self.records:,})"
        )


def singling_out(texts: pl.Series, missing_tokens: Sequence[str]) -> SinglingOut | None:
    """What a column of texts gives away; None where it singles nobody out worth a warning."""
    values = texts.alias("value").value_counts(name="records")
    return _judged(texts.name, values, missing_tokens)


def _judged(name: str, values: pl.DataFrame, missing_tokens: Sequence[str]) -> SinglingOut | None:
    counts = values.filter(~values["value"].is_in(list(missing_tokens)))["records"]
    found = SinglingOut(name, int((counts == 1).sum()), int(counts.sum()))
    return found if found.records >= MANY and found.share >= SHARE else None


def singling_out_columns(table: Table, names: Iterable[str]) -> tuple[SinglingOut, ...]:
    """Those of some columns that single people out, in the order of the names."""
    found = (_judged(name, table.occurrences(name), table.missing_tokens) for name in names)
    return tuple(each for each in found if each is not None)
