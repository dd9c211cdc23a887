"""The verifier: counts the classes of a published table again, from its printed cells alone.

It shares no code with the algorithms or the recoder, so that a mistake in either cannot hide here.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from kanon_tui.core.errors import NotReachedError

__all__ = ["smallest_class", "verify"]


def smallest_class(published: pl.DataFrame, quasi: Sequence[str]) -> int:
    """Number of records in the smallest class; 0 for an empty table."""
    if published.height == 0:
        return 0
    sizes = published.group_by(list(quasi)).len(name="\0size")["\0size"]
    smallest = sizes.min()
    assert isinstance(smallest, int)
    return smallest


def verify(
    published: pl.DataFrame, quasi: Sequence[str], identifiers: Sequence[str], k: int
) -> int:
    """Prove that a release may be shown: no identifiers, every class has k records or more.

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
    return reached
