"""Parsing CSV text into records of texts.

CSV is read in one of two ways. `_count_records` walks over the bytes with numpy and proves that the
file is regular: quotes open and close at the edges of fields, every record has as many fields as
there are columns (a header may be one short). Polars then parses it at full speed. That proof is
needed because Polars pads short records silently, and because a regular file is one on which all
CSV readers agree; without quotes counting often proves it, too (`_parse_plain`). Any other file
goes through Python's `csv` module, record by record: it reads the odd but legal ones (blank lines,
a quote inside a word, mixed line ends) and finds the row at fault in the broken ones.

Cost: two passes over the text, memory for the text and for its cells.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

import numpy as np
import numpy.typing as npt
import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.table.sniffing import Dialect
from kanon_tui.core.text import plural

__all__ = [
    "Layout", "RecordScan", "find_layout", "line_end_of_all", "parse_carefully", "parse_csv",
    "parse_regular",
]  # fmt: skip

Letters = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]

_CHUNK = 1 << 22
_BATCH = 50_000


@dataclass(frozen=True)
class Layout:
    """The layout of a text that may be regular, as Polars is told to cut it."""

    dialect: Dialect
    quote: str | None
    """None where no quote occurs in the text."""
    line_end: str
    width: int
    one_short: bool = False
    """Whether the first record, the header, lacks a field."""

    def completed(self, text: bytes) -> bytes:
        """Return the text with the header's missing field."""
        return self.dialect.delimiter.encode() + text if self.one_short else text


def find_layout(
    dialect: Dialect, quote: str | None, line_end: str | None, width: int, one_short: bool
) -> Layout | None:
    """Return the layout if Polars can read it; spaces before a quote hide it from Polars."""
    if line_end is None or not dialect.delimiter.isascii() or (dialect.spaces and quote):
        return None
    return Layout(dialect, quote, line_end, width, one_short)


def parse_csv(
    text: bytes, dialect: Dialect, width: int, file: str, one_short: bool = False
) -> pl.DataFrame:
    """Return all records as texts, the header included, which may be one field short."""
    quote = dialect.quote if dialect.quote and dialect.quote.encode() in text else None
    layout = find_layout(dialect, quote, _line_end(text), width, one_short)
    frame = None
    if layout is not None and quote is None:
        frame = _parse_plain(text, layout)
    elif layout is not None and (records := _count_records(text, layout)):
        frame = parse_regular(text, layout, records)
    if frame is not None:
        return frame
    return pl.concat(parse_carefully(io.BytesIO(text), dialect, file, len(text), one_short))


def parse_regular(text: bytes, layout: Layout, records: int) -> pl.DataFrame:
    """Return the records of a text that is known to be regular."""
    return _finished(_cells(text, layout, records), layout.dialect)


def _cells(text: bytes, layout: Layout, records: int) -> pl.DataFrame:
    """Return the cells that Polars reads; an empty or absent cell is null."""
    return pl.read_csv(
        layout.completed(text),
        has_header=False,
        schema={str(place): pl.String for place in range(layout.width)},
        separator=layout.dialect.delimiter,
        quote_char=layout.quote,
        eol_char=layout.line_end,
        n_rows=records,
    )


def _finished(cells: pl.DataFrame, dialect: Dialect) -> pl.DataFrame:
    gaps = [column.fill_null("") for column in cells.iter_columns() if column.null_count()]
    frame = cells.with_columns(gaps) if gaps else cells
    if dialect.spaces:
        frame = frame.with_columns(pl.all().exclude("0").str.strip_chars_start(" "))
    return frame


def _parse_plain(text: bytes, layout: Layout) -> pl.DataFrame | None:
    """Return the records of a text without quotes, None where it is irregular.

    A record that is too short has nothing in its last column. So where every last cell has
    something no record is too short, and where there are no more delimiters than that takes none is
    too long either: then the text need not be scanned.
    """
    width = layout.width
    end = _end_of_records(text, width)
    if not end:
        return None
    letters = np.frombuffer(text, np.uint8, end)
    records = 1 + _count(letters, layout.line_end)
    if _count(letters, layout.dialect.delimiter) + layout.one_short != (width - 1) * records:
        return None
    try:
        cells = _cells(text, layout, records)
    except pl.exceptions.PolarsError:  # a record is too long
        return None
    gaps = cells.height == records and cells.to_series(width - 1).null_count()
    if cells.height != records or (gaps and not _count_records(text, layout)):
        return None
    return _finished(cells, layout.dialect)


def _count(letters: Letters, sign: str) -> int:
    return sum(
        int(np.count_nonzero(letters[start : start + _CHUNK] == ord(sign)))
        for start in range(0, len(letters), _CHUNK)
    )


def _line_end(text: bytes) -> str | None:
    returns = text.count(b"\r")
    if not returns:  # the others need not be counted
        return "\n"
    return line_end_of_all(returns, text.count(b"\n"), text.count(b"\r\n"))


def line_end_of_all(returns: int, feeds: int, both: int) -> str | None:
    """Return LF (also for CR-LF) or CR by the counts of each; None where they are mixed."""
    if returns == both:
        return "\n"
    return "\r" if not feeds else None


def _count_records(text: bytes, layout: Layout) -> int | None:
    """Return the number of records of a regular text, None for any other.

    Counting from the start, every second quote opens and the others close (a doubled quote inside
    a field closes and opens again). The quoting is regular when those that open follow a delimiter,
    a line end or a quote, and those that close are followed by one; then a delimiter or line
    end is part of a value exactly when an odd number of quotes stands before it.
    """
    end = _end_of_records(text, layout.width)
    if not end:
        return None
    letters = np.frombuffer(text, np.uint8, end)
    scan = RecordScan(layout)
    for start in range(0, end, _CHUNK):
        if scan.take(letters, start, min(start + _CHUNK, end)) is None:
            return None
    return scan.finish()


def _end_of_records(text: bytes, width: int) -> int:
    """Return where the last record ends; 0 where blank lines stand before or between records."""
    end = len(text)
    while end and text[end - 1] in b"\r\n":
        end -= 1
    if not end or text[0] in b"\r\n":
        return 0
    if width == 1 and any(blank in text[:end] for blank in (b"\n\n", b"\n\r\n", b"\r\r")):
        return 0
    return end


class RecordScan:
    """A scan over a text, chunk by chunk, for as long as it is regular."""

    def __init__(self, layout: Layout) -> None:
        self._cut, self._line = ord(layout.dialect.delimiter), ord(layout.line_end)
        self._mark = ord(layout.quote) if layout.quote else -1
        self._width = layout.width
        self._edge = np.zeros(256, bool)
        self._edge[[self._cut, self._line, ord("\r")]] = True
        if layout.quote:
            self._edge[self._mark] = True
        self.records = 0
        """Records that ended so far."""
        self._fields = int(layout.one_short)  # counts the header's missing field
        self._inside = 0

    def take(self, letters: Letters, begin: int, end: int) -> Places | None:
        """Scan from `begin` to `end`; return where records end, None where the text is irregular.

        The letters before and after are looked at, too, where there are any: the text must begin
        and end where the letters do.
        """
        chunk = letters[begin:end]
        cuts, lines = chunk == self._cut, chunk == self._line
        if self._mark >= 0:
            marks = chunk == self._mark
            places = np.flatnonzero(marks) + begin
            inside = self._inside
            opens, closes = places[inside::2], places[1 - inside :: 2]
            opens, closes = opens[opens > 0], closes[closes < len(letters) - 1]
            edge = self._edge
            if not (edge[letters[opens - 1]].all() and edge[letters[closes + 1]].all()):
                return None
            outside = np.bitwise_xor.accumulate(marks.view(np.uint8)) == inside
            self._inside = int(not outside[-1])
            cuts &= outside
            lines &= outside
        signs = np.flatnonzero(cuts | lines)
        ends = signs[self._width - 1 - self._fields :: self._width]  # where records must end
        if not lines[ends].all() or np.count_nonzero(lines) != ends.size:
            return None
        self.records += ends.size
        self._fields += signs.size - self._width * ends.size
        return ends + begin

    def finish(self) -> int | None:
        """Return the number of records of a text that ends here; None if it cannot end here."""
        if self._fields + 1 == self._width and not self._inside:
            return self.records + 1
        return None


def parse_carefully(
    text: IO[bytes], dialect: Dialect, file: str, size: int, one_short: bool = False
) -> Iterator[pl.DataFrame]:
    """Yield the records in batches; an error names the row at fault."""
    lines = io.TextIOWrapper(text, encoding="utf-8", newline="")
    reader = dialect.records(lines, strict=True)
    limit = csv.field_size_limit(size + 1)  # a cell may be as long as the file
    batch: list[list[str]] = []
    width, row = 0, 1
    try:
        for record in reader:
            if record:
                if one_short and not width:
                    record.insert(0, "")
                width = width or len(record)
                if len(record) != width:
                    raise InputError(
                        f"{file}: row {row:,} has {_fields(len(record))} where {width} are "
                        f"expected; mend or quote its cells, or set the delimiter (here "
                        f"{dialect.delimiter!r})"
                    )
                batch.append(record)
                if len(batch) == _BATCH:
                    yield _frame(batch, width)
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
        yield _frame(batch, width)


def _fields(count: int) -> str:
    return f"{count} {plural(count, 'field')}"


def _frame(records: list[list[str]], width: int) -> pl.DataFrame:
    schema = {str(place): pl.String for place in range(width)}
    return pl.DataFrame(dict(zip(schema, zip(*records, strict=True), strict=True)), schema=schema)
