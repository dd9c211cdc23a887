"""A table that knows the texts of its attributes by number.

A text takes 16 bytes and more in a column, its number four. The columns that were coded already
become such numbers (`pl.Enum`) without being looked at again; `Table.texts` gives texts.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from kanon_tui.core.table.coded_texts import coded_series
from kanon_tui.core.table.table import Table

__all__ = ["packed"]


def packed(table: Table) -> Table:
    """The same table; attributes that were asked for need not be coded again."""
    columns = {column.name: column for column in table.frame.iter_columns()}
    for (name, _, _), column in table._coded.items():
        if columns[name].dtype == pl.String and column.tells_all(columns[name]):
            values = coded_series(name, pl.Series(column.values, dtype=pl.String))
            columns[name] = values.gather(column.codes.view(np.uint32))
    found = replace(table, frame=pl.DataFrame(list(columns.values())))
    found._coded.update(table._coded)
    return found
