"""The records of a file that make up the table: conditions on columns, and rows that are counted.

`where: {year: ">= 2020", city: "=Rome"}` keeps the records that satisfy every condition. A
condition is a text that the cell contains, `=text` (the whole cell), `!text` (not in the cell),
`!=text` (not the whole cell), or a comparison of numbers or dates with `<`, `<=`, `>` or `>=`;
capitals do not matter, and a missing cell satisfies no comparison.

`counts: n` says that a row stands for as many records as its cell in the column `n` says: then the
row is repeated, and the column is left out. Both look at one cell at a time, so that a table in
memory and its pieces have the same records.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np
import polars as pl

from kanon_tui.core.errors import InputError, check_known
from kanon_tui.core.numeric import Flags, Floats, Int64s
from kanon_tui.core.table.cell_codes import Cells
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.value_formats import PLAIN, Format, Kind, read_texts
from kanon_tui.core.text import quoted_list

SIGNS = ("<=", ">=", "<", ">", "=", "!=", "!")
"""Signs that may precede the text of a condition; the first that matches counts."""
_MOST_RECORDS = 500_000_000
COMPARISONS: dict[str, Callable[[Floats, float], Flags]] = {
    "<=": np.less_equal, ">=": np.greater_equal, "<": np.less, ">": np.greater,
}  # fmt: skip


def split_sign(condition: str, signs: Collection[str] = SIGNS) -> tuple[str, str]:
    """Return the sign of a condition (empty: the cell contains the text) and its text."""
    condition = condition.strip()
    sign = next((sign for sign in SIGNS if sign in signs and condition.startswith(sign)), "")
    return sign, condition[len(sign) :].strip()


def matches(texts: pl.Series, sign: str, wanted: str) -> Flags:
    """Return which texts contain `wanted`, equal it or do not, whatever their capitals."""
    lower, wanted = texts.str.to_lowercase(), wanted.lower()
    found = lower == wanted if "=" in sign else lower.str.contains(wanted, literal=True)
    return (~found if sign.startswith("!") else found).to_numpy()


@dataclass(frozen=True)
class RecordChoice:
    """The choice of records that reading options make; false where they choose all as they are."""

    options: ReadOptions

    def __bool__(self) -> bool:
        return bool(self.columns)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that must be read to choose."""
        options = self.options
        return (*options.where, options.counts) if options.counts else tuple(options.where)

    def check(self, names: Collection[str], file: str) -> None:
        """Refuse columns that the file does not have."""
        for name in self.columns:
            key = "counts" if name == self.options.counts else "where"
            check_known(name, names, f"{file}: data.{key}: the data has no column '{name}'")

    def rows(self, frame: pl.DataFrame, file: str) -> Int64s:
        """Return the row of every chosen record; a row of several records occurs repeatedly."""
        kept = np.ones(frame.height, dtype=np.bool_)
        for name, condition in self.options.where.items():
            cells = Cells.from_series(frame[name], file)
            kept &= self._satisfying(cells.texts, condition, f"{file}: data.where: {name}")[
                cells.places
            ]
        rows = np.flatnonzero(kept)
        counts = self.options.counts
        if not counts:
            return rows
        cells = Cells.from_series(frame[counts].gather(rows), file)
        numbers = PLAIN.read(cells.texts)
        wrong = cells.texts.filter(~((numbers >= 0) & (numbers % 1 == 0)))
        if wrong.len():
            raise InputError(
                f"{file}: data.counts: '{wrong[0]}' in {counts} is no number of records; write a "
                "whole number of at least 0 in every row"
            )
        if (total := float(numbers[cells.places].sum())) > _MOST_RECORDS:
            raise InputError(
                f"{file}: data.counts: the rows stand for {total:,.0f} records, and "
                f"{_MOST_RECORDS:,} are the most that are read at once; divide the data"
            )
        return np.repeat(rows, numbers.astype(np.int64)[cells.places])

    def apply(self, frame: pl.DataFrame, file: str) -> tuple[pl.DataFrame, Int64s]:
        """Return the chosen records without the column of counts, and the row of each."""
        rows = self.rows(frame, file)
        kept = [name for name in frame.columns if name != self.options.counts]
        return frame.select(frame[name] for name in kept)[rows], rows

    def _satisfying(self, texts: pl.Series, condition: str, where: str) -> Flags:
        """Return which texts satisfy a condition."""
        sign, wanted = split_sign(condition)
        if sign not in COMPARISONS:
            return matches(texts, sign, wanted)
        for kind in (Kind.NUMERIC, Kind.DATE):
            formats = self.options.formats.known(kind)
            bound = _first_reading(pl.Series([wanted]), formats)
            if not np.isnan(bound[0]):
                numbers = _first_reading(texts, formats)
                break
        else:
            raise InputError(
                f"{where}: '{wanted}' is neither a number nor a date; write one after {sign}"
            )
        if kind is Kind.DATE:  # of moments the day counts
            bound, numbers = np.floor(bound), np.floor(numbers)
        missing = texts.is_in(list(self.options.missing_tokens)).to_numpy()
        wrong = texts.filter(np.isnan(numbers) & ~missing)
        if wrong.len():
            raise InputError(
                f"{where}: {quoted_list(wrong.sort(), 3)} cannot be compared with '{wanted}'; name "
                "what stands for a missing value in data.missing.tokens, or compare texts with ="
            )
        satisfied: Flags = COMPARISONS[sign](numbers, bound[0]) & ~missing
        return satisfied


def _first_reading(texts: pl.Series, formats: tuple[Format, ...]) -> Floats:
    """Return the number or day of each text under the first format that reads it; nan for none."""
    found = np.full(texts.len(), np.nan)
    for each in formats:
        unread = np.isnan(found)
        if not unread.any():
            break
        found[unread] = read_texts(texts.filter(unread), each)
    return found
