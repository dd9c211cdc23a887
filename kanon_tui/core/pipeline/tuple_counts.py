"""The distinct tuples of a table with their numbers of records: what searches work on.

Tuples stand in the order of their first records, so that searches meet them as they would meet the
records of a table in memory.

Where a level of an attribute cannot pass alone, whatever is suppressed, no search looks at it
(pre-pruning). So tuples are counted at the lowest level that is left: there are fewer of them, and
the release is the same. A value is then counted as another with the same label. What is measured of
the values themselves is measured by their counts, and by those of suppressed records, which the
recoding pass counts. Attributes that would need more keep their values: those with MAGVals or a
largest width, those that publish one value per class, and all attributes of a search that weighs
suppressed records by their values. Mondrian has no levels to rule out: it may cut between any two
values that have k records on either side.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import polars as pl

from kanon_tui.core.algorithms import find_algorithm
from kanon_tui.core.errors import InputError, NotReachedError
from kanon_tui.core.fields.declaration import with_parameters
from kanon_tui.core.lattice.pre_pruning import lowest_levels
from kanon_tui.core.numeric import Int32s, Int64s, Words
from kanon_tui.core.project.sections import AlgorithmChoice
from kanon_tui.core.table.column import CHANGED
from kanon_tui.core.task.task import QuasiIdentifier, Task

_FIRST = 64
_OTHERS = 32


@dataclass(frozen=True)
class Packing:
    """The layout of the codes of every column in the words of a row.

    A row takes one word of 64 bits where that is enough, and words of 32 bits after it where not.
    The first column counts most: sorting the words sorts the rows.
    """

    places: tuple[tuple[int, int, int], ...]
    """Per column its word, the shift of its codes in it, and their bits."""

    @classmethod
    def for_sizes(cls, sizes: Sequence[int]) -> Self:
        """Return the layout for columns with this many codes each."""
        word = 0
        bits_left = _FIRST
        places = []
        for bits in (max(size - 1, 0).bit_length() for size in sizes):
            if bits > bits_left:
                word = word + 1
                bits_left = _OTHERS
            bits_left -= bits
            places.append((word, bits_left, bits))
        return cls(tuple(places))

    @property
    def words(self) -> int:
        """The number of words of a row."""
        return self.places[-1][0] + 1 if self.places else 1

    def pack(self, rows: int, columns: Sequence[Int32s | None]) -> list[Words]:
        """Return the words of rows, given column by column; 0 for a column of None."""
        packed = [np.zeros(rows, dtype=np.uint64) for _ in range(self.words)]
        for codes, (word, shift, _) in zip(columns, self.places, strict=True):
            if codes is not None:
                packed[word] |= codes.astype(np.uint64) << np.uint64(shift)
        return packed

    def pack_frame(self, columns: Sequence[Int32s]) -> pl.DataFrame:
        """Return a frame with the words of rows, called 0, 1, …"""
        words = self.pack(len(columns[0]), columns)
        return pl.DataFrame({str(place): word for place, word in enumerate(words)})

    def unpack(self, words: Sequence[Words], column: int) -> Int32s:
        """Return the codes of a column."""
        word, shift, bits = self.places[column]
        field = words[word] >> np.uint64(shift)
        return (field & np.uint64((1 << bits) - 1)).astype(np.int32)


_BY_VALUES = ("ncp", "il")
"""Objectives in which the loss of a suppressed record depends on its values."""


def levels_to_count(task: Task, choice: AlgorithmChoice) -> tuple[int, ...]:
    """Return per quasi-identifier the lowest level whose labels tuples must distinguish."""
    values = (0,) * len(task.quasi)
    algorithm = with_parameters(find_algorithm(choice.name), choice.params, choice.name)
    if not algorithm.pre_prunes:
        return values
    weighed = getattr(algorithm, "objective", "") in _BY_VALUES and task.allowed_suppressed > 0
    if weighed or getattr(algorithm, "levels", None) is not None:
        return values
    try:
        lowest, _ = lowest_levels(task)
    except NotReachedError:
        return values  # the search will report it
    return tuple(
        0 if attribute.limited or attribute.publishes_one_value else level
        for attribute, level in zip(task.quasi, lowest, strict=True)
    )


def coarsest_codes(attribute: QuasiIdentifier, level: int) -> Int32s:
    """Return by code the first code that has the same label at a level."""
    labels = attribute.hierarchy.maps[level]
    first = np.zeros(int(labels.max(initial=0)) + 1, dtype=np.int32)
    first[labels[::-1]] = np.arange(len(labels) - 1, -1, -1, dtype=np.int32)
    return first[labels]


Counts = dict[str, pl.DataFrame]
"""Counted rows with their `records`, by a name."""
_MERGED_AT_A_TIME = 8


def count_rows(rows: pl.DataFrame) -> pl.DataFrame:
    """Return distinct rows with their `records`, in the order of their first appearance."""
    return rows.group_by(rows.columns, maintain_order=True).agg(records=pl.len().cast(pl.Int64))


def merge_counts(several: Iterable[Counts]) -> Counts:
    """Return the sums of counted rows; these keep the order of their first appearance."""
    frames: dict[str, list[pl.DataFrame]] = {}
    for counts in several:
        for name, frame in counts.items():
            frames.setdefault(name, []).append(frame.cast({"records": pl.Int64}))
    return {
        name: parts[0]
        if len(parts) == 1
        else pl.concat(parts)
        .group_by([key for key in parts[0].columns if key != "records"], maintain_order=True)
        .agg(pl.col("records").sum())
        for name, parts in frames.items()
    }


def sum_counts(
    pieces: Iterable[Counts], check: Callable[[Counts], object] = lambda _: None
) -> Counts:
    """Return the sum of what was counted in pieces; `check` gets the counts so far."""
    total: Counts = {}
    waiting: list[Counts] = []
    for piece_counts in pieces:
        waiting.append(piece_counts)
        if len(waiting) >= _MERGED_AT_A_TIME:
            total = merge_counts([total, *waiting])
            waiting = []
            check(total)
    total = merge_counts([total, *waiting])
    check(total)
    return total


def find_rows(rows: pl.DataFrame, index: pl.DataFrame) -> Int64s:
    """Return the `row` of the index that every row has; all of them must be there."""
    names = rows.columns
    row_numbers = rows.join(index, on=names, how="left", nulls_equal=True, maintain_order="left")[
        "row"
    ]
    if row_numbers.has_nulls():
        raise InputError(CHANGED)
    return row_numbers.to_numpy().astype(np.int64)
