"""One look at all bytes of a CSV file: how it is written, and where it can be cut into pieces.

The first megabytes are sniffed as a whole file would be. Then the file is walked over block by
block: it must be UTF-8, and as long as it is regular (`csv_text.RecordScan`) it is cut at the ends
of records. An irregular file is one piece, which is read carefully, record by record.
"""

from __future__ import annotations

import codecs
import io
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

import numpy as np

from kanon_tui.core.errors import InputError
from kanon_tui.core.table.csv_format import line_end_of, quoting_of
from kanon_tui.core.table.csv_text import RecordScan, line_end_of_all, may_be_regular
from kanon_tui.core.table.encoding import to_utf8
from kanon_tui.core.table.frames import check_width
from kanon_tui.core.table.header import Header, find_header
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.sniffing import Dialect, detect_dialect, first_records
from kanon_tui.core.table.table import FileFacts

__all__ = ["CsvHead", "CsvSurvey", "NotInPiecesError", "read_head", "survey_csv"]

_HEAD = 4_000_000
_BLOCK = 1 << 24
_COMPRESSED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
_UTF8 = ("utf-8", "utf-8-sig", "ascii")

Cut = tuple[int, int, int, str | None, str | None, bool, bool]
"""Begin, end, records, quote, line end, whether the first record is the header, one cell short."""


class NotInPiecesError(InputError):
    """A file that can be read, but not piece by piece."""


@dataclass(frozen=True)
class CsvSurvey:
    """What a CSV file is."""

    header: Header
    dialect: Dialect
    facts: FileFacts
    cuts: list[Cut]


@dataclass
class _Signs:
    """What all bytes of a text say about it."""

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
    heard: Callable[[int], None] = lambda _: None,
) -> CsvSurvey:
    """Look at all of a file; errors are those of reading it.

    `heard` is told of every block how many bytes it has; all are looked at twice. It may raise.
    """
    try:
        size = os.stat(path).st_size
        with _Reading(path, heard) as file:
            return _survey(file, path, size, options, piece_bytes)
    except FileNotFoundError:
        raise InputError(f"{path} does not exist; check the path") from None
    except PermissionError:
        raise InputError(f"{path} may not be read; change its permissions") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror or error})") from None


class _Reading(io.BufferedReader):
    """A file that tells how much is read of it."""

    def __init__(self, path: Path, heard: Callable[[int], None]) -> None:
        super().__init__(io.FileIO(path))
        self._heard = heard

    def read(self, size: int | None = -1, /) -> bytes:
        """The next bytes."""
        data = super().read(size)
        self._heard(len(data))
        return data


def _survey(
    file: IO[bytes], path: Path, size: int, options: ReadOptions, piece_bytes: int
) -> CsvSurvey:
    head = read_head(file, path, size, options)
    signs = _all_signs(file, head.start, path.name, head.dialect)
    if head.dialect.spaces and options.space_after_delimiter == "auto":
        head = replace(head, spaces=signs.spaced + signs.at_end == signs.cuts)
    header, facts = head.described()
    cuts = _cuts(file, head, size, signs, header, piece_bytes)
    named = header.first_record
    if cuts is None:
        cuts = [(head.start, size, 0, None, None, named, header.one_short)]
    else:
        cuts = [(*cuts[0][:5], named, header.one_short), *cuts[1:]]
    if cuts[0][4] is not None and sum(cut[2] for cut in cuts) == int(named):
        where = " below its header; if the first row is data, set header: false" if named else ""
        raise InputError(f"{path.name} has no records{where}")
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
    """Whether spaces follow delimiters, where more than the head has told it."""

    @property
    def dialect(self) -> Dialect:
        """How cells are cut."""
        return self.sniffed if self.spaces is None else replace(self.sniffed, spaces=self.spaces)

    @property
    def whole(self) -> bool:
        """Whether the beginning is all there is."""
        return self.start + len(self.text) >= self.size

    def described(self) -> tuple[Header, FileFacts]:
        """The names of the columns, and what the file is."""
        dialect, options = self.dialect, self.options
        sample = first_records(self.text, dialect)
        if not sample:
            raise InputError(f"{self.file} holds only blank lines; it needs at least one record")
        check_width(len(sample[0]), self.file)
        header = find_header(sample, options.header, options.missing_tokens, self.file)
        facts = FileFacts(
            "tsv" if dialect.delimiter == "\t" else "csv",
            None,
            self.size,
            delimiter=dialect.delimiter,
            encoding=self.encoding,
            header=header.first_record,
            quote=dialect.quote or "none",
            space_after_delimiter=dialect.spaces,
            line_end=line_end_of(self.text),
            quoting=quoting_of(self.text, dialect),
        )
        return header, facts


def read_head(file: IO[bytes], path: Path, size: int, options: ReadOptions) -> CsvHead:
    """Look at the beginning of a file; what cannot be read in pieces is refused."""
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


def _cannot_stream(name: str, what: str, remedy: str) -> InputError:
    return NotInPiecesError(
        f"{name} is {what}, which cannot be read in pieces; {remedy}, or use --engine memory"
    )


def _blocks(file: IO[bytes], start: int) -> Iterator[bytes]:
    file.seek(start)
    while block := file.read(_BLOCK):
        yield block


def _all_signs(file: IO[bytes], start: int, name: str, dialect: Dialect) -> _Signs:
    """Count line ends and delimiters, and refuse what is not plain UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    signs, last = _Signs(), b""
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
        signs.returns += block.count(b"\r")
        signs.feeds += block.count(b"\n")
        signs.both += joined.count(b"\r\n")
        signs.quotes |= bool(quote) and quote in block
        if dialect.spaces:
            signs.cuts += block.count(cut)
            signs.spaced += joined.count(cut + b" ")
            signs.at_end += joined.count(cut + b"\n") + joined.count(cut + b"\r")
        last = block[-1:]
    if decoder.getstate()[0]:
        raise _cannot_stream(name, "not UTF-8", "save it as UTF-8")
    signs.at_end += last == cut
    return signs


def _cuts(
    file: IO[bytes], head: CsvHead, size: int, signs: _Signs, header: Header, piece_bytes: int
) -> list[Cut] | None:
    """Where records end, about every so many bytes; None for an irregular text."""
    start, dialect = head.start, head.dialect
    line_end = line_end_of_all(signs.returns, signs.feeds, signs.both)
    quote = dialect.quote if signs.quotes else None
    width = len(header.names)
    if width == 1 or line_end is None or not may_be_regular(dialect, quote):
        return None
    end = _end_of_text(file, start, size)
    scan = RecordScan(dialect.delimiter, quote, line_end, width, header.one_short)
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
                cuts.append((begin, last, scan.records - counted, quote, line_end, False, False))
                begin, counted = last, scan.records
    records = scan.finish()
    if records is None:
        return None
    cuts.append((begin, end, records - counted, quote, line_end, False, False))
    return cuts


def _end_of_text(file: IO[bytes], start: int, size: int) -> int:
    """Where the text ends, line ends after the last record left out."""
    end = size
    while end > start:
        begin = max(start, end - 4096)
        file.seek(begin)
        kept = len(file.read(end - begin).rstrip(b"\r\n"))
        if kept:
            return begin + kept
        end = begin
    return start
