"""The records of a result, before and after: sort, filter, find, tell about the one in front."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from textual import on
from textual.widget import Widget

from kanon_tui.core.analysis.why.explainer import explainer
from kanon_tui.core.analysis.why.reasons import Reasons, Why
from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.result import Result
from kanon_tui.screens.copying import Copyable
from kanon_tui.screens.results.described import Described
from kanon_tui.screens.results.record_rows import ORDERS, RecordRows
from kanon_tui.screens.results.searched_pane import SearchedPane
from kanon_tui.screens.results.status_lines import record_text
from kanon_tui.screens.results.twin_grids import TwinGrids

__all__ = ["RecordsPane"]


class RecordsPane(SearchedPane):
    """Both grids with the cursor on one record."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id, "find")
        self.rows: RecordRows | None = None
        self.reasons: Reasons | None = None
        self.order = ORDERS[0]
        self.only_class: int | None = None
        """Records of this class only; -1 for the suppressed ones."""
        self.records: np.ndarray = np.empty(0, dtype=np.int64)
        """The records shown, in the order they are shown."""
        self.grids = TwinGrids()

    def compose(self) -> Iterable[Widget]:
        yield self.grids
        yield self.finder

    # -- what is shown

    def show(self, result: Result) -> None:
        """Show a result; what needs all records is made in the background.

        Keys that come meanwhile are about its records, and wait for them.
        """
        reasons, order = explainer(result), self.order
        self.rows, self.reasons, self.only_class = None, reasons, None

        def prepare() -> tuple[RecordRows, np.ndarray]:
            rows = RecordRows(result)
            return rows, rows.ordered(order, None)

        def show_rows(prepared: tuple[RecordRows, np.ndarray]) -> None:
            if self.reasons is reasons:
                self.rows, records = prepared
                self._show_records(self.rows, records, f"released · {order}", self.record)

        in_front = self.screen.is_active
        self.compute(prepare, show_rows, group="rows", holds_keys=in_front)

    def lay_out(self, record: int | None = None, *, to_top: bool = False) -> None:
        """Sort and filter in the background; the cursor stays on its record or goes to the top."""
        rows, order, only = self.rows, self.order, self.only_class
        if rows is None:
            return
        keep = self.record if record is None else record
        shown = order if only is None else f"class {only + 1:,}" if only >= 0 else "suppressed"

        def arranged(records: np.ndarray) -> None:
            if self.rows is rows:  # else another result was put in front meanwhile
                self._show_records(rows, records, f"released · {shown}", None if to_top else keep)

        self.compute(lambda: rows.ordered(order, only), arranged, group="arrange")

    def _show_records(
        self, rows: RecordRows, records: np.ndarray, title: str, keep: int | None
    ) -> None:
        """Fill both grids; the cursor goes to the record that is kept, else to the top."""
        self.records = records
        self.grids.title("original", title)
        hits = np.flatnonzero(records == keep) if keep is not None else records[:0]
        self.grids.show(*rows.sources(records), int(hits[0]) if len(hits) else 0, rows.name_width)

    @property
    def record(self) -> int:
        """The record under the cursor, by its number in the run."""
        row = self.grids.row
        return int(self.records[row]) if row < len(self.records) else 0

    @property
    def column(self) -> str:
        if self.rows is None:
            return ""
        return self.rows.names[min(self.grids.column, len(self.rows.names) - 1)]

    def sort_records(self) -> None:
        """The next order, from its top: who sorts wants to see what comes first."""
        self.order = ORDERS[(ORDERS.index(self.order) + 1) % len(ORDERS)]
        self.lay_out(to_top=True)

    def switch_class(self) -> None:
        """Only the class of the record under the cursor, or all again."""
        if self.rows is not None:
            here = int(self.rows.classes[self.record])
            self.only_class = here if self.only_class is None else None
            self.lay_out()

    def focus_rows(self) -> None:
        self.grids.left.focus()

    # -- going to a record

    def next_record(self, direction: int) -> None:
        """The next record with what was looked for, else whose cell in this column changed."""
        if self.looked_for:
            self.find_next(direction)
        elif self.rows is not None:
            where = "below" if direction > 0 else "above"
            otherwise = f"no record {where} has another {self.column}"
            self._go_to_next(self.rows.changed_in(self.column), otherwise, direction)

    def next_suppressed(self) -> None:
        if self.rows is not None:
            self._go_to_next(self.rows.suppressed, "no record below is suppressed")

    def _go_to_next(
        self, flags: np.ndarray, otherwise: str, direction: int = 1, wrap: bool = False
    ) -> None:
        hits = np.flatnonzero(flags[self.records])[::direction]
        later = hits[direction * hits > direction * self.grids.row]
        if not len(later) and wrap:
            later = hits
        if len(later):
            self.grids.go_to(int(later[0]))
        else:
            self.host.say(otherwise)

    def number_of(self, text: str) -> int:
        """The record with a typed number; raises when this run has none."""
        assert self.rows is not None
        digits = text.replace(",", "").strip()
        wanted = int(digits) if digits.isdecimal() and digits.isascii() else -1
        hits = np.flatnonzero(self.rows.numbers == wanted)
        if not len(hits):
            last = int(self.rows.numbers[-1])
            raise InputError(f"write the number of a record of this run, up to {last:,}")
        return int(hits[0])

    def go_to_record(self, record: int) -> None:
        """Show a record among all others."""
        self.only_class = None
        self.lay_out(record)

    def find_next(self, direction: int) -> None:
        """The next record with the text on either side."""
        rows, wanted = self.rows, self.looked_for

        def found(flags: np.ndarray) -> None:
            self._go_to_next(flags, f"'{wanted}' is in no record", direction, wrap=True)

        if rows is not None and wanted:
            self.compute(lambda: rows.containing(wanted), found, group="find")

    # -- why

    @on(TwinGrids.Moved)
    def moved(self, event: TwinGrids.Moved) -> None:
        """Tell about the record; the reason follows when it is counted."""
        event.stop()
        rows, reasons, record, column = self.rows, self.reasons, self.record, self.column
        if rows is None or reasons is None or not len(self.records):
            return
        self.post_message(Described(record_text(rows, record, column, self)))
        x = rows.place.get(column)
        if x is None or rows.suppressed[record]:
            return

        def show_reason(because: str) -> None:
            if self.rows is rows and (self.record, self.column) == (record, column):
                rules = reasons.rules(record, x)
                self.post_message(
                    Described(record_text(rows, record, column, self, because, rules))
                )

        self.compute(lambda: reasons.in_short(record, x), show_reason, group="because")

    def copyable(self) -> Copyable | None:
        """What the cursor is on, of the side that has the focus; no identifier is shown here."""
        rows, records, record = self.rows, self.records, self.record
        if rows is None or not len(records):
            return None
        text = rows.published_text if self.grids.right.has_focus else rows.original_text
        names, column = rows.names, self.column
        return Copyable(
            names,
            column,
            lambda: [text(name, record) for name in names],
            lambda: [text(column, int(one)) for one in records],
        )

    @property
    def why_not(self) -> str:
        """Why there is no explanation of the cell under the cursor."""
        return f"{self.column} is no quasi-identifier: published as it is"

    def attribute_question(self, x: int) -> Callable[[], Why] | None:
        """The work that explains a quasi-identifier over the whole table."""
        reasons = self.reasons
        return None if reasons is None else lambda: reasons.of_attribute(x)

    def question(self) -> Callable[[], Why] | None:
        """The work that explains the cell under the cursor; None where nothing was generalised."""
        rows, reasons, record = self.rows, self.reasons, self.record
        if rows is None or reasons is None:
            return None
        x = rows.place.get(self.column)
        if rows.suppressed[record]:
            return lambda: reasons.of_suppressed(record)
        return None if x is None else lambda: reasons.of_record(record, x)
