"""The rows of a file beyond memory: pages that are in memory; others are asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Protocol

from kanon_tui.core.table.pages import Pages
from kanon_tui.widgets.grid import Cell, GridColumn

__all__ = ["MOST_SEEN", "WAITING", "PagedRows", "RowNumbers"]

WAITING = "…"
MOST_SEEN = 1_000


class RowNumbers(Protocol):
    """Rows in an order: an array of their numbers, or what tells them one by one."""

    def __len__(self) -> int: ...

    def __getitem__(self, place: int, /) -> int: ...


class PagedRows:
    """A grid source over pages; `missed` hears of a page that is shown and not in memory."""

    def __init__(
        self,
        pages: Pages,
        columns: Sequence[GridColumn],
        missed: Callable[[int], object],
        *,
        missing: Collection[str] = ("",),
        numbers: RowNumbers | None = None,
        places: Sequence[int] | None = None,
        name_title: str = "",
    ) -> None:
        """`numbers` are the rows that are shown, `places` the columns; else all are."""
        self.pages, self.columns = pages, columns
        self.height = pages.height if numbers is None else len(numbers)
        self.name_width = max(len(f"{pages.height:,}") + 1, 8)
        self.name_title = name_title
        self._missed, self._missing = missed, frozenset(missing)
        self._numbers, self._places = numbers, places
        self._seen: dict[int, tuple[str, ...]] = {}
        """Single rows may be of more pages than are kept at a time: what was seen of them stays."""

    def number(self, row: int) -> int:
        """Which row of the files is shown here."""
        return row if self._numbers is None else int(self._numbers[row])

    def rows(self, start: int, stop: int) -> list[list[Cell]]:
        """The cells of these rows, or marks of waiting."""
        return [self._cells(row) for row in range(start, stop)]

    def _cells(self, row: int) -> list[Cell]:
        record = self.record(row)
        if record is None:
            self._missed(self.pages.page_of(self.number(row)))
            return [Cell(WAITING, "muted") for _ in self.columns]
        return [Cell(v or "·", "missing") if v in self._missing else Cell(v) for v in record]

    def record(self, row: int) -> list[str] | None:
        """The cells of a row; None while its page is not in memory."""
        number = self.number(row)
        cells = self._seen.get(number) or self.pages.kept_row(number)
        if cells is None:
            return None
        if self._numbers is not None:
            if len(self._seen) >= MOST_SEEN:
                self._seen.clear()
            self._seen[number] = cells
        places = range(len(cells)) if self._places is None else self._places
        return [str(cells[place]) for place in places]

    def row_name(self, row: int) -> str:
        """Rows are counted from 1."""
        return f"{self.number(row) + 1:,}"
