"""The rows of a written release by their number in the files, a page at a time.

Beside the rows stand the records that were read, where the rows tell which these are: in the order
of the input, with no record left out. The order "as read" shows them in any case: every record of
the data, and beside it the row that was written of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl
from rich.cells import cell_len
from rich.text import Text
from textual.widget import Widget

from kanon_tui.core.analysis.why.in_files import (
    ClassesByCells,
    class_before,
    why_attribute,
    why_row,
)
from kanon_tui.core.analysis.why.reasons import Explanation
from kanon_tui.core.errors import InputError
from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.numeric import Flags, Int64s
from kanon_tui.core.pipeline.engine_choice import memory_limit
from kanon_tui.core.pipeline.pages import (
    LEFT_OUT,
    FilePages,
    Pages,
    PublishedPages,
    ReleasePages,
    RowNumbers,
    in_turns,
    pages_before,
    ranked_rows,
    records_of,
)
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.text import count_of, typed_number, visible
from kanon_tui.screens.results.headings import headings_of
from kanon_tui.screens.results.record_columns import (
    WIDEST,
    Extent,
    RecordColumn,
    lead_of,
    ordered_columns,
)
from kanon_tui.screens.results.release_records import (
    BY_CLASS,
    RECORD,
    SAMPLE,
    SMALLEST_FIRST,
    Arrangement,
    Description,
    Missed,
    NoRecordError,
    Question,
    ReleaseRows,
    Stop,
)
from kanon_tui.widgets.grid import GridColumn, up_to

AS_WRITTEN, AS_READ = "as written", "as read"
NO_CLASS = "this record is suppressed and belongs to no class"


@dataclass(frozen=True, eq=False)
class Sides:
    """The published rows, and the records that were read beside them."""

    pages: Pages
    before: FilePages | None

    def cells(self, row: int) -> dict[str, str] | None:
        """Return the cells of a row by their columns in the files; None while it is read."""
        cells = self.pages.cached_row(row) if self.pages.height else None
        return None if cells is None else dict(zip(self.pages.names, cells, strict=True))

    def read_cells(self, row: int) -> dict[str, str]:
        """Return the cells of a row, from the files if need be."""
        return dict(zip(self.pages.names, self.pages.row(row), strict=True))


class FileRecords:
    """The rows of a written release, by their number in the files."""

    in_memory = False

    def __init__(self, result: FinishedRun, stop: Stop) -> None:
        """Look over the files, which takes a moment for text."""
        self.result = result
        self.names = ordered_columns(result)
        self.headings = headings_of(result)
        self.classes = ClassesByCells(result)
        self._written = Sides(ReleasePages(result, stop=stop), pages_before(result))
        self._read: Sides | None = None
        self._by_class: RowNumbers | None = None
        self.columns = self._fitting_columns()
        read = () if self._written.before is not None else (AS_READ,)
        self.orders = (AS_WRITTEN, BY_CLASS, SMALLEST_FIRST, *read)

    def sides(self, shown: Arrangement) -> Sides:
        """Return the rows that an arrangement shows."""
        return self._read if shown.order == AS_READ and self._read else self._written

    def _fitting_columns(self) -> list[RecordColumn]:
        """Return columns for the first rows, and for labels from all over: pages differ."""
        result = self.result
        published = self._written.pages.page(0).head(SAMPLE)
        original = None
        if self._written.before is not None:
            original = self._written.before.page(0).head(SAMPLE)
        attributes = dict(zip(self._quasi_names, range(len(self._quasi_names)), strict=True))
        levels = result.grouping.levels
        columns = []
        for place, name in enumerate(self.names):
            x = attributes.get(name)
            after = Extent.of_texts(_texts_of(published, self.published_names[name]))
            is_changed = x is not None
            if x is not None:
                labels = result.release.cells[x].texts
                after |= Extent.of_texts([], labels[:: max(len(labels) // SAMPLE, 1)])
                is_changed = levels is None or levels[x] > 0
            before = Extent()
            if original is not None:
                before = Extent.of_texts(_texts_of(original, name))
            lead = lead_of(result, self.names, place)
            columns.append(RecordColumn(name, before, after, is_changed, lead))
        return columns

    @cached_property
    def _quasi_names(self) -> list[str]:
        return [attribute.name for attribute in self.result.task.quasi]

    @cached_property
    def published_names(self) -> dict[str, str]:
        """By column, its name in the files, which may be escaped."""
        return dict(zip(self.result.columns, self._written.pages.names, strict=True))

    def loss(self, name: str, record: int) -> float:
        """Return the NCP of an attribute: that of single cells is not known for files."""
        measured = self.result.measures.attributes.get(name)
        return 0.0 if measured is None else measured.ncp

    def bands(self, shown: Arrangement) -> Flags | None:
        """Return None: the class of a row is known when it is read, not before."""
        return None

    # -- what is shown

    def arranged(self, order: str, stop: Stop) -> Arrangement:
        """Return all records in one of `orders`."""
        height = self._written.pages.height
        if order == AS_WRITTEN:
            return Arrangement(order, height)
        if order == AS_READ:
            return Arrangement(order, self._as_read().pages.height)
        rows = self._ranked(stop)
        if order == SMALLEST_FIRST:
            sizes = self.classes.row_sizes.copy()
            sizes[self.classes.count :] = np.iinfo(np.int64).max  # suppressed records come last
            rows = in_turns(rows, self.classes.row_sizes, np.argsort(sizes, kind="stable"))
        return Arrangement(order, height, rows)

    def without_originals(self) -> Arrangement:
        """Drop the records that were read, because they changed; return the rows as written."""
        self._written, self._read = replace(self._written, before=None), None
        self.orders = (AS_WRITTEN, BY_CLASS, SMALLEST_FIRST)
        return Arrangement(AS_WRITTEN, self._written.pages.height)

    def _ranked(self, stop: Stop) -> RowNumbers:
        if self._by_class is None:
            assert self.result.project is not None
            memory = memory_limit(self.result.project).with_held_memory()
            rows, classes = self._written.pages.stretches(stop), self.classes
            self._by_class = ranked_rows(rows, classes.numbers_of, classes.row_sizes, memory)
        return self._by_class

    def _as_read(self) -> Sides:
        if self._read is None:
            records = records_of(self.result)
            if records is None:
                raise InputError(
                    "the data has changed since it was read, or its number of records is unknown; "
                    "the release is shown as it was written"
                )
            names = self._written.pages.names
            self._read = Sides(PublishedPages(self.result, records, names), records)
        return self._read

    def class_of(self, shown: Arrangement, record: int, stop: Stop) -> Arrangement:
        """Return the records of a record's class; raises NoRecordError if it has none."""
        number, rows, _ = self._class_rows(shown, record, (), stop)
        return Arrangement(shown.order, len(rows), rows, number)

    def before(self, shown: Arrangement, record: int, stop: Stop) -> Explanation:
        """Return the original values of the class of a row, attribute by attribute."""
        names = self.sides(shown).pages.names
        others = [name for name in names if name not in self.classes.names]
        number, _, frame = self._class_rows(shown, record, others, stop)
        own = {written: name for name, written in self.published_names.items()}
        return class_before(self.result, number, frame.rename(lambda name: own[name]))

    def _class_rows(
        self, shown: Arrangement, record: int, columns: Sequence[str], stop: Stop
    ) -> tuple[int, Int64s, pl.DataFrame]:
        """Return the class of a row, the numbers of its rows and some of their columns."""
        sides = self.sides(shown)
        cells = sides.read_cells(record)
        found = self.classes.find(cells)
        if found is None:
            raise NoRecordError(NO_CLASS)
        quasi = {name: cells[name] for name in self.classes.names}
        return found[0], *sides.pages.rows_with(quasi, record, found[1], columns, stop)

    def title(self, shown: Arrangement) -> list[str]:
        """Return the parts of the title after "released"."""
        parts = [] if shown.order == AS_WRITTEN else [shown.order]
        if shown.only_class is not None:
            parts.append(f"class {shown.only_class + 1:,}")
        target = self.result.target
        return parts if target is None else [*parts, target.path.name]

    def rows_before(
        self, shown: Arrangement, missed: Missed, columns: Sequence[RecordColumn]
    ) -> ReleaseRows | None:
        """Return some columns of the original; None where it is not known beside the rows."""
        pages = self.sides(shown).before
        if pages is None:
            return None
        names = [column.name for column in columns]
        plain = [plain_column(column, column.before.widest) for column in columns]
        return ReleaseRows(
            pages, names, plain, missed=missed, numbers=shown.numbers, name_title=RECORD
        )

    def rows_after(
        self, shown: Arrangement, missed: Missed, columns: Sequence[RecordColumn]
    ) -> ReleaseRows:
        """Return some columns of the release."""
        names = [self.published_names[column.name] for column in columns]
        plain = [plain_column(column, column.after.widest) for column in columns]
        counted = RECORD if shown.order == AS_READ else "row"
        rows = ReleaseRows(
            self.sides(shown).pages, names, plain,
            missed=missed, numbers=shown.numbers, name_title=counted,
        )  # fmt: skip
        rows.names = [column.name for column in columns]
        return rows

    # -- finding

    def find(self, shown: Arrangement, place: int, text: str, direction: int, stop: Stop) -> int:
        """Return the next record with a text, from a place on and around the end."""
        found = self.sides(shown).pages.find(text, shown.number(place), direction, stop)
        if found is None:
            raise NoRecordError(f"no row contains '{visible(text)}'")
        return found

    def next_changed(self, shown: Arrangement, place: int, column: str, direction: int) -> int:
        """Return the next record whose cell in a column was changed."""
        raise NoRecordError("files have no list of changed cells; press / to find a text")

    def next_suppressed(self, shown: Arrangement, place: int, stop: Stop) -> int:
        """Return the next suppressed record."""
        suppressed = self.result.measures.suppressed_records
        dropped = self.result.task.output.suppressed == "drop"
        if suppressed and dropped and shown.order != AS_READ:
            how_many = count_of(suppressed, "record is", "records are")
            raise NoRecordError(
                f"{how_many} suppressed and not in the files; s shows them {AS_READ}"
            )
        names = self.classes.names
        hidden = pl.all_horizontal(pl.col(*names).is_in([HIDDEN, LEFT_OUT]))
        found = self.sides(shown).pages.next_row(
            lambda cells: cells.select(hidden).to_series().to_numpy(),
            shown.number(place),
            stop=stop,
        )
        if found is None:
            raise NoRecordError("no record is suppressed")
        return found

    def number_of(self, shown: Arrangement, text: str) -> int:
        """Return the record with a typed number; raises InputError if there is none."""
        wanted, height = typed_number(text), self.sides(shown).pages.height
        if not 1 <= wanted <= height:
            raise InputError(f"write the number of a row of the release, up to {height:,}")
        return wanted - 1

    def describe(self, shown: Arrangement, record: int, column: str, widget: Widget) -> Description:
        """Return what makes the line about a cell; nothing while the cell is being read."""
        sides = self.sides(shown)
        cells = sides.cells(record)
        if cells is None:
            return None, None
        text = cells[self.published_names[column]]

        def line() -> Text:
            what = "record" if shown.order == AS_READ else "row"
            line, found = (
                f"{what} {record + 1:,} of {sides.pages.height:,}: ",
                self.classes.find(cells),
            )
            if found is not None:
                number, size = found
                count = self.classes.count
                line += f"class {number + 1:,} of {count:,}, {count_of(size, 'record')} · "
            return Text.assemble(line, (visible(column), "bold"), f" {visible(text)}")

        return None, line

    def question(self, shown: Arrangement, record: int, column: str) -> Question | None:
        """Return the work that explains a cell, or None where nothing was generalised."""
        if column not in self._quasi_names:
            return None
        sides = self.sides(shown)
        x = self._quasi_names.index(column)
        return lambda: why_row(self.result, self.classes, sides.read_cells(record), x)

    def attribute_question(self, x: int) -> Question:
        """Return the work that explains how a quasi-identifier was generalised."""
        return lambda: why_attribute(self.result, x)


def plain_column(column: RecordColumn, widest: int) -> GridColumn:
    """Return a column that fits its title and values."""
    width = max(cell_len(column.title), widest)
    return replace(up_to(WIDEST, column.title, width), lead=column.lead)


def _texts_of(rows: pl.DataFrame, name: str) -> list[str]:
    return [text or "" for text in rows[name].cast(pl.String).to_list()]
