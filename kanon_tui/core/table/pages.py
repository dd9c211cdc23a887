"""Rows of files, read page by page; the latest pages are kept in memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable
from itertools import accumulate
from threading import Lock

import polars as pl


class Pages(ABC):
    """The rows of several parts, one after the other."""

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

    def kept(self, number: int) -> pl.DataFrame | None:
        """Return a page if it is in memory, without reading."""
        return self._kept.get(number)

    def kept_row(self, row: int) -> tuple[str, ...] | None:
        """Return the cells of a row; None while its page is not in memory."""
        page = self.kept(self.page_of(row))
        return None if page is None else page.row(row % self.size)

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
            first, upto = self._begins[place], min(end, self._begins[place + 1])
            parts.append(self._part(place, begin - first, upto - first))
            begin = upto
        return pl.concat(parts)

    @abstractmethod
    def _part(self, place: int, begin: int, end: int) -> pl.DataFrame:
        """Return the rows from `begin` to `end` of one part."""
