"""The records of a result as grids show them: what stood there, and what is published.

Rows are made when they are painted; what needs a pass over all records (which cells changed, the
order by class, finding a text) is made in a background thread by whoever asks for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import polars as pl
from rich.cells import cell_len

from kanon_tui.core.analysis.compare import file_records
from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.metrics.information_loss import changed
from kanon_tui.core.numeric import Flags, Int64s
from kanon_tui.core.pipeline.result import Result
from kanon_tui.core.text import visible
from kanon_tui.widgets.grid import Cell, GridColumn, up_to
from kanon_tui.widgets.grid_sources import RowSource

__all__ = ["CLASS", "ORDERS", "RECORD", "RecordRows", "shared_columns"]


ORDERS = ("file order", "by class", "smallest class first")
WIDEST = 18
"""Cells per column at most; the line below the grids shows the cell under the cursor whole."""
SAMPLE = 300
"""Rows that decide how wide a column is."""
RECORD, CLASS = "record", "class"
"""What the numbers beside the rows count, on the left and on the right."""
CHANGED, SAME, SUPPRESSED = "•", " ", "×"


class RecordRows:
    """Records of one result, by their number in the run."""

    def __init__(self, result: Result) -> None:
        self.result = result
        task, release = result.task, result.release
        self.names = [name for name, role in task.roles.items() if role.published]
        """The columns of the release: identifiers are never shown beside what is published."""
        self.place = {attribute.name: x for x, attribute in enumerate(task.quasi)}
        self.original = task.table.frame.select(self.names)
        self.classes, self.sizes = release.classes, release.class_sizes
        self.suppressed = release.suppressed
        self.numbers = file_records(result) + 1
        """Record numbers as screen 1 counts them."""
        self._changed = [changed(release, x) for x in range(len(task.quasi))]

    @cached_property
    def changed_at_all(self) -> Flags:
        """Records with any changed cell, suppressed ones included."""
        return np.asarray(np.logical_or.reduce(self._changed), dtype=bool)

    def changed_in(self, name: str) -> Flags:
        """Records whose cell of a column changed; of any where it is no quasi-identifier."""
        x = self.place.get(name)
        return self.changed_at_all if x is None else self._changed[x]

    # -- rows

    def original_cells(self, record: int) -> list[Cell]:
        """The record as it stood."""
        missing = self.result.task.table.missing_tokens
        mark = "suppressed" if self.suppressed[record] else ""
        return [
            Cell(SAME + (value or "·"), mark or ("missing" if value in missing else ""))
            for value in self.original.row(record)
        ]

    def published_cells(self, record: int) -> list[Cell]:
        """The record as it is published; one that is left out has a mark in every cell."""
        if self.suppressed[record] and self.result.task.output.suppressed == "drop":
            return [Cell(SUPPRESSED, "bad") for _ in self.names]
        return [self._published(name, record) for name in self.names]

    def _published(self, name: str, record: int) -> Cell:
        text, x = self.text(name, record), self.place.get(name)
        if x is None or not self._changed[x][record]:
            return Cell(SAME + text)
        return Cell(CHANGED + text, "bad" if self.suppressed[record] else "changed")

    def text(self, name: str, record: int) -> str:
        """What is published of a record in a column; `*` for a suppressed quasi-identifier."""
        x = self.place.get(name)
        if x is None:
            value: str = self.original[name][record]
            return value
        cells = self.result.release.cells[x]
        code = int(cells.codes[record])
        return cells.texts[code] if code >= 0 else HIDDEN

    def published_text(self, name: str, record: int) -> str:
        """What the release has; nothing of a record that is left out of it."""
        left_out = self.suppressed[record] and self.result.task.output.suppressed == "drop"
        return "" if left_out else self.text(name, record)

    def original_text(self, name: str, record: int) -> str:
        """What stood in a column."""
        value: str = self.original[name][record]
        return value

    @property
    def name_width(self) -> int:
        """Room for the numbers and marks beside the rows."""
        return max(len(f"{self.numbers[-1]:,}") + 2, len(RECORD) + 1)

    def record_name(self, record: int) -> str:
        """The record number, marked when the record is suppressed."""
        return f"{SUPPRESSED if self.suppressed[record] else ''}{self.numbers[record]:,}"

    def class_name(self, record: int) -> str:
        """The number of the class, counted from 1."""
        number = int(self.classes[record])
        return SUPPRESSED if number < 0 else f"{number + 1:,}"

    def sources(self, records: Int64s) -> tuple[RowSource, RowSource]:
        """Both sides for these records, with columns that lie side by side."""
        columns = shared_columns(self.names, self, self)
        return (
            RowSource(
                columns,
                len(records),
                lambda row: self.original_cells(int(records[row])),
                lambda row: self.record_name(int(records[row])),
                RECORD,
            ),
            RowSource(
                columns,
                len(records),
                lambda row: self.published_cells(int(records[row])),
                lambda row: self.class_name(int(records[row])),
                CLASS,
            ),
        )

    def widths(self, name: str) -> int:
        """How wide the values of a column are, before and after."""
        texts = self.original[name].head(SAMPLE).to_list()
        x = self.place.get(name)
        if x is not None:
            texts += self.result.release.cells[x].texts[:SAMPLE]
        return max((cell_len(visible(text)) for text in texts), default=1)

    # -- orders

    def ordered(self, order: str, only_class: int | None = None) -> Int64s:
        """Records in one of `ORDERS`, of one class (-1: the suppressed) or of all."""
        records = np.arange(self.result.task.n)
        if only_class is not None:
            records = records[self.classes == only_class]
        if order == ORDERS[0]:
            return records
        rank = np.where(self.classes < 0, len(self.sizes), self.classes)[records]
        if order == ORDERS[1]:
            return records[np.argsort(rank, kind="stable")]
        sizes = np.append(self.sizes, self.result.task.n + 1)[rank]  # the suppressed come last
        return records[np.lexsort((rank, sizes))]

    # -- finding

    def containing(self, text: str) -> Flags:
        """Records with the text in a cell of either side, whatever its case."""
        wanted = text.casefold()
        hits = self.original.select(
            pl.any_horizontal(
                pl.col(name).str.to_lowercase().str.contains(wanted, literal=True)
                for name in self.names
            )
        ).to_series()
        found = hits.to_numpy().copy()
        for x, cells in enumerate(self.result.release.cells):
            in_text = [wanted in label.casefold() for label in cells.texts]
            found |= np.array([*in_text, False])[cells.codes] & self._changed[x]
        return found


def shared_columns(names: Sequence[str], *sides: RecordRows) -> list[GridColumn]:
    """Columns that fit the values of all sides; one cell more for the mark."""
    return [
        up_to(
            1 + WIDEST,
            SAME + visible(name),
            1 + max(cell_len(visible(name)), *(side.widths(name) for side in sides)),
        )
        for name in names
    ]
