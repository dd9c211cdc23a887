"""What kind of file is this: compression, encoding, line ends, delimiter, quoting, header.

A file passes through in this order, each step leaving less to wonder about:

1. `load` reads the bytes and undoes gzip or zstd, recognised by their first bytes.
2. `to_utf8` finds the encoding and yields UTF-8 without a byte order mark.
3. `detect_dialect` tries delimiters and quotes on the first records and keeps the pair that cuts
   them into equally many fields.
4. `has_header` compares the first record with those below it.

What the options fix is not detected. Everything refused here is an `InputError` naming the file.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from kanon_tui.core.data.dates import date_formats
from kanon_tui.core.data.numbers import parse_numbers
from kanon_tui.core.errors import InputError

if TYPE_CHECKING:
    from _csv import Reader

__all__ = [
    "Compression",
    "Dialect",
    "detect_dialect",
    "first_records",
    "has_header",
    "load",
    "to_utf8",
]

Compression = Literal["gzip", "zstd"]

# Tried in this order: in files with decimal commas `1,5;2,5` both , and ; cut every record evenly.
DELIMITERS = ("\t", ";", ",", "|")

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
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
_SAMPLE = 100_000  # bytes; below the csv module's limit for one field, so that a trial never fails
_SAMPLE_RECORDS = 200
_CHUNK = 1 << 22


# ------------------------------------------------------------------------------------ bytes
def load(path: Path) -> tuple[bytes, Compression | None, int]:
    """The content of a file, decompressed; how it was compressed; its size on disk."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path} does not exist; check the path") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a directory; name a data file in it") from None
    except PermissionError:
        raise InputError(f"{path} may not be read; change its permissions") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read ({error})") from None
    size = len(data)
    if not size:
        raise InputError(f"{path.name} is empty; it needs at least one record")
    if data.startswith(_GZIP):
        try:
            return gzip.decompress(data), "gzip", size
        except (OSError, EOFError, zlib.error):
            raise _damaged(path, "gzip") from None
    if data.startswith(_ZSTD):
        return _unzstd(data, path), "zstd", size
    return data, None, size


def _unzstd(data: bytes, path: Path) -> bytes:
    import zstandard

    parts = []
    while data:  # a file may hold several frames, one after the other
        frame = zstandard.ZstdDecompressor().decompressobj()
        try:
            parts.append(frame.decompress(data))
        except zstandard.ZstdError:
            raise _damaged(path, "zstd") from None
        if not frame.eof:
            raise _damaged(path, "zstd")
        data = frame.unused_data
    return b"".join(parts)


def _damaged(path: Path, compression: Compression) -> InputError:
    return InputError(
        f"{path.name} is damaged or cut short: its {compression} data cannot be decompressed; "
        "get a whole copy of the file"
    )


# --------------------------------------------------------------------------------- encoding
def to_utf8(data: bytes, encoding: str, file: str) -> tuple[bytes, str]:
    """The text as UTF-8 without byte order mark, and the name of the encoding it had."""
    if encoding == "auto":
        encoding = _find_encoding(data, file)
    try:
        name = codecs.lookup(encoding).name
        known = isinstance(codecs.decode(b"", encoding), str)  # hex is a codec, but not of texts
    except (LookupError, ValueError, TypeError):
        known = False
    if not known:
        raise InputError(
            f"{file}: '{encoding}' is not a text encoding; use auto, utf-8, latin-1, utf-16 or "
            "another that Python knows"
        )
    if name in ("utf-8", "utf-8-sig"):
        if not data.isascii():
            for _ in _decoded(data, "utf-8", file):
                pass  # only to see that it is valid: no copy is made
        encoding = "utf-8-sig" if data.startswith(codecs.BOM_UTF8) else "utf-8"
        text = data
    else:
        text = b"".join(part.encode() for part in _decoded(data, encoding, file))
    text = text.removeprefix(codecs.BOM_UTF8)
    nul = text.find(b"\0")
    if nul >= 0:
        raise InputError(
            f"{file}: row {1 + _line_ends(text[:nul].decode())} holds a NUL byte; "
            "check that this is a text file and that its encoding is right"
        )
    return text, encoding


def _decoded(data: bytes, encoding: str, file: str) -> Iterator[str]:
    """The text piece by piece: a second whole copy is never in memory."""
    decoder = codecs.getincrementaldecoder(encoding)()
    lines, last = 0, ""
    for start in range(0, len(data), _CHUNK):
        chunk = data[start : start + _CHUNK]
        state = decoder.getstate()
        try:
            part = decoder.decode(chunk, final=start + _CHUNK >= len(data))
        except UnicodeDecodeError as error:
            held_back = len(error.object) - len(chunk)  # bytes of a letter begun in the last chunk
            decoder.setstate(state)
            good = decoder.decode(chunk[: max(0, error.start - held_back)])
            raise InputError(
                f"{file}: row {1 + lines + _line_ends(good, last)} is not {encoding} text (byte "
                f"0x{error.object[error.start]:02x}); set the encoding, for example to latin-1"
            ) from None
        lines += _line_ends(part, last)
        last = part[-1:] or last
        yield part


def _line_ends(text: str, before: str = "") -> int:
    """As an editor counts them: CR-LF is one, even when the CR is the letter before the text."""
    split = before == "\r" and text.startswith("\n")
    return text.count("\n") + text.count("\r") - text.count("\r\n") - split


def _find_encoding(data: bytes, file: str) -> str:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return encoding
    head = data[:_SAMPLE]
    other = next((what for magic, what in _OTHER_FORMATS.items() if data.startswith(magic)), None)
    if other:
        raise InputError(f"{file} is {other}; save the table as CSV, TSV or Parquet")
    if b"\0" in head:
        # Letters of Western alphabets have a zero byte beside them in UTF-16.
        zeros = np.frombuffer(head[: len(head) // 2 * 2], np.uint8).reshape(-1, 2) == 0
        first, second = zeros.mean(axis=0)
        if max(first, second) > 0.4 and min(first, second) < 0.05:
            return "utf-16-le" if second > first else "utf-16-be"
    is_utf8 = data.isascii() or _valid_utf8(data)
    # A few NUL bytes in a text are a mistake to point at; among other odd bytes, a sign.
    odd = _CONTROLS if is_utf8 else _CONTROLS + b"\0"
    controls = len(head) - len(head.translate(None, odd))
    if controls > len(head) * (0.05 if is_utf8 else 0.005):
        raise InputError(f"{file} looks like a binary file; give a CSV, TSV or Parquet file")
    if is_utf8:
        return "utf-8"
    # Latin-1 has control characters at 0x80-0x9f, where Windows has letters people do use.
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


# ------------------------------------------------------------------------- delimiter, quotes
@dataclass(frozen=True)
class Dialect:
    """How a text is cut into cells."""

    delimiter: str
    quote: str | None
    spaces: bool = False  # the spaces after a delimiter are layout, no part of the value

    def records(self, text: Iterable[str], strict: bool = False) -> Reader:
        """A `csv.reader` of this dialect; strict, it refuses broken quoting."""
        return csv.reader(
            text,
            delimiter=self.delimiter,
            quotechar=self.quote,
            quoting=csv.QUOTE_MINIMAL if self.quote else csv.QUOTE_NONE,
            skipinitialspace=self.spaces,
            strict=strict,
        )


def detect_dialect(
    text: bytes, delimiter: str, quote: str, spaces: bool | Literal["auto"], file: str
) -> Dialect:
    """The delimiter and quote under which the first records have equally many fields.

    Single quotes are believed only when they are needed for that, or when the whole first record
    is written in them: an apostrophe is a letter in many names. A file that no delimiter cuts is
    one column.
    """
    delimiter = "\t" if delimiter == "\\t" else delimiter
    if delimiter != "auto" and (len(delimiter) != 1 or delimiter in "\r\n\0\"'"):
        raise InputError(
            f"{file}: the delimiter must be auto or one character, not {delimiter!r}; "
            "usual are ',', ';', '|' and a tab"
        )
    if quote not in ("auto", '"', "'", "none"):
        raise InputError(f"{file}: the quote must be auto, '\"', \"'\" or none, not {quote!r}")
    quotes = {"auto": ('"', "'"), "none": (None,)}.get(quote, (quote,))
    delimiters = DELIMITERS if delimiter == "auto" else (delimiter,)
    scores = {(d, q): _evenness(text, Dialect(d, q), spaces) for q in quotes for d in delimiters}
    best_delimiter, best_quote = max(scores, key=lambda pair: scores[pair])  # the first of equals
    if delimiter == "auto" and not any(scores.values()):
        absent = (d for d in ",;|\t" if d.encode() not in text)
        best_delimiter = next(absent, ",")
    if quote == "auto" and _first_in_single_quotes(text, best_delimiter):
        best_quote = "'"
    if spaces == "auto":
        spaces = all(_spaces_follow(part, best_delimiter) for part in (text[:_SAMPLE], text))
    return Dialect(best_delimiter, best_quote, spaces and best_delimiter != " ")


def first_records(text: bytes, dialect: Dialect) -> list[list[str]]:
    """The first records of a text, blank lines left out."""
    head = text[:_SAMPLE].decode("utf-8", "ignore")
    records = filter(None, dialect.records(io.StringIO(head, newline="")))
    found = list(islice(records, _SAMPLE_RECORDS))
    cut_off = len(text) > _SAMPLE and 1 < len(found) < _SAMPLE_RECORDS
    return found[:-1] if cut_off else found


def _evenness(text: bytes, dialect: Dialect, spaces: bool | Literal["auto"]) -> float:
    """The share of records with the most usual number of fields; 0 when that is one field."""
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
    """Whether every delimiter of the file is followed by a space or ends its line."""
    cut = delimiter.encode()
    spaced = text.count(cut + b" ")
    at_end = text.count(cut + b"\n") + text.count(cut + b"\r") + text.endswith(cut)
    return spaced > 0 and spaced + at_end == text.count(cut)


# ----------------------------------------------------------------------------------- header
def has_header(records: Sequence[Sequence[str]], missing_tokens: Sequence[str]) -> bool:
    """Whether the first record holds names rather than values.

    A number or date on top of a column speaks against it, a word on top of numbers or dates for
    it. When all columns are words, it holds values if most of them occur again below.
    """
    first, below = records[0], [record for record in records[1:] if len(record) == len(records[0])]
    names = values = repeated = 0
    for place, cell in enumerate(first):
        others = [record[place] for record in below if record[place] not in missing_tokens]
        if _number_or_date([cell]):
            values += 1
        elif cell in others:
            repeated += 1
        elif cell not in missing_tokens and _number_or_date(others):
            names += 1
    if names or values:
        return names >= values
    return repeated * 2 <= len(first)


def _number_or_date(texts: Sequence[str]) -> bool:
    return bool(texts) and bool(not np.isnan(parse_numbers(texts)).any() or date_formats(texts))
