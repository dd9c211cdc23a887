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

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import polars as pl

from kanon_tui.core.algorithms import find_algorithm
from kanon_tui.core.errors import InputError, NotReachedError
from kanon_tui.core.fields.declaration import with_parameters
from kanon_tui.core.lattice.pre_pruning import lowest_levels
from kanon_tui.core.numeric import Flags, Int32s, Int64s, Words
from kanon_tui.core.project.sections import AlgorithmChoice
from kanon_tui.core.table.cell_codes import Cells, Columns, incomplete_rows
from kanon_tui.core.table.column import CHANGED, Column
from kanon_tui.core.table.counted_table import CountedTable, count_rows, sum_counts
from kanon_tui.core.table.source import Source
from kanon_tui.core.table.table import Encoder
from kanon_tui.core.task.parts import with_counted_rows
from kanon_tui.core.task.task import QuasiIdentifier, Task

_FIRST, _OTHERS = 64, 32


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
        word, left, places = 0, _FIRST, []
        for bits in (max(size - 1, 0).bit_length() for size in sizes):
            if bits > left:
                word, left = word + 1, _OTHERS
            left -= bits
            places.append((word, left, bits))
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


_BYTES_PER_TUPLE = 200
"""Memory of a tuple besides its codes: words, copies, labels, and room to sort and search them."""
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


_TUPLES = "tuples"


def count_tuples(
    counted: tuple[Source, Sequence[Encoder], Packing], piece: int
) -> dict[str, pl.DataFrame]:
    """Return the distinct tuples of one piece, packed, with their numbers of records."""
    source, encoders, packing = counted
    blocks = source.columns_of(source.pieces[piece], [encoder.name for encoder in encoders])
    packed = (packing.pack_frame([each.encode(block) for each in encoders]) for block in blocks)
    return sum_counts({_TUPLES: count_rows(words)} for words in packed)


def with_tuples(task: Task, table: CountedTable) -> Task:
    """Return the task over the distinct tuples of a table, counted in one pass over its pieces."""
    columns: list[Column] = [attribute.column for attribute in task.quasi]
    required = {each.column.name: each.column for each in task.requirements}
    columns += required.values()
    encoders = (
        *(tuple_encoder(table, task, x) for x in range(len(task.quasi))),
        *map(table.encoder, required.values()),
    )
    packing = Packing.for_sizes([len(column.values) for column in columns])
    attributes = {each.name: len(each.column.values) for each in task.quasi}
    bytes_each = _BYTES_PER_TUPLE + 24 * packing.words + 18 * len(columns)
    tuples = sum_counts(
        table.each_piece(count_tuples, (table.source, encoders, packing)),
        lambda counts: table.memory.check_tuples(
            sum(map(len, counts.values())), bytes_each, attributes
        ),
    )[_TUPLES]
    *words, copies = (column.to_numpy(writable=True) for column in tuples.iter_columns())
    codes = {column.name: packing.unpack(words, x) for x, column in enumerate(columns)}
    return with_counted_rows(task, codes, copies)


@dataclass(frozen=True, eq=False, repr=False)
class TupleLookup:
    """Finds the row of every record among the counted tuples of a task."""

    encoders: tuple[Encoder, ...]
    packing: Packing
    complete: tuple[str, ...]
    """Columns that must not be missing; records in which one is have been dropped."""
    missing_tokens: tuple[str, ...]
    index: pl.DataFrame
    """The packed tuples, each with its first `row`; with requirements beyond k it has several."""

    @classmethod
    def from_task(cls, task: Task) -> Self:
        """Return the lookup of a task over counted rows."""
        packing = Packing.for_sizes([len(attribute.column.values) for attribute in task.quasi])
        words = packing.pack_frame([attribute.column.codes for attribute in task.quasi])
        index = words.with_row_index("row").unique(words.columns, keep="first")
        table = counted_table(task)
        encoders = tuple(tuple_encoder(table, task, x) for x in range(len(task.quasi)))
        return cls(encoders, packing, table.source.complete, table.missing_tokens, index)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns that are looked at."""
        return tuple(dict.fromkeys((*(each.name for each in self.encoders), *self.complete)))

    def find(self, columns: Columns) -> Int64s:
        """Return for every record a row with its tuple."""
        words = self.packing.pack_frame([encoder.encode(columns) for encoder in self.encoders])
        return find_rows(words, self.index)

    def find_records(self, records: pl.DataFrame) -> tuple[Int64s, Flags]:
        """Return the row of every record of texts, and which were dropped for a missing value."""
        dropped = incomplete_rows(records, self.complete, self.missing_tokens)
        kept = records.filter(~dropped)
        rows = np.zeros(records.height, dtype=np.int64)
        rows[~dropped] = self.find({name: Cells.from_series(kept[name], "") for name in self.names})
        return rows, dropped


def find_rows(rows: pl.DataFrame, index: pl.DataFrame) -> Int64s:
    """Return the `row` of the index that every row has; all of them must be there."""
    names = rows.columns
    found = rows.join(index, on=names, how="left", nulls_equal=True, maintain_order="left")["row"]
    if found.has_nulls():
        raise InputError(CHANGED)
    return found.to_numpy().astype(np.int64)


def counted_table(task: Task) -> CountedTable:
    """Return the table of a task over counted rows."""
    assert isinstance(task.table, CountedTable)
    return task.table


def tuple_encoder(table: CountedTable, task: Task, x: int) -> Encoder:
    """Return the encoder from texts to the codes that tuples have of quasi-identifier number x."""
    attribute = task.quasi[x]
    encoder = table.encoder(attribute.column)
    level = task.counted_levels[x] if task.counted_levels else 0
    if not level:
        return encoder
    return encoder.mapped(coarsest_codes(attribute, level), encoder.size)
