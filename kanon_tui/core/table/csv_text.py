"""Parsing of CSV text into records of texts.

CSV is read in one of two ways. `RecordScan` walks over the bytes with NumPy and proves that a text
is regular: quotes open and close at the edges of fields, every record has as many fields as there
are columns (a header may be one short). Polars then parses it at full speed. The proof is needed
because Polars pads short records silently, and because all CSV readers agree on a regular text. Any
other text goes through Python's `csv` module, record by record: it reads odd but legal texts (blank
lines, a quote inside a word, mixed line ends) and finds the row at fault in broken ones.

Cost: two passes over the text, memory for the text and for its cells.
"""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import IO, Any, Self

import numpy as np
import numpy.typing as npt
import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.table.sniffing import Dialect
from kanon_tui.core.text import count_of

Letters = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]

_BLOCK = 1 << 24
_SKIPPED = 4_000_000
"""The most bytes of lines that are skipped at either end."""
_BATCH = 50_000


@dataclass(frozen=True)
class Layout:
    """The layout of a text: how it is cut into records, and what its columns are called."""

    dialect: Dialect
    names: tuple[str, ...]
    header: bool = False
    """Whether the first record holds the names."""
    one_short: bool = False
    """Whether the header lacks the name of the first column."""
    quote: str | None = None
    """None where no quote occurs in the text."""
    line_end: str | None = None
    """None for a text that must be read carefully, from its first byte to its last."""

    def with_marks(self, quotes: int, returns: int, feeds: int, both: int) -> Self:
        """Return the layout of a text with these numbers of quotes, CR, LF and CR-LF.

        It has a line end, LF (also for CR-LF) or CR, if Polars can read it: where line ends are not
        mixed. Spaces before a quote hide it from Polars, and in a single column a blank line may be
        a value.
        """
        quote = self.dialect.quote if quotes else None
        line_end = "\n" if returns == both else "\r" if not feeds else None
        odd = not self.dialect.delimiter.isascii() or (self.dialect.spaces and quote is not None)
        careful = len(self.names) == 1 or odd
        return replace(self, quote=quote, line_end=None if careful else line_end)

    def for_text(self, text: bytes) -> Self:
        """Return the layout of a text in memory."""
        quotes = bool(self.dialect.quote) and str(self.dialect.quote).encode() in text
        returns = text.count(b"\r")
        ends = (text.count(b"\n"), text.count(b"\r\n")) if returns else (0, 0)
        return self.with_marks(quotes, returns, *ends)

    @property
    def without_header(self) -> Self:
        """The layout of what follows the header."""
        return replace(self, header=False, one_short=False)


def parse_csv(text: bytes, layout: Layout, file: str) -> pl.DataFrame:
    """Return all records of a text as texts."""
    layout = layout.for_text(text)
    if layout.line_end is not None:
        stretches = cut_records(io.BytesIO(text), layout, 0, len(text), len(text))
        if stretches is not None:
            return parse_regular(text, layout, stretches[0][-1])
    return pl.concat(parse_carefully(io.BytesIO(text), layout, file, len(text)))


def parse_regular(text: bytes, layout: Layout, records: int) -> pl.DataFrame:
    """Return the records of a regular text, of which there are `records`, the header included."""
    assert layout.line_end is not None
    missing = layout.dialect.delimiter.encode() if layout.one_short else b""
    cells = pl.read_csv(
        missing + text if missing else text,
        has_header=False,
        schema={str(place): pl.String for place in range(len(layout.names))},
        separator=layout.dialect.delimiter,
        quote_char=layout.quote,
        eol_char=layout.line_end,
        n_rows=records,
    )
    gaps = [column.fill_null("") for column in cells.iter_columns() if column.null_count()]
    frame = cells.with_columns(gaps) if gaps else cells
    if layout.dialect.spaces:
        frame = frame.with_columns(pl.all().exclude("0").str.strip_chars_start(" "))
    frame.columns = list(layout.names)
    return frame.slice(int(layout.header))


def cut_records(
    file: IO[bytes], layout: Layout, start: int, size: int, piece_bytes: int
) -> list[tuple[int, int, int]] | None:
    """Return stretches of about `piece_bytes` that end with a record; None for an irregular text.

    A stretch has a begin, an end and a number of records.
    The text begins at `start` and ends where the file does, at `size`.
    """
    end = _end_of_text(file, start, size)
    scan = RecordScan(layout)
    stretches: list[tuple[int, int, int]] = []
    begin = start
    counted = 0
    place = start
    block = min(_BLOCK, max(piece_bytes, 1))
    while place < end:
        before = int(place > start)
        file.seek(place - before)
        data = file.read(min(block, end - place) + before + 1)
        upto = min(before + block, end - place + before)
        letters = np.frombuffer(data, np.uint8, min(len(data), end - place + before))
        if place == start and letters[0] in b"\r\n":
            return None
        ends = scan.take(letters, before, upto)
        if ends is None:
            return None
        place += upto - before
        if len(ends) and place - begin >= piece_bytes and place < end:
            last = place - (upto - int(ends[-1])) + 1
            if last < end:
                stretches.append((begin, last, scan.records - counted))
                begin = last
                counted = scan.records
    records = scan.finish()
    if records is None:
        return None
    return [*stretches, (begin, end, records - counted)]


def _end_of_text(file: IO[bytes], start: int, size: int) -> int:
    """Return where the text ends, line ends after the last record left out."""
    end = size
    while end > start:
        begin = max(start, end - 4096)
        file.seek(begin)
        text_length = len(file.read(end - begin).rstrip(b"\r\n"))
        if text_length:
            return begin + text_length
        end = begin
    return start


def text_bounds(file: IO[bytes], start: int, size: int, first: int, last: int) -> tuple[int, int]:
    """Return where a text begins and ends without its `first` and `last` lines."""
    file.seek(start)
    head = file.read(_SKIPPED)
    for _ in range(first):
        line_end = re.search(rb"\r\n|\n|\r", head)
        cut = line_end.end() if line_end else len(head)
        start = start + cut
        head = head[cut:]
    end = size
    for _ in range(last):
        end = _end_of_text(file, start, end)
        begin = max(start, end - _SKIPPED)
        file.seek(begin)
        line = re.split(rb"[\r\n]", file.read(end - begin))[-1]
        end -= len(line)
    return start, end


class TextPart(io.RawIOBase):
    """A stretch of a file as a file of its own."""

    def __init__(self, file: IO[bytes], begin: int, end: int) -> None:
        self._file = file
        self._left = end - begin
        file.seek(begin)

    def readable(self) -> bool:
        """Return true: it is read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with the next bytes; return how many there are."""
        data = self._file.read(min(len(buffer), self._left))
        buffer[: len(data)] = data
        self._left -= len(data)
        return len(data)


class RecordScan:
    """A scan over a text, chunk by chunk, for as long as it is regular.

    Counting from the start, every second quote opens and the others close (a doubled quote inside
    a field closes and opens again). The quoting is regular when those that open follow a delimiter,
    a line end or a quote, and those that close are followed by one; then a delimiter or line
    end is part of a value exactly when an odd number of quotes stands before it.
    """

    def __init__(self, layout: Layout) -> None:
        assert layout.line_end is not None
        self._cut = ord(layout.dialect.delimiter)
        self._line = ord(layout.line_end)
        self._mark = ord(layout.quote) if layout.quote else -1
        self._width = len(layout.names)
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
        cuts = chunk == self._cut
        lines = chunk == self._line
        if self._mark >= 0:
            marks = chunk == self._mark
            places = np.flatnonzero(marks) + begin
            inside = self._inside
            opens = places[inside::2]
            closes = places[1 - inside :: 2]
            opens = opens[opens > 0]
            closes = closes[closes < len(letters) - 1]
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
    text: IO[bytes], layout: Layout, file: str, size: int
) -> Iterator[pl.DataFrame]:
    """Yield the records in batches; an error names the row at fault."""
    lines = io.TextIOWrapper(text, encoding="utf-8", newline="")
    reader = layout.dialect.records(lines, strict=True)
    limit = csv.field_size_limit(size + 1)  # a cell may be as long as the file
    batch: list[list[str]] = []
    width = len(layout.names)
    row = 1
    is_header = layout.header
    try:
        for record in reader:
            if record:
                short = layout.one_short and is_header
                if len(record) + short != width:
                    raise InputError(
                        f"{file}: row {row:,} has {count_of(len(record), 'field')} where {width} "
                        f"are expected; mend or quote its cells, set the delimiter (here "
                        f"{layout.dialect.delimiter!r}), or skip lines that are no records (skip)"
                    )
                if not is_header:
                    batch.append(record)
                is_header = False
                if len(batch) == _BATCH:
                    yield _frame(batch, layout.names)
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
    yield _frame(batch, layout.names)


def _frame(records: list[list[str]], names: Sequence[str]) -> pl.DataFrame:
    columns = zip(*records, strict=True) if records else [()] * len(names)
    cells = dict(zip(names, columns, strict=True))
    return pl.DataFrame(cells, schema=dict.fromkeys(names, pl.String))
