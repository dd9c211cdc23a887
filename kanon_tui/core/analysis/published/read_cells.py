"""Published cells that have been read: which values each of them covers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kanon_tui.core.analysis.published.attribute import PublishedAttribute
from kanon_tui.core.analysis.published.masks import mask_shape
from kanon_tui.core.analysis.published.range_reading import Range, end_of_range
from kanon_tui.core.numeric import Flags, Floats

__all__ = ["PublishedCell", "ReadCells"]


class PublishedCell(NamedTuple):
    """One published text, understood."""

    everything: bool = False
    missing: bool = False
    ends: Range = (np.nan, np.nan)
    """Numbers and dates: the range it stands for."""
    members: Iterable[str] = ()
    mask: bool = False
    """Also covers unknown values that fit the text as a mask."""


def _may_be_missing(cell: PublishedCell, attribute: PublishedAttribute) -> bool:
    """Whether it stands for a missing value, alone or among others, as `{?|Nurse}` does."""
    return cell.missing or any(member in attribute.missing_tokens for member in cell.members)


@dataclass(frozen=True, eq=False)
class ReadCells:
    """The distinct cells of one attribute, understood; arrays are per cell."""

    attribute: PublishedAttribute
    texts: Sequence[str]
    """As they are printed."""
    everything: Flags
    partly: Flags
    """A star follows: some cells of the class are hidden."""
    missing: Flags
    low: Floats
    """Numbers and dates: where the range begins; nan where there is none."""
    high: Floats
    holders: Mapping[str, Sequence[int]]
    """Categories: the cells that name a value."""
    masks: Mapping[tuple[bool, int, int], Mapping[str, Sequence[int]]]
    """Categories: by side, number of shown characters and length, the cells of a shown text."""
    unnamed: Sequence[int]
    """Categories: the cells that cover whatever the hierarchy does not name."""

    @classmethod
    def of(
        cls,
        attribute: PublishedAttribute,
        texts: Sequence[str],
        cells: Sequence[PublishedCell],
        partly: Sequence[bool],
    ) -> ReadCells:
        """Gather cells so that values can be looked up quickly."""
        holders: defaultdict[str, list[int]] = defaultdict(list)
        masks: defaultdict[tuple[bool, int, int], defaultdict[str, list[int]]] = defaultdict(
            lambda: defaultdict(list)
        )
        unnamed = []
        for i, (text, cell) in enumerate(zip(texts, cells, strict=True)):
            for member in cell.members:
                holders[member].append(i)
            shape = mask_shape(text) if cell.mask else None
            if shape is not None:
                masks[shape[0]][shape[1]].append(i)
            if text in attribute.unnamed:
                unnamed.append(i)
        ends = np.array([cell.ends for cell in cells], dtype=np.float64).reshape(len(cells), 2)
        ends[[cell.everything for cell in cells]] = -np.inf, np.inf
        return cls(
            attribute=attribute,
            texts=texts,
            everything=np.array([cell.everything for cell in cells], dtype=bool),
            partly=np.array(partly, dtype=bool),
            missing=np.array([_may_be_missing(cell, attribute) for cell in cells], dtype=bool),
            low=ends[:, 0],
            high=ends[:, 1],
            holders=holders,
            masks=masks,
            unnamed=unnamed,
        )

    def covers(self, values: Sequence[str], unknown_fits: bool = True) -> Flags:
        """`covers[v, c]`: a record with cell c may have the value v.

        A missing value is one that is not known, so that it may be any, unless it is taken as
        literally missing. One value for a whole class excludes nobody: it need not be theirs.
        """
        if self.attribute.one_value:
            return np.ones((len(values), len(self.everything)), dtype=bool)
        found = self.shows(values)
        found[:, self.partly] = True
        if unknown_fits:
            found[self.attribute.is_missing(values)] = True
        return found

    def shows(self, values: Sequence[str]) -> Flags:
        """The same by what is printed: without the star that follows, a missing value literally."""
        missing = self.attribute.is_missing(values)
        found = self._numbers(values) if self.attribute.column.kind.ordered else self._texts(values)
        found[missing] = self.missing
        found[:, self.everything] = True
        return found

    def _numbers(self, values: Sequence[str]) -> Flags:
        column = self.attribute.column
        numbers = column.parse(values)[:, None]
        inside: Flags = (self.low <= numbers) & (numbers <= end_of_range(self.high, column))
        return inside

    def _texts(self, values: Sequence[str]) -> Flags:
        found = np.zeros((len(values), len(self.everything)), dtype=bool)
        for v, value in enumerate(values):
            found[v, self.holders.get(value, ())] = True
            if value not in self.attribute.known:
                found[v, self.unnamed] = True
                for (right, shown, length), cells in self.masks.items():
                    if shown <= len(value) <= length:
                        end = value[:shown] if right else value[len(value) - shown :]
                        found[v, cells.get(end, ())] = True
        return found
