"""Find the combinations of attributes that single people out, and the records concerned.

A record is unique on a set of attributes when no other has the same values there. The set is a
*minimal sample unique* of the record when no smaller part of it does the same. The fewer attributes
it takes, the likelier somebody knows them.

Score of a record (special unique detection): a minimal sample unique of s attributes counts
(A − s)(A − s − 1) … (A − M), for A attributes looked at and sets of at most M; where M is A, the
last factor, 0, is left out. A record's score is the sum over its minimal sample uniques. The
contribution of an attribute is the share of all scores in sets that it belongs to, so contributions
add up to more than 1. That of a value is the share in sets of which it is a part.

Whether a record is unique only grows with the set. So a set is minimal for a record when the record
is unique on it and on none of the sets with one attribute less; and the smallest class of a set
only shrinks, which makes the smallest dangerous sets those without a dangerous part.

With a person column the records of one person count once: a record is unique when nobody else has
its values.

Cost: one grouping per set, of the distinct rows.

Sources: M. J. Elliot, A. M. Manning, R. W. Ford, A computational algorithm for handling the special
uniques problem, 2002; A. M. Manning, D. J. Haglin, J. A. Keane, A recursive search algorithm for
statistical disclosure assessment, 2008.

Measure how identifying the quasi-identifiers of a table are, together and one by one.

A record is unique when no other has the same quasi-identifiers; it stands below k when fewer
than k records share them. Leaving an attribute out, or raising it to a level of its hierarchy,
shows what it contributes. Cost: one grouping of the records per question.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod

import numpy as np
import numpy.typing as npt
import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.numeric import Floats, Int64s
from kanon_tui.core.release.distinct_rows import number_rows, row_keys
from kanon_tui.core.table.column import Column, Kind, Role, counted
from kanon_tui.core.table.profile import MANY, SHARE
from kanon_tui.core.task.task import QuasiIdentifier, Task


@dataclass(frozen=True)
class Contribution:
    """The records at risk that would be left if one attribute were dropped."""

    name: str
    unique: int
    below_k: int


@dataclass(frozen=True)
class Risk:
    """Unique records and records in classes below k, now and without each attribute."""

    records: int
    """Records, or people where some have several; so are the other counts."""
    k: int
    unique: int
    below_k: int
    without: tuple[Contribution, ...]
    """Most helpful first."""
    unique_at_levels: Mapping[int, int]
    """The unique that would be left with the attribute that contributes most at each level of its
    hierarchy between values and root."""
    in_people: bool = False


def risk(
    quasi: Sequence[QuasiIdentifier], records: int, k: int, person: Column | None = None
) -> Risk:
    """Return the records at risk in a table, and how many remain without each attribute.

    With `person`, which says whose each record is, people are counted: one is unique with a record
    that only she has, and below k with one that fewer than k people have.
    """
    columns: list[npt.NDArray[np.integer]] = [attribute.column.codes for attribute in quasi]
    copies = quasi[0].column.copies if quasi else None
    whose = None if person is None else person.codes
    people = records if person is None else len(person.values)

    def counts(columns: Sequence[npt.NDArray[np.integer]]) -> tuple[int, int]:
        """Return how many records (or people) are unique, and how many are in classes below k."""
        alike = people_alike(columns or [np.zeros(records, np.int32)], whose, copies)
        unique = alike == 1
        below = alike < k
        if whose is not None:
            return len(np.unique(whose[unique])), len(np.unique(whose[below]))
        if copies is not None:
            return int(copies[unique].sum()), int(copies[below].sum())
        return int(unique.sum()), int(below.sum())

    unique, below = counts(columns)
    without = sorted(
        (
            Contribution(attribute.name, *counts(columns[:x] + columns[x + 1 :]))
            for x, attribute in enumerate(quasi)
        ),
        key=lambda c: (c.below_k, c.unique),
    )
    at_levels = {}
    if without and unique:
        worst = next(x for x, a in enumerate(quasi) if a.name == without[0].name)
        hierarchy = quasi[worst].hierarchy
        for level in range(1, hierarchy.height):
            changed = list(columns)
            changed[worst] = hierarchy.maps[level][columns[worst]]
            at_levels[level] = counts(changed)[0]
    return Risk(people, k, unique, below, tuple(without), at_levels, person is not None)


def alone_identifies(column: Column) -> float:
    """Return the share of the records that this one attribute tells from all others."""
    return float((column.counts == 1).sum() / max(column.records, 1))


def people_alike(
    columns: Sequence[npt.NDArray[np.integer]],
    whose: npt.NDArray[np.integer] | None = None,
    copies: npt.NDArray[np.integer] | None = None,
) -> Int64s:
    """Return for every row how many records have its codes; with `whose`, how many people.

    In a counted table a row stands for so many `copies`.
    """
    rows = pl.DataFrame({"key": row_keys(columns)})
    size = pl.len()
    if whose is not None:
        rows = rows.with_columns(who=whose)
        size = pl.col("who").n_unique()
    elif copies is not None:
        rows = rows.with_columns(copies=copies)
        size = pl.sum("copies")
    return rows.select(size.over("key").cast(pl.Int64)).to_series().to_numpy()


MOST_SETS = 20_000
"""Sets of attributes that are counted at most: a question of seconds, not of hours."""
_MOST_COLUMNS_IN_PAIRS = 60


@dataclass(frozen=True)
class Combination:
    """A set of attributes and the records that it singles out."""

    attributes: tuple[str, ...]
    smallest: int
    """The fewest records (or people) that share their values: the k of these attributes."""
    unique: int
    """Records that are unique on them."""
    newly_unique: int
    """The unique records that no subset of the set singles out."""


@dataclass(frozen=True)
class ValueContribution:
    """A value of an attribute, and its part in the scores."""

    attribute: str
    value: str
    records: int
    """Records that have it."""
    share: float
    """The share of all scores in sets of which it is a part."""


@dataclass(frozen=True, eq=False)
class MinimalUniques:
    """All sets of attributes up to a size, and the records that each singles out."""

    attributes: tuple[str, ...]
    most: int
    """The largest size of a set."""
    records: int
    combinations: tuple[Combination, ...]
    """Every set, small ones first, in the order of the attributes."""
    scores: Floats
    """The score of special unique detection, per record."""
    contributions: Mapping[str, float]
    """Per attribute, the share of all scores."""
    values: tuple[ValueContribution, ...] = ()
    """Per value of an attribute, the largest share per record first; none without a score."""

    @property
    def singled_out(self) -> int:
        """Records with a minimal sample unique."""
        return int((self.scores > 0).sum())

    def dangerous(self, k: int) -> list[Combination]:
        """Return the smallest sets on which some record shares its values with fewer than k."""
        return self.smallest_sets(lambda combination: combination.smallest < k)

    def smallest_sets(self, fits: Callable[[Combination], bool]) -> list[Combination]:
        """Return the sets that satisfy `fits` and have no subset that does, worst first."""
        smallest: list[Combination] = []
        for combination in self.combinations:
            parts = (set(subset.attributes) < set(combination.attributes) for subset in smallest)
            if fits(combination) and not any(parts):
                smallest.append(combination)
        return sorted(
            smallest,
            key=lambda combination: (
                len(combination.attributes),
                -combination.unique,
                combination.smallest,
            ),
        )

    @property
    def worst(self) -> list[Combination]:
        """Sets that single out records which no subset of them does, most records first."""
        minimal = [combination for combination in self.combinations if combination.newly_unique]
        return sorted(
            minimal,
            key=lambda combination: (len(combination.attributes), -combination.newly_unique),
        )


def minimal_uniques(
    columns: Sequence[Column], most: int = 3, person: Column | None = None
) -> MinimalUniques:
    """Return the records that every set of at most `most` of these columns singles out."""
    names = [column.name for column in columns]
    if not names:
        raise InputError(
            "there is no attribute to look at: give what an outsider may know the role quasi"
        )
    if most < 1:
        raise InputError(f"sets of {most} attributes; ask for sets of at least 1")
    most = min(most, len(names))
    sets = sum(comb(len(names), size) for size in range(1, most + 1))
    if sets > MOST_SETS:
        raise InputError(
            f"{len(names)} attributes have {sets:,} sets of up to {most}; at most {MOST_SETS:,} "
            f"are counted: ask for sets of up to {largest_size(len(names))}, or for fewer "
            f"attributes"
        )
    everything = [column.codes for column in (*columns, *([] if person is None else [person]))]
    row_of = number_rows(everything)
    _, first = np.unique(row_of, return_index=True)
    codes = [column_codes[first] for column_codes in everything]
    copies = counted(row_of, columns[0].copies)
    whose = None if person is None else codes[-1]
    scores = np.zeros(len(copies))
    contributed = dict.fromkeys(names, 0.0)
    by_value = [np.zeros(len(column.values)) for column in columns]
    counted_sets = []
    before: dict[tuple[int, ...], np.ndarray] = {}
    for size in range(1, most + 1):
        points = _points(len(names), size, most)
        unique_on: dict[tuple[int, ...], np.ndarray] = {}
        for chosen in combinations(range(len(names)), size):
            people = people_alike([codes[x] for x in chosen], whose, copies)
            unique = people == 1
            new = unique.copy()
            for part in combinations(chosen, size - 1):
                if part:
                    new &= ~before[part]
            unique_on[chosen] = unique
            scores[new] += points
            score = points * int(copies[new].sum())
            for x in chosen:
                contributed[names[x]] += score
                np.add.at(by_value[x], codes[x][new], points * copies[new])
            counted_sets.append(
                Combination(
                    tuple(names[x] for x in chosen),
                    int(people.min()) if len(people) else 0,
                    int(copies[unique].sum()),
                    int(copies[new].sum()),
                )
            )
        before = unique_on
    per_record = scores[row_of]
    total = float(per_record.sum())
    shares = {name: score / total if total else 0.0 for name, score in contributed.items()}
    # Of a counted table scores are per row: one that stands for several records has none.
    records = int(copies.sum())
    values = [
        ValueContribution(column.name, column.values[code], int(column.counts[code]), part / total)
        for column, parts in zip(columns, by_value, strict=True)
        for code, part in enumerate(parts.tolist())
        if part
    ]
    values.sort(key=lambda contribution: -contribution.share / contribution.records)
    return MinimalUniques(
        tuple(names), most, records, tuple(counted_sets), per_record, shares, tuple(values)
    )


def overlooked(columns: Sequence[Column], person: Column | None = None) -> list[Combination]:
    """Return columns, or pairs of them, that are published as they are and still single many out.

    Many are as many as make one column conspicuous (`table.singling_out`); a pair counts when
    neither of its columns does. Whoever knows them needs no quasi-identifier.
    """
    columns = columns[:_MOST_COLUMNS_IN_PAIRS]
    if not columns or len(columns[0].codes) < MANY:
        return []
    least_unique = SHARE * len(columns[0].codes)
    return minimal_uniques(columns, 2, person).smallest_sets(
        lambda combination: combination.unique >= least_unique
    )


def task_columns(task: Task) -> tuple[list[Column], list[Column]]:
    """Return the columns of a task that an outsider may know, and those published as they are."""
    unchanged_columns = [
        task.table.column(name, Kind.CATEGORICAL)
        for name in task.published_as_they_are
        if task.roles.get(name) is Role.OTHER
    ]
    return [attribute.column for attribute in task.quasi], unchanged_columns


def largest_size(attributes: int) -> int:
    """Return the largest size for which all sets of `attributes` attributes are counted."""
    size = 1
    while size < attributes and (
        sum(comb(attributes, subset_size) for subset_size in range(1, size + 2)) <= MOST_SETS
    ):
        size += 1
    return size


def _points(attributes: int, size: int, most: int) -> float:
    """Return the score of a minimal sample unique of this size."""
    return float(
        prod(attributes - larger_size for larger_size in range(size, min(most, attributes - 1) + 1))
    )
