"""The records of a source, a page at a time: what is shown of a table beyond memory.

Of a Parquet file slices are read. Of CSV the first look into a piece walks over its bytes and notes
where every page begins; after that a page is a few thousand bytes. Pages that were read last are
kept.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from dataclasses import replace
from itertools import accumulate
from threading import Lock

import numpy as np
import polars as pl

from kanon_tui.core.data.csv_text import RecordScan
from kanon_tui.core.engine.source import Piece, Source
from kanon_tui.core.errors import InputError

__all__ = ["PAGE", "FilePages"]

PAGE = 1_000
"""Records of a page."""
_KEPT = 20
_CHUNK = 1 << 22


class FilePages:
    """Records of a source whose pieces know how many they have."""

    def __init__(self, source: Source, page: int = PAGE) -> None:
        self.source, self.size = source, page
        counts = [piece.records - piece.header for piece in source.pieces]
        self._begins = [0, *accumulate(counts)]
        self.height = self._begins[-1]
        self._kept: OrderedDict[int, pl.DataFrame] = OrderedDict()
        self._offsets: dict[int, list[int]] = {}
        """By CSV piece where its pages begin, and at last where it ends."""
        self._lock = Lock()

    def kept(self, number: int) -> pl.DataFrame | None:
        """A page that is in memory, at once."""
        return self._kept.get(number)

    def page(self, number: int) -> pl.DataFrame:
        """A page, from memory or from the files."""
        with self._lock:
            if number not in self._kept:
                self._kept[number] = self._read(number * self.size)
                while len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(number)
            return self._kept[number]

    def _read(self, begin: int) -> pl.DataFrame:
        """The records of a page that begins here; pages go on from one piece to the next."""
        end, parts = min(begin + self.size, self.height), []
        while begin < end:
            place = bisect_right(self._begins, begin) - 1
            first, upto = self._begins[place], min(end, self._begins[place + 1])
            parts.append(self._records(place, begin - first, upto - first))
            begin = upto
        return pl.concat(parts)

    def _records(self, place: int, begin: int, end: int) -> pl.DataFrame:
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
