"""The verifier: counts the classes of a published table again, from its printed cells alone.

It shares no code with the algorithms, the recoder or the privacy models: a mistake in one of them
cannot hide here. What is required beyond k comes as a `Claim`, which is plain data, and is computed
again by the definitions, written a second time and without short cuts. This module stands alone on
purpose: do not let it import a model, and do not let a model import a formula from here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

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
    """All values of the column, sorted, missing last."""
    counts: tuple[int, ...]
    """How many records of the whole input table have each value."""
    missing: int | None
    """Which of the values is the missing one."""
    ordered: bool


def smallest_class(published: pl.DataFrame, quasi: Sequence[str]) -> int:
    """Number of records in the smallest class; 0 for an empty table."""
    if published.height == 0:
        return 0
    cells = _cells(published, quasi)
    smallest = cells.group_by(cells.columns).len(name="records")["records"].min()
    assert isinstance(smallest, int)
    return smallest


def _cells(published: pl.DataFrame, quasi: Sequence[str]) -> pl.DataFrame:
    """The quasi-identifiers under names of our own: a name like `^.*$` would be a pattern."""
    return pl.DataFrame([published[name].alias(str(place)) for place, name in enumerate(quasi)])


def verify(
    published: pl.DataFrame,
    quasi: Sequence[str],
    identifiers: Sequence[str],
    k: int,
    claims: Sequence[Claim] = (),
) -> int:
    """Prove that a release may be shown: no identifiers, every class has all that is asked of it.

    Returns the k that is reached.
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
    reached = smallest_class(published, quasi)
    if reached < k:
        raise NotReachedError(
            f"the release does not verify: its smallest class has {reached} records, k is {k}; "
            f"nothing was written"
        )
    for claim in claims:
        missing = classes_without(published, quasi, claim)
        if missing:
            raise NotReachedError(
                f"the release does not verify: {missing:,} of its classes "
                f"{plural(missing, 'is', 'are')} with {claim.lack}; nothing was written"
            )
    return reached


def classes_without(published: pl.DataFrame, quasi: Sequence[str], claim: Claim) -> int:
    """How many classes do not have what is claimed of a sensitive attribute."""
    missing = len(claim.values) - 1 if claim.missing is None else claim.missing
    rank = published[claim.attribute].replace_strict(
        list(claim.values), range(len(claim.values)), default=missing, return_dtype=pl.Int64
    )
    classes = _cells(published, quasi).select(
        pl.struct(pl.all()).rank("dense").cast(pl.Int64).alias("class") - 1, rank.alias("rank")
    )
    held = classes.group_by("class", "rank").len("records").sort("class", "rank")
    if claim.model not in FIGURES:
        raise NotReachedError(
            f"the verifier does not know the model {claim.model}; nothing was written"
        )
    figures = FIGURES[claim.model](held, claim)
    if claim.model in AT_LEAST:
        return int((figures < claim.bound - _ROUNDING * claim.bound).sum())
    return int((figures > claim.bound + _ROUNDING).sum())


def _distinct(held: pl.DataFrame, claim: Claim) -> Floats:
    return _per_class(held, pl.len())


def _entropy(held: pl.DataFrame, claim: Claim) -> Floats:
    return _per_class(held, (-(_SHARE * _SHARE.log()).sum()).exp())


def _highest_share(held: pl.DataFrame, claim: Claim) -> Floats:
    bounded = pl.lit(value=True)
    if claim.only_values:
        bounded = pl.col("rank").is_in([claim.values.index(value) for value in claim.only_values])
    return _per_class(held, _SHARE.filter(bounded).max().fill_null(0.0))


_SHARE = pl.col("records") / pl.col("records").sum()


def _per_class(held: pl.DataFrame, figure: pl.Expr) -> Floats:
    figures = held.group_by("class").agg(figure.alias("figure"))["figure"]
    return figures.cast(pl.Float64).to_numpy()


def _distance(held: pl.DataFrame, claim: Claim) -> Floats:
    """Distance of every class from the whole table, on full rows of shares."""
    counts = np.array(claim.counts)
    whole = counts / counts.sum()
    values = len(whole)
    classes, ranks = held["class"].to_numpy(), held["rank"].to_numpy()
    records = held["records"].to_numpy()
    count = int(classes.max()) + 1
    at_a_time = max(1, _CELLS_AT_A_TIME // values)
    distances = np.empty(count)
    for first in range(0, count, at_a_time):
        here = (classes >= first) & (classes < first + at_a_time)
        shares = np.zeros((min(at_a_time, count - first), values))
        shares[classes[here] - first, ranks[here]] = records[here]
        apart = shares / shares.sum(axis=1, keepdims=True) - whole
        if claim.ordered:
            found = np.abs(np.cumsum(apart, axis=1)).sum(axis=1) / max(values - 1, 1)
        else:
            found = np.abs(apart).sum(axis=1) / 2
        distances[first : first + len(found)] = found
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
