"""Some records of CSV files, from all over them, without reading the whole.

The beginning of a file says how it is written. Stretches at equal distances are then read, each
from the first line end from which on it is regular: a line end inside quotes is none of a record.
A text that is irregular at its beginning is sampled there alone, carefully.
"""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.table.csv_survey import CsvHead, read_head
from kanon_tui.core.table.csv_text import (
    RecordScan,
    line_end_of_all,
    may_be_regular,
    parse_carefully,
    parse_regular,
)
from kanon_tui.core.table.header import Header
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.sniffing import first_records
from kanon_tui.core.table.table import FileFacts, Table, in_order_of, like_first_part

__all__ = ["CsvSample", "sample_csv"]

STRETCHES = 50
"""Places of the files that are looked at, at most."""
LEAST_BYTES = 65_536
"""The shortest stretch."""
_TRIES = 40
"""Line ends at which a stretch may begin."""


@dataclass(frozen=True)
class CsvSample:
    """Records from all over some files."""

    frame: pl.DataFrame
    facts: FileFacts
    records: int
    """About how many records there are."""
    whole: bool
    """Whether the sample is the whole, and the number exact."""


_Stretch = tuple[pl.DataFrame, int]
"""Records that stand one after the other, and their bytes."""


def sample_csv(files: Sequence[Path], options: ReadOptions, records: int) -> CsvSample:
    """About so many records of these files, from places that depend on their sizes alone."""
    try:
        sizes = [os.stat(file).st_size for file in files]
        return _Sampling(files, sizes, options).take(records)
    except FileNotFoundError as error:
        raise InputError(f"{error.filename} does not exist; check the path") from None
    except PermissionError as error:
        raise InputError(f"{error.filename} may not be read; change its permissions") from None
    except OSError as error:
        why = error.strerror or error
        raise InputError(f"{error.filename or files[0]} cannot be read ({why})") from None


class _Sampling:
    """One look at some files."""

    def __init__(self, files: Sequence[Path], sizes: Sequence[int], options: ReadOptions) -> None:
        self.files, self.sizes = files, sizes
        with open(files[0], "rb") as file:
            self.head = read_head(file, files[0], sizes[0], options)
        self.header, self.facts = self.head.described()
        self.names = self.header.names
        empty = pl.DataFrame({name: [] for name in self.names})
        self._like_first = like_first_part(options, Table(empty, self.facts))

    def take(self, records: int) -> CsvSample:
        """Sample about so many records."""
        first, used = _first_stretch(self.head, self.header)
        total = sum(self.sizes)
        facts = replace(self.facts, bytes=total)
        if len(self.files) == 1 and self.head.whole:
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
        """The records at an offset into all files, one after the other."""
        place = 0
        while offset >= self.sizes[place] and place < len(self.files) - 1:
            offset -= self.sizes[place]
            place += 1
        path, size = self.files[place], self.sizes[place]
        if not size:
            return None
        with open(path, "rb") as file:
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
    """The beginning of the first file, below its header."""
    named = header.first_record
    found = _regular(head.text, head, header.names, head.whole, header.one_short)
    cells, used = (_careful(head, header), len(head.text)) if found is None else found
    cells = cells.slice(int(named))
    if not cells.height and head.whole:
        where = " below its header; if the first row is data, set header: false" if named else ""
        raise InputError(f"{head.file} has no records{where}")
    return cells, used


def _careful(head: CsvHead, header: Header) -> pl.DataFrame:
    """All records of the beginning; where it is cut off, what can be read of it."""
    text, names = io.BytesIO(head.text), header.names
    try:
        size = len(head.text)
        frame = pl.concat(parse_carefully(text, head.dialect, head.file, size, header.one_short))
    except InputError:
        if head.whole:
            raise
        rows = [row for row in first_records(head.text, head.dialect) if len(row) == len(names)]
        return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    frame.columns = list(names)
    return frame


def _regular_stretch(text: bytes, head: CsvHead, names: Sequence[str]) -> _Stretch | None:
    """The whole records of a text that begins anywhere; None where it is not regular."""
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
    """The whole records of a text that begins with one; None where it is not regular."""
    dialect, width = head.dialect, len(names)
    text = text.rstrip(b"\r\n") if whole else text
    quote = dialect.quote if dialect.quote and dialect.quote.encode() in text else None
    returns = text.count(b"\r") - text.endswith(b"\r")  # it may be cut between CR and LF
    line_end = line_end_of_all(returns, text.count(b"\n"), text.count(b"\r\n"))
    if not text or text[0] in b"\r\n" or b"\0" in text or width == 1:
        return None
    if line_end is None or not may_be_regular(dialect, quote):
        return None
    scan = RecordScan(dialect.delimiter, quote, line_end, width, one_short)
    ends = scan.take(np.frombuffer(text, np.uint8), 0, len(text))
    records = None if ends is None else scan.finish() if whole else len(ends)
    if ends is None or not records:
        return None
    text = text if whole else text[: int(ends[-1]) + 1]
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return None  # the survey of the whole says where and why
    frame = parse_regular(text, dialect, quote, line_end, width, records, one_short)
    frame.columns = list(names)
    return frame, len(text)
