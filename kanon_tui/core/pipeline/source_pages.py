"""The records of a source, a page at a time: what is shown of a table beyond memory.

Of a Parquet file slices are read. Of CSV the first look into a piece walks over its bytes and notes
where every page begins; after that a page is a few thousand bytes.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.file_result import StreamedResult
from kanon_tui.core.table.counted_table import CountedTable
from kanon_tui.core.table.csv_text import RecordScan
from kanon_tui.core.table.pages import Pages
from kanon_tui.core.table.source import Piece, Source

__all__ = ["PAGE", "FilePages", "pages_before", "records_of"]

PAGE = 1_000
"""Records of a page."""
_KEPT = 20
_CHUNK = 1 << 22


class FilePages(Pages):
    """Records of a source whose pieces know how many they have."""

    def __init__(self, source: Source, page: int = PAGE) -> None:
        super().__init__((piece.records - piece.header for piece in source.pieces), page, _KEPT)
        self.source = source
        self._offsets: dict[int, list[int]] = {}
        """By CSV piece where its pages begin, and at last where it ends."""

    def _part(self, place: int, begin: int, end: int) -> pl.DataFrame:
        """Some records of a piece, a header not counted."""
        piece = self.source.pieces[place]
        if self.source.dialect is None:
            start = piece.begin
            part = replace(piece, begin=start + begin, end=start + end, records=end - begin)
            return pl.concat(self.source.read(part))
        if place not in self._offsets:
            self._offsets[place] = self._page_offsets(piece)
        begin, end = begin + piece.header, end + piece.header
        first, last = begin // self.size, -(-end // self.size)
        offsets = self._offsets[place]
        records = min(last * self.size, piece.records) - first * self.size
        part = replace(
            piece,
            begin=offsets[first],
            end=offsets[min(last, len(offsets) - 1)],
            records=records,
            header=False,
            one_short=piece.one_short and not first,
        )
        return pl.concat(self.source.read(part)).slice(begin - first * self.size, end - begin)

    def _page_offsets(self, piece: Piece) -> list[int]:
        """Where every so many records of a CSV piece begin, its header among them."""
        assert self.source.dialect is not None
        assert piece.line_end is not None
        with open(piece.path, "rb") as file:
            file.seek(piece.begin)
            text = file.read(piece.end - piece.begin)
        letters = np.frombuffer(text, np.uint8)
        scan = RecordScan(
            self.source.dialect.delimiter,
            piece.quote,
            piece.line_end,
            len(self.source.names),
            piece.one_short,
        )
        offsets, ended = [piece.begin], 0
        for start in range(0, len(text), _CHUNK):
            ends = scan.take(letters, start, min(start + _CHUNK, len(text)))
            if ends is None:
                raise InputError("the data changed while it was read; open it again")
            # Record r begins after the end of record r - 1.
            offsets += (ends[(-ended - 1) % self.size :: self.size] + piece.begin + 1).tolist()
            ended += len(ends)
        whole = -(-piece.records // self.size)
        return [*offsets[:whole], piece.end]


def pages_before(result: StreamedResult) -> FilePages | None:
    """The records that the rows of a release were, row by row; None where rows do not tell.

    They do in the order of the input, where no record was left out and nobody wrote to the data.
    """
    pages = records_of(result) if result.task.output.order == "input" else None
    return pages if pages is not None and pages.height == result.rows else None


def records_of(result: StreamedResult) -> FilePages | None:
    """The records that were read; None where the files have changed, or nobody knows how many."""
    table = result.task.table
    assert isinstance(table, CountedTable)
    source = table.source
    if source is None or not source.records or not source.unchanged:
        return None
    return FilePages(source)
