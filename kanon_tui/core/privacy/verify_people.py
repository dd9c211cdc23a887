"""The verifier's people: whose each row is, and figures that count every person's value once.

A part of `verify`: it imports no model. The release has no column that says whose a row is, so that
this comes row by row beside it, together with the original that people are counted against.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.numeric import Floats
from kanon_tui.core.privacy.verify_figures import FIGURES, MISSING, Claim, ranks_of, said

__all__ = ["People", "people_figures"]


@dataclass(frozen=True)
class People:
    """Whose records they are."""

    of_rows: Sequence[str]
    """Row by row of the release what the original says of its person."""
    of_table: Sequence[str]
    """The same of every record of the original."""
    original: Mapping[str, Sequence[str]]
    """The sensitive columns of the original."""

    def rows(self, height: int) -> pl.Series:
        """A number for the person of every row of a release of so many rows."""
        if len(self.of_rows) != height:
            raise NotReachedError(
                f"the release has {height:,} records and {len(self.of_rows):,} people beside them; "
                f"nothing was written"
            )
        return _numbered(self.of_rows)


def _numbered(people: Sequence[str]) -> pl.Series:
    """A number per person: spellings of one are one."""
    distinct = {text: said(text) for text in dict.fromkeys(people)}
    numbers = {meant: number for number, meant in enumerate(dict.fromkeys(distinct.values()))}
    return pl.Series("person", [numbers[distinct[text]] for text in people], dtype=pl.Int64)


def people_figures(classes: pl.DataFrame, claim: Claim, people: People) -> Floats:
    """The figure of every class by rows of (class, rank of a value, person)."""
    held = _once(classes)
    if claim.model in ("l_distinct", "p"):
        return _matched(held)
    if claim.model == "alpha":
        return _having(held, claim)
    ranks = ranks_of(claim)
    table = pl.DataFrame(
        {
            "class": 0,
            "rank": pl.Series([ranks[text] for text in people.original[claim.attribute]]),
            "person": _numbered(people.of_table),
        }
    )
    whole = dict(_shared(_once(table)).select("rank", "records").iter_rows())
    counts = [whole.pop(ranks[text], 0.0) for text in claim.values]  # of spellings, the first
    return FIGURES[claim.model](_shared(held), replace(claim, counts=tuple(counts)))


def _once(classes: pl.DataFrame) -> pl.DataFrame:
    """Each person's value once; that one is missing only of those who have no other."""
    known = (pl.col("rank") != MISSING).any().over("class", "person")
    return classes.unique().filter((pl.col("rank") != MISSING) | ~known)


def _shared(held: pl.DataFrame) -> pl.DataFrame:
    """Each person as one, in equal parts of her values."""
    part = 1 / pl.len().over("class", "person").cast(pl.Float64)
    parts = held.with_columns(part=part).group_by("class", "rank")
    return parts.agg(records=pl.col("part").sum()).sort("class", "rank")


def _having(held: pl.DataFrame, claim: Claim) -> Floats:
    """The highest share of people who have a value, of those who have any."""
    count = held["class"].n_unique()
    there = held.filter(pl.col("rank") != MISSING)
    if claim.only_values:
        ranks = ranks_of(claim)
        bounded = there.filter(pl.col("rank").is_in([ranks[value] for value in claim.only_values]))
    else:
        bounded = there
    people = there.group_by("class").agg(people=pl.col("person").n_unique())
    having = bounded.group_by("class", "rank").agg(having=pl.col("person").n_unique())
    shares = having.join(people, on="class").group_by("class").agg(
        share=(pl.col("having") / pl.col("people")).max()
    )  # fmt: skip
    figures = np.zeros(count)
    figures[shares["class"].to_numpy()] = shares["share"].to_numpy()
    return figures


def _matched(held: pl.DataFrame) -> Floats:
    """How many values can each be given to a different person who has it; at least 1."""
    figures = np.ones(held["class"].n_unique())
    there = held.filter(pl.col("rank") != MISSING)
    for (number,), rows in there.partition_by("class", as_dict=True).items():
        holders: dict[int, list[int]] = {}
        for rank, person in rows.select("rank", "person").iter_rows():
            holders.setdefault(rank, []).append(person)
        given: dict[int, int] = {}
        figures[number] = max(1, sum(_give(rank, holders, given) for rank in holders))
    return figures


def _give(rank: int, holders: Mapping[int, Sequence[int]], given: dict[int, int]) -> bool:
    """Find somebody for a value, passing on what is in the way, breadth first."""
    asked_for: dict[int, int] = {}  # a person, and the value that would be given to them
    waiting = [rank]
    for value in waiting:
        for person in holders[value]:
            if person in asked_for:
                continue
            asked_for[person] = value
            if person in given:
                waiting.append(given[person])
                continue
            free: int | None = person
            while free is not None:
                passed = asked_for[free]
                before = next((p for p, v in given.items() if v == passed), None)
                given[free] = passed
                if before is not None:
                    del given[before]
                free = before
            return True
    return False
