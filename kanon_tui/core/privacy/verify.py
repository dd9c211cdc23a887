"""The verifier: counts the classes of a published table again, from its printed cells alone.

It shares no code with the algorithms or the recoder, so that a mistake in either cannot hide here.
What is required beyond k is computed again as well, by the definitions and without short cuts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.numeric import Floats
from kanon_tui.core.privacy.requirements import Bound, Model
from kanon_tui.core.text import plural

__all__ = ["smallest_class", "verify"]


_ROUNDING = 1e-9
_CELLS_AT_A_TIME = 5_000_000  # of a table of classes × values


def smallest_class(published: pl.DataFrame, quasi: Sequence[str]) -> int:
    """Number of records in the smallest class; 0 for an empty table."""
    if published.height == 0:
        return 0
    sizes = published.group_by(list(quasi)).len(name="\0size")["\0size"]
    smallest = sizes.min()
    assert isinstance(smallest, int)
    return smallest


def verify(
    published: pl.DataFrame,
    quasi: Sequence[str],
    identifiers: Sequence[str],
    k: int,
    requirements: Sequence[Bound] = (),
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
    for requirement in requirements:
        missing = classes_without(published, quasi, requirement)
        if missing:
            raise NotReachedError(
                f"the release does not verify: {missing:,} of its classes "
                f"{plural(missing, 'is', 'are')} with {requirement.lack}; nothing was written"
            )
    return reached


def classes_without(published: pl.DataFrame, quasi: Sequence[str], requirement: Bound) -> int:
    """How many classes do not have what is required of a sensitive attribute."""
    column, model = requirement.column, requirement.model
    missing = len(column.values) - 1 if column.missing is None else column.missing
    rank = published[column.name].replace_strict(
        list(column.values), range(len(column.values)), default=missing, return_dtype=pl.Int64
    )
    classes = published.select(
        pl.struct(quasi).rank("dense").cast(pl.Int64).alias("class") - 1, rank.alias("rank")
    )
    held = classes.group_by("class", "rank").len("records").sort("class", "rank")
    share = pl.col("records") / pl.col("records").sum()
    if model is Model.T:
        figures = _distances(held, requirement)
    else:
        figure = {
            Model.L_DISTINCT: pl.len(),
            Model.P: pl.len(),
            Model.L_ENTROPY: (-(share * share.log()).sum()).exp(),
            Model.ALPHA: share.filter(_is_bounded(requirement)).max().fill_null(0.0),
        }[model]
        figures = held.group_by("class").agg(figure.alias("figure"))["figure"].to_numpy()
    if model.at_least:
        return int((figures < requirement.bound - _ROUNDING * requirement.bound).sum())
    return int((figures > requirement.bound + _ROUNDING).sum())


def _is_bounded(requirement: Bound) -> pl.Expr:
    if requirement.among is None:
        return pl.lit(value=True)
    return pl.col("rank").is_in(np.flatnonzero(requirement.among).tolist())


def _distances(held: pl.DataFrame, requirement: Bound) -> Floats:
    """Distance of every class from the whole table, on full rows of shares."""
    counts = requirement.column.counts
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
        if requirement.column.kind.ordered:
            found = np.abs(np.cumsum(apart, axis=1)).sum(axis=1) / max(values - 1, 1)
        else:
            found = np.abs(apart).sum(axis=1) / 2
        distances[first : first + len(found)] = found
    return distances
