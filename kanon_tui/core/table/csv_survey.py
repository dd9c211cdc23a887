"""Large CSV files: a survey of all bytes, which cuts a file into pieces, and samples of records.

The first megabytes are sniffed as a whole file would be. A survey then walks over the file block by
block: it must be UTF-8, and as long as it is regular (`csv_text.RecordScan`) it is cut at the ends
of records. An irregular file is one piece, which is read carefully, record by record.

A sample reads stretches at equal distances, each from the first line end from which on it is
regular: a line end inside quotes does not end a record. A text that is irregular at its beginning
is sampled only there.
"""

from __future__ import annotations

import codecs
import io
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np
import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.table.csv_text import (
    RecordScan,
    find_layout,
    line_end_of_all,
    parse_carefully,
    parse_regular,
)
from kanon_tui.core.table.data_files import reading_errors
from kanon_tui.core.table.encoding import to_utf8
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.sniffing import Dialect, Header, detect_dialect, first_records
from kanon_tui.core.table.table import FileFacts, Table, describe_text, in_order_of, like_first_part

__all__ = [
    "CsvHead", "CsvSample", "CsvSurvey", "NotInPiecesError", "read_head", "sample_csv",
    "survey_csv",
]  # fmt: skip

_HEAD = 4_000_000
_BLOCK = 1 << 24
_COMPRESSED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
_UTF8 = ("utf-8", "utf-8-sig", "ascii")


class Cut(NamedTuple):
    """A piece of a text: its bytes, records and form."""

    begin: int
    end: int
    records: int = 0
    quote: str | None = None
    line_end: str | None = None
    header: bool = False
    """Whether the first record is the header …"""
    one_short: bool = False
    """… which lacks the first name."""


class NotInPiecesError(InputError):
    """A file that can be read, but not piece by piece."""


@dataclass(frozen=True)
class CsvSurvey:
    """A CSV file's header, dialect and facts, and where it is cut into pieces."""

    header: Header
    dialect: Dialect
    facts: FileFacts
    cuts: list[Cut]


@dataclass
class _ByteCounts:
    """Counts of the line ends, quotes and delimiters of a text."""

    returns: int = 0
    feeds: int = 0
    both: int = 0
    quotes: bool = False
    cuts: int = 0
    spaced: int = 0
    at_end: int = 0


def survey_csv(
    path: Path,
    options: ReadOptions,
    piece_bytes: int,
    on_bytes: Callable[[int], None] = lambda _: None,
) -> CsvSurvey:
    """Look at all bytes of a CSV file and cut it into pieces; errors are those of reading it.

    `on_bytes` gets the number of bytes of every block; all are looked at twice. It may raise.
    """
    with reading_errors(path), _MeteredFile(path, on_bytes) as file:
        return _survey(file, path, os.stat(path).st_size, options, piece_bytes)


class _MeteredFile(io.BufferedReader):
    """A file that reports how many bytes are read of it."""

    def __init__(self, path: Path, on_bytes: Callable[[int], None]) -> None:
        super().__init__(io.FileIO(path))
        self._on_bytes = on_bytes

    def read(self, size: int | None = -1, /) -> bytes:
        """Return the next bytes."""
        data = super().read(size)
        self._on_bytes(len(data))
        return data


def _survey(
    file: IO[bytes], path: Path, size: int, options: ReadOptions, piece_bytes: int
) -> CsvSurvey:
    head = read_head(file, path, size, options)
    counts = _count_bytes(file, head.start, path.name, head.dialect)
    if head.dialect.spaces and options.space_after_delimiter == "auto":
        head = replace(head, spaces=counts.spaced + counts.at_end == counts.cuts)
    header, facts = head.described()
    cuts = _cuts(file, head, size, counts, header, piece_bytes)
    regular = cuts is not None
    cuts = cuts or [Cut(head.start, size)]
    cuts[0] = cuts[0]._replace(header=header.first_record, one_short=header.one_short)
    if regular and sum(cut.records for cut in cuts) == header.first_record:
        raise _no_records(path.name, header)
    return CsvSurvey(header, head.dialect, facts, cuts)


@dataclass(frozen=True)
class CsvHead:
    """The first megabytes of a file, sniffed as a whole file would be."""

    file: str
    size: int
    text: bytes
    start: int
    """Where the text begins, after a byte order mark."""
    encoding: str
    sniffed: Dialect
    options: ReadOptions
    spaces: bool | None = None
    """Whether spaces follow delimiters, if more than the head was looked at."""

    @property
    def dialect(self) -> Dialect:
        """The way its cells are cut."""
        return self.sniffed if self.spaces is None else replace(self.sniffed, spaces=self.spaces)

    @property
    def is_complete(self) -> bool:
        """Whether the head is the whole file."""
        return self.start + len(self.text) >= self.size

    def described(self) -> tuple[Header, FileFacts]:
        """Return the header and the facts of the file."""
        facts = FileFacts("csv", None, self.size, encoding=self.encoding)
        return describe_text(self.text, self.dialect, self.options, facts, self.file)


def read_head(file: IO[bytes], path: Path, size: int, options: ReadOptions) -> CsvHead:
    """Read and sniff the beginning of a file; refuse one that cannot be read in pieces."""
    name = path.name
    head = file.read(_HEAD)
    if not head:
        raise InputError(f"{name} is empty; it needs at least one record")
    if head.startswith(_COMPRESSED):
        raise _cannot_stream(name, "compressed", "unpack it")
    if options.encoding != "auto" and codecs.lookup(options.encoding).name not in _UTF8:
        raise _cannot_stream(name, f"read as {options.encoding}", "save it as UTF-8")
    if size > len(head):
        head = head[: max(head.rfind(b"\n"), head.rfind(b"\r")) + 1 or len(head)]
    text, encoding = to_utf8(head, options.encoding, name)
    if codecs.lookup(encoding).name not in _UTF8:
        raise _cannot_stream(name, f"not UTF-8 ({encoding})", "save it as UTF-8")
    start = len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0
    dialect = detect_dialect(
        text, options.delimiter, options.quote, options.space_after_delimiter, name
    )
    return CsvHead(name, size, text, start, encoding, dialect, options)


def _no_records(file: str, header: Header) -> InputError:
    below = " below its header; if the first row is data, set header: false"
    return InputError(f"{file} has no records{below if header.first_record else ''}")


def _cannot_stream(name: str, what: str, remedy: str) -> InputError:
    return NotInPiecesError(
        f"{name} is {what}, which cannot be read in pieces; {remedy}, or use --engine memory"
    )


def _blocks(file: IO[bytes], start: int) -> Iterator[bytes]:
    file.seek(start)
    while block := file.read(_BLOCK):
        yield block


def _count_bytes(file: IO[bytes], start: int, name: str, dialect: Dialect) -> _ByteCounts:
    """Count line ends and delimiters, and refuse what is not plain UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    counts, last = _ByteCounts(), b""
    cut = dialect.delimiter.encode()
    quote = (dialect.quote or "").encode()
    for block in _blocks(file, start):
        try:
            if not block.isascii() or decoder.getstate()[0]:
                decoder.decode(block)
        except UnicodeDecodeError:
            raise _cannot_stream(name, "not UTF-8", "save it as UTF-8") from None
        if b"\0" in block:
            raise InputError(
                f"{name} holds a NUL byte; check that this is a text file and that its encoding "
                "is right"
            )
        joined = last + block
        counts.returns += block.count(b"\r")
        counts.feeds += block.count(b"\n")
        counts.both += joined.count(b"\r\n")
        counts.quotes |= bool(quote) and quote in block
        if dialect.spaces:
            counts.cuts += block.count(cut)
            counts.spaced += joined.count(cut + b" ")
            counts.at_end += joined.count(cut + b"\n") + joined.count(cut + b"\r")
        last = block[-1:]
    if decoder.getstate()[0]:
        raise _cannot_stream(name, "not UTF-8", "save it as UTF-8")
    counts.at_end += last == cut
    return counts


def _cuts(
    file: IO[bytes], head: CsvHead, size: int, counts: _ByteCounts, header: Header, piece_bytes: int
) -> list[Cut] | None:
    """Return pieces of about `piece_bytes` that end with a record; None for an irregular text."""
    start, dialect = head.start, head.dialect
    line_end = line_end_of_all(counts.returns, counts.feeds, counts.both)
    quote = dialect.quote if counts.quotes else None
    width = len(header.names)
    layout = find_layout(dialect, quote, line_end, width, header.one_short)
    if width == 1 or layout is None:
        return None
    end = _end_of_text(file, start, size)
    scan = RecordScan(layout)
    cuts: list[Cut] = []
    begin, counted, place = start, 0, start
    block = min(_BLOCK, max(piece_bytes, 1))
    while place < end:
        file.seek(max(place - 1, start))
        data = file.read(min(block, end - place) + (place > start) + 1)
        before = int(place > start)
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
                cuts.append(Cut(begin, last, scan.records - counted, quote, layout.line_end))
                begin, counted = last, scan.records
    records = scan.finish()
    if records is None:
        return None
    cuts.append(Cut(begin, end, records - counted, quote, layout.line_end))
    return cuts


def _end_of_text(file: IO[bytes], start: int, size: int) -> int:
    """Return where the text ends, line ends after the last record left out."""
    end = size
    while end > start:
        begin = max(start, end - 4096)
        file.seek(begin)
        kept = len(file.read(end - begin).rstrip(b"\r\n"))
        if kept:
            return begin + kept
        end = begin
    return start


STRETCHES = 50
"""The most stretches of a sample."""
LEAST_BYTES = 65_536
"""Bytes of the shortest stretch."""
_TRIES = 40
"""Line ends that are tried as the beginning of a stretch."""


@dataclass(frozen=True)
class CsvSample:
    """Records from all over some files."""

    frame: pl.DataFrame
    facts: FileFacts
    records: int
    """The estimated number of records of all files."""
    whole: bool
    """Whether the sample holds all records, and their number is exact."""


_Stretch = tuple[pl.DataFrame, int]
"""Consecutive records, and the number of their bytes."""


def sample_csv(files: Sequence[Path], options: ReadOptions, records: int) -> CsvSample:
    """Return about `records` records of these files; where from depends on their sizes only."""
    sizes = []
    for file in files:
        with reading_errors(file):
            sizes.append(os.stat(file).st_size)
    return _Sampling(files, sizes, options).take(records)


class _Sampling:
    """The sampling of some files."""

    def __init__(self, files: Sequence[Path], sizes: Sequence[int], options: ReadOptions) -> None:
        self.files, self.sizes = files, sizes
        with reading_errors(files[0]), open(files[0], "rb") as file:
            self.head = read_head(file, files[0], sizes[0], options)
        self.header, self.facts = self.head.described()
        self.names = self.header.names
        empty = pl.DataFrame({name: [] for name in self.names})
        self._like_first = like_first_part(options, Table(empty, self.facts))

    def take(self, records: int) -> CsvSample:
        """Return a sample of about `records` records."""
        first, used = _first_stretch(self.head, self.header)
        total = sum(self.sizes)
        facts = replace(self.facts, bytes=total)
        if len(self.files) == 1 and self.head.is_complete:
            return CsvSample(first, facts, first.height, True)
        each = max(used // max(first.height, 1), 1)
        wanted = max(each * records, LEAST_BYTES)
        stretches = min(STRETCHES, max(wanted // LEAST_BYTES, 1), -(-total // LEAST_BYTES))
        first = first.head(-(-records // stretches))
        found = [(first, each * first.height)]
        for place in range(1, stretches):
            stretch = self._stretch(total * place // stretches, wanted // stretches)
            found += [] if stretch is None else [stretch]
        frame = pl.concat(frame for frame, _ in found)
        per_record = max(sum(size for _, size in found) / max(frame.height, 1), 1)
        return CsvSample(frame, facts, max(round(total / per_record), frame.height), False)

    def _stretch(self, offset: int, length: int) -> _Stretch | None:
        """Return the records at an offset into the sequence of all files."""
        place = 0
        while offset >= self.sizes[place] and place < len(self.files) - 1:
            offset -= self.sizes[place]
            place += 1
        path, size = self.files[place], self.sizes[place]
        if not size:
            return None
        with reading_errors(path), open(path, "rb") as file:
            head, names = self.head, self.names
            if place:
                head = read_head(file, path, size, self._like_first)
                names = head.described()[0].names
            file.seek(offset)
            text = file.read(length)
        found = _regular_stretch(text, head, names)
        if found is None:
            return None
        return in_order_of(self.names, found[0], path, self.files[0]), found[1]


def _first_stretch(head: CsvHead, header: Header) -> _Stretch:
    """Return the records at the beginning of the first file, below its header."""
    found = _regular(head.text, head, header.names, head.is_complete, header.one_short)
    cells, used = (_careful(head, header), len(head.text)) if found is None else found
    cells = cells.slice(int(header.first_record))
    if not cells.height and head.is_complete:
        raise _no_records(head.file, header)
    return cells, used


def _careful(head: CsvHead, header: Header) -> pl.DataFrame:
    """Return all records of the head; where it is cut off, those that can be read."""
    text, names = io.BytesIO(head.text), header.names
    try:
        size = len(head.text)
        frame = pl.concat(parse_carefully(text, head.dialect, head.file, size, header.one_short))
    except InputError:
        if head.is_complete:
            raise
        rows = [row for row in first_records(head.text, head.dialect) if len(row) == len(names)]
        return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    frame.columns = list(names)
    return frame


def _regular_stretch(text: bytes, head: CsvHead, names: Sequence[str]) -> _Stretch | None:
    """Return the complete records of a text that begins anywhere; None where it is irregular."""
    begin = 0
    for _ in range(_TRIES):
        ends = [at for at in (text.find(b"\n", begin), text.find(b"\r", begin)) if at >= 0]
        if not ends:
            return None
        begin = min(ends) + 1
        found = _regular(text[begin:], head, names, False)
        if found is not None:
            return found
    return None


def _regular(
    text: bytes, head: CsvHead, names: Sequence[str], whole: bool, one_short: bool = False
) -> _Stretch | None:
    """Return the complete records of a text that begins with one; None where it is irregular."""
    dialect, width = head.dialect, len(names)
    text = text.rstrip(b"\r\n") if whole else text
    quote = dialect.quote if dialect.quote and dialect.quote.encode() in text else None
    returns = text.count(b"\r") - text.endswith(b"\r")  # it may be cut between CR and LF
    line_end = line_end_of_all(returns, text.count(b"\n"), text.count(b"\r\n"))
    if not text or text[0] in b"\r\n" or b"\0" in text or width == 1:
        return None
    layout = find_layout(dialect, quote, line_end, width, one_short)
    if layout is None:
        return None
    scan = RecordScan(layout)
    ends = scan.take(np.frombuffer(text, np.uint8), 0, len(text))
    records = None if ends is None else scan.finish() if whole else len(ends)
    if ends is None or not records:
        return None
    text = text if whole else text[: int(ends[-1]) + 1]
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return None  # the survey of all bytes says where and why
    frame = parse_regular(text, layout, records)
    frame.columns = list(names)
    return frame, len(text)
