"""The rows of a written release, a page at a time: what is shown of a table beyond memory.

Of a CSV file an index says where every so many rows begin. It is made in one walk over its bytes:
the release was written by this program, so that a line end is inside a cell exactly when an odd
number of quotes stands before it. Of a Parquet file slices are read.
"""

from __future__ import annotations

import codecs
import io
from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.file_result import StreamedResult
from kanon_tui.core.pipeline.searched_pages import SearchedPages
from kanon_tui.core.table.csv_format import CsvFormat
from kanon_tui.core.table.csv_text import parse_carefully, parse_csv
from kanon_tui.core.table.sniffing import Dialect
from kanon_tui.core.table.target import WrittenFile

__all__ = ["PAGE", "ReleasePages"]

PAGE = 2_000
"""Rows of a page."""
KEPT = 12
"""Pages that are kept."""
_BLOCK = 1 << 22


class ReleasePages(SearchedPages):
    """Rows of the files of a release, in their order."""

    def __init__(
        self,
        result: StreamedResult,
        page: int = PAGE,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Look at the files, which takes a moment for text; `stop` says nobody waits any more."""
        if not result.files:
            raise InputError("this release was not written; run again to write it")
        csv = result.csv
        self._files: list[_File] = [
            _ParquetFile(file) if csv is None else _CsvFile(file, csv, page, stop)
            for file in result.files
        ]
        super().__init__((file.rows for file in self._files), page, KEPT)
        self.names = self._files[0].names
        if self.height != result.rows:
            raise InputError(
                f"{result.files[0].path} does not have the {result.rows:,} rows of the release any "
                "more; run again to write it"
            )

    def _part(self, place: int, begin: int, end: int) -> pl.DataFrame:
        return self._files[place].read(begin, end)


class _File(ABC):
    """One file of a release."""

    names: tuple[str, ...]
    rows: int

    def __init__(self, file: WrittenFile) -> None:
        self._file = file
        file.check()

    def read(self, begin: int, end: int) -> pl.DataFrame:
        """The cells of these rows; the file must be the one that was proved."""
        self._file.check()
        try:
            found = self._cells(begin, end)
        except InputError:
            self._file.check()
            raise
        except (OSError, ValueError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
            self._file.check()
            raise InputError(f"{self._file.path} cannot be read any more; run again") from None
        self._file.check()
        return found

    @abstractmethod
    def _cells(self, begin: int, end: int) -> pl.DataFrame: ...


class _ParquetFile(_File):
    def __init__(self, file: WrittenFile) -> None:
        super().__init__(file)
        try:
            self._lazy = pl.scan_parquet(file.path, glob=False)
            self.names = tuple(self._lazy.collect_schema().names())
            self.rows = int(self._lazy.select(pl.len()).collect().item())
        except (OSError, ValueError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
            file.check()
            raise InputError(f"{file.path} cannot be read any more; run again") from None

    def _cells(self, begin: int, end: int) -> pl.DataFrame:
        return pl.scan_parquet(self._file.path, glob=False).slice(begin, end - begin).collect()


class _CsvFile(_File):
    def __init__(
        self, file: WrittenFile, csv: CsvFormat, page: int, stop: Callable[[], bool]
    ) -> None:
        super().__init__(file)
        self._dialect, self._page = Dialect(csv.delimiter, csv.quote), page
        try:
            offsets, self.rows = _index(file, csv, page, stop)
        except OSError:
            file.check()
            raise InputError(f"{file.path} cannot be read any more; run again") from None
        self._offsets = offsets
        self.names = ()
        header = self._parsed(len(codecs.BOM_UTF8) if csv.encoding == "utf-8-sig" else 0, 0)
        self.names = tuple(header.row(0))

    def _cells(self, begin: int, end: int) -> pl.DataFrame:
        first, last = begin // self._page, -(-end // self._page)
        cells = self._parsed(int(self._offsets[first]), last)
        cells.columns = list(self.names)
        return cells.slice(begin - first * self._page, end - begin)

    def _parsed(self, begin: int, last: int) -> pl.DataFrame:
        """The records from a byte up to the beginning of a page."""
        end = int(self._offsets[last])
        with open(self._file.path, "rb") as file:
            file.seek(begin)
            text = file.read(end - begin)
        name = self._file.path.name
        if self.names:
            return parse_csv(text, self._dialect, len(self.names), name)
        return pl.concat(parse_carefully(io.BytesIO(text), self._dialect, name, end - begin))


def _index(
    file: WrittenFile, csv: CsvFormat, page: int, stop: Callable[[], bool]
) -> tuple[np.ndarray, int]:
    """Where every page begins, and at last where the file ends; and how many rows there are."""
    line, mark = ord(csv.line_end[-1]), ord(csv.quote)
    offsets: list[np.ndarray] = []
    ended, inside, place = 0, 0, 0
    with open(file.path, "rb") as text:
        while block := text.read(_BLOCK):
            if stop():
                raise InputError("stopped")
            letters = np.frombuffer(block, np.uint8)
            lines = letters == line
            if csv.quote.encode() in block or inside:
                odd = np.bitwise_xor.accumulate((letters == mark).view(np.uint8)) ^ inside
                lines &= odd == 0
                inside = int(odd[-1])
            ends = np.flatnonzero(lines)
            # The header is record 0: after its end row 0 begins, after the end of record r row r.
            first = -ended % page
            offsets.append(ends[first::page] + place + 1)
            ended += len(ends)
            place += len(block)
    rows = ended - 1
    begins = np.concatenate(offsets)[: -(-rows // page) or 1]
    return np.append(begins, place) if rows else np.array([place]), rows
