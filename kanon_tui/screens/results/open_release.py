"""The files of a release, looked over: their rows, their classes, and what was read beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import polars as pl
from rich.cells import cell_len

from kanon_tui.core.analysis.why.in_files import ClassesByCells
from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.numeric import Int64s
from kanon_tui.core.pipeline.file_result import StreamedResult
from kanon_tui.core.pipeline.pages import (
    LEFT_OUT,
    FilePages,
    ReleasePages,
    SearchedPages,
    pages_before,
)
from kanon_tui.core.table.pages import Pages
from kanon_tui.core.text import visible
from kanon_tui.widgets.grid import GridColumn, up_to
from kanon_tui.widgets.grid_sources import PagedRows, RowNumbers

__all__ = ["OpenRelease"]

WIDEST = 24
SAMPLE = 300
Missed = Callable[[Pages, int], object]


@dataclass(frozen=True, eq=False)
class OpenRelease:
    """What screens page through."""

    result: StreamedResult
    pages: SearchedPages
    classes: ClassesByCells
    before: FilePages | None
    columns: Sequence[GridColumn]

    @classmethod
    def of(cls, result: StreamedResult, stop: Callable[[], bool]) -> OpenRelease:
        """Look over the files, which takes a moment for text; `stop` says nobody waits any more."""
        pages, before = ReleasePages(result, stop=stop), pages_before(result)
        samples = [pages.page(0).head(SAMPLE)]
        if before is not None:
            samples.append(before.page(0).head(SAMPLE).select(result.columns))
        columns = _columns(result, pages.names, samples)
        return cls(result, pages, ClassesByCells(result), before, columns)

    def alone(self) -> OpenRelease:
        """The same without what was read."""
        return replace(self, before=None)

    def side(self, before: bool) -> tuple[Pages, Sequence[int]]:
        """The rows of either side, and where in them the columns of the release are."""
        if before and self.before is not None:
            names = self.before.source.names
            return self.before, [names.index(name) for name in self.result.columns]
        return self.pages, range(len(self.pages.names))

    def sources(
        self, missed: Missed, numbers: RowNumbers | None, counted: str = "row"
    ) -> tuple[PagedRows | None, PagedRows]:
        """What the grids show on the left and on the right: all rows, or those with numbers.

        `counted` is what the numbers on the right count.
        """

        def source(before: bool) -> PagedRows:
            pages, places = self.side(before)
            return PagedRows(
                pages,
                self.columns,
                partial(missed, pages),
                numbers=numbers,
                places=places,
                name_title="record" if before else counted,
            )

        return None if self.before is None else source(True), source(False)

    def cells(self, row: int) -> dict[str, str] | None:
        """The cells of a row by their columns in the files; None while they are not in memory."""
        cells = self.pages.kept_row(row) if self.pages.height else None
        return None if cells is None else dict(zip(self.pages.names, cells, strict=True))

    def next_suppressed(self, row: int, stop: Callable[[], bool]) -> int | None:
        """The next row of a suppressed record; None where no row is one."""
        gone = pl.all_horizontal(pl.col(*self.classes.names).is_in([HIDDEN, LEFT_OUT]))
        return self.pages.next_row(
            lambda cells: cells.select(gone).to_series().to_numpy(), row, stop=stop
        )

    def rows_like(
        self, cells: Mapping[str, str], row: int, stop: Callable[[], bool]
    ) -> tuple[int, Int64s] | None:
        """The class of a row and the numbers of its rows; None for one of no class."""
        found = self._class_of(cells, row, (), stop)
        return None if found is None else found[:2]

    def contents(
        self, cells: Mapping[str, str], row: int, stop: Callable[[], bool]
    ) -> tuple[int, pl.DataFrame] | None:
        """The class of a row, and what its rows publish as it is; None for one of no class."""
        own = dict(zip(self.pages.names, self.result.columns, strict=True))
        others = [name for name in self.pages.names if name not in self.classes.names]
        found = self._class_of(cells, row, others, stop)
        return None if found is None else (found[0], found[2].rename(lambda name: own[name]))

    def _class_of(
        self,
        cells: Mapping[str, str],
        row: int,
        columns: Sequence[str],
        stop: Callable[[], bool],
    ) -> tuple[int, Int64s, pl.DataFrame] | None:
        found = self.classes.find(cells)
        if found is None:
            return None
        quasi = {name: cells[name] for name in self.classes.names}
        return found[0], *self.pages.rows_with(quasi, row, found[1], columns, stop)


def _columns(
    result: StreamedResult, names: Sequence[str], samples: Sequence[pl.DataFrame]
) -> list[GridColumn]:
    """Wide enough for the first rows, and for labels from all over: pages differ."""
    labels: dict[str, Sequence[str]] = {
        attribute.name: cells.texts[:: max(len(cells.texts) // SAMPLE, 1)]
        for attribute, cells in zip(result.task.quasi, result.release.cells, strict=True)
    }
    found = []
    for place, (own, name) in enumerate(zip(result.columns, names, strict=True)):
        some = [*labels.get(own, ())]
        for sample in samples:
            some += sample.to_series(place).cast(pl.String).to_list()
        widest = max((cell_len(visible(text)) for text in some), default=1)
        title = visible(name)
        found.append(up_to(WIDEST, title, max(cell_len(title), widest)))
    return found
