"""Sniffing: detect the encoding, delimiter, quotes and header of a text.

A file goes through these steps:

1. `data_files.load` reads the bytes and undoes gzip or zstd, recognised by their first bytes.
2. `to_utf8` finds the encoding and yields UTF-8 without a byte order mark.
3. `detect_dialect` tries delimiters and quotes on the first records and keeps the pair that cuts
   them into equally many fields.
4. `find_header` compares the first record with those below it.

What the options fix is not detected. Everything refused here is an `InputError` naming the file.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Literal

import numpy as np

from kanon_tui.core.errors import InputError
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.typed_columns import column_names
from kanon_tui.core.table.value_formats import ValueFormats

if TYPE_CHECKING:
    from _csv import Reader

_OTHER_FORMATS = {
    b"PK\x03\x04": "a zip archive or an Excel workbook",
    b"\xd0\xcf\x11\xe0": "an old Excel or Office file",
    b"%PDF": "a PDF document",
    b"SQLite format 3": "an SQLite database",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ": "compressed with xz",
}
_BYTE_ORDER_MARKS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = bytes(set(range(1, 32)) - set(b"\t\n\v\f\r\x1a\x1b"))
_CHUNK = 1 << 22


def to_utf8(data: bytes, encoding: str, file: str) -> tuple[bytes, str]:
    """Return the text as UTF-8 without byte order mark, and the name of the encoding it had."""
    if encoding == "auto":
        encoding = _find_encoding(data, file)
    if codecs.lookup(encoding).name in ("utf-8", "utf-8-sig"):
        if not data.isascii():
            for _ in _decoded(data, "utf-8", file):
                pass  # only checks that it is valid: no copy is made
        encoding = "utf-8-sig" if data.startswith(codecs.BOM_UTF8) else "utf-8"
        text = data
    else:
        try:
            text = b"".join(part.encode() for part in _decoded(data, encoding, file))
        except UnicodeEncodeError:  # UTF-7 can spell out halves of a pair
            raise InputError(
                f"{file}: it holds halves of characters (surrogates) in {encoding}, which are no "
                "text; save it as UTF-8"
            ) from None
    text = text.removeprefix(codecs.BOM_UTF8)
    nul = text.find(b"\0")
    if nul >= 0:
        raise InputError(
            f"{file}: row {1 + _line_ends(text[:nul].decode())} holds a NUL byte; "
            "check that this is a text file and that its encoding is right"
        )
    return text, encoding


def _decoded(data: bytes, encoding: str, file: str) -> Iterator[str]:
    """Yield the decoded text in parts: a second whole copy is never in memory."""
    decoder = codecs.getincrementaldecoder(encoding)()
    for start in range(0, len(data), _CHUNK):
        chunk = data[start : start + _CHUNK]
        try:
            yield decoder.decode(chunk, final=start + _CHUNK >= len(data))
        except UnicodeDecodeError as error:
            held_back = len(error.object) - len(chunk)  # of a character begun before the chunk
            good = data[: start + error.start - held_back].decode(encoding, "ignore")
            raise InputError(
                f"{file}: row {1 + _line_ends(good)} is not {encoding} text (byte "
                f"0x{error.object[error.start]:02x}); set the encoding, for example to latin-1"
            ) from None
        except UnicodeError as error:  # UTF-16 or UTF-32 without a byte order mark
            raise InputError(
                f"{file} is not {encoding} text ({error}); set the encoding, for example to "
                f"{encoding}-le"
            ) from None


def _line_ends(text: str) -> int:
    """Return the number of line ends of a text; CR-LF is one."""
    return text.count("\n") + text.count("\r") - text.count("\r\n")


def _find_encoding(data: bytes, file: str) -> str:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return encoding
    head = data[:_SAMPLE]
    other_format = next(
        (what for magic, what in _OTHER_FORMATS.items() if data.startswith(magic)), None
    )
    if other_format:
        raise InputError(f"{file} is {other_format}; save the table as CSV, TSV or Parquet")
    if b"\0" in head:
        # Letters of Western alphabets have a zero byte beside them in UTF-16.
        zeros = np.frombuffer(head[: len(head) // 2 * 2], np.uint8).reshape(-1, 2) == 0
        first, second = zeros.mean(axis=0)
        if max(first, second) > 0.4 and min(first, second) < 0.05:
            return "utf-16-le" if second > first else "utf-16-be"
    is_utf8 = data.isascii() or _valid_utf8(data)
    # A few NUL bytes in a text get an error with their row; among other odd bytes they mean binary.
    odd = _CONTROLS if is_utf8 else _CONTROLS + b"\0"
    controls = len(head) - len(head.translate(None, odd))
    if controls > len(head) * (0.05 if is_utf8 else 0.005):
        raise InputError(f"{file} looks like a binary file; give a CSV, TSV or Parquet file")
    if is_utf8:
        return "utf-8"
    # Latin-1 has control characters at 0x80-0x9f, where Windows has letters that people use.
    if re.search(rb"[\x80-\x9f]", data) and not re.search(rb"[\x81\x8d\x8f\x90\x9d]", data):
        return "cp1252"
    return "latin-1"


def _valid_utf8(data: bytes) -> bool:
    try:
        for _ in _decoded(data, "utf-8", ""):
            pass
    except InputError:
        return False
    return True


# Tried in this order: in files with decimal commas `1,5;2,5` both , and ; cut every record evenly.
DELIMITERS = ("\t", ";", ",", "|")

_SAMPLE = 100_000  # bytes
_SAMPLE_RECORDS = 200


@dataclass(frozen=True)
class Dialect:
    """The way a text is cut into cells."""

    delimiter: str
    quote: str | None
    spaces: bool = False  # the spaces after a delimiter are layout, no part of the value

    def records(self, text: Iterable[str], strict: bool = False) -> Reader:
        """Return a `csv.reader` of this dialect; a strict one refuses broken quoting."""
        return csv.reader(
            text,
            delimiter=self.delimiter,
            quotechar=self.quote,
            quoting=csv.QUOTE_MINIMAL if self.quote else csv.QUOTE_NONE,
            skipinitialspace=self.spaces,
            strict=strict,
        )


def detect_dialect(text: bytes, options: ReadOptions) -> Dialect:
    """Return the delimiter and quote under which the first records have equally many fields.

    Single quotes are believed only when they are needed for that, or when the whole first record
    is written in them: an apostrophe is a letter in many names. A file that no delimiter cuts is
    one column.
    """
    delimiter = options.delimiter
    quote = options.quote
    spaces = options.space_after_delimiter
    delimiter = "\t" if delimiter == "\\t" else delimiter
    quotes = {"auto": ('"', "'"), "none": (None,)}.get(quote, (quote,))
    delimiters = DELIMITERS if delimiter == "auto" else (delimiter,)
    scores = {(d, q): _evenness(text, Dialect(d, q), spaces) for q in quotes for d in delimiters}
    # Of equal scores the first counts.
    best_delimiter, best_quote = max(scores, key=lambda pair: scores[pair])
    if delimiter == "auto" and not any(scores.values()):
        absent = (d for d in ",;|\t" if d.encode() not in text)
        best_delimiter = next(absent, ",")
    if quote == "auto" and _first_in_single_quotes(text, best_delimiter):
        best_quote = "'"
    if spaces == "auto":
        spaces = all(_spaces_follow(part, best_delimiter) for part in (text[:_SAMPLE], text))
    return Dialect(best_delimiter, best_quote, spaces and best_delimiter != " ")


def first_records(text: bytes, dialect: Dialect) -> list[list[str]]:
    """Return the first records of a text, blank lines left out."""
    end = max(text.find(b"\n", _SAMPLE) + 1, _SAMPLE)  # the last line may be very long
    head = text[:end].decode("utf-8", "ignore")
    records = filter(None, dialect.records(io.StringIO(head, newline="")))
    complete_records: list[list[str]] = []
    with suppress(csv.Error):  # a field beyond the limit: the wrong quote for this text
        complete_records.extend(islice(records, _SAMPLE_RECORDS))
    cut_off = len(text) > end and 1 < len(complete_records) < _SAMPLE_RECORDS
    return complete_records[:-1] if cut_off else complete_records


def _evenness(text: bytes, dialect: Dialect, spaces: bool | Literal["auto"]) -> float:
    """Return the share of records with the most usual number of fields; 0 when that is one."""
    spaced_quote = f"{dialect.delimiter} {dialect.quote}".encode() in text[:_SAMPLE]
    if spaces is True or (spaces == "auto" and spaced_quote):
        dialect = replace(dialect, spaces=dialect.delimiter != " ")
    widths = Counter(len(record) for record in first_records(text, dialect))
    width, records = widths.most_common(1)[0] if widths else (0, 0)
    return records / widths.total() if width > 1 else 0.0


def _first_in_single_quotes(text: bytes, delimiter: str) -> bool:
    first = first_records(text, Dialect(delimiter, None))[:1]
    return bool(first) and all(re.fullmatch(" *'[^']*'", cell) for cell in first[0])


def _spaces_follow(text: bytes, delimiter: str) -> bool:
    """Return whether every delimiter of the file is followed by a space or ends its line."""
    cut = delimiter.encode()
    spaced = text.count(cut + b" ")
    at_end = text.count(cut + b"\n") + text.count(cut + b"\r") + text.endswith(cut)
    return spaced > 0 and spaced + at_end == text.count(cut)


Records = Sequence[Sequence[str]]
_COLUMNS_LOOKED_AT = 200  # columns, evenly spread, that are compared to tell names from values


def find_header(
    sample: Records, options: ReadOptions, file: str
) -> tuple[tuple[str, ...], bool, bool]:
    """Return the names of the columns of a table that begins with these records.

    With them comes whether the first record holds them, and whether it lacks the first one.
    """
    chosen = options.header
    tokens = options.missing_tokens
    first = sample[0]
    below = sample[1:]
    completed = ["", *first]
    if _row_names_stand_below(first, below) and (
        chosen is True or (chosen == "auto" and has_header([completed, *below], tokens))
    ):
        names = column_names(_header_names(completed), len(completed), file, options.rename)
        return tuple(names), True, True
    if chosen == "auto":
        chosen = has_header(sample, tokens)
    header_names = _header_names(first) if chosen is True else chosen
    names = column_names(header_names, len(first), file, options.rename)
    return tuple(names), chosen is True, False


def _row_names_stand_below(first: Sequence[str], below: Records) -> bool:
    """Return whether all records have one cell more than the first and begin with a unique name.

    A last cell that is always empty is a delimiter too many instead.
    """
    return (
        bool(below)
        and all(len(record) == len(first) + 1 for record in below)
        and len({record[0] for record in below}) == len(below)
        and any(record[-1] for record in below)
    )


def _header_names(row: Sequence[str]) -> list[str]:
    """Return the names in a header; the spaces of `a, b, c` are layout."""
    first, *other_names = row
    if all(name.startswith(" ") for name in other_names):
        other_names = [name.lstrip(" ") for name in other_names]
    if not first.strip() and other_names:
        first = "column_1"
        while first in other_names:
            first += "_"
    return [first, *other_names]


def has_header(records: Records, missing_tokens: Sequence[str]) -> bool:
    """Return whether the first record holds names rather than values.

    A number or date on top of a column speaks against it, a word on top of numbers or dates for
    it. When all columns are words, it holds values if most of them occur again below.
    """
    first = records[0]
    below = [record for record in records[1:] if len(record) == len(records[0])]
    names = values = repeated = 0
    places = range(0, len(first), -(-len(first) // _COLUMNS_LOOKED_AT))
    for place in places:
        cell = first[place]
        cells_below = [record[place] for record in below if record[place] not in missing_tokens]
        if _number_or_date([cell]):
            values += 1
        elif cell in cells_below:
            repeated += 1
        elif cell not in missing_tokens and _number_or_date(cells_below):
            names += 1
    if names or values:
        return names >= values
    return repeated * 2 <= len(places)


def _number_or_date(texts: Sequence[str]) -> bool:
    formats = ValueFormats()
    return len(formats.of_numbers(texts)) == 1 or bool(formats.of_dates(texts))
