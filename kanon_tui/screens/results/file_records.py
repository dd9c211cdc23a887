"""The records of a release in its files, page by page.

Beside the rows stand the records that were read, where the rows tell which these are: in the order
of the input, with no record left out. The order "as read" shows them in any case: every record of
the data, and beside it the row that was written of it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

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
from kanon_tui.core.numeric import Int64s
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
from kanon_tui.core.text import count_of, visible
from kanon_tui.screens.results.memory_records import (
    Arrangement,
    Description,
    Missed,
    NoRecordError,
    Stop,
    typed_number,
)
from kanon_tui.widgets.grid import GridColumn, up_to
from kanon_tui.widgets.grid_sources import PagedRows

AS_WRITTEN, BY_CLASS, SMALLEST_FIRST, AS_READ = (
    "as written",
    "by class",
    "smallest class first",
    "as read",
)
WIDEST = 24
SAMPLE = 300
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
        self.result, self.names = result, result.columns
        self.classes = ClassesByCells(result)
        self._written = Sides(ReleasePages(result, stop=stop), pages_before(result))
        self._read: Sides | None = None
        self._by_class: RowNumbers | None = None
        self._columns = self._fitting_columns()
        read = () if self._written.before is not None else (AS_READ,)
        self.orders = (AS_WRITTEN, BY_CLASS, SMALLEST_FIRST, *read)

    def sides(self, shown: Arrangement) -> Sides:
        """Return the rows that an arrangement shows."""
        return self._read if shown.order == AS_READ and self._read else self._written

    def _fitting_columns(self) -> list[GridColumn]:
        """Return columns for the first rows, and for labels from all over: pages differ."""
        result, pages, before = self.result, self._written.pages, self._written.before
        samples = [pages.page(0).head(SAMPLE)]
        if before is not None:
            samples.append(before.page(0).head(SAMPLE).select(self.names))
        labels: dict[str, Sequence[str]] = {
            attribute.name: cells.texts[:: max(len(cells.texts) // SAMPLE, 1)]
            for attribute, cells in zip(result.task.quasi, result.release.cells, strict=True)
        }
        found = []
        for place, (own, name) in enumerate(zip(self.names, pages.names, strict=True)):
            title, texts = visible(name), [name, *labels.get(own, ())]
            for sample in samples:
                texts += sample.to_series(place).cast(pl.String).to_list()
            found.append(up_to(WIDEST, title, max(cell_len(visible(text)) for text in texts)))
        return found

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
        own = dict(zip(names, self.names, strict=True))
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

    def grids(self, shown: Arrangement, missed: Missed) -> tuple[PagedRows | None, PagedRows]:
        """Return original and release; None for an unknown original."""
        sides, counted = self.sides(shown), "record" if shown.order == AS_READ else "row"

        def side(pages: Pages, places: Sequence[int], counted: str) -> PagedRows:
            return PagedRows(
                pages,
                self._columns,
                missed,
                numbers=shown.numbers,
                places=places,
                name_title=counted,
            )

        right = side(sides.pages, range(len(self.names)), counted)
        left = None
        if sides.before is not None:
            left = side(sides.before, self._places(sides.before), "record")
        return left, right

    def _places(self, before: FilePages) -> list[int]:
        """Return where the published columns are in the records that were read."""
        return [before.source.names.index(name) for name in self.names]

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

    # -- one row

    def describe(
        self, shown: Arrangement, record: int, column: str, widget: Widget
    ) -> Description | None:
        """Return the line about a cell, or None while the cell is being read."""
        sides = self.sides(shown)
        cells = sides.cells(record)
        if cells is None:
            return None
        text = list(cells.values())[self.names.index(column)]

        def complete(found: tuple[int, int] | None) -> Text:
            what = "record" if shown.order == AS_READ else "row"
            line = f"{what} {record + 1:,} of {sides.pages.height:,}: "
            if found is not None:
                number, size = found
                count = self.classes.count
                line += f"class {number + 1:,} of {count:,}, {count_of(size, 'record')} · "
            return Text.assemble(line, (visible(column), "bold"), f" {visible(text)}")

        return Description(None, lambda: self.classes.find(cells), complete)

    def question(
        self, shown: Arrangement, record: int, column: str
    ) -> Callable[[], Explanation] | None:
        """Return the work that explains a cell, or None where nothing was generalised."""
        names = [attribute.name for attribute in self.result.task.quasi]
        if column not in names:
            return None
        sides = self.sides(shown)

        def explain() -> Explanation:
            cells: Mapping[str, str] = sides.read_cells(record)
            return why_row(self.result, self.classes, cells, names.index(column))

        return explain

    def attribute_question(self, x: int) -> Callable[[], Explanation]:
        """Return the work that explains how a quasi-identifier was generalised."""
        return lambda: why_attribute(self.result, x)
