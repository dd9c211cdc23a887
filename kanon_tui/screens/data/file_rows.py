"""The rows of a file beyond memory: pages that are in memory; others are asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import polars as pl

from kanon_tui.core.engine.file_pages import FilePages
from kanon_tui.widgets.grid import Cell, GridColumn

__all__ = ["FileRows"]


class FileRows:
    """A grid source over pages; `missed` hears of a page that is shown and not in memory."""

    def __init__(
        self,
        pages: FilePages,
        columns: Sequence[GridColumn],
        missing: Collection[str],
        missed: Callable[[int], None],
    ) -> None:
        self.pages, self.columns, self.height = pages, columns, pages.height
        self.name_width = max(len(f"{self.height:,}") + 1, 8)
        self._missing, self._missed = frozenset(missing), missed

    def rows(self, start: int, stop: int) -> list[list[Cell]]:
        return [self._cells(row) for row in range(start, stop)]

    def _cells(self, row: int) -> list[Cell]:
        record = self.record(row)
        if record is None:
            self._missed(row // self.pages.size)
            return [Cell("…", "muted") for _ in self.columns]
        return [Cell(v or "·", "missing") if v in self._missing else Cell(v) for v in record]

    def page_of(self, row: int) -> pl.DataFrame:
        """The records around a row; reads them where they are not in memory."""
        return self.pages.page(row // self.pages.size)

    def record(self, row: int) -> list[str] | None:
        """The cells of a row; None while its page is not in memory."""
        page = self.pages.kept(row // self.pages.size)
        return None if page is None else [str(cell) for cell in page.row(row % self.pages.size)]

    def row_name(self, row: int) -> str:
        """Records are counted from 1."""
        return f"{row + 1:,}"
