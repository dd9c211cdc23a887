"""The interface through which the records pane shows a release.

`memory_records` implements it for a release in memory, `file_records` for one in its files. Records
are addressed by their number: the record in the run, or the row in the files.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from rich.text import Text
from textual.widget import Widget

from kanon_tui.core.analysis.why.reasons import Why
from kanon_tui.core.errors import KanonError
from kanon_tui.core.numeric import Int64s
from kanon_tui.core.pipeline.pages import RankedRows
from kanon_tui.core.table.pages import Pages
from kanon_tui.screens.copying import Copyable
from kanon_tui.widgets.grid import GridSource

__all__ = ["Arrangement", "Description", "Missed", "NoRecordError", "RecordSource", "Stop"]

Stop = Callable[[], bool]
"""Returns True when the answer is no longer wanted."""
Missed = Callable[[Pages, int], object]
"""Called with a page that is shown and not in memory."""


class NoRecordError(KanonError):
    """There is no record to go to; the sentence says why."""


@dataclass(frozen=True, eq=False)
class Arrangement:
    """The records that are shown, in their order."""

    order: str
    height: int
    numbers: Int64s | RankedRows | None = None
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
        if isinstance(self.numbers, RankedRows):
            return self.numbers.place_of(record)
        places = np.flatnonzero(self.numbers == record)
        return int(places[0]) if len(places) else None


@dataclass(frozen=True)
class Description:
    """The line about the cell under the cursor: at once, and completed when `work` is done."""

    text: Text | None
    work: Callable[[], Any] | None
    complete: Callable[[Any], Text]


class RecordSource(ABC):
    """The records of one release. Methods with `stop` may take long and run in a thread."""

    in_memory: ClassVar[bool]
    names: Sequence[str]
    """The published columns; identifiers are never shown beside a release."""
    orders: tuple[str, ...]

    # -- what is shown

    @abstractmethod
    def arranged(self, order: str, stop: Stop) -> Arrangement:
        """Return all records in one of `orders`."""

    @abstractmethod
    def class_of(self, shown: Arrangement, record: int, stop: Stop) -> Arrangement:
        """Return the records of a record's class; raises NoRecordError if it has none."""

    @abstractmethod
    def title(self, shown: Arrangement) -> list[str]:
        """Return the parts of the title after "released"."""

    @abstractmethod
    def grids(
        self, shown: Arrangement, missed: Missed
    ) -> tuple[GridSource | None, GridSource, int]:
        """Return original, release and the width of row names; None for an unknown original."""

    # -- finding; NoRecordError says that there is none

    @abstractmethod
    def find(self, shown: Arrangement, place: int, text: str, direction: int, stop: Stop) -> int:
        """Return the next record with a text, from a place on and around the end."""

    @abstractmethod
    def next_changed(self, shown: Arrangement, place: int, column: str, direction: int) -> int:
        """Return the next record whose cell in a column was changed."""

    @abstractmethod
    def next_suppressed(self, shown: Arrangement, place: int, stop: Stop) -> int:
        """Return the next suppressed record."""

    @abstractmethod
    def number_of(self, shown: Arrangement, text: str) -> int:
        """Return the record with a typed number; raises InputError if there is none."""

    # -- one record

    @abstractmethod
    def describe(
        self, shown: Arrangement, record: int, column: str, widget: Widget
    ) -> Description | None:
        """Return the line about a cell, or None while the cell is being read."""

    @abstractmethod
    def copyable(
        self, shown: Arrangement, record: int, column: str, original: bool
    ) -> Copyable | None:
        """Return the row and the column to copy, or None while they are being read."""

    @abstractmethod
    def question(self, shown: Arrangement, record: int, column: str) -> Callable[[], Why] | None:
        """Return the work that explains a cell, or None where nothing was generalised."""

    @abstractmethod
    def attribute_question(self, x: int) -> Callable[[], Why]:
        """Return the work that explains how a quasi-identifier was generalised."""


def typed_number(text: str) -> int:
    """Return the number that was typed, with or without thousands separators; -1 for none."""
    digits = text.replace(",", "").strip()
    return int(digits) if digits.isdecimal() and digits.isascii() else -1
