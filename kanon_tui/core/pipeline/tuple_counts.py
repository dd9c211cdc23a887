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

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kanon_tui.core.algorithms import find_algorithm
from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.fields.declaration import with_parameters
from kanon_tui.core.lattice.pre_pruning import lowest_levels
from kanon_tui.core.numeric import Int32s, Int64s, Words
from kanon_tui.core.project.sections import AlgorithmChoice
from kanon_tui.core.table.cell_codes import Columns, records_in
from kanon_tui.core.table.column import Column
from kanon_tui.core.table.counted_table import CountedTable, Encoder, PieceReader
from kanon_tui.core.table.distinct_values import CountedColumn
from kanon_tui.core.table.tuple_packing import Packing, TupleIndex
from kanon_tui.core.task.parts import with_counted_rows
from kanon_tui.core.task.task import QuasiIdentifier, Task

_BYTES_PER_TUPLE = 200
"""Memory of a tuple besides its codes: words, copies, labels, and room to sort and search them."""
_BY_VALUES = ("ncp", "il")
"""Objectives in which the loss of a suppressed record depends on its values."""


def levels_to_count(task: Task, choice: AlgorithmChoice) -> tuple[int, ...]:
    """Return per quasi-identifier the lowest level whose labels tuples must tell apart."""
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
        0 if _needs_values(attribute) else level
        for attribute, level in zip(task.quasi, lowest, strict=True)
    )


def _needs_values(attribute: QuasiIdentifier) -> bool:
    return attribute.limited or attribute.publishes_one_value


def coarsest_codes(attribute: QuasiIdentifier, level: int) -> Int32s:
    """Return by code the first code that has the same label at a level."""
    labels = attribute.hierarchy.maps[level]
    first = np.zeros(int(labels.max(initial=0)) + 1, dtype=np.int32)
    first[labels[::-1]] = np.arange(len(labels) - 1, -1, -1, dtype=np.int32)
    return first[labels]


@dataclass(frozen=True, eq=False)
class TupleCounting:
    """The input of the jobs that count the tuples of the pieces."""

    reader: PieceReader
    encoders: tuple[Encoder, ...]
    packing: Packing


class Tuples:
    """Distinct tuples, packed into words, with their numbers of records."""

    def __init__(self, words: int) -> None:
        self._index = TupleIndex(words)
        self._copies: Int64s = np.zeros(0, dtype=np.int64)

    def __len__(self) -> int:
        return len(self._index)

    @property
    def words(self) -> list[Words]:
        """The packed tuples, in the order of their first records."""
        return self._index.words()

    @property
    def copies(self) -> Int64s:
        """The number of records of every tuple."""
        return self._copies[: len(self)]

    def add(self, words: Sequence[Words], copies: Int64s | None = None) -> None:
        """Add packed records, or distinct tuples with their numbers of records."""
        places = self._index.add(words)
        if len(self._copies) < len(self):
            more = np.zeros(max(len(self), 2 * len(self._copies)), dtype=np.int64)
            more[: len(self._copies)] = self._copies
            self._copies = more
        if copies is None:
            self._copies[: len(self)] += np.bincount(places, minlength=len(self))
        else:
            self._copies[places] += copies

    def codes(self, packing: Packing, names: Sequence[str]) -> Mapping[str, Int32s]:
        """Return by column name the codes of all tuples."""
        words = self.words
        return {name: packing.unpack(words, place) for place, name in enumerate(names)}


def count_tuples(counting: TupleCounting, piece: int) -> Tuples:
    """Return the tuples of one piece."""
    packing, names = counting.packing, [encoder.name for encoder in counting.encoders]
    found = Tuples(packing.words)
    for kept, _ in counting.reader.blocks(piece, names):
        coded = [encoder.coded(kept) for encoder in counting.encoders]
        found.add(packing.pack_cells(records_in(kept), coded))
    return found


def with_tuples(task: Task, table: CountedTable) -> Task:
    """Return the task over the distinct tuples of a table, counted in one pass over its pieces."""
    columns: list[Column] = [attribute.column for attribute in task.quasi]
    required = {each.column.name: each.column for each in task.requirements}
    columns += [column for name, column in required.items()]
    encoders = (
        *(tuple_encoder(table, task, x) for x in range(len(task.quasi))),
        *(table.encoder(each.name, each.counted if isinstance(each, CountedColumn) else None)
          for each in required.values()),
    )  # fmt: skip
    packing = Packing.for_sizes([len(column.values) for column in columns])
    counting = TupleCounting(table.reader, encoders, packing)
    attributes = {each.name: len(each.column.values) for each in task.quasi}
    bytes_each = _BYTES_PER_TUPLE + 24 * packing.words + 18 * len(columns)
    pieces = [(piece,) for piece in range(len(table.source.pieces))]
    found = table.workers.each(count_tuples, counting, pieces)
    counted: Tuples = next(found)
    table.memory.check_tuples(len(counted), bytes_each, attributes)
    for each in found:
        counted.add(each.words, each.copies)
        table.memory.check_tuples(len(counted), bytes_each, attributes)
    codes = counted.codes(packing, [column.name for column in columns])
    return with_counted_rows(task, codes, counted.copies.copy())


@dataclass(frozen=True, eq=False, repr=False)
class TupleLookup:
    """Finds the tuple of every record among the counted tuples of a task."""

    encoders: tuple[Encoder, ...]
    packing: Packing
    index: TupleIndex
    first: Int64s
    """By place of a tuple, one of its rows; with requirements beyond k it can have several."""

    @classmethod
    def from_task(cls, task: Task) -> TupleLookup:
        """Return the lookup of a task over counted rows."""
        packing = Packing.for_sizes([len(attribute.column.values) for attribute in task.quasi])
        words = packing.pack([attribute.column.codes for attribute in task.quasi])
        index, first = TupleIndex.from_tuples(words)
        table = counted_table(task)
        encoders = tuple(tuple_encoder(table, task, x) for x in range(len(task.quasi)))
        return cls(encoders, packing, index, first)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns that `find` needs."""
        return tuple(encoder.name for encoder in self.encoders)

    def find(self, columns: Columns) -> Int32s:
        """Return for every record the place of its tuple."""
        coded = [encoder.coded(columns) for encoder in self.encoders]
        return self.index.find(self.packing.pack_cells(records_in(columns), coded))


def counted_table(task: Task) -> CountedTable:
    """Return the table of a task over counted rows."""
    assert isinstance(task.table, CountedTable)
    return task.table


def value_encoder(table: CountedTable, column: Column) -> Encoder:
    """Return the encoder from texts to the codes of a quasi-identifier, its ends coded."""
    new = None if column.coding is None else column.coding.new_code
    return replace(table.encoder(column.name, new), size=len(column.values), _kind=[])


def tuple_encoder(table: CountedTable, task: Task, x: int) -> Encoder:
    """Return the encoder from texts to the codes that tuples have of quasi-identifier number x."""
    attribute = task.quasi[x]
    encoder = value_encoder(table, attribute.column)
    level = task.counted_levels[x] if task.counted_levels else 0
    if not level:
        return encoder
    return replace(encoder, codes=coarsest_codes(attribute, level)[encoder.codes], _kind=[])
