"""The verifier: counts the classes of a published table again, from its printed cells alone.

It shares no code with the algorithms, the recoder or the privacy models: a mistake in one of them
cannot hide here. What is required beyond k comes as a `Claim`, which is plain data, and is computed
again by the definitions, written a second time and without short cuts. This module stands alone on
purpose: do not let it import a model, and do not let a model import a formula from here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np
import polars as pl

from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.numeric import Floats
from kanon_tui.core.text import plural

__all__ = ["Claim", "classes_without", "smallest_class", "verify"]


_ROUNDING = 1e-9
_CELLS_AT_A_TIME = 5_000_000  # of a table of classes × values


@dataclass(frozen=True)
class Claim:
    """What every class of a release is said to have of one sensitive column, as plain data."""

    model: str
    """By its name in reports: `l_distinct`."""
    bound: float
    only_values: tuple[str, ...]
    """α: the values whose share is bounded; none: all."""
    lack: str
    """What a class shows that has it not, after 'with'."""
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


def smallest_class(
    published: pl.DataFrame, quasi: Sequence[str], copies: pl.Series | None = None
) -> int:
    """Number of records in the smallest class; 0 for an empty table.

    With `copies` a row stands for so many equal records.
    """
    if published.height == 0:
        return 0
    cells = _cells(published, quasi)
    names = cells.columns
    counted = cells.with_columns(_copies(published, copies))
    smallest = counted.group_by(names).agg(pl.col("records").sum())["records"].min()
    assert isinstance(smallest, int)
    return smallest


def _copies(published: pl.DataFrame, copies: pl.Series | None) -> pl.Series:
    if copies is None:
        return pl.repeat(1, published.height, dtype=pl.Int64, eager=True).alias("records")
    if copies.len() != published.height:
        raise NotReachedError(
            f"the release has {published.height:,} rows and {copies.len():,} counts of them; "
            f"nothing was written"
        )
    return copies.cast(pl.Int64).alias("records")


def _cells(published: pl.DataFrame, quasi: Sequence[str]) -> pl.DataFrame:
    """The quasi-identifiers under names of our own: a name like `^.*$` would be a pattern."""
    return pl.DataFrame([published[name].alias(str(place)) for place, name in enumerate(quasi)])


def verify(
    published: pl.DataFrame,
    quasi: Sequence[str],
    identifiers: Sequence[str],
    k: int,
    claims: Sequence[Claim] = (),
    personal_k: Sequence[float] | None = None,
    copies: pl.Series | None = None,
) -> int:
    """Prove that a release may be shown: no identifiers, every class has all that is asked of it.

    `personal_k` has, row by row, what its person asks for, nan where nothing. With `copies` a row
    stands for so many equal records. Returns the k that is reached.
    """
    leaked = [name for name in identifiers if name in published.columns]
    if leaked:
        raise NotReachedError(
            f"the release would publish the identifier '{leaked[0]}'; nothing was written"
        )
    if published.height == 0:
        raise NotReachedError(
            "the release would be empty because every record is suppressed; "
            "lower k, allow more general levels or leave out a quasi-identifier"
        )
    reached = smallest_class(published, quasi, copies)
    if reached < k:
        raise NotReachedError(
            f"the release does not verify: its smallest class has {reached} records, k is {k}; "
            f"nothing was written"
        )
    if personal_k is not None:
        short = _classes_below_personal_k(published, quasi, personal_k, copies)
        if short:
            raise NotReachedError(
                f"the release does not verify: {short:,} of its classes "
                f"{plural(short, 'has', 'have')} fewer records than somebody in "
                f"{plural(short, 'it', 'them')} asks for; nothing was written"
            )
    for claim in claims:
        missing = classes_without(published, quasi, claim, copies)
        if missing:
            raise NotReachedError(
                f"the release does not verify: {missing:,} of its classes "
                f"{plural(missing, 'is', 'are')} with {claim.lack}; nothing was written"
            )
    return reached


def _classes_below_personal_k(
    published: pl.DataFrame,
    quasi: Sequence[str],
    asked: Sequence[float],
    copies: pl.Series | None,
) -> int:
    if len(asked) != published.height:
        raise NotReachedError(
            f"the release has {published.height:,} records and {len(asked):,} wishes for a k; "
            f"nothing was written"
        )
    cells = _cells(published, quasi)
    wishes = pl.Series("asked", asked, dtype=pl.Float64).fill_nan(0.0)
    wished = cells.with_columns(wishes, _copies(published, copies))
    classes = wished.group_by(cells.columns).agg(
        pl.col("records").sum(), pl.col("asked").max().alias("largest")
    )
    return classes.filter(pl.col("records") < pl.col("largest")).height


def classes_without(
    published: pl.DataFrame,
    quasi: Sequence[str],
    claim: Claim,
    copies: pl.Series | None = None,
) -> int:
    """How many classes do not have what is claimed of a sensitive attribute."""
    ranks = _ranks(claim)
    texts = published[claim.attribute]
    unknown = texts.filter(~texts.is_in([*ranks]))
    if unknown.len():
        raise NotReachedError(
            f"the release has {unknown.n_unique():,} values of {claim.attribute} that the input "
            f"does not have; nothing was written"
        )
    rank = texts.replace_strict(list(ranks), list(ranks.values()), return_dtype=pl.Int64)
    classes = _cells(published, quasi).select(
        pl.struct(pl.all()).rank("dense").cast(pl.Int64).alias("class") - 1,
        rank.alias("rank"),
        _copies(published, copies),
    )
    held = classes.group_by("class", "rank").agg(pl.col("records").sum()).sort("class", "rank")
    if claim.model not in FIGURES:
        raise NotReachedError(
            f"the verifier does not know the model {claim.model}; nothing was written"
        )
    figures = FIGURES[claim.model](held, claim)
    if claim.model in AT_LEAST:
        return int((figures < claim.bound - _ROUNDING * claim.bound).sum())
    return int((figures > claim.bound + _ROUNDING).sum())


# -- which texts are the same value

_MISSING = -1
"""The rank of missing values."""
_HIDDEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)


def _ranks(claim: Claim) -> dict[str, int]:
    """The rank of every text's value, by its order where there is one; `_MISSING` where missing."""
    ranks = dict.fromkeys(claim.missing_tokens, _MISSING)
    present = [text for text in claim.values if text not in ranks]
    if claim.spellings_differ:
        return ranks | {text: rank for rank, text in enumerate(present)}
    if claim.numbers is not None:
        said: list[Any] = [
            n for t, n in zip(claim.values, claim.numbers, strict=True) if t not in ranks
        ]
    else:
        said = [_said(text) for text in present]
    nothing = {_said(token) for token in claim.missing_tokens} if claim.numbers is None else set()
    order = {
        value: rank for rank, value in enumerate(dict.fromkeys(v for v in said if v not in nothing))
    }
    return ranks | {t: order.get(v, _MISSING) for t, v in zip(present, said, strict=True)}


def _said(text: str) -> Decimal | str:
    """What a reader takes from a text: capitals, spaces and hidden characters do not matter."""
    shown = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    shown = "".join("-" if c == "\u2212" else c for c in shown if unicodedata.category(c) != "Cf")
    words = re.split(r"\s+", _HIDDEN.sub("", shown).strip())
    shown = " ".join(words)
    if set(shown) <= set("0123456789.e+-"):
        with suppress(InvalidOperation):
            return Decimal(shown)
    return shown


# -- figures by their definitions


def _distinct(held: pl.DataFrame, claim: Claim) -> Floats:
    return _of_present(held, pl.len(), otherwise=1.0)


def _entropy(held: pl.DataFrame, claim: Claim) -> Floats:
    return _of_present(held, (-(_SHARE * _SHARE.log()).sum()).exp(), otherwise=1.0)


def _highest_share(held: pl.DataFrame, claim: Claim) -> Floats:
    bounded = pl.lit(value=True)
    if claim.only_values:
        ranks = _ranks(claim)
        bounded = pl.col("rank").is_in([ranks[value] for value in claim.only_values])
    return _of_present(held, _SHARE.filter(bounded).max().fill_null(0.0), otherwise=0.0)


_SHARE = pl.col("records") / pl.col("records").sum()


def _of_present(held: pl.DataFrame, figure: pl.Expr, otherwise: float) -> Floats:
    """A figure of every class over the records that have a value."""
    there = held.filter(pl.col("rank") != _MISSING)
    figures = there.group_by("class").agg(figure.cast(pl.Float64).alias("figure"))
    every = held.select(pl.col("class").unique()).join(figures, on="class", how="left")
    return every["figure"].fill_null(otherwise).to_numpy()


def _distance(held: pl.DataFrame, claim: Claim) -> Floats:
    """The larger of the distances with missing as a value of its own and without missing."""
    ranks = _ranks(claim)
    records: dict[int, int] = {}
    for text, count in zip(claim.values, claim.counts, strict=True):
        records[ranks[text]] = records.get(ranks[text], 0) + count
    last = records.pop(_MISSING, None)
    counts = [records[rank] for rank in sorted(records)]
    count = held["class"].n_unique()
    present = held.filter(pl.col("rank") != _MISSING)
    found = _distances(present, counts, count, claim) if counts else np.zeros(count)
    if last is None:
        return found
    with_missing = held.with_columns(pl.col("rank").replace(_MISSING, len(counts)))
    return np.maximum(found, _distances(with_missing, [*counts, last], count, claim))


def _distances(held: pl.DataFrame, counted: Sequence[int], count: int, claim: Claim) -> Floats:
    """Distance of every class from the whole table, on full rows of shares; 0 without records."""
    counts = np.array(counted)
    whole = counts / counts.sum()
    values = len(whole)
    classes, ranks = held["class"].to_numpy(), held["rank"].to_numpy()
    records = held["records"].to_numpy()
    at_a_time = max(1, _CELLS_AT_A_TIME // values)
    distances = np.empty(count)
    for first in range(0, count, at_a_time):
        here = (classes >= first) & (classes < first + at_a_time)
        shares = np.zeros((min(at_a_time, count - first), values))
        shares[classes[here] - first, ranks[here]] = records[here]
        sizes = shares.sum(axis=1, keepdims=True)
        apart = shares / np.maximum(sizes, 1) - whole
        if claim.numbers is not None:
            found = np.abs(np.cumsum(apart, axis=1)).sum(axis=1) / max(values - 1, 1)
        else:
            found = np.abs(apart).sum(axis=1) / 2
        distances[first : first + len(found)] = np.where(sizes[:, 0] > 0, found, 0.0)
    return distances


FIGURES: dict[str, Callable[[pl.DataFrame, Claim], Floats]] = {
    "l_distinct": _distinct,
    "l_entropy": _entropy,
    "t": _distance,
    "p": _distinct,
    "alpha": _highest_share,
}
"""Per model the figure of every class, by the records of every (class, rank of a value)."""
AT_LEAST = {"l_distinct", "l_entropy", "p"}
"""The models whose bound is the least that is allowed, not the most."""
