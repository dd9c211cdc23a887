"""The records of a release in memory, and the rows of a table of records.

Records are addressed by their number in the run. Methods with `stop` may take long and run in a
thread; those that go to a record raise `NoRecordError` where there is none. Rows are made when they
are painted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from rich.cells import cell_len
from rich.text import Text
from textual.widget import Widget

from kanon_tui.core.analysis.compare import file_records
from kanon_tui.core.analysis.why.explainer import explainer
from kanon_tui.core.analysis.why.reasons import Explanation
from kanon_tui.core.errors import InputError, KanonError
from kanon_tui.core.metrics.cells import cells_of
from kanon_tui.core.metrics.losses import changed, penalties
from kanon_tui.core.metrics.measure import RuleKept
from kanon_tui.core.numeric import Flags, Int64s
from kanon_tui.core.pipeline.pages import (
    LEFT_OUT,
    FramePages,
    MemoryPages,
    Pages,
    RowNumbers,
    rows_with_text,
)
from kanon_tui.core.pipeline.run import Result
from kanon_tui.core.table.column import Role
from kanon_tui.core.text import count_of, short_list, typed_number, visible
from kanon_tui.screens.results.headings import Headings, headings_of
from kanon_tui.screens.results.record_columns import (
    WIDEST,
    Extent,
    RecordColumn,
    lead_of,
    ordered_columns,
)
from kanon_tui.widgets.drawing import theme_style
from kanon_tui.widgets.grid import Cell, GridColumn, up_to
from kanon_tui.widgets.grid_sources import PagedRows

Stop = Callable[[], bool]
"""Returns True when the answer is no longer wanted."""
Question = Callable[[], Explanation]
"""Explains a cell or an attribute; called in a thread."""
Missed = Callable[[Pages, int], object]
"""Called with a page that is shown and not in memory."""


class NoRecordError(KanonError):
    """There is no record to go to; the sentence says why."""


@dataclass(frozen=True, eq=False)
class Arrangement:
    """The records that are shown, in their order."""

    order: str
    height: int
    numbers: RowNumbers | None = None
    """The record shown at each place; None where record `n` is at place `n`."""
    only_class: int | None = None
    """The class that is shown alone; -1 for the suppressed records."""

    def number(self, place: int) -> int:
        """Return the record at a place."""
        return place if self.numbers is None else int(self.numbers[place])

    def place_of(self, record: int) -> int | None:
        """Return the place of a record, or None if it is not shown."""
        if self.numbers is None:
            return record if record < self.height else None
        places = np.flatnonzero(self.numbers == record)
        return int(places[0]) if len(places) else None


Description = tuple[Text | None, Callable[[], Text] | None]
"""The line about a cell if it can be had at once, and what makes all of it in a thread."""


FILE_ORDER = "file order"
BY_CLASS = "by class"
SMALLEST_FIRST = "smallest class first"
MOST_VALUES = 6
"""Values of a class in the line about it."""
SAMPLE = 300
"""Rows that decide how wide a column is."""
RECORD, CLASS = "record", "class"
"""Titles of the row numbers on the left and on the right."""
CHANGED = "•"
SAME = " "
SUPPRESSED = "×"
WIDE = 100
"""Width of the terminal from which on the verdict on each rule is shown."""


class ResultRecords:
    """The records of one result, by their number in the run."""

    orders = (FILE_ORDER, BY_CLASS, SMALLEST_FIRST)

    def __init__(self, result: Result) -> None:
        self.result = result
        self.reasons = explainer(result)
        task = result.task
        release = result.release
        self.names = ordered_columns(result)
        self.headings = headings_of(result)
        self.place = {attribute.name: x for x, attribute in enumerate(task.quasi)}
        self.original = task.table.frame.select(self.names)
        self.before = FramePages(self.original)
        self.after = MemoryPages(result, np.arange(task.n))
        self.classes = release.classes
        self.sizes = release.class_sizes
        self.suppressed = release.suppressed
        self.numbers = file_records(result) + 1
        """Record numbers as screen 1 counts them."""
        self._changed = [changed(release, x) for x in range(len(task.quasi))]
        self._losses = [
            np.append(np.where(cells.hidden, 1.0, penalties(cells)), 1.0)
            for cells in cells_of(release)
        ]
        """Per quasi-identifier, the loss of every group's cells; last that of suppressed ones."""
        self.columns = [self._column(x) for x in range(len(self.names))]

    @cached_property
    def _changed_anywhere(self) -> Flags:
        return np.asarray(np.logical_or.reduce(self._changed), dtype=bool)

    def changed_in(self, name: str) -> Flags:
        """Return which records changed in a quasi-identifier, or for other columns in any."""
        x = self.place.get(name)
        return self._changed_anywhere if x is None else self._changed[x]

    def has_changed(self, name: str, record: int) -> bool:
        """Return whether the cell of a record was changed; other columns never are."""
        x = self.place.get(name)
        return x is not None and bool(self._changed[x][record])

    def left_out(self, record: int) -> bool:
        return bool(self.suppressed[record]) and self.result.task.output.suppressed == "drop"

    @property
    def name_width(self) -> int:
        """Width of the record numbers and their marks beside the rows."""
        return max(len(f"{self.numbers[-1]:,}") + 2, len(RECORD) + 1)

    def record_name(self, record: int) -> str:
        """Return the record number, marked when the record is suppressed."""
        return f"{SUPPRESSED if self.suppressed[record] else ''}{self.numbers[record]:,}"

    def class_name(self, record: int) -> str:
        """Return the number of the record's class, counted from 1."""
        number = int(self.classes[record])
        return SUPPRESSED if number < 0 else f"{number + 1:,}"

    def _column(self, place: int) -> RecordColumn:
        """Return a column with the widths of its first values, before and after."""
        name = self.names[place]
        before = Extent.of_texts(self.original[name].head(SAMPLE).to_list())
        after = Extent()
        if self.after.height:
            first = np.arange(min(SAMPLE, self.after.height))
            after = Extent.of_texts(self.after.take(first)[name].to_list())
        lead = lead_of(self.result, self.names, place)
        x = self.place.get(name)
        if x is None:
            return RecordColumn(name, before, after, False, lead)
        is_changed = bool((self._changed[x] & ~self.suppressed).any())
        after |= Extent.of_texts([], self.result.release.cells[x].texts[:SAMPLE])
        return RecordColumn(name, before, after, is_changed, lead)

    def loss(self, name: str, record: int) -> float:
        """Return the NCP of a record's published cell; 0 for columns that are not generalised."""
        x = self.place.get(name)
        if x is None:
            return 0.0
        release = self.result.release
        singly = release.grouping.suppressed_cells
        if self.suppressed[record] or (singly is not None and singly[record, x]):
            return 1.0
        attribute = self.result.task.quasi[x]
        group = int(self.classes[record])
        if release.grouping.levels is not None and not attribute.publishes_one_value:
            labels = attribute.hierarchy.maps[release.grouping.levels[x]]
            group = int(labels[attribute.column.codes[record]])
        return float(self._losses[x][group])

    def is_sensitive(self, name: str) -> bool:
        return self.result.task.roles[name] is Role.SENSITIVE

    def bands(self, shown: Arrangement) -> Flags:
        """Return which places are shaded, so that neighbours of one class are seen as one."""
        classes = self.classes
        if shown.numbers is not None:
            classes = classes[np.asarray(shown.numbers)]
        begins = np.zeros(len(classes), dtype=bool)
        begins[1:] = classes[1:] != classes[:-1]
        return np.asarray(np.cumsum(begins) % 2 == 1, dtype=bool)

    # -- what is shown

    def arranged(self, order: str, stop: Stop) -> Arrangement:
        """Return all records in one of `orders`."""
        n = self.result.task.n
        classes = self.classes
        if order == FILE_ORDER:
            return Arrangement(order, n)
        rank = np.where(classes < 0, len(self.sizes), classes)
        if order == BY_CLASS:
            return Arrangement(order, n, np.argsort(rank, kind="stable"))
        sizes = np.append(self.sizes, n + 1)[rank]  # suppressed records come last
        return Arrangement(order, n, np.lexsort((rank, sizes)))

    def class_of(self, shown: Arrangement, record: int, stop: Stop) -> Arrangement:
        """Return the records of a record's class; raises NoRecordError if it has none."""
        number = int(self.classes[record])
        records = np.flatnonzero(self.classes == number)
        return Arrangement(shown.order, len(records), records, number)

    def title(self, shown: Arrangement) -> list[str]:
        """Return the parts of the title after "released"."""
        if shown.only_class is None:
            return [shown.order]
        return [f"class {shown.only_class + 1:,}" if shown.only_class >= 0 else "suppressed"]

    def rows_before(
        self, shown: Arrangement, missed: Missed, columns: Sequence[RecordColumn]
    ) -> "RecordRows | None":
        """Return some columns of the original."""
        return RecordRows(self, self.before, shown, columns, published=False)

    def rows_after(
        self, shown: Arrangement, missed: Missed, columns: Sequence[RecordColumn]
    ) -> "RecordRows":
        """Return some columns of the release."""
        return RecordRows(self, self.after, shown, columns, published=True)

    # -- finding

    def find(self, shown: Arrangement, place: int, text: str, direction: int, stop: Stop) -> int:
        """Return the next record with a text, from a place on and around the end."""
        flags = self._containing(text)
        otherwise = f"no record contains '{text}'"
        return self._next(flags, shown, place, direction, otherwise, around=True)

    def next_changed(self, shown: Arrangement, place: int, column: str, direction: int) -> int:
        """Return the next record whose cell in a column was changed."""
        otherwise = f"no record {'below' if direction > 0 else 'above'} has another {column}"
        return self._next(self.changed_in(column), shown, place, direction, otherwise)

    def next_suppressed(self, shown: Arrangement, place: int, stop: Stop) -> int:
        """Return the next suppressed record."""
        return self._next(self.suppressed, shown, place, 1, "no record below is suppressed")

    def _next(
        self,
        flags: Flags,
        shown: Arrangement,
        place: int,
        direction: int,
        otherwise: str,
        around: bool = False,
    ) -> int:
        """Return the next flagged record that is shown, with `around` from the other end on."""
        numbers = shown.numbers
        hits = np.flatnonzero(flags if numbers is None else flags[np.asarray(numbers)])
        hits = hits[::direction]
        later = hits[direction * hits > direction * place]
        if not len(later) and around:
            later = hits
        if not len(later):
            raise NoRecordError(otherwise)
        return shown.number(int(later[0]))

    def _containing(self, text: str) -> Flags:
        """Return which records have the text in a cell of either side, whatever its case."""
        folded_text = text.casefold()
        matches = rows_with_text(self.original, text).copy()
        for x, cells in enumerate(self.result.release.cells):
            in_text = [folded_text in label.casefold() for label in cells.texts]
            matches |= np.array([*in_text, False])[cells.codes] & self._changed[x]
        return matches

    def number_of(self, shown: Arrangement, text: str) -> int:
        """Return the record with a typed number; raises InputError if there is none."""
        hits = np.flatnonzero(self.numbers == typed_number(text))
        if not len(hits):
            last = int(self.numbers[-1])
            raise InputError(f"write the number of a record of this run, up to {last:,}")
        return int(hits[0])

    def describe(self, shown: Arrangement, record: int, column: str, widget: Widget) -> Description:
        """Return the line about a cell, and what adds the reason."""
        x = self.place.get(column)
        text = self._line(record, column, widget)
        if x is None or self.suppressed[record]:
            return text, None

        def explained() -> Text:
            because = self.reasons.in_short(record, x)
            rules = self.reasons.rules(record, x)
            return self._line(record, column, widget, because, rules)

        return text, explained

    def _line(
        self,
        record: int,
        column: str,
        widget: Widget,
        because: str = "",
        rules: Sequence[RuleKept] = (),
    ) -> Text:
        """Return `record 413: class 17 of 61, 12 records · age 37 → 30-39 because …`."""
        number = f"record {self.numbers[record]:,}: "
        if self.suppressed[record]:
            how = "not in the release" if self.left_out(record) else "published as * only"
            error = theme_style(widget, "error")
            before = visible(self._cell(self.before, record, column))
            line = Text.assemble(number, ("× suppressed", error), f": {how} (w says why) · ")
            return line.append(visible(column), "bold").append(f" {before}")
        this = int(self.classes[record])
        size = count_of(int(self.sizes[this]), "record")
        text = Text(f"{number}class {this + 1:,} of {len(self.sizes):,}, {size} · ")
        before = self._cell(self.before, record, column)
        after = self._cell(self.after, record, column)
        text.append(visible(column), "bold")
        if column not in self.place:
            text.append(f" {visible(before)}: not a quasi-identifier, published as it is")
        elif before == after:
            text.append(f" {visible(before)}: published as it is")
        else:
            text.append(f" {visible(before)} → ")
            text.append(visible(after), theme_style(widget, "accent", bold=True))
        if because:
            text.append(f" because {visible(because)}")
        if rules and widget.app.size.width < WIDE:
            text.append(f" · {sum(rule.kept for rule in rules)} of {len(rules)} rules kept")
            return text
        for verdict in rules:
            mark, colour = ("✓", "success") if verdict.kept else ("✗", "error")
            text.append(f" · {visible(verdict.rule)} ")
            text.append(mark, theme_style(widget, colour))
        return text

    @staticmethod
    def _cell(pages: Pages, record: int, column: str) -> str:
        return pages.row(record)[pages.names.index(column)]

    def describe_class(self, records: Int64s, column: str) -> Text:
        """Return `class 17 of 61, 9 records · age 45-64: 45 ×2, 51, 62` of records of a class."""
        first = int(records[0])
        values = self.original[column][records].value_counts(sort=True)
        counted = [visible(_counted(value, count)) for value, count in values.iter_rows()]
        size = count_of(len(records), "record")
        text = Text(f"× suppressed: {size} · ")
        if not self.suppressed[first]:
            number = int(self.classes[first]) + 1
            text = Text(f"class {number:,} of {len(self.sizes):,}, {size} · ")
        text.append(visible(column), "bold")
        if column in self.place:
            text.append(f" {visible(self._cell(self.after, first, column))}")
        return text.append(f": {short_list(counted, MOST_VALUES)}")

    def question(self, shown: Arrangement, record: int, column: str) -> Question | None:
        """Return the work that explains a cell, or None where nothing was generalised."""
        x = self.place.get(column)
        if self.suppressed[record]:
            return lambda: self.reasons.of_suppressed(record)
        return None if x is None else lambda: self.reasons.of_record(record, x)

    def attribute_question(self, x: int) -> Question:
        """Return the work that explains how a quasi-identifier was generalised."""
        return lambda: self.reasons.of_attribute(x)


def _counted(value: str, count: int) -> str:
    """Return `45 ×2`; a value that is there once has no number."""
    return value if count == 1 else f"{value} ×{count}"


class ReleaseRows(PagedRows):
    """Columns of records, before or after; texts of pages and texts to copy may differ."""

    def __init__(
        self, pages: Pages, names: Sequence[str], columns: Sequence[GridColumn], **options: Any
    ) -> None:
        super().__init__(
            pages, columns, places=[pages.names.index(name) for name in names], **options
        )
        self.names = names
        self._facts: Headings | None = None

    def show_headings(self, facts: Headings) -> None:
        """Show the figures of the columns below their names."""
        self._facts = facts
        self.headings = len(facts.names)
        self.name_width = max(self.name_width, facts.name_width)

    def leave_room(self, facts: Headings) -> None:
        """Have as many lines below the names as the table beside this one that shows figures."""
        self.headings = len(facts.names)

    def heading(self, line: int, widths: Sequence[int]) -> Sequence[Cell]:
        if self._facts is None:
            return [Cell("") for _ in widths]
        return self._facts.cells(self.names, line, widths)

    def heading_name(self, line: int) -> str:
        return "" if self._facts is None else self._facts.names[line]

    def texts(self, row: int) -> list[str] | None:
        """Return the cells as they are shown; None while they are read."""
        return PagedRows.record(self, row)

    def is_left_out(self, row: int) -> bool:
        """Return whether the record of a row is not in the release."""
        texts = self.texts(row)
        return texts is not None and all(text == LEFT_OUT for text in texts)

    def is_suppressed(self, row: int) -> bool:
        """Return whether the record of a row is left out, or published as `*` only."""
        return self.is_left_out(row)


class RecordRows(ReleaseRows):
    """The records of a release in memory, before or after, with a mark in front of every cell."""

    def __init__(
        self,
        records: ResultRecords,
        pages: Pages,
        shown: Arrangement,
        columns: Sequence[RecordColumn],
        *,
        published: bool,
    ) -> None:
        super().__init__(
            pages,
            [column.name for column in columns],
            [_marked(column, published) for column in columns],
            missing=records.result.task.table.missing_tokens,
            numbers=shown.numbers,
            name_title=CLASS if published else RECORD,
            name=records.class_name if published else records.record_name,
        )  # fmt: skip
        self.name_width = records.name_width
        self._records = records
        self._published = published

    def line(self, row: int) -> list[Cell]:
        """Return the cells; a record that is left out has a mark in every cell."""
        records = self._records
        record = self.number(row)
        texts = self.texts(row) or ()
        suppressed = records.suppressed[record]
        if not self._published:
            marks = ("suppressed", "suppressed") if suppressed else ("", "missing")
            return [Cell(SAME + (text or "·"), marks[text in self._missing]) for text in texts]
        if self.is_left_out(row):
            return [Cell(SUPPRESSED, "bad") for _ in texts]
        mark = "bad" if suppressed else "changed"
        return [
            Cell(CHANGED + text, mark) if records.has_changed(name, record) else Cell(SAME + text)
            for name, text in zip(self.names, texts, strict=True)
        ]

    def heading(self, line: int, widths: Sequence[int]) -> Sequence[Cell]:
        """Return the figures below the names, not below the marks."""
        cells = super().heading(line, [width - len(SAME) for width in widths])
        return [Cell(SAME + cell.text, cell.mark) for cell in cells]

    def record(self, row: int) -> list[str] | None:
        """Return the cells to copy: nothing of a record that is left out."""
        if self._published and self.is_left_out(row):
            return ["" for _ in self.columns]
        return self.texts(row)

    def column_cells(self, row: int, column: int) -> list[str]:
        """Return the cells to copy, as `record` has them."""
        cells = super().column_cells(row, column)
        if not self._published:
            return cells
        return ["" if self.is_left_out(at) else cell for at, cell in enumerate(cells)]

    def is_left_out(self, row: int) -> bool:
        return self._records.left_out(self.number(row))

    def is_suppressed(self, row: int) -> bool:
        return bool(self._records.suppressed[self.number(row)])


def _marked(column: RecordColumn, published: bool) -> GridColumn:
    values = column.after if published else column.before
    return replace(marked_column(column.name, values.widest), lead=column.lead)


def marked_column(name: str, widest: int) -> GridColumn:
    """Return a column that fits its title and values, and a mark in front of each."""
    title = visible(name)
    return up_to(1 + WIDEST, SAME + title, 1 + max(cell_len(title), widest))
