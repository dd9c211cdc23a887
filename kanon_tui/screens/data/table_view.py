"""The table of the Data screen as somebody wants to look at it: sorted, filtered, searched.

A view only: what is anonymised is the whole file in its own order, whatever is shown.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from kanon_tui.core.editing.session import Session
from kanon_tui.core.errors import InputError, KanonError
from kanon_tui.core.numeric import Int64s
from kanon_tui.core.pipeline.prepare import coded_column
from kanon_tui.core.project.project import Project
from kanon_tui.core.table.record_choice import COMPARISONS, RecordChoice, split_sign
from kanon_tui.core.text import visible


@dataclass(frozen=True)
class Filter:
    """A condition on a column, as `data.where` of a project has it: `>= 2020`, `=Rome`, `!Rome`."""

    column: str
    condition: str

    def __str__(self) -> str:
        sign, text = split_sign(self.condition)
        if sign in COMPARISONS:
            return f"{visible(self.column)} {sign} {visible(text)}"
        word = {"": "has", "=": "is", "!": "has not", "!=": "is not"}[sign]
        return f"{visible(self.column)} {word} '{visible(text)}'"

    def rows(self, project: Project, frame: pl.DataFrame) -> Int64s:
        """Return the rows that satisfy the condition; raise `InputError` if it cannot be one."""
        where = {self.column: self.condition}
        options = replace(project.data.read_options, where=where, counts="")
        try:
            return RecordChoice(options).rows(frame, "")
        except InputError as error:
            raise InputError(str(error).partition("data.where: ")[2]) from None


@dataclass(frozen=True)
class View:
    """A view of the records: sorted by a column, filtered, or neither."""

    sort: str | None = None
    descending: bool = False
    filter: Filter | None = None

    @property
    def plain(self) -> bool:
        """Whether all records are shown as they stand in the file."""
        return self.sort is None and self.filter is None

    def title(self, shown: int, all_records: int) -> str:
        """Return ` · by age ↑ · city has 'Rome': 12 of 1,000 shown, all are anonymised`."""
        parts = []
        if self.sort is not None:
            parts.append(f" · by {visible(self.sort)} {'↓' if self.descending else '↑'}")
        if self.filter is not None:
            parts.append(
                f" · {self.filter}: {shown:,} of {all_records:,} shown, all are anonymised"
            )
        return "".join(parts)

    def sorted_by(self, column: str) -> View:
        """Return the view sorted by a column: ascending, then descending, then in file order."""
        if self.sort != column:
            return View(column, False, self.filter)
        return View(None if self.descending else column, not self.descending, self.filter)


def parse_filter(session: Session, column: str, text: str) -> Filter | None:
    """Return the filter that was typed; None, which shows all records, for an empty text."""
    sign, wanted = split_sign(text)
    if not sign and not wanted:
        return None
    if (not wanted and not sign.endswith("=")) or (not wanted and sign in COMPARISONS):
        raise InputError(f"write something after {sign}, or nothing to show all records")
    found = Filter(column, text.strip())
    found.rows(session.project, session.table.frame.head(0))  # refuses a bound that is no number
    return found


def arranged_records(session: Session, view: View) -> Int64s:
    """Return the records that a view shows, in its order; ties stay in the order of the file."""
    frame = session.table.frame
    records = np.arange(frame.height, dtype=np.int64)
    if view.filter is not None:
        records = view.filter.rows(session.project, frame)
    if view.sort is not None:
        ranks = _ranks(session, view.sort)[records]
        missing_last = ranks < 0
        order = np.argsort(-ranks if view.descending else ranks, kind="stable")
        order = np.concatenate([order[~missing_last[order]], order[missing_last[order]]])
        records = records[order]
    return records


def _ranks(session: Session, column: str) -> Int64s:
    """Return the rank of every cell among the values of its column; -1 for missing."""
    try:
        coded = coded_column(session.table, column, session.attribute(column))
    except KanonError:  # the kind does not fit: by text
        return session.table.frame[column].rank("dense").to_numpy().astype(np.int64)
    ranks = coded.codes.astype(np.int64)
    if coded.missing is not None:
        ranks[ranks == coded.missing] = -1
    return ranks
