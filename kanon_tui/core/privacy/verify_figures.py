"""The formulas of the verifier: claims, and every figure by its definition.

Like `verify`, of which it is a part, it imports no model and lends no formula to one.

The second half counts people instead of records: every value of a person counts once. A release has
no column that says whose a row is, so `People` holds the person of every row, together with the
original that people are counted against.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.numeric import Floats

_ROUNDING = 1e-9
_CELLS_AT_A_TIME = 5_000_000  # of a table of classes × values


@dataclass(frozen=True)
class Claim:
    """A claimed property of every class in one sensitive column, as plain data."""

    model: str
    """By its name in reports: `l_distinct`."""
    bound: float
    only_values: tuple[str, ...]
    """α: the values whose share is bounded; none: all."""
    fault: str
    """The fault of a class that violates the claim, as a clause after 'with'."""
    attribute: str
    values: tuple[str, ...]
    """All texts of the column, sorted by what they mean; every missing token is one text."""
    counts: tuple[int, ...]
    """How many records of the whole input table have each text."""
    numbers: tuple[float, ...] | None
    """Numbers and dates: what each text stands for; None where values have no order."""
    missing_tokens: tuple[str, ...]
    """The texts that mean missing."""
    spellings_differ: bool
    """Whether two spellings of a value are two values."""
    l: int = 2  # noqa: E741 - the letter of the definition
    """Recursive (c, l)-diversity: where the rare values begin."""
    proof: Callable[..., Floats] | None = None
    """Of a model of another package: the formula that it brings; ours are in `FIGURES`."""
    at_least: bool = False
    """Whether the bound of a model of another package is the least that is allowed."""
    strict: bool = False
    """Whether the bound of a model of another package is itself too much."""
    ground: tuple[tuple[int, ...], ...] = ()
    """By hierarchy: per level between the values and the root the label of every text."""


# -- which texts are the same value

MISSING = -1
"""The rank of missing values."""
_HIDDEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)


def ranks_of(claim: Claim) -> dict[str, int]:
    """Return the rank of every text's value, by its order where there is one.

    `MISSING` where missing.
    """
    ranks = dict.fromkeys(claim.missing_tokens, MISSING)
    present = [text for text in claim.values if text not in ranks]
    if claim.spellings_differ:
        return ranks | {text: rank for rank, text in enumerate(present)}
    if claim.numbers is not None:
        readings: list[Any] = [
            n for t, n in zip(claim.values, claim.numbers, strict=True) if t not in ranks
        ]
    else:
        readings = [as_read(text) for text in present]
    nothing = {as_read(token) for token in claim.missing_tokens} if claim.numbers is None else set()
    distinct = dict.fromkeys(value for value in readings if value not in nothing)
    order = {value: rank for rank, value in enumerate(distinct)}
    return ranks | {t: order.get(v, MISSING) for t, v in zip(present, readings, strict=True)}


def as_read(text: str) -> Decimal | str:
    """Return the value that a reader sees in a text, without capitals and hidden characters."""
    shown = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    shown = "".join("-" if c == "\u2212" else c for c in shown if unicodedata.category(c) != "Cf")
    words = re.split(r"\s+", _HIDDEN.sub("", shown).strip())
    shown = " ".join(words)
    if set(shown) <= set("0123456789.e+-"):
        with suppress(InvalidOperation):
            return Decimal(shown)
    return shown


# -- figures by their definitions


def _distinct(values_held: pl.DataFrame, claim: Claim) -> Floats:
    return _of_present(values_held, pl.len(), otherwise=1.0)


def _entropy(values_held: pl.DataFrame, claim: Claim) -> Floats:
    return _of_present(values_held, (-(_SHARE * _SHARE.log()).sum()).exp(), otherwise=1.0)


def _highest_share(values_held: pl.DataFrame, claim: Claim) -> Floats:
    bounded = pl.lit(value=True)
    if claim.only_values:
        ranks = ranks_of(claim)
        bounded = pl.col("rank").is_in([ranks[value] for value in claim.only_values])
    return _of_present(values_held, _SHARE.filter(bounded).max().fill_null(0.0), otherwise=0.0)


_SHARE = pl.col("records") / pl.col("records").sum()


def _of_present(values_held: pl.DataFrame, figure: pl.Expr, otherwise: float) -> Floats:
    """Return a figure of every class over the records that have a value."""
    present = values_held.filter(pl.col("rank") != MISSING)
    figures = present.group_by("class").agg(figure.cast(pl.Float64).alias("figure"))
    every = values_held.select(pl.col("class").unique()).join(figures, on="class", how="left")
    return every["figure"].fill_null(otherwise).to_numpy()


def _distance(p: Floats, q: Floats, shown: Sequence[int], claim: Claim) -> Floats:
    """Return Σ|P − Q| / (m − 1) of numbers and dates, ½ Σ|p − q| of other values."""
    if claim.numbers is None:
        return np.asarray(np.abs(p - q).sum(axis=1) / 2)
    return np.asarray(np.abs(np.cumsum(p - q, axis=1)).sum(axis=1) / max(len(q) - 1, 1))


def _recursive(values_held: pl.DataFrame, claim: Claim) -> Floats:
    """Return r₁ / (r_l + … + rₘ) by sorting every class; c must be above it."""
    falling = pl.col("records").sort(descending=True)
    return _of_present(values_held, falling.first() / falling.slice(claim.l - 1).sum(), np.inf)


def _gain(p: Floats, q: Floats, shown: Sequence[int], claim: Claim) -> Floats:
    return np.asarray(np.nanmax(_relative(p, q), axis=1))


def _capped_gain(p: Floats, q: Floats, shown: Sequence[int], claim: Claim) -> Floats:
    """Return the largest gain of every class, infinite where a gain is above −ln q."""
    gains = _relative(p, q)
    with np.errstate(divide="ignore"):
        gains[gains > -np.log(q) + _ROUNDING] = np.inf
    return np.asarray(np.nanmax(gains, axis=1))


def _relative(p: Floats, q: Floats) -> Floats:
    """Return the relative gain of every value, 0 where it loses.

    Nan for values that do not occur.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(q > 0, np.maximum((p - q) / q, 0.0), np.nan)


def _log_ratio(p: Floats, q: Floats, shown: Sequence[int], claim: Claim) -> Floats:
    """Return max |ln(p / q)| over all values of the table, among the records that have one."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.nanmax(np.where(q > 0, np.abs(np.log(p / q)), np.nan), axis=1))


def _tree_distance(p: Floats, q: Floats, shown: Sequence[int], claim: Claim) -> Floats:
    """Return Li et al.'s Σ over labels of level / H · min(surplus, want) among their children."""
    ranks = ranks_of(claim)
    above = {
        rank: tuple(labels[place] for labels in claim.ground)
        for place, rank in reversed([(i, ranks[text]) for i, text in enumerate(claim.values)])
    }
    height = len(claim.ground) + 1
    paths = {rank: (("value", rank), *enumerate(above[rank]), ("root", 0)) for rank in shown}
    total = np.zeros(len(p))
    nodes = {paths[rank][0]: p[:, x] - q[x] for x, rank in enumerate(shown)}
    for level in range(1, height + 1):
        parents: dict[Any, dict[Any, Floats]] = {}
        for path in paths.values():
            parents.setdefault(path[level], {})[path[level - 1]] = nodes[path[level - 1]]
        nodes = {}
        for parent, below in parents.items():
            extras = np.stack(list(below.values()))
            surplus = np.maximum(extras, 0).sum(axis=0)
            want = np.maximum(-extras, 0).sum(axis=0)
            total += level / height * np.minimum(surplus, want)
            nodes[parent] = extras.sum(axis=0)
    return total


def _on_rows(
    values_held: pl.DataFrame,
    claim: Claim,
    figure: Callable[[Floats, Floats, Sequence[int], Claim], Floats],
    missing_too: bool = True,
) -> Floats:
    """Return a figure of full rows of shares, in a class p of shape (classes, values) and in all q.

    Rows are those of the records with a value and, with `missing_too`, of all with missing as a
    value; the larger figure counts, and 0 for a class in which nobody has a value.
    """
    ranks = ranks_of(claim)
    records: dict[int, float] = {}
    for text, count in zip(claim.values, claim.counts, strict=True):
        records[ranks[text]] = records.get(ranks[text], 0) + count
    classes = values_held["class"].n_unique()
    largest = np.zeros(classes)
    for with_missing in (False, True) if missing_too and MISSING in records else (False,):
        shown = sorted(rank for rank in records if rank != MISSING)
        shown += [MISSING] if with_missing else []  # behind all numbers
        place = {rank: x for x, rank in enumerate(shown)}
        in_table = np.array([records[rank] for rank in shown], dtype=np.float64)
        if not in_table.sum():
            continue
        rows = values_held.filter(pl.col("rank").is_in(shown))
        at_a_time = max(1, _CELLS_AT_A_TIME // len(shown))
        for first in range(0, classes, at_a_time):
            part = rows.filter(pl.col("class").is_between(first, first + at_a_time - 1))
            shares = np.zeros((min(at_a_time, classes - first), len(shown)))
            columns = [place[rank] for rank in part["rank"].to_list()]
            shares[part["class"].to_numpy() - first, columns] = part["records"].to_numpy()
            sizes = shares.sum(axis=1, keepdims=True)
            p = shares / np.where(sizes > 0, sizes, 1)
            part_figures = np.where(
                sizes[:, 0] > 0, figure(p, in_table / in_table.sum(), shown, claim), 0.0
            )
            largest[first : first + len(part_figures)] = np.maximum(
                largest[first : first + len(part_figures)], part_figures
            )
    return largest


FIGURES: dict[str, Callable[[pl.DataFrame, Claim], Floats]] = {
    "l_distinct": _distinct,
    "l_entropy": _entropy,
    "t": partial(_on_rows, figure=_distance),
    "p": _distinct,
    "alpha": _highest_share,
    "l_recursive": _recursive,
    "t_hierarchy": partial(_on_rows, figure=_tree_distance),
    "beta": partial(_on_rows, figure=_gain),
    "beta_enhanced": partial(_on_rows, figure=_capped_gain),
    "delta": partial(_on_rows, figure=_log_ratio, missing_too=False),
}
"""Per model the figure of every class, by the records of every (class, rank of a value)."""


def formula_of(claim: Claim) -> Callable[[pl.DataFrame, Claim], Floats]:
    """Return the formula of a claim: ours, or the one that a plug-in brings."""
    if claim.model in FIGURES:
        return FIGURES[claim.model]
    if claim.proof is None:
        raise NotReachedError(
            f"the verifier does not know the model {claim.model}; nothing was written"
        )
    return claim.proof


AT_LEAST = {"l_distinct", "l_entropy", "p"}
"""The models whose bound is the least that is allowed, not the most."""
BELOW = {"l_recursive", "delta"}
"""The models whose bound itself is too much."""


@dataclass(frozen=True)
class People:
    """The person of every row of a release and of every record of the original."""

    of_rows: Sequence[str]
    """The person of every row of the release, as the original names them."""
    of_table: Sequence[str]
    """The person of every record of the original."""
    original: Mapping[str, Sequence[str]]
    """The sensitive columns of the original."""

    def rows(self, height: int) -> pl.Series:
        """Return a number for the person of every row; refuse a release without `height` rows."""
        if len(self.of_rows) != height:
            raise NotReachedError(
                f"the release has {height:,} records and {len(self.of_rows):,} people beside them; "
                f"nothing was written"
            )
        return _numbered(self.of_rows)


def _numbered(people: Sequence[str]) -> pl.Series:
    """Return a number per person; spellings of one person get one number."""
    distinct = {text: as_read(text) for text in dict.fromkeys(people)}
    numbers = {person: number for number, person in enumerate(dict.fromkeys(distinct.values()))}
    return pl.Series("person", [numbers[distinct[text]] for text in people], dtype=pl.Int64)


def people_figures(classes: pl.DataFrame, claim: Claim, people: People) -> Floats:
    """Return the figure of every class by rows of (class, rank of a value, person)."""
    values_held = _once(classes)
    if claim.model in ("l_distinct", "p"):
        return _matched(values_held)
    if claim.model == "alpha":
        return _having(values_held, claim)
    ranks = ranks_of(claim)
    table = pl.DataFrame(
        {
            "class": 0,
            "rank": pl.Series([ranks[text] for text in people.original[claim.attribute]]),
            "person": _numbered(people.of_table),
        }
    )
    in_table = dict(_shared(_once(table)).select("rank", "records").iter_rows())
    counts = [in_table.pop(ranks[text], 0.0) for text in claim.values]  # of spellings, the first
    return formula_of(claim)(_shared(values_held), replace(claim, counts=tuple(counts)))


def _once(classes: pl.DataFrame) -> pl.DataFrame:
    """Return each person's values once; missing only for a person who has no other value."""
    has_value = (pl.col("rank") != MISSING).any().over("class", "person")
    return classes.unique().filter((pl.col("rank") != MISSING) | ~has_value)


def _shared(values_held: pl.DataFrame) -> pl.DataFrame:
    """Return each person counted once, divided evenly among her values."""
    part = 1 / pl.len().over("class", "person").cast(pl.Float64)
    parts = values_held.with_columns(part=part).group_by("class", "rank")
    return parts.agg(records=pl.col("part").sum())


def _having(values_held: pl.DataFrame, claim: Claim) -> Floats:
    """Return per class the highest share of people with one value, among people with any."""
    count = values_held["class"].n_unique()
    present = values_held.filter(pl.col("rank") != MISSING)
    if claim.only_values:
        ranks = ranks_of(claim)
        bounded = present.filter(
            pl.col("rank").is_in([ranks[value] for value in claim.only_values])
        )
    else:
        bounded = present
    people = present.group_by("class").agg(people=pl.col("person").n_unique())
    having = bounded.group_by("class", "rank").agg(having=pl.col("person").n_unique())
    shares = having.join(people, on="class").group_by("class").agg(
        share=(pl.col("having") / pl.col("people")).max()
    )  # fmt: skip
    figures = np.zeros(count)
    figures[shares["class"].to_numpy()] = shares["share"].to_numpy()
    return figures


def _matched(values_held: pl.DataFrame) -> Floats:
    """Return how many values can each be given to a different person who has it; at least 1."""
    figures = np.ones(values_held["class"].n_unique())
    present = values_held.filter(pl.col("rank") != MISSING)
    for (number,), rows in present.partition_by("class", as_dict=True).items():
        holders: dict[int, list[int]] = {}
        for rank, person in rows.select("rank", "person").iter_rows():
            holders.setdefault(rank, []).append(person)
        value_of_person: dict[int, int] = {}
        figures[number] = max(1, sum(_give(rank, holders, value_of_person) for rank in holders))
    return figures


def _give(rank: int, holders: Mapping[int, Sequence[int]], value_of_person: dict[int, int]) -> bool:
    """Find a person for a value, passing on values already given, breadth first.

    Return whether one is found.
    """
    asked_for: dict[int, int] = {}  # a person, and the value that would be given to them
    waiting = [rank]
    for value in waiting:
        for person in holders[value]:
            if person in asked_for:
                continue
            asked_for[person] = value
            if person in value_of_person:
                waiting.append(value_of_person[person])
                continue
            free: int | None = person
            while free is not None:
                passed = asked_for[free]
                before = next((p for p, v in value_of_person.items() if v == passed), None)
                value_of_person[free] = passed
                if before is not None:
                    del value_of_person[before]
                free = before
            return True
    return False
