"""What the two sources of the records pane share.

`memory_records` has the records of a release in memory, `file_records` those of one in its files,
with the same methods. Records are addressed by their number: the record in the run, or the row in
the files. Methods with `stop` may take long and run in a thread; those that go to a record raise
`NoRecordError` where there is none.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.text import Text

from kanon_tui.core.errors import KanonError
from kanon_tui.core.pipeline.pages import Pages, RowNumbers

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


@dataclass(frozen=True)
class Description:
    """The line about the cell under the cursor: at once, and completed when `work` is done."""

    text: Text | None
    work: Callable[[], Any] | None
    complete: Callable[[Any], Text]


def typed_number(text: str) -> int:
    """Return the number that was typed, with or without thousands separators; -1 for none."""
    digits = text.replace(",", "").strip()
    return int(digits) if digits.isdecimal() and digits.isascii() else -1
