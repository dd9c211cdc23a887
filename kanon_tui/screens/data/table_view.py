"""The table of the Data screen as somebody wants to look at it: sorted, filtered, searched.

A view only: what is anonymised is the whole file in its own order, whatever is shown.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from kanon_tui.core.editing.session import Session
from kanon_tui.core.errors import InputError, KanonError
from kanon_tui.core.numeric import Int64s
from kanon_tui.core.run.prepare import coded_column
from kanon_tui.core.text import visible

__all__ = ["Filter", "View", "arranged_records", "parse_filter"]


@dataclass(frozen=True)
class Filter:
    """Rows whose cell of a column has a text, is it, or has it not."""

    column: str
    text: str
    sign: str = ""
    """`=`: the whole cell; `!`: not in the cell; nothing: somewhere in it."""

    def __str__(self) -> str:
        word = {"": "has", "=": "is", "!": "has not"}[self.sign]
        return f"{visible(self.column)} {word} '{visible(self.text)}'"

    def keeps(self, cells: pl.Series) -> pl.Series:
        """Which cells pass, whatever their case."""
        lower, wanted = cells.str.to_lowercase(), self.text.casefold()
        if self.sign == "=":
            return lower == wanted
        found = lower.str.contains(wanted, literal=True)
        return ~found if self.sign == "!" else found


@dataclass(frozen=True)
class View:
    """How the records are looked at."""

    sort: str | None = None
    descending: bool = False
    filter: Filter | None = None

    @property
    def plain(self) -> bool:
        """Whether all records are shown as they stand in the file."""
        return self.sort is None and self.filter is None

    def title(self, shown: int, all_records: int) -> str:
        """` · by age ↑ · city has 'Rome': 12 of 1,000 shown, all are anonymised`."""
        parts = []
        if self.sort is not None:
            parts.append(f" · by {visible(self.sort)} {'↓' if self.descending else '↑'}")
        if self.filter is not None:
            parts.append(
                f" · {self.filter}: {shown:,} of {all_records:,} shown, all are anonymised"
            )
        return "".join(parts)

    def sorted_by(self, column: str) -> View:
        """Up, then down, then in the order of the file."""
        if self.sort != column:
            return View(column, False, self.filter)
        return View(None if self.descending else column, not self.descending, self.filter)


def parse_filter(column: str, text: str) -> Filter | None:
    """What somebody typed; nothing shows all records."""
    text = text.strip()
    if not text:
        return None
    sign = text[0] if text[0] in "=!" else ""
    wanted = text[len(sign) :].strip()
    if not wanted and sign != "=":
        raise InputError("write a text after !, or nothing to show all records")
    return Filter(column, wanted, sign)


def arranged_records(session: Session, view: View) -> Int64s:
    """The records that a view shows, in its order; ties stay in the order of the file."""
    frame = session.table.frame
    records = np.arange(frame.height, dtype=np.int64)
    if view.filter is not None:
        kept = view.filter.keeps(frame[view.filter.column])
        records = records[kept.to_numpy()]
    if view.sort is not None:
        ranks = _ranks(session, view.sort)[records]
        missing_last = ranks < 0
        order = np.argsort(-ranks if view.descending else ranks, kind="stable")
        order = np.concatenate([order[~missing_last[order]], order[missing_last[order]]])
        records = records[order]
    return records


def _ranks(session: Session, column: str) -> Int64s:
    """The place of every cell among the values of its column: numbers by size; -1 for missing."""
    try:
        coded = coded_column(session.table, column, session.attribute(column))
    except KanonError:  # the kind does not fit: by text
        return session.table.frame[column].rank("dense").to_numpy().astype(np.int64)
    ranks = coded.codes.astype(np.int64)
    if coded.missing is not None:
        ranks[ranks == coded.missing] = -1
    return ranks
