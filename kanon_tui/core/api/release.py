"""A release as `kn.anonymize` returns it."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from kanon_tui.core.analysis.applying.mapping_file import mapping_text
from kanon_tui.core.analysis.why.explainer import explainer
from kanon_tui.core.analysis.why.reasons import Explanation, Reasons
from kanon_tui.core.api.frames import InputFrame, as_pandas
from kanon_tui.core.api.tables import as_numbers
from kanon_tui.core.errors import InputError, check_known
from kanon_tui.core.numeric import Int64s
from kanon_tui.core.optional import require
from kanon_tui.core.pipeline.run import Result
from kanon_tui.core.report.kept_and_lost import release_shares

if TYPE_CHECKING:
    import pandas as pd


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

    input: InputFrame | None = None
    """The frame that was given in Python; None for a file."""

    @classmethod
    def from_result(cls, result: Result, frame: InputFrame | None = None) -> Release:
        """Return the result of a run in memory as a release."""
        values = {field.name: getattr(result, field.name) for field in fields(Result)}
        return cls(**values, input=frame)

    @cached_property
    def _input_rows(self) -> Int64s:
        """Per row of `table` the row of the input, from 0."""
        order = self.release.order
        kept = self.task.table.kept
        return order if kept is None else kept[order]

    @cached_property
    def table(self) -> pl.DataFrame:
        """The published table.

        Columns of a frame that are published as they were keep their type; in others, columns in
        which every cell is a number are numbers.
        """
        return pl.DataFrame([self._typed(texts) for texts in super().table.iter_columns()])

    def _typed(self, texts: pl.Series) -> pl.Series:
        """Return a published column with the type of the input where its cells are those of it."""
        if self.input is not None and texts.name in self.input.cells.columns:
            unchanged = self.input.unchanged(texts, self._input_rows)
            if unchanged is not None:
                return unchanged
            if not self.input.has_numbers(texts.name):
                return texts
        return as_numbers(texts, self.task.table.missing_tokens)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return `table` as an Arrow stream, which data frames, DuckDB and `kn` functions read."""
        return self.table.__arrow_c_stream__(requested_schema)

    def to_pandas(self, index: Literal["class", "input"] = "class") -> pd.DataFrame:
        """Return the published table as a pandas frame.

        Columns that are published as they were keep their type. Rows stand in the order of
        publication, which tells nothing of where a record stood, so that a column of the result
        cannot be put beside the input: pandas refuses an index with repeated labels.

        Parameters
        ----------
        index : {"class", "input"}
            The index: the number of the class that a row belongs to, or, for your own eyes, the
            labels of the input's rows in the input's order. Do not publish those.

        Returns
        -------
        pandas.DataFrame
            The table.

        Examples
        --------
        >>> import kanon_tui as kn, pandas as pd
        >>> people = pd.DataFrame({"age": [38, 21, 22, 39]}, index=["a", "b", "c", "d"])
        >>> release = kn.anonymize(people, {"age": [10]}, k=2)
        >>> people["published"] = release.to_pandas(index="input")["age"]
        >>> people.loc["b", "published"]
        '20-29'
        """
        import pandas as pd

        check_known(index, ("class", "input"), f"index is {index!r}")
        columns = self.table.iter_columns()
        frame = pd.DataFrame({column.name: self._in_pandas(column) for column in columns})
        if index == "class":
            frame.index = pd.Index(self.release.classes[self.release.order], name="class")
            return frame
        if self.input is None:
            raise InputError(
                "index: only a release of a frame has the labels of its rows; read the file into a "
                "frame and give that"
            )
        frame.index = self.input.index_of(self._input_rows)
        return frame.iloc[np.argsort(self._input_rows, kind="stable")]

    def _in_pandas(self, column: pl.Series) -> Any:
        """Return a published column as pandas has it, of an unchanged one the cells themselves."""
        texts = super().table[column.name]
        if self.input is not None and self.input.unchanged(texts, self._input_rows) is not None:
            cells = self.input.pandas_column(column.name, self._input_rows)
            if cells is not None:
                return cells.array
        return as_pandas(column)

    def plot(self) -> Any:
        """Return the detail lost and the research value kept per attribute, as an Altair chart.

        Altair is in the extra `plots`.
        """
        altair = require("altair", "a chart")
        bars = []
        for name, shares in release_shares(self).attributes.items():
            for measure, share in (("NCP lost", shares.lost), ("RV kept", shares.kept)):
                bars.append({"attribute": name, "measure": measure, "share": share})
        chart = altair.Chart(pl.DataFrame(bars)).mark_bar()
        return chart.encode(
            x=altair.X("share:Q", scale=altair.Scale(domain=[0, 1])),
            y=altair.Y("measure:N", title=None),
            row=altair.Row("attribute:N", title=None),
            color=altair.Color("measure:N", legend=None),
        )

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
