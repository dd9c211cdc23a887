"""Records and published rows a page at a time, for showing tables of any size.

- `FilePages`: records of the input while it is being read. Of Parquet, slices are read. The first
  look at a CSV piece scans its bytes and notes where every page begins; after that a page is a few
  thousand bytes.
- `FramePages`: the rows of a frame.
- `MemoryPages`: the published rows of records of a run, made when they are asked for.
"""

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from itertools import accumulate
from threading import Lock

import numpy as np
import numpy.typing as npt
import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.numeric import Flags, Int64s
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.table.csv_survey import Piece
from kanon_tui.core.table.csv_text import RecordScan
from kanon_tui.core.table.formulas import escape_formulas
from kanon_tui.core.table.source import Source


class Pages(ABC):
    """The rows of several parts, one after the other; the latest pages are kept in memory."""

    names: tuple[str, ...]
    in_memory = False
    """Whether every row can be had at once, by `take`."""

    def __init__(self, counts: Iterable[int], size: int, most: int) -> None:
        """Take the number of rows of each part, the rows of a page, and how many pages are kept."""
        self.size = size
        self._begins = [0, *accumulate(counts)]
        self.height = self._begins[-1]
        self._most = most
        self._kept: OrderedDict[int, pl.DataFrame] = OrderedDict()
        self._lock = Lock()

    def page_of(self, row: int) -> int:
        """Return the number of the page on which a row is."""
        return row // self.size

    def cached_page(self, number: int) -> pl.DataFrame | None:
        """Return a page if it is in memory, without reading."""
        return self._kept.get(number)

    def cached_row(self, row: int) -> tuple[str, ...] | None:
        """Return the cells of a row; None while its page is not in memory."""
        page = self.cached_page(self.page_of(row))
        return None if page is None else page.row(row % self.size)

    def row(self, row: int) -> tuple[str, ...]:
        """Return the cells of a row, from the files if need be."""
        return self.page(self.page_of(row)).row(row % self.size)

    def page(self, number: int) -> pl.DataFrame:
        """Return a page, from memory or from the files."""
        with self._lock:
            if number not in self._kept:
                begin = number * self.size
                self._kept[number] = self.read(begin, min(begin + self.size, self.height))
                while len(self._kept) > self._most:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(number)
            return self._kept[number]

    def read(self, begin: int, end: int) -> pl.DataFrame:
        """Return rows from the files, across the borders of parts."""
        parts = []
        while begin < end:
            place = bisect_right(self._begins, begin) - 1
            first = self._begins[place]
            upto = min(end, self._begins[place + 1])
            parts.append(self._part(place, begin - first, upto - first))
            begin = upto
        return pl.concat(parts)

    @abstractmethod
    def _part(self, place: int, begin: int, end: int) -> pl.DataFrame:
        """Return the rows from `begin` to `end` of one part."""

    def take(self, numbers: Int64s) -> pl.DataFrame:
        """Return some rows of pages in memory, by their numbers."""
        raise InputError("only rows in memory can be had one by one")


def rows_with_text(frame: pl.DataFrame, text: str) -> Flags:
    """Return which rows have a text in a cell, ignoring case."""
    folded_text = text.casefold()
    flags = np.zeros(frame.height, dtype=bool)
    for column in frame.iter_columns():
        coded = isinstance(column.dtype, pl.Enum)
        texts = column.dtype.categories if isinstance(column.dtype, pl.Enum) else column
        hits = texts.str.to_lowercase().str.contains(folded_text, literal=True).to_numpy()
        flags |= hits[column.to_physical().to_numpy()] if coded else hits
    return flags


class FramePages(Pages):
    """The rows of a frame, which are one page."""

    in_memory = True

    def __init__(self, frame: pl.DataFrame) -> None:
        super().__init__([frame.height], max(frame.height, 1), 1)
        self.names = tuple(frame.columns)
        self._kept[0] = frame

    def take(self, numbers: Int64s) -> pl.DataFrame:
        """Return some rows by their numbers."""
        return self._kept[0][numbers]

    def _part(self, place: int, begin: int, end: int) -> pl.DataFrame:
        return self._kept[place].slice(begin, end - begin)


RECORDS_PER_PAGE = 1_000
_PAGES_KEPT = 20
_CHUNK = 1 << 22


class FilePages(Pages):
    """The records of a source, by page."""

    def __init__(self, source: Source, page: int = RECORDS_PER_PAGE) -> None:
        self.source = source
        self.names = source.names
        self._whole: pl.DataFrame | None = None
        """The records of a text that is not regular, such as one of a single column."""
        counts = [piece.records - piece.header for piece in source.pieces]
        if not source.records:
            parts = (part for piece in source.pieces for part in source.read(piece))
            self._whole = pl.concat(parts)
            counts = [self._whole.height]
        super().__init__(counts, page, _PAGES_KEPT)
        self._offsets: dict[int, list[int]] = {}
        """By CSV piece, the byte offsets of its pages and of its end."""

    def _part(self, place: int, begin: int, end: int) -> pl.DataFrame:
        """Return some records of a piece; a header is not counted."""
        if self._whole is not None:
            return self._whole.slice(begin, end - begin)
        piece = self.source.pieces[place]
        if piece.layout is None:
            start = piece.begin
            part = replace(piece, begin=start + begin, end=start + end, records=end - begin)
            return pl.concat(self.source.read(part))
        if place not in self._offsets:
            self._offsets[place] = self._page_offsets(piece)
        begin = begin + piece.header
        end = end + piece.header
        first = begin // self.size
        last = -(-end // self.size)
        offsets = self._offsets[place]
        records = min(last * self.size, piece.records) - first * self.size
        later = piece.layout.without_header
        part = replace(
            piece,
            begin=offsets[first],
            end=offsets[min(last, len(offsets) - 1)],
            records=records,
            layout=replace(piece.layout, header=False) if not first else later,
        )
        return pl.concat(self.source.read(part)).slice(begin - first * self.size, end - begin)

    def _page_offsets(self, piece: Piece) -> list[int]:
        """Return the byte offsets of the pages of a CSV piece, its header counted as a record."""
        with open(piece.path, "rb") as file:
            file.seek(piece.begin)
            text = file.read(piece.end - piece.begin)
        letters = np.frombuffer(text, np.uint8)
        assert piece.layout is not None
        scan = RecordScan(piece.layout)
        offsets = [piece.begin]
        ended = 0
        for start in range(0, len(text), _CHUNK):
            ends = scan.take(letters, start, min(start + _CHUNK, len(text)))
            if ends is None:
                raise InputError("the data changed while it was read; open it again")
            # Record r begins after the end of record r - 1.
            offsets += (ends[(-ended - 1) % self.size :: self.size] + piece.begin + 1).tolist()
            ended += len(ends)
        pages = -(-piece.records // self.size)
        return [*offsets[:pages], piece.end]


LEFT_OUT = "×"
"""The mark in every cell of a record that is not in the release."""
_MADE_AT_ONCE = 100
"""Rows of a release in memory that are made together."""


class MemoryPages(Pages):
    """The published rows of records of a run, made when they are asked for."""

    in_memory = True

    def __init__(self, result: FinishedRun, numbers: Int64s) -> None:
        """Take the numbers of the records in the run."""
        super().__init__([len(numbers)], _MADE_AT_ONCE, _PAGES_KEPT)
        self.names = result.columns
        self._result = result
        self._numbers = numbers

    @cached_property
    def _texts(self) -> list[pl.Series]:
        """Per quasi-identifier, the published texts, and last the text of suppressed records."""
        release = self._result.release
        return [pl.Series([*cells.texts, HIDDEN], dtype=pl.String) for cells in release.cells]

    def cached_page(self, number: int) -> pl.DataFrame:
        """Return a page; making it takes no longer than drawing it."""
        return self.page(number)

    def take(self, numbers: Int64s) -> pl.DataFrame:
        """Return some rows by their numbers."""
        rows = self._numbers[numbers]
        return self._published(self._result.task.table.frame[rows].cast(pl.String), rows)

    def _part(self, place: int, begin: int, end: int) -> pl.DataFrame:
        return self.take(np.arange(begin, end))

    def _published(self, records: pl.DataFrame, rows: Int64s) -> pl.DataFrame:
        """Return the published rows of some records of the run."""
        result = self._result
        release = self._result.release
        suppressed = release.suppressed[rows]
        place = {attribute.name: x for x, attribute in enumerate(result.task.quasi)}
        columns = []
        for name in result.columns:
            if name not in place:
                columns.append(records[name])
                continue
            cells = release.cells[place[name]]
            codes = np.where(suppressed, len(cells.texts), cells.of_group[cells.groups[rows]])
            columns.append(self._texts[place[name]].gather(codes).alias(name))
        frame = pl.DataFrame(columns)
        if result.task.output.formulas == "escape":
            frame = escape_formulas(frame)
        frame.columns = list(self.names)
        if result.task.output.suppressed == "drop" and suppressed.any():
            mark = pl.Series(suppressed)
            frame = frame.select(
                pl.when(mark).then(pl.lit(LEFT_OUT)).otherwise(pl.col(name)).alias(name)
                for name in frame.columns
            )
        return frame


RowNumbers = npt.NDArray[np.integer]
"""Numbers of rows in the order in which they are shown."""
