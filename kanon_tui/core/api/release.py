"""A release as `kn.anonymize` returns it."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import polars as pl

from kanon_tui.core.analysis.applying.mapping_file import mapping_text
from kanon_tui.core.analysis.why.explainer import explainer
from kanon_tui.core.analysis.why.reasons import Explanation, Reasons
from kanon_tui.core.errors import InputError, check_known
from kanon_tui.core.pipeline.run import Result

if TYPE_CHECKING:
    import pandas as pd

_NUMBER = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?$"
"""A number without leading zeros: an identifier such as 01234 stays a text."""


@dataclass(frozen=True, eq=False, repr=False)
class Release(Result):
    """A verified release in memory, with its figures, reasons and mapping.

    Examples
    --------
    >>> import kanon_tui as kn, polars as pl
    >>> people = pl.DataFrame({"age": [21, 22, 38, 39], "pay": [10, 20, 30, 40]})
    >>> release = kn.anonymize(people, quasi=["age"], sensitive="pay", k=2, algorithm="mondrian")
    >>> release.table["pay"].to_list()
    [10, 20, 30, 40]
    >>> release.report["smallest_class"]
    2
    """

    texts_of_input: frozenset[str] = frozenset()
    """Columns of an input frame that hold no numbers; they stay texts."""

    @classmethod
    def from_result(cls, result: Result, texts_of_input: frozenset[str] = frozenset()) -> Release:
        """Return the result of a run in memory as a release."""
        known = {each.name: getattr(result, each.name) for each in fields(Result)}
        return cls(**known, texts_of_input=texts_of_input)

    @cached_property
    def table(self) -> pl.DataFrame:
        """The published table; columns in which every cell is a number are numbers."""
        tokens = list(self.task.table.missing_tokens)
        texts = super().table
        return texts.with_columns(
            _as_numbers(texts[name], tokens)
            for name in texts.columns
            if name not in self.texts_of_input
        )

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return `table` as an Arrow stream, which data frames, DuckDB and `kn` functions read."""
        return self.table.__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> pd.DataFrame:
        """Return the published table as a pandas frame."""
        import pandas as pd

        return pd.DataFrame({each.name: each.to_numpy() for each in self.table.iter_columns()})

    @property
    def ncp(self) -> float:
        """The share of detail that was lost: 0 nothing, 1 everything."""
        return self.measures.ncp

    @property
    def rv(self) -> float:
        """The research value that is left; 1 is the most."""
        return self.measures.rv

    @cached_property
    def mapping(self) -> dict[str, Any]:
        """The recoding of the release, which `kn.apply` takes for new records."""
        mapping: dict[str, Any] = json.loads(mapping_text(self))
        return mapping

    @cached_property
    def _reasons(self) -> Reasons:
        return explainer(self)

    def why(self, row: int, name: str) -> Explanation:
        """Return why a cell is published as it is.

        Parameters
        ----------
        row : int
            The row of `table`, from 0.
        name : str
            A quasi-identifier.

        Returns
        -------
        Explanation
            Its `question`, the reason (`because`), `facts`, `changes` that would keep more
            detail, and `rules`.

        Raises
        ------
        InputError
            If there is no such row, or the column is no quasi-identifier.
        """
        names = [attribute.name for attribute in self.task.quasi]
        check_known(name, names, f"{name} is no quasi-identifier")
        order = self.release.order
        if not 0 <= row < len(order):
            raise InputError(f"the release has no row {row}; its rows are 0 to {len(order) - 1}")
        return self._reasons.of_record(int(order[row]), names.index(name))


def _as_numbers(texts: pl.Series, missing: list[str]) -> pl.Series:
    """Return a column as whole or decimal numbers where every cell is one; else as it is."""
    present = texts.set(texts.is_in(missing), None)
    if present.null_count() == len(present) or not present.drop_nulls().str.contains(_NUMBER).all():
        return texts
    try:
        return present.cast(
            pl.Float64 if present.str.contains(".", literal=True).any() else pl.Int64
        )
    except pl.exceptions.InvalidOperationError:  # a number with too many digits
        return texts
