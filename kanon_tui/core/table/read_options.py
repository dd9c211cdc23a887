"""Options of a project for reading a data file, and the records that they choose.

What is `auto` is detected. `where: {year: ">= 2020", city: "=Rome"}` keeps the records that satisfy
every condition. A condition is a text that the cell contains, `=text` (the whole cell), `!text`
(not in the cell), `!=text` (not the whole cell), or a comparison of numbers or dates with `<`,
`<=`, `>` or `>=`; capitals do not matter, and a missing cell satisfies no comparison.

`counts: n` says that a row stands for as many records as its cell in the column `n` says: then the
row is repeated, and the column is left out. Both look at one cell at a time, so that a table in
memory and its pieces have the same records.
"""

import codecs
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from kanon_tui.core.errors import InputError, Value, Values, check_known
from kanon_tui.core.fields.declaration import (
    Checked,
    FieldType,
    automatic,
    declared,
    inlined,
    list_of,
    mapping_of,
    switch,
    text,
)
from kanon_tui.core.fields.located import LocatedValue
from kanon_tui.core.numeric import Flags, Floats, Int64s
from kanon_tui.core.table.cell_codes import Cells
from kanon_tui.core.table.column import MISSING_TOKENS
from kanon_tui.core.table.value_formats import PLAIN, Format, Kind, ValueFormats, read_texts

_HEADER = "true, false, auto or a list of column names"
_SIZE = re.compile(r"(\d{1,18}(?:\.\d{1,9})?) ?(b||[kmgt]i?b)", re.ASCII | re.IGNORECASE)
_NOT_FOR_FILES = frozenset(
    ["punycode", "idna", "undefined", "unicode-escape", "raw-unicode-escape", "mbcs", "oem"]
)
"""Python's codecs from text to text that are no encodings of files, or not on every system."""
_UNITS = {"": 1, "b": 1}
for _power, _letter in enumerate("kmgt", 1):
    _UNITS |= {f"{_letter}b": 1000**_power, f"{_letter}ib": 1024**_power}


def _is_delimiter(text: str) -> bool:
    return text in ("auto", "\\t") or (len(text) == 1 and text not in "\r\n\0\"'")


def _is_encoding(name: str) -> bool:
    """Return whether Python reads files in this encoding; zlib and rot13 are no encodings."""
    if name == "auto":
        return True
    try:
        codec = codecs.lookup(name)
        "".encode(name)  # refused by codecs that take no text
    except (LookupError, ValueError, TypeError):
        return False
    plain = codec.name.replace("_", "-")
    return codec.incrementaldecoder is not None and plain not in _NOT_FOR_FILES


def _read_header(located: LocatedValue) -> bool | str | tuple[str, ...]:
    if isinstance(located.value, list | tuple):
        names: tuple[str, ...] = _COLUMN_NAMES.read(located)
        return names
    choice: bool | str = automatic(switch(), _HEADER).read(located)
    return choice


def _write_header(header: bool | str | tuple[str, ...]) -> object:
    return _COLUMN_NAMES.write(header) if isinstance(header, tuple) else header


def _read_size(located: LocatedValue) -> int:
    size = _SIZE.fullmatch(located.text().strip())
    number, unit = size.groups() if size else ("0", "")
    limit: int = round(float(number) * _UNITS[unit.lower()])
    if not 0 < limit < 2**62:
        raise located.wrong("")
    return limit


def _write_size(size: int) -> int | str:
    for unit in ("GB", "MB", "kB"):
        if size % _UNITS[unit.lower()] == 0:
            return f"{size // _UNITS[unit.lower()]}{unit}"
    return size


SIZE = automatic(FieldType("", _read_size, _write_size), "auto or a size such as 500MB or 4GB")
DELIMITER = text('auto or one character in quotes, such as ",", ";" or "\\t"', fits=_is_delimiter)
ENCODING = text("auto or a text encoding such as utf-8 or latin-1", fits=_is_encoding)
_COLUMN_NAMES = list_of(text("the name of a column"), "a list of names")


@dataclass(frozen=True)
class ReadOptions(Checked):
    """Options for reading a data file; what is `auto` is detected."""

    delimiter: str = declared("auto", "The character between the cells of a row", type=DELIMITER)
    header: bool | Literal["auto"] | tuple[str, ...] = declared(
        "auto",
        "Whether the first row holds the names of the columns, or the names",
        type=FieldType(_HEADER, _read_header, _write_header),
    )
    encoding: str = declared("auto", "The encoding of the text", type=ENCODING)
    quote: str = declared("auto", "The character around texts", choices=("auto", '"', "'", "none"))
    space_after_delimiter: bool | Literal["auto"] = declared(
        "auto",
        "Whether spaces after a delimiter are layout; auto: where one follows every delimiter",
        type=automatic(switch(), "true, false or auto"),
    )
    formats: ValueFormats = declared(factory=ValueFormats, type=inlined(ValueFormats))
    sheet: str = declared(
        "auto",
        "The sheet of a workbook, or the table of a database file: its name or its number; auto: "
        "the first",
        type=text("auto, or the name or number of a sheet or table", empty=False),
    )
    query: str = declared(
        "", "What to select from a database, in SQL; none: a whole table", type=text("an SQL query")
    )
    limit: int | Literal["auto"] = declared(
        "auto",
        "The most that is read, counted after decompression; auto: a quarter of the memory",
        type=SIZE,
    )
    missing_tokens: tuple[str, ...] = declared(
        MISSING_TOKENS,
        "Cells that stand for a missing value",
        key="missing.tokens",
        type=list_of(text(), 'a list of texts like ["", "?", NA]'),
    )
    skip_first: int = declared(
        0,
        "Lines before the header, such as titles, that are no records; of other files rows",
        key="skip.first",
        low=0,
    )
    skip_last: int = declared(
        0, "Lines at the end, such as totals and notes, that are no records", key="skip.last", low=0
    )
    rename: Mapping[str, str] = declared(
        help="New names of columns; the second column called Diagnose is Diagnose_2",
        type=mapping_of(text("a name", empty=False), "a mapping of names to new names"),
        factory=dict,
    )
    where: Mapping[str, str] = declared(
        help="Conditions on the records to keep, by column: a text in the cell, =text, !text, "
        "!=text, or a comparison like >= 2020",
        type=mapping_of(
            text("a condition like >= 2020, =Rome or !Rome", empty=False), "a mapping of columns"
        ),
        factory=dict,
    )
    counts: str = declared(
        "",
        "The column that says how many records a row stands for; none: one each",
        type=text("the name of a column"),
    )

    @property
    def choosing(self) -> tuple[str, ...]:
        """The columns by which records are chosen; none where all are taken as they are."""
        return (*self.where, self.counts) if self.counts else tuple(self.where)

    def check_choosing(self, names: Collection[str], file: str) -> None:
        """Refuse columns that the file does not have."""
        for name in self.choosing:
            key = "counts" if name == self.counts else "where"
            check_known(name, names, f"{file}: data.{key}: the data has no column '{name}'")

    def chosen_rows(self, frame: pl.DataFrame, file: str) -> Int64s:
        """Return the row of every chosen record; a row of several records occurs repeatedly."""
        is_chosen = np.ones(frame.height, dtype=np.bool_)
        for name, condition in self.where.items():
            cells = Cells.from_series(frame[name], file)
            is_chosen &= self._satisfying(cells.texts, condition, f"{file}: data.where: {name}")[
                cells.places
            ]
        rows = np.flatnonzero(is_chosen)
        counts = self.counts
        if not counts:
            return rows
        cells = Cells.from_series(frame[counts].gather(rows), file)
        numbers = PLAIN.read(cells.texts)
        is_wrong = ~((numbers >= 0) & (numbers % 1 == 0))
        if is_wrong.any():
            record = int(np.flatnonzero(is_wrong[cells.places])[0])
            text = Value(cells.texts[int(cells.places[record])])
            raise InputError(
                f"{file}: data.counts: {text} in {counts}, record {int(rows[record]) + 1:,}, is no "
                "number of records; write a whole number of at least 0 in every row"
            )
        if (total := float(numbers[cells.places].sum())) > _MOST_RECORDS:
            raise InputError(
                f"{file}: data.counts: the rows stand for {total:,.0f} records, and "
                f"{_MOST_RECORDS:,} are the most that are read at once; divide the data"
            )
        return np.repeat(rows, numbers.astype(np.int64)[cells.places])

    def choose(self, frame: pl.DataFrame, file: str) -> tuple[pl.DataFrame, Int64s]:
        """Return the chosen records without the column of counts, and the row of each."""
        self.check_choosing(frame.columns, file)
        rows = self.chosen_rows(frame, file)
        names = [name for name in frame.columns if name != self.counts]
        return frame.select(frame[name] for name in names)[rows], rows

    def _satisfying(self, texts: pl.Series, condition: str, where: str) -> Flags:
        """Return which texts satisfy a condition."""
        sign, compared_text = split_sign(condition)
        if sign not in COMPARISONS:
            return matches(texts, sign, compared_text)
        for kind in (Kind.NUMERIC, Kind.DATE):
            formats = self.formats.known(kind)
            bound = _first_reading(pl.Series([compared_text]), formats)
            if not np.isnan(bound[0]):
                numbers = _first_reading(texts, formats)
                break
        else:
            raise InputError(
                f"{where}: '{compared_text}' is neither a number nor a date; write one after {sign}"
            )
        if kind is Kind.DATE:  # of moments the day counts
            bound = np.floor(bound)
            numbers = np.floor(numbers)
        missing = texts.is_in(list(self.missing_tokens)).to_numpy()
        wrong = texts.filter(np.isnan(numbers) & ~missing)
        if wrong.len():
            raise InputError(
                f"{where}: {Values(wrong.sort().to_list(), 3)} cannot be compared with "
                f"'{compared_text}'; name what stands for a missing value in "
                "data.missing.tokens, or compare texts with ="
            )
        satisfied: Flags = COMPARISONS[sign](numbers, bound[0]) & ~missing
        return satisfied


SIGNS = ("<=", ">=", "<", ">", "=", "!=", "!")
"""Signs that may precede the text of a condition; the first that matches counts."""
_MOST_RECORDS = 500_000_000
COMPARISONS: dict[str, Callable[[Floats, float], Flags]] = {
    "<=": np.less_equal, ">=": np.greater_equal, "<": np.less, ">": np.greater,
}  # fmt: skip


def split_sign(condition: str) -> tuple[str, str]:
    """Return the sign of a condition (empty: the cell contains the text) and its text."""
    condition = condition.strip()
    sign = next((sign for sign in SIGNS if condition.startswith(sign)), "")
    return sign, condition[len(sign) :].strip()


def matches(texts: pl.Series, sign: str, compared_text: str) -> Flags:
    """Return which texts contain `compared_text`, equal it or do not, whatever their capitals."""
    lower = texts.str.to_lowercase()
    compared_text = compared_text.lower()
    is_match = (
        lower == compared_text if "=" in sign else lower.str.contains(compared_text, literal=True)
    )
    return (~is_match if sign.startswith("!") else is_match).to_numpy()


def _first_reading(texts: pl.Series, formats: tuple[Format, ...]) -> Floats:
    """Return the number or day of each text under the first format that reads it; nan for none."""
    numbers = np.full(texts.len(), np.nan)
    for text_format in formats:
        unread = np.isnan(numbers)
        if not unread.any():
            break
        numbers[unread] = read_texts(texts.filter(unread), text_format)
    return numbers
