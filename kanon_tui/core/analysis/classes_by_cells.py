"""Which class a published row is of, by its cells: for rows that are read from the files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.numeric import Int32s, Int64s
from kanon_tui.core.release.formulas import escape_formulas
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.table.tuple_packing import Packing, TupleIndex
from kanon_tui.core.table.value_counts import CHANGED

__all__ = ["ClassesByCells"]


class ClassesByCells:
    """The cells of every class, to look rows up."""

    def __init__(self, result: FinishedRun) -> None:
        release = result.release
        self._sizes = release.class_sizes
        self.count = len(self._sizes)
        starred = result.task.output.suppressed == "star"
        self.starred = release.suppressed_records if starred else 0
        """How many rows are published as stars alone."""
        self._attributes = []
        for x, (attribute, cells) in enumerate(zip(result.task.quasi, release.cells, strict=True)):
            texts = pl.DataFrame({attribute.name: pl.Series(cells.texts, dtype=pl.String)})
            if result.task.output.formulas == "escape":
                texts = escape_formulas(texts)
            numbers = {text: code for code, text in enumerate(texts.to_series().to_list())}
            self._attributes.append((texts.columns[0], numbers, release.class_cells(x)))

    @property
    def names(self) -> list[str]:
        """The columns of the quasi-identifiers, as files call them."""
        return [name for name, _, _ in self._attributes]

    def find(self, cells: Mapping[str, str]) -> tuple[int, int] | None:
        """Number and size of the class of a row; None for one of no class, such as stars alone."""
        same = np.ones(self.count, dtype=bool)
        for name, numbers, codes in self._attributes:
            same &= codes == numbers.get(cells.get(name, ""), -1)
        found = np.flatnonzero(same)
        return (int(found[0]), int(self._sizes[found[0]])) if len(found) else None

    # -- many rows at once

    @property
    def row_sizes(self) -> Int64s:
        """How many rows each number of `numbers_of` has."""
        sizes = np.append(self._sizes, 0)
        sizes[self._index[2]] += self.starred
        return sizes

    def numbers_of(self, rows: pl.DataFrame) -> Int32s:
        """The class of every row, by number; one more than the last for stars alone."""
        packing, index, _ = self._index
        columns = []
        for name, numbers, _ in self._attributes:
            texts = pl.Enum([*numbers, *(() if HIDDEN in numbers else (HIDDEN,))])
            try:
                columns.append(rows[name].cast(texts).to_physical().to_numpy().astype(np.int32))
            except pl.exceptions.PolarsError:
                raise InputError(CHANGED) from None
        return index.find(packing.pack(columns))

    @cached_property
    def _index(self) -> tuple[Packing, TupleIndex, int]:
        """How rows are packed, the classes and at last the stars alone, and which these are."""
        packing = Packing.of([len(numbers) + 1 for _, numbers, _ in self._attributes])
        columns = [
            np.append(codes, np.int32(numbers.get(HIDDEN, len(numbers))))
            for _, numbers, codes in self._attributes
        ]
        index = TupleIndex(packing.words)
        places = index.add(packing.pack(columns))
        return packing, index, int(places[-1])
