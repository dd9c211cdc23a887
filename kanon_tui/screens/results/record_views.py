"""The views of one table of records: original and release in pairs, or class by class.

*pairs* has every record in one row, `original│released` in every column that was generalised.
*classes* has what a class publishes once, with its size, and below it the original values of its
records, `·` where they are published unchanged. The third view, *tables*, has two grids.

The heat of a released cell is its loss, in four steps, as the ground and as the divider.
"""

from collections.abc import Sequence

import numpy as np
from rich.text import Text

from kanon_tui.core.numeric import Int64s
from kanon_tui.core.pipeline.pages import LEFT_OUT
from kanon_tui.core.text import count_of
from kanon_tui.screens.results.headings import Headings
from kanon_tui.screens.results.record_columns import RecordColumn, squeezed_widths
from kanon_tui.screens.results.release_records import (
    CLASS,
    RECORD,
    SUPPRESSED,
    Arrangement,
    Missed,
    ReleaseRows,
    ResultRecords,
)
from kanon_tui.widgets.grid import DIVIDER, Cell, GridSource, PairCell

PAIRS = "pairs"
CLASSES = "classes"
TABLES = "tables"
VIEWS = (PAIRS, CLASSES, TABLES)
UNCHANGED = "·"
NUMBER = "rec"
"""A short title of the numbers of records."""
STEPS = (0.1, 0.35, 0.7)
"""Losses from which on the next step of heat begins; any loss at all is the first."""
DIVIDERS = (DIVIDER, "▏", "▎", "▍", "▌")
"""The divider of a pair at each step of heat."""
HALVES = (("original", "orig"), ("released", "new"))
"""Words for what the halves of a pair are, the longest first."""


def heat(loss: float) -> int:
    """Return the step of a loss: 0 for none, 4 for nearly all."""
    if loss <= 0:
        return 0
    return 1 + sum(loss >= step for step in STEPS)


def tables(
    records: ResultRecords, shown: Arrangement, missed: Missed
) -> tuple[ReleaseRows | None, ReleaseRows]:
    """Return original and release as two tables; None for an unknown original.

    The release has every column, the original those of which another value is published.
    """
    changed_columns = [column for column in records.columns if column.is_changed]
    before = records.rows_before(shown, missed, changed_columns or records.columns)
    after = records.rows_after(shown, missed, records.columns)
    after.show_headings(records.headings)
    if before is not None:
        before.leave_room(records.headings)
    return before, after


class RecordsView(GridSource):
    """The common part of the views: columns, headings, and the records behind the rows."""

    def __init__(
        self,
        records: ResultRecords,
        before: ReleaseRows | None,
        after: ReleaseRows,
    ) -> None:
        self.records = records
        self.before = before
        self.after = after
        self.record_columns: Sequence[RecordColumn] = records.columns
        self.names = records.names
        self.facts: Headings = records.headings
        self.headings = len(self.facts.names)

    def place(self, row: int) -> int:
        """Return the place in the arrangement that a row is about."""
        return row

    def row_at(self, place: int) -> int:
        """Return the row of a place in the arrangement."""
        return place

    def description(self, row: int, column: str) -> Text | None:
        """Return the line about a row that is no record."""
        return None

    def widths(self, room: int) -> list[int]:
        return squeezed_widths(self.columns, room)

    def heading(self, line: int, widths: Sequence[int]) -> Sequence[Cell]:
        return self.facts.cells(self.names, line, widths)

    def heading_name(self, line: int) -> str:
        return self.facts.names[line]


class PairRows(RecordsView):
    """Every record in one row: what it was and what is published of it."""

    def __init__(
        self,
        records: ResultRecords,
        shown: Arrangement,
        before: ReleaseRows | None,
        after: ReleaseRows,
    ) -> None:
        super().__init__(records, before, after)
        self.height = after.height
        self.columns = [column.as_single() for column in self.record_columns]
        self._number_width = len(RECORD)
        if before is not None:
            self.columns = [column.as_pair() for column in self.record_columns]
            self.headings += 1
            last = before.row_name(before.height - 1).strip(SUPPRESSED) if before.height else ""
            self._number_width = max(len(last), len(NUMBER))
        self._bands = records.bands(shown)
        self._names_classes = after.name_title == CLASS
        self.name_width = max(len(self._name_of_rows) + 1, self.facts.name_width)
        if before is None:
            self.name_width = max(after.name_width, self.name_width)

    @property
    def name_title(self) -> str:  # type: ignore[override]
        """Return the title of the numbers; above pairs it stands in the last heading."""
        return self._name_of_rows if self.before is None else ""

    @property
    def _name_of_rows(self) -> str:
        if not self._names_classes:
            return self.after.name_title
        title = RECORD if len(RECORD) <= self._number_width else NUMBER
        return f"{title:>{self._number_width}} {CLASS}"

    def row_name(self, row: int) -> str:
        """Return the number of the record, and that of its class where it is known."""
        if self.before is None or not self._names_classes:
            return self.after.row_name(row)
        number = self.before.row_name(row).strip(SUPPRESSED)
        return f"{number:>{self._number_width}} {self.after.row_name(row):>{len(CLASS)}}"

    def row_shade(self, row: int) -> str:
        """Return the same ground for neighbours of one class, where classes are known."""
        if self._bands is None:
            return super().row_shade(row)
        return "odd" if self._bands[row] else ""

    def heading(self, line: int, widths: Sequence[int]) -> Sequence[Cell]:
        """Return the figures, and below them what the halves of the columns are."""
        if line < len(self.facts.names):
            return super().heading(line, widths)
        cells = []
        for column, width, record_column in zip(
            self.columns, widths, self.record_columns, strict=True
        ):
            words = [
                next((word for word in half if len(word) <= room), "")
                for half, room in zip(HALVES, column.half_widths(width), strict=True)
            ]
            pair = PairCell(words[1], "muted", Cell(words[0], "muted"))
            cells.append(pair if record_column.is_changed else Cell(""))
        return cells

    def heading_name(self, line: int) -> str:
        if line < len(self.facts.names):
            return super().heading_name(line)
        return self._name_of_rows

    def line(self, row: int) -> Sequence[Cell]:
        """Return the cells of a record, or … until it is read."""
        after = self.after.texts(row)
        if after is None:
            return self.after.line(row)
        if self.before is None:
            return self.after.line(row)
        before = self.before.texts(row)
        if before is None:
            return self.before.line(row)
        record = self.after.number(row)
        is_left_out = self.after.is_left_out(row)
        is_suppressed = self.after.is_suppressed(row)
        cells = []
        for column, original, released in zip(self.record_columns, before, after, strict=True):
            if is_left_out or (is_suppressed and original != released):
                cells.append(self._suppressed(column, original, released))
            elif not column.is_changed:
                cells.append(Cell(released or UNCHANGED, "" if released else "muted"))
            else:
                cells.append(self._pair(column, original, released, record))
        return cells

    @staticmethod
    def _suppressed(column: RecordColumn, original: str, released: str) -> Cell:
        """Return the cell of a record that is left out or published as `*` only."""
        if not column.is_changed:
            return Cell(original or UNCHANGED, "suppressed")
        before = Cell(original or UNCHANGED, "suppressed")
        return PairCell(released or SUPPRESSED, "bad", before)

    def _pair(self, column: RecordColumn, original: str, released: str, record: int) -> Cell:
        step = 0
        if original != released:
            step = max(heat(self.records.loss(column.name, record)), 1)
        mark = f"heat-{step}" if step else "muted"
        before = Cell(original or UNCHANGED)
        return PairCell(released or UNCHANGED, mark, before, DIVIDERS[step])


class ClassRows(RecordsView):
    """The rows of all classes: the published values, and below them the originals."""

    records: ResultRecords
    before: ReleaseRows

    def __init__(
        self,
        records: ResultRecords,
        shown: Arrangement,
        before: ReleaseRows,
        after: ReleaseRows,
    ) -> None:
        """Take an arrangement in which the records of a class are next to each other."""
        super().__init__(records, before, after)
        numbers = np.arange(shown.height) if shown.numbers is None else np.asarray(shown.numbers)
        classes = records.classes[numbers]
        is_first = np.ones(len(classes), dtype=bool)
        is_first[1:] = classes[1:] != classes[:-1]
        self._firsts = np.flatnonzero(is_first)
        """The place of the first record of every class that is shown."""
        self._title_rows = self._firsts + np.arange(len(self._firsts))
        self._numbers = numbers
        self.height = len(numbers) + len(self._firsts)
        self.columns = [column.as_single() for column in self.record_columns]
        self.name_title = "class, records"
        names = [self.row_name(int(row)) for row in self._title_rows[:1]]
        largest = f"━{len(records.sizes):,} n={max(records.sizes, default=0):,}"
        widest = max(map(len, (*names, largest)), default=0)
        self.name_width = max(widest + 1, self.facts.name_width)
        if self.name_width <= len(self.name_title):
            self.name_title = CLASS

    def _class_at(self, row: int) -> int:
        """Return which of the classes that are shown a row belongs to."""
        return int(np.searchsorted(self._title_rows, row, side="right")) - 1

    def _is_title(self, row: int) -> bool:
        return bool(len(self._title_rows)) and int(self._title_rows[self._class_at(row)]) == row

    def place(self, row: int) -> int:
        """Return the place of a record; of a class that of its first one."""
        number = self._class_at(row)
        return max(row - number - 1, int(self._firsts[number])) if len(self._firsts) else 0

    def row_at(self, place: int) -> int:
        """Return the row of a record."""
        return place + int(np.searchsorted(self._firsts, place, side="right"))

    def _records_of(self, row: int) -> Int64s:
        """Return the records of the class of a row."""
        number = self._class_at(row)
        end = len(self._numbers)
        if number + 1 < len(self._firsts):
            end = int(self._firsts[number + 1])
        return np.asarray(self._numbers[int(self._firsts[number]) : end], dtype=np.int64)

    def row_name(self, row: int) -> str:
        """Return the number and the size of a class, or the number of a record."""
        if not self._is_title(row):
            return self.before.row_name(self.place(row))
        name = self.after.row_name(self.place(row))
        return f"━{name} n={len(self._records_of(row)):,}"

    def row_shade(self, row: int) -> str:
        return "class" if self._is_title(row) else ""

    def description(self, row: int, column: str) -> Text | None:
        """Return the line about a class: which original values its cell stands for."""
        if not self.height or not self._is_title(row):
            return None
        return self.records.describe_class(self._records_of(row), column)

    def line(self, row: int) -> Sequence[Cell]:
        if self._is_title(row):
            return self._class_cells(row)
        place = self.place(row)
        before = self.before.texts(place) or ()
        after = self.after.texts(place) or ()
        is_suppressed = self.after.is_suppressed(place)
        cells = []
        for column, original, released in zip(self.record_columns, before, after, strict=True):
            if is_suppressed and original != released:
                cells.append(Cell(original or UNCHANGED, "suppressed"))
            elif column.name in self.records.place and original == released:
                cells.append(Cell(UNCHANGED, "muted"))
            else:
                cells.append(Cell(original or UNCHANGED, "" if original else "missing"))
        return cells

    def _class_cells(self, row: int) -> list[Cell]:
        """Return what a class publishes, and how many values it has in the other columns."""
        place = self.place(row)
        record = int(self._numbers[place])
        released = self.after.texts(place) or ()
        is_suppressed = self.after.is_suppressed(place)
        cells = []
        for column, text in zip(self.record_columns, released, strict=True):
            if is_suppressed and (text == LEFT_OUT or column.name in self.records.place):
                cells.append(Cell(text, "bad"))
            elif column.name not in self.records.place:
                cells.append(self._values_of(column.name, row))
            else:
                step = heat(self.records.loss(column.name, record))
                cells.append(Cell(text, f"heat-{step}" if step else ""))
        return cells

    def _values_of(self, name: str, row: int) -> Cell:
        """Return the number of values that the records of a class have in a column.

        Where a sensitive attribute has one value, everybody learns it: it is marked.
        """
        values = self.records.original[name][self._records_of(row)].unique()
        if len(values) == 1 and self.records.is_sensitive(name):
            return Cell(f"! {values[0]}", "warn")
        return Cell(count_of(len(values), "value"), "muted")
