"""Which class a published row is of, by its cells: for rows that are read from the files."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kanon_tui.core.release.formulas import escape_formulas
from kanon_tui.core.report.finished_run import FinishedRun

__all__ = ["ClassesByCells"]


class ClassesByCells:
    """The cells of every class, to look rows up."""

    def __init__(self, result: FinishedRun) -> None:
        import polars as pl

        release = result.release
        self._sizes = release.class_sizes
        self.count = len(self._sizes)
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
