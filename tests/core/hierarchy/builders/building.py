"""Columns for tests of the builders, and the rows a builder makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from kanon_tui.core.hierarchy.level_table import Hierarchy
from kanon_tui.core.hierarchy.specification import build_hierarchy
from kanon_tui.core.table.column import Column, Kind
from kanon_tui.core.table.table import code_column


def column(texts: Sequence[object], kind: Kind = Kind.NUMERIC) -> Column:
    return code_column(pl.Series("x", [str(text) for text in texts]), kind)


def build(builder: str, of: Column, **keys: Any) -> Hierarchy:
    """The hierarchy of a builder, which must also fit the column."""
    hierarchy = build_hierarchy({"builder": builder, **keys}, of, Path())
    hierarchy.bind(of)
    return hierarchy


def rows(builder: str, of: Column, **keys: Any) -> dict[str, tuple[str, ...]]:
    return {row[0]: row[1:] for row in build(builder, of, **keys).rows}


AGES = column([17, 23, 45, 90, "?"])
CODES = column(["46201", "46202", "46317"], Kind.CATEGORICAL)
BIRTHS = column(["1995-09-20", "1987-03-01", "1991-12-31"], Kind.DATE)
