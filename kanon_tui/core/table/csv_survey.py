"""Large CSV files: a survey of all bytes, which cuts a file into pieces, and samples of records.

The first megabytes are sniffed as a whole file would be. A survey then walks over the file block by
block: it must be UTF-8, and as long as it is regular (`csv_text.RecordScan`) it is cut at the ends
of records. An irregular file is one piece, which is read carefully, record by record.

A sample reads stretches at equal distances, each from the first line end from which on it is
regular: a line end inside quotes does not end a record. A text that is irregular at its beginning
is sampled only there.
"""

import codecs
import io
import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

import numpy as np
import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.table import csv_text, sniffing
from kanon_tui.core.table.csv_format import CsvFormat, line_end_of, quoting_of
from kanon_tui.core.table.csv_text import Layout
from kanon_tui.core.table.data_files import reading_errors
from kanon_tui.core.table.formats import packing_of
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.sniffing import Dialect, first_records, to_utf8
from kanon_tui.core.table.table import FileFacts, Table
from kanon_tui.core.table.typed_columns import check_size, check_width

_HEAD = 4_000_000
_BLOCK = 1 << 24
_UTF8 = ("utf-8", "utf-8-sig", "ascii")


@dataclass(frozen=True)
class Piece:
    """A part of a file: bytes of a text, or records of a Parquet file."""

    path: Path
    begin: int
    end: int
    records: int = 0
    """The number of records, a header included; 0 (unknown) for an irregular text."""
    layout: Layout | None = None
    """The layout of a text; None for Parquet."""

    @property
    def header(self) -> bool:
        """Whether its first record is the header."""
        return self.layout is not None and self.layout.header


class NotInPiecesError(InputError):
    """A file that can be read, but not piece by piece."""


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


def survey_csv(
    path: Path,
    options: ReadOptions,
    piece_bytes: int,
    on_bytes: Callable[[int], None] = lambda _: None,
) -> tuple[FileFacts, list[Piece]]:
    """Return the facts of a CSV file and its pieces; errors are those of reading it.

    `on_bytes` gets the number of bytes of every block; all are looked at twice. It may raise.
    """
    with reading_errors(path), _MeteredFile(path, on_bytes) as file:
        head = _read_head(file, path, options)
        counts = _count_bytes(file, head)
        if head.dialect.spaces and options.space_after_delimiter == "auto":
            spaces = counts["spaced"] + counts["at end"] == counts["cuts"]
            head = replace(head, dialect=replace(head.dialect, spaces=spaces))
        plain, facts = head.described()
        layout = plain.with_marks(*(counts[mark] for mark in ("quotes", "CR", "LF", "CR LF")))
        stretches = None
        if layout.line_end is not None:
            stretches = csv_text.cut_records(file, layout, head.start, head.end, piece_bytes)
    if stretches is None:
        return facts, [Piece(path, head.start, head.end, layout=plain)]
    if sum(records for *_, records in stretches) == layout.header:
        raise _no_records(path.name, layout)
    pieces = [Piece(path, *stretch, layout.without_header) for stretch in stretches]
    return facts, [replace(pieces[0], layout=layout), *pieces[1:]]


def parse_text(
    text: bytes, encoding: str, options: ReadOptions, file: str, facts: FileFacts
) -> Table:
    """Return the table in a UTF-8 text that had an `encoding`; `facts` are those known so far."""
    if options.skip_first or options.skip_last:
        skipped = options.skip_first, options.skip_last
        start, end = csv_text.text_bounds(io.BytesIO(text), 0, len(text), *skipped)
        text = text[start:end]
    dialect = sniffing.detect_dialect(text, options)
    head = CsvHead(file, text, 0, len(text), facts, encoding, dialect, options)
    layout, facts = head.described()
    frame = csv_text.parse_csv(text, layout, file)
    check_size(frame, file, _BELOW_HEADER)
    return Table.from_file(frame, facts, options)


@dataclass(frozen=True)
class CsvHead:
    """The first megabytes of a text, or all of it, sniffed as a whole file would be."""

    file: str
    text: bytes
    start: int
    """Where the text begins in the file, after a byte order mark and skipped lines."""
    end: int
    """Where the text ends in the file, before skipped lines."""
    facts: FileFacts
    """Facts known before the text is looked at: size and compression."""
    encoding: str
    dialect: Dialect
    options: ReadOptions

    @property
    def is_complete(self) -> bool:
        """Whether the head is the whole file."""
        return self.start + len(self.text) >= self.end

    def described(self) -> tuple[Layout, FileFacts]:
        """Return the layout and the facts of the file."""
        sample = first_records(self.text, self.dialect)
        if not sample:
            raise InputError(f"{self.file} holds only blank lines; it needs at least one record")
        check_width(len(sample[0]), self.file)
        layout = Layout(self.dialect, *sniffing.find_header(sample, self.options, self.file))
        delimiter = self.dialect.delimiter
        quote = self.dialect.quote or '"'
        line_end = line_end_of(self.text)
        quoting = quoting_of(self.text, self.dialect)
        return layout, replace(
            self.facts,
            format="tsv" if delimiter == "\t" else "csv",
            header=layout.header,
            dialect=self.dialect,
            csv=CsvFormat(delimiter, self.encoding, line_end, quote, quoting),
            skipped=self.options.skip_first,
        )


def _read_head(file: IO[bytes], path: Path, options: ReadOptions) -> CsvHead:
    """Read and sniff the beginning of a file; refuse one that cannot be read in pieces."""
    name = path.name
    size = os.stat(path).st_size
    head = file.read(_HEAD)
    if not head:
        raise InputError(f"{name} is empty; it needs at least one record")
    if packing_of(head, path) is not None:
        raise _cannot_stream(name, "compressed", "unpack it")
    if options.encoding != "auto" and codecs.lookup(options.encoding).name not in _UTF8:
        raise _cannot_stream(name, f"read as {options.encoding}", "save it as UTF-8")
    if size > len(head):
        head = head[: max(head.rfind(b"\n"), head.rfind(b"\r")) + 1 or len(head)]
    text, encoding = to_utf8(head, options.encoding, name)
    if codecs.lookup(encoding).name not in _UTF8:
        raise _cannot_stream(name, f"not UTF-8 ({encoding})", "save it as UTF-8")
    mark = len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0
    skipped = options.skip_first, options.skip_last
    start, end = csv_text.text_bounds(file, mark, size, *skipped)
    text = text[start - mark : end - mark]
    dialect = sniffing.detect_dialect(text, options)
    return CsvHead(name, text, start, end, FileFacts("csv", None, size), encoding, dialect, options)


def like_first_part(options: ReadOptions, facts: FileFacts, names: Sequence[str]) -> ReadOptions:
    """Return options that read other parts of a table with the dialect and names of the first."""
    dialect = facts.dialect or Dialect("auto", "auto")
    return replace(
        options,
        delimiter=dialect.delimiter,
        quote=dialect.quote or "none",
        space_after_delimiter=dialect.spaces,
        header=True if facts.header else tuple(names),
        rename=options.rename if facts.header else {},
    )


def in_order_of(names: Sequence[str], part: pl.DataFrame, path: Path, first: Path) -> pl.DataFrame:
    """Return a part with its columns in the order of the first part's; refuse other columns."""
    if part.columns == list(names):
        return part
    if set(part.columns) != set(names):
        more = [name for name in part.columns if name not in set(names)]
        less = [name for name in names if name not in set(part.columns)]
        differs = f"has a column '{more[0]}' that" if more else f"has no column '{less[0]}', which"
        has = "does not have" if more else "has"
        raise InputError(
            f"{path.name} {differs} {first.name} {has}; all parts of a table have the same columns"
        )
    return part.select(part[name] for name in names)


_BELOW_HEADER = " below its header; if the first row is data, set header: false"


def _no_records(file: str, layout: Layout) -> InputError:
    return InputError(f"{file} has no records{_BELOW_HEADER if layout.header else ''}")


def _cannot_stream(name: str, what: str, remedy: str) -> InputError:
    return NotInPiecesError(
        f"{name} is {what}, which cannot be read in pieces; {remedy}, or use --engine memory"
    )


def _count_bytes(file: IO[bytes], head: CsvHead) -> Counter[str]:
    """Count line ends, quotes and delimiters, and refuse what is not plain UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    counts: Counter[str] = Counter()
    last = b""
    name = head.file
    dialect = head.dialect
    cut = dialect.delimiter.encode()
    quote = (dialect.quote or "").encode()
    part = csv_text.TextPart(file, head.start, head.end)
    while block := part.read(_BLOCK):
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
        counts["CR"] += block.count(b"\r")
        counts["LF"] += block.count(b"\n")
        counts["CR LF"] += joined.count(b"\r\n")
        counts["quotes"] += block.count(quote) if quote else 0
        if dialect.spaces:
            counts["cuts"] += block.count(cut)
            counts["spaced"] += joined.count(cut + b" ")
            counts["at end"] += joined.count(cut + b"\n") + joined.count(cut + b"\r")
        last = block[-1:]
    if decoder.getstate()[0]:
        raise _cannot_stream(name, "not UTF-8", "save it as UTF-8")
    counts["at end"] += last == cut
    return counts


STRETCHES = 50
"""The most stretches of a sample."""
LEAST_BYTES = 65_536
"""Bytes of the shortest stretch."""
_TRIES = 40
"""Line ends that are tried as the beginning of a stretch."""


def sample_csv(
    files: Sequence[Path], options: ReadOptions, records: int
) -> tuple[pl.DataFrame, FileFacts, int, bool]:
    """Return about `records` records of these files; where from depends on their sizes only.

    With them come the facts, the estimated number of all records, and whether these are all.
    """
    sizes = []
    for path in files:
        with reading_errors(path), open(path, "rb") as file:
            size = os.stat(path).st_size
            sizes.append(csv_text.text_bounds(file, 0, size, 0, options.skip_last)[1])
    with reading_errors(files[0]), open(files[0], "rb") as file:
        head = _read_head(file, files[0], options)
    layout, facts = head.described()
    first = _records_at_beginning(head, layout)
    total = sum(sizes)
    facts = replace(facts, bytes=total)
    if len(files) == 1 and head.is_complete:
        return first, facts, first.height, True
    bytes_per_record = max(len(head.text) // max(first.height, 1), 1)
    sample_bytes = max(bytes_per_record * records, LEAST_BYTES)
    stretches = min(STRETCHES, max(sample_bytes // LEAST_BYTES, 1), -(-total // LEAST_BYTES))
    first = first.head(-(-records // stretches))
    samples = [(first, bytes_per_record * first.height)]
    like_first = like_first_part(options, facts, layout.names)
    for number in range(1, stretches):
        place = 0
        offset = total * number // stretches
        while offset >= sizes[place] and place < len(files) - 1:
            offset -= sizes[place]
            place += 1
        path = files[place]
        part_layout = layout
        with reading_errors(path), open(path, "rb") as file:
            if place and sizes[place]:
                part_layout, _ = _read_head(file, path, like_first).described()
            file.seek(offset)
            text = file.read(min(sample_bytes // stretches, sizes[place] - offset))
        stretch = _regular_stretch(text, part_layout.without_header)
        if stretch is not None:
            samples.append((in_order_of(layout.names, stretch[0], path, files[0]), stretch[1]))
    frame = pl.concat(frame for frame, _ in samples)
    per_record = max(sum(size for _, size in samples) / max(frame.height, 1), 1)
    return frame, facts, max(round(total / per_record), frame.height), False


def _records_at_beginning(head: CsvHead, layout: Layout) -> pl.DataFrame:
    """Return the records at the beginning of the first file; of a cut one those that are whole."""
    names = layout.names
    try:
        frame = csv_text.parse_csv(head.text, layout, head.file)
    except InputError:
        if head.is_complete:
            raise
        rows = [row for row in first_records(head.text, head.dialect) if len(row) == len(names)]
        cells = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
        frame = cells.slice(int(layout.header))
    if not frame.height and head.is_complete:
        raise _no_records(head.file, layout)
    return frame


def _regular_stretch(text: bytes, plain: Layout) -> tuple[pl.DataFrame, int] | None:
    """Return the complete records of a text that begins anywhere, and the number of their bytes.

    None where it is irregular.
    """
    for _ in range(_TRIES):
        start = re.search(rb"[\r\n]", text)
        if start is None:
            return None
        text = text[start.end() :].removesuffix(b"\r")  # it may be cut between CR and LF
        layout = plain.for_text(text)
        if layout.line_end is None or not text or text[0] in b"\r\n" or b"\0" in text:
            continue
        ends = csv_text.RecordScan(layout).take(np.frombuffer(text, np.uint8), 0, len(text))
        if ends is None or not len(ends):
            continue
        text = text[: int(ends[-1]) + 1]
        with suppress(UnicodeDecodeError):  # the survey of all bytes says where and why
            text.decode("utf-8")
            return csv_text.parse_regular(text, layout, len(ends)), len(text)
    return None
