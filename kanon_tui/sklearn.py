"""A k-anonymous step of a scikit-learn pipeline; imported only when it is asked for.

May import: `core`.
"""

from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
import polars as pl

from kanon_tui.core.analysis.applying.apply import recoded
from kanon_tui.core.analysis.applying.mapping_file import mapping_of
from kanon_tui.core.api.functions import anonymize
from kanon_tui.core.errors import InputError, check_known
from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.optional import require
from kanon_tui.core.table.table import as_frame, as_table

_IN_CLASS = "\0in a class"
"""A column name that no table has."""

_base = require("sklearn.base", "kanon_tui.sklearn")
_Transformer: Any = _base.TransformerMixin
_Estimator: Any = _base.BaseEstimator
_validation = require("sklearn.utils.validation", "kanon_tui.sklearn")


class KAnonymizer(_Transformer, _Estimator):  # type: ignore[misc]
    """Recode all columns so that every row looks like at least k − 1 others.

    `fit` finds the recoding and publishes the rows that it is given; `transform` gives every row
    the cells of its class among those, whatever other rows it comes with. A row that belongs to no
    class of `fit` becomes ``*`` in every cell, or is refused, so that the number and the order of
    the rows stay. The order can identify people: publish files with `kn.anonymize`, not the output
    of a pipeline. Columns that are no quasi-identifiers go past it, for instance in a
    ``ColumnTransformer``.

    Parameters
    ----------
    k : int
        The least number of rows that look alike.
    algorithm : str
        One of `kn.algorithms()`.
    hierarchies : mapping of str to hierarchy, optional
        Hierarchies such as `kn.intervals(5, 10)` or `[5, 10]` by column.
    unseen : {"star", "error"}
        What becomes of a row in `transform` that belongs to no class of `fit`.

    Attributes
    ----------
    release_ : Release
        The verified release of the rows given to `fit`.

    Examples
    --------
    >>> import kanon_tui as kn, polars as pl
    >>> ages = pl.DataFrame({"age": [21, 22, 38, 39]})
    >>> kn.sklearn.KAnonymizer(k=2).fit_transform(ages)["age"].to_list()
    ['[21..22]', '[21..22]', '[38..39]', '[38..39]']
    """

    def __init__(
        self,
        k: int = 5,
        algorithm: str = "mondrian",
        hierarchies: Mapping[str, Any] | None = None,
        unseen: Literal["star", "error"] = "star",
    ) -> None:
        self.k = k
        self.algorithm = algorithm
        self.hierarchies = hierarchies
        self.unseen = unseen

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803 - scikit-learn's name
        """Find the recoding of a table; returns the transformer."""
        check_known(self.unseen, ("star", "error"), f"unseen is {self.unseen!r}")
        frame = self._frame(X, reset=True)
        quasi = {name: (self.hierarchies or {}).get(name) for name in frame.columns}
        self.release_ = anonymize(frame, quasi=quasi, k=self.k, algorithm=self.algorithm)
        return self

    def transform(self, X: Any) -> Any:  # noqa: N803
        """Return the published cells of every row, `*` where a row has no class of `fit`.

        They come as a Polars frame for a Polars frame, else as an array of texts.
        """
        _validation.check_is_fitted(self)
        mapping = mapping_of(self.release_, "the fitted recoding")
        labels, _ = recoded(mapping, as_table(self._frame(X), mapping.missing_tokens))
        cells = pl.DataFrame(labels)
        published = self.release_.written.select(cells.columns).cast(pl.String).unique()
        classes = published.with_columns(pl.lit(True).alias(_IN_CLASS))
        # A published missing cell is a text as well: null is only what nothing covers.
        in_class = cells.join(classes, on=cells.columns, how="left", maintain_order="left")
        belongs_to_class = in_class[_IN_CLASS].fill_null(False)
        if self.unseen == "error" and not belongs_to_class.all():
            rows = (~belongs_to_class).arg_true()
            raise InputError(
                f"{len(rows):,} of {len(belongs_to_class):,} rows belong to no class of those that "
                f"were fitted, the first is row {rows[0]}; leave them out, or set unseen='star'"
            )
        shown = cells.select(pl.when(belongs_to_class).then(pl.all()).otherwise(pl.lit(HIDDEN)))
        return shown if isinstance(X, pl.DataFrame) else shown.to_numpy().astype(object)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return the names of the columns, which stay."""
        _validation.check_is_fitted(self)
        return np.asarray(self._names, dtype=object)

    def __sklearn_tags__(self) -> Any:
        """Say that texts and missing cells are taken."""
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.categorical = tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    @property
    def _names(self) -> list[str]:
        unnamed = [f"x{place}" for place in range(self.n_features_in_)]
        return list(getattr(self, "feature_names_in_", unnamed))

    def _frame(self, table: Any, reset: bool = False) -> pl.DataFrame:
        """Return a table as a frame whose columns have the names of those that were fitted."""
        least = self.k if reset else 1
        if hasattr(table, "columns") and hasattr(table, "shape"):  # pandas or Polars, with types
            _validation.validate_data(self, table, reset=reset, skip_check_array=True)
            if table.shape[0] < least:
                raise InputError(
                    f"found {table.shape[0]} rows where a minimum of {least} is required"
                )
            frame = as_frame(table)
            return frame.rename(dict(zip(frame.columns, self._names, strict=True)))
        settings = {"ensure_all_finite": "allow-nan", "ensure_min_samples": least}
        cells = _validation.validate_data(self, table, reset=reset, dtype=None, **settings)
        columns = (pl.Series([_text(cell) for cell in column.tolist()]) for column in cells.T)
        return pl.DataFrame(dict(zip(self._names, columns, strict=True)))


def _text(cell: Any) -> str:
    """Return a cell as a text, empty where it is missing."""
    return "" if cell is None or cell != cell else str(cell)
