"""CSV text into records of texts.

CSV is read in one of two ways. `_count_records` walks over the bytes with numpy and proves that the
file is regular: quotes open and close at the edges of fields, every record has as many fields as
the first. Polars then parses it at full speed. That proof is needed because Polars pads short
records silently, and because a regular file is one on which all CSV readers agree. Any other file
goes through Python's `csv` module, record by record: it reads the odd but legal ones (blank lines,
a quote inside a word, mixed line ends) and finds the row at fault in the broken ones.

Cost: two passes over the text, memory for the text and for its cells.
"""

from __future__ import annotations

import csv
import io

import numpy as np
import polars as pl

from kanon_tui.core.data.sniffing import Dialect
from kanon_tui.core.errors import InputError
from kanon_tui.core.text import plural

__all__ = ["parse_csv"]

_CHUNK = 1 << 22
_BATCH = 50_000


def parse_csv(text: bytes, dialect: Dialect, width: int, file: str) -> pl.DataFrame:
    """All records as texts, the header among them."""
    quote = dialect.quote if dialect.quote and dialect.quote.encode() in text else None
    line_end = _line_end(text)
    # Spaces before a quote hide it from Polars.
    if line_end and dialect.delimiter.isascii() and not (dialect.spaces and quote):
        records = _count_records(text, dialect.delimiter, quote, line_end, width)
        if records:
            frame = pl.read_csv(
                text,
                has_header=False,
                schema={str(place): pl.String for place in range(width)},
                separator=dialect.delimiter,
                quote_char=quote,
                eol_char=line_end,
                n_rows=records,
            ).fill_null("")
            if dialect.spaces:
                frame = frame.with_columns(pl.all().exclude("0").str.strip_chars_start(" "))
            return frame
    return _parse_carefully(text, dialect, file)


def _line_end(text: bytes) -> str | None:
    """LF (also for CR-LF) or CR; None when a file has both kinds of line end."""
    if b"\r" not in text:
        return "\n"
    returns, feeds, both = text.count(b"\r"), text.count(b"\n"), text.count(b"\r\n")
    if returns == both:
        return "\n"
    return "\r" if not feeds else None


def _count_records(
    text: bytes, delimiter: str, quote: str | None, line_end: str, width: int
) -> int | None:
    """The number of records of a regular text, None for any other.

    Counting from the start, every second quote opens and the others close (a doubled quote inside
    a field closes and opens again). The quoting is regular when those that open follow a delimiter,
    a line end or a quote, and those that close are followed by one; then a delimiter or line
    end is part of a value exactly when an odd number of quotes stands before it.
    """
    end = len(text)
    while end and text[end - 1] in b"\r\n":
        end -= 1
    if not end or text[0] in b"\r\n":
        return None
    if width == 1 and any(blank in text[:end] for blank in (b"\n\n", b"\n\r\n", b"\r\r")):
        return None
    letters = np.frombuffer(text, np.uint8, end)
    cut, line, mark = (ord(sign) if sign else -1 for sign in (delimiter, line_end, quote))
    edge = np.zeros(256, bool)
    edge[[cut, line, ord("\r")] + ([mark] if quote else [])] = True

    records, fields, inside = 0, 0, 0
    for start in range(0, end, _CHUNK):
        chunk = letters[start : start + _CHUNK]
        cuts, lines = chunk == cut, chunk == line
        if quote:
            marks = chunk == mark
            places = np.flatnonzero(marks) + start
            opens, closes = places[inside::2], places[1 - inside :: 2]
            opens, closes = opens[opens > 0], closes[closes < end - 1]
            if not (edge[letters[opens - 1]].all() and edge[letters[closes + 1]].all()):
                return None
            outside = np.bitwise_xor.accumulate(marks.view(np.uint8)) == inside
            inside = int(not outside[-1])
            cuts &= outside
            lines &= outside
        signs = np.flatnonzero(cuts | lines)
        ends = np.flatnonzero(lines[signs])
        if ends.size:
            widths = np.diff(ends, prepend=-1)
            widths[0] += fields
            if (widths != width).any():
                return None
            records += ends.size
            fields = 0
        fields += signs.size - (int(ends[-1]) + 1 if ends.size else 0)
    return records + 1 if fields + 1 == width and not inside else None


def _parse_carefully(text: bytes, dialect: Dialect, file: str) -> pl.DataFrame:
    """Record by record, with the row at fault when there is one."""
    lines = io.TextIOWrapper(io.BytesIO(text), encoding="utf-8", newline="")
    reader = dialect.records(lines, strict=True)
    limit = csv.field_size_limit(len(text) + 1)  # a cell may be as long as the file
    batches: list[pl.DataFrame] = []
    batch: list[list[str]] = []
    width, row = 0, 1
    try:
        for record in reader:
            if record:
                width = width or len(record)
                if len(record) != width:
                    raise InputError(
                        f"{file}: row {row:,} has {_fields(len(record))} where {width} are "
                        f"expected; mend or quote its cells, or set the delimiter (here "
                        f"{dialect.delimiter!r})"
                    )
                batch.append(record)
                if len(batch) == _BATCH:
                    batches.append(_frame(batch, width))
                    batch = []
            row = reader.line_num + 1
    except csv.Error as error:
        broken = "opens a quote that is never closed"
        if "expected after" in str(error):
            broken = "goes on after a closing quote"
        raise InputError(
            f"{file}: row {row:,} {broken}; mend it (a quote inside quotes is doubled), "
            "or set quote: none"
        ) from None
    finally:
        csv.field_size_limit(limit)
    if batch:
        batches.append(_frame(batch, width))
    return pl.concat(batches)


def _fields(count: int) -> str:
    return f"{count} {plural(count, 'field')}"


def _frame(records: list[list[str]], width: int) -> pl.DataFrame:
    schema = {str(place): pl.String for place in range(width)}
    return pl.DataFrame(dict(zip(schema, zip(*records, strict=True), strict=True)), schema=schema)
