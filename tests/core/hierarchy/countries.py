"""A hierarchy of countries for tests of edits, with and without marks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl
import pytest

from kanon_tui.core.errors import InputError
from kanon_tui.core.hierarchy.level_table import Hierarchy
from kanon_tui.core.table.column import Column, Kind
from kanon_tui.core.table.table import code_column

COUNTRIES = Hierarchy.from_rows(
    [
        ("France", "Europe", "Old World", "World"),
        ("Italy", "Europe", "Old World", "World"),
        ("Japan", "Asia", "Old World", "World"),
        ("Peru", "Andes", "New World", "World"),
        ("Chile", "Andes", "New World", "World"),
    ]
)
MARKED = COUNTRIES.with_marks(["Europe", "New World", "Japan"])


def refused(edit: Callable[[], object]) -> str:
    """Return the sentence with which an edit is refused."""
    with pytest.raises(InputError) as caught:
        edit()
    return str(caught.value)


def column(texts: Sequence[object], kind: Kind = Kind.CATEGORICAL) -> Column:
    """Return a column of values, of which `?` is missing."""
    return code_column(pl.Series("x", [str(text) for text in texts]), kind, ("?",))
