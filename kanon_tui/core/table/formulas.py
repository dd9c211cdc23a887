"""Cells that a spreadsheet would take for formulas.

A text that begins with `=`, `+`, `-`, `@`, a tab or a carriage return is computed when a release is
opened in a spreadsheet, and can fetch or send things. A plain number such as `-5` is none. Escaping
puts an apostrophe before it, and one more before what has one already: no two cells become the
same, so the classes of a release stay what they are.
"""

from collections.abc import Callable

import polars as pl

_FORMULA = r"^[=+\-@\t\r]"
_ESCAPED_OR_FORMULA = r"^'*[=+\-@\t\r]"
_NUMBER = r"^[+-]([0-9][0-9.,'\x{2019} \x{a0}\x{2009}\x{202f}]*|[.,][0-9]+)([eE][+-]?[0-9]+)?$"


def count_formulas(frame: pl.DataFrame) -> int:
    """Return how many cells and column names begin like a formula."""
    names = pl.Series(frame.columns, dtype=pl.String)
    return sum(map(_formulas_in, (names, *frame.iter_columns())))


def _formulas_in(cells: pl.Series) -> int:
    if not isinstance(cells.dtype, pl.Enum):
        return int(looks_like_formula(cells).sum())
    at_fault = looks_like_formula(cells.dtype.categories)  # every text is tested once
    if not at_fault.any():
        return 0
    return int(at_fault.gather(cells.to_physical()).sum())


def looks_like_formula(texts: pl.Series) -> pl.Series:
    """Return per text whether it begins like a formula."""
    return texts.str.contains(_FORMULA) & ~texts.str.contains(_NUMBER)


def escape_formulas(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the table with an apostrophe before every formula, column names included."""
    return _changed(frame, _escaped)


def unescape_formulas(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the table that `escape_formulas` made this one of."""
    return _changed(frame, unescaped)


def _changed(frame: pl.DataFrame, change: Callable[[pl.Series], pl.Series]) -> pl.DataFrame:
    names = change(pl.Series(frame.columns, dtype=pl.String)).to_list()
    columns = zip(names, frame.cast(pl.String).iter_columns(), strict=True)
    return pl.DataFrame([change(column).alias(name) for name, column in columns])


def unescaped(texts: pl.Series) -> pl.Series:
    """Return texts without the apostrophes of escaped formulas."""
    return texts.str.replace(r"^'('*[=+\-@\t\r])", "$1")


def _escaped(texts: pl.Series) -> pl.Series:
    at_fault = texts.str.contains(_ESCAPED_OR_FORMULA) & ~texts.str.contains(_NUMBER)
    return texts.zip_with(~at_fault, "'" + texts)
