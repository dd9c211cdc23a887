"""A k-anonymous step of a scikit-learn pipeline; imported only when it is asked for.

May import: `core`.
"""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import polars as pl
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from kanon_tui.core.analysis.applying.apply import recoded
from kanon_tui.core.analysis.applying.mapping_file import mapping_of
from kanon_tui.core.api.functions import anonymize
from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.table.table import as_table


class KAnonymizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Recode all columns so that every row looks like at least k − 1 others.

    `fit` finds the recoding, `transform` applies it. Rows that it does not cover, and rows of
    classes below k, become ``*`` in every cell, so that the number and the order of the rows stay.
    The order can identify people: publish files with `kn.anonymize`, not the output of a pipeline.
    Columns that are no quasi-identifiers go past it, for instance in a ``ColumnTransformer``.

    Parameters
    ----------
    k : int
        The least number of rows that look alike.
    algorithm : str
        One of `kn.algorithms()`.
    hierarchies : mapping of str to hierarchy, optional
        Hierarchies such as `kn.intervals(5, 10)` by column.

    Attributes
    ----------
    release_ : Release
        The verified release of the rows given to `fit`.

    Examples
    --------
    >>> import kanon_tui as kn, polars as pl
    >>> ages = pl.DataFrame({"age": [21, 22, 38, 39]})
    >>> kn.sklearn.KAnonymizer(k=2).fit_transform(ages).ravel().tolist()
    ['[21..22]', '[21..22]', '[38..39]', '[38..39]']
    """

    def __init__(
        self, k: int = 5, algorithm: str = "mondrian", hierarchies: Mapping[str, Any] | None = None
    ) -> None:
        self.k = k
        self.algorithm = algorithm
        self.hierarchies = hierarchies

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: N803 - scikit-learn's name
        """Find the recoding of a table; returns the transformer."""
        frame = self._frame(X, reset=True)
        quasi = {name: (self.hierarchies or {}).get(name) for name in frame.columns}
        self.release_ = anonymize(frame, quasi=quasi, k=self.k, algorithm=self.algorithm)
        return self

    def transform(self, X: Any) -> npt.NDArray[np.object_]:  # noqa: N803
        """Return the published cells of every row, `*` where a row has no class of k rows."""
        check_is_fitted(self)
        mapping = mapping_of(self.release_, "the fitted recoding")
        labels, _ = recoded(mapping, as_table(self._frame(X), mapping.missing_tokens))
        covered = pl.all_horizontal(pl.all().is_not_null())
        large = covered & (pl.len().over(pl.all()) >= self.k)
        cells = pl.DataFrame(labels).select(pl.when(large).then(pl.all()).otherwise(pl.lit(HIDDEN)))
        return cells.to_numpy().astype(object)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return the names of the columns, which stay."""
        check_is_fitted(self)
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
        settings = {"ensure_all_finite": "allow-nan", "ensure_min_samples": self.k if reset else 1}
        cells = validate_data(self, table, reset=reset, dtype=None, **settings)
        columns = (pl.Series([_text(cell) for cell in column.tolist()]) for column in cells.T)
        return pl.DataFrame(dict(zip(self._names, columns, strict=True)))


def _text(cell: Any) -> str:
    """Return a cell as a text, empty where it is missing."""
    return "" if cell is None or cell != cell else str(cell)
