"""The table of the Data screen as somebody wants to look at it: sorted, filtered, searched.

A view only: what is anonymised is the whole file in its own order, whatever is shown.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kanon_tui.core.editing.session import Session
from kanon_tui.core.errors import InputError, KanonError
from kanon_tui.core.numeric import Int64s
from kanon_tui.core.pipeline.attributes import coded_column
from kanon_tui.core.table.column import Column
from kanon_tui.core.table.record_choice import COMPARISONS, SIGNS, matches, split_sign
from kanon_tui.core.table.schema import Kind
from kanon_tui.core.text import visible

__all__ = ["Filter", "View", "arranged_records", "parse_filter"]


@dataclass(frozen=True)
class Filter:
    """A condition on a column: contains a text, equals it, lacks it, or lies beyond a bound."""

    column: str
    text: str
    sign: str = ""
    """`=`: the whole cell; `!`: not in the cell; `!=`: not the whole cell; `<` and the like:
    numbers and dates beyond the text; nothing: somewhere in the cell."""

    def __str__(self) -> str:
        if self.sign in COMPARISONS:
            return f"{visible(self.column)} {self.sign} {visible(self.text)}"
        word = {"": "has", "=": "is", "!": "has not", "!=": "is not"}[self.sign]
        return f"{visible(self.column)} {word} '{visible(self.text)}'"

    def keeps(self, cells: pl.Series) -> NDArray[np.bool_]:
        """Return which cells contain the text, whatever their case."""
        return matches(cells, self.sign, self.text)

    def compares(self, column: Column) -> NDArray[np.bool_]:
        """Return which cells satisfy the comparison; of dates the day counts."""
        numbers, bound = column.numbers, self.bound(column)
        assert numbers is not None
        if column.kind is Kind.DATE:
            numbers, bound = np.floor(numbers), float(np.floor(bound))
        return COMPARISONS[self.sign](numbers, bound)[column.codes]

    def bound(self, column: Column) -> float:
        """Return the number or day that was typed."""
        number = float(column.parse([self.text])[0])
        if np.isnan(number):
            what = "date" if column.kind is Kind.DATE else "number"
            like = f"; write one like '{column.values[0]}'" if column.values else ""
            raise InputError(f"{column.name}: '{self.text}' is not a {what}{like}")
        return number


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


def parse_filter(
    name: str, text: str, kind: Kind = Kind.CATEGORICAL, column: Column | None = None
) -> Filter | None:
    """Return the filter that was typed; None, which shows all records, for an empty text.

    Only numbers and dates are compared: in a category `<` is a letter. A bound is checked where the
    column is known.
    """
    text = text.strip()
    if not text:
        return None
    signs = [sign for sign in SIGNS if kind.ordered or sign not in COMPARISONS]
    sign, wanted = split_sign(text, signs)
    if not wanted and sign in COMPARISONS:
        what = "date" if kind is Kind.DATE else "number"
        raise InputError(f"write a {what} after {sign}, or nothing to show all records")
    if not wanted and not sign.endswith("="):
        raise InputError("write a text after !, or nothing to show all records")
    found = Filter(name, wanted, sign)
    if sign in COMPARISONS and column is not None:
        found.bound(column)
    return found


def arranged_records(session: Session, view: View) -> Int64s:
    """Return the records that a view shows, in its order; ties stay in the order of the file."""
    frame = session.table.frame
    records = np.arange(frame.height, dtype=np.int64)
    if view.filter is not None:
        name = view.filter.column
        if view.filter.sign in COMPARISONS:
            column = coded_column(session.table, name, session.attribute(name))
            records = records[view.filter.compares(column)]
        else:
            records = records[view.filter.keeps(frame[name])]
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
