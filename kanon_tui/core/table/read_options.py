"""Options of a project for reading a data file; what is `auto` is detected."""

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

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
from kanon_tui.core.fields.yaml_text import LocatedValue
from kanon_tui.core.table.column import MISSING_TOKENS
from kanon_tui.core.table.value_formats import ValueFormats

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
        found = codecs.lookup(name)
        "".encode(name)  # refused by codecs that take no text
    except (LookupError, ValueError, TypeError):
        return False
    plain = found.name.replace("_", "-")
    return found.incrementaldecoder is not None and plain not in _NOT_FOR_FILES


def _read_header(located: LocatedValue) -> bool | str | tuple[str, ...]:
    if isinstance(located.value, list | tuple):
        names: tuple[str, ...] = _COLUMN_NAMES.read(located)
        return names
    choice: bool | str = automatic(switch(), _HEADER).read(located)
    return choice


def _write_header(header: bool | str | tuple[str, ...]) -> object:
    return _COLUMN_NAMES.write(header) if isinstance(header, tuple) else header


def _read_size(located: LocatedValue) -> int:
    if isinstance(located.value, int):
        return located.whole_number("", low=1)
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
