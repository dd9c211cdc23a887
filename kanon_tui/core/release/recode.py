"""The recoder: turns the grouping of an algorithm into the cells that are published.

All algorithms share it. Afterwards a release is judged by its printed cells alone: records whose
cells are equal are one class.

A release has few distinct cells: those of a quasi-identifier are the texts of its classes, those of
a column that is published unchanged are its values. So a cell is a number here, and the published
table has columns that store each text once (`pl.Enum`): a quarter of the memory of texts, and
counting, sorting and comparing work on numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from secrets import token_bytes
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl

from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.numeric import Int32s, Int64s
from kanon_tui.core.release.distinct_rows import dense_ranks, number_rows, order_of_rows
from kanon_tui.core.release.one_value import one_value_note, one_value_warning
from kanon_tui.core.release.published_cells import PublishedCells, published_cells
from kanon_tui.core.table.cell_codes import Cells, coded_series
from kanon_tui.core.table.column import Column, counted
from kanon_tui.core.table.group_values import GroupValues
from kanon_tui.core.table.schema import Role
from kanon_tui.core.task.steps import Grouping
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import Note

__all__ = ["PublishedCells", "PublishedColumn", "Release", "recode", "rows_in_order", "text_ranks"]


@dataclass(frozen=True, eq=False)
class PublishedColumn:
    """A column of the release with distinct texts."""

    name: str
    texts: pl.Series
    codes: Int32s
    """Indices into the texts, per record, or per kind of row for a quasi-identifier."""
    of_rows: bool
    """Whether codes are per kind of row."""

    def cells(self, row_of: Int32s, records: Int64s) -> pl.Series:
        """Return the cells of some records; `row_of` has the kind of row of each."""
        cells = coded_series(self.name, self.texts)
        if self.of_rows:
            return cells.gather(self.codes.view(np.uint32)).gather(row_of.view(np.uint32))
        return cells.gather(self.codes[records].view(np.uint32))

    @property
    def ranks(self) -> npt.NDArray[np.integer]:
        """The rank of every code's text among the sorted texts."""
        ranks: npt.NDArray[np.integer] = text_ranks(self.texts)[self.codes]
        return ranks


def rows_in_order(
    columns: Sequence[PublishedColumn], row_of: Int32s, records: Int64s
) -> npt.NDArray[np.integer]:
    """Return the places of records sorted by their cells, the first column counting most.

    Quasi-identifiers that stand side by side are compared once per kind of row, not per record.
    """
    return order_of_rows(_key_columns(columns, row_of, records))


def _key_columns(
    columns: Sequence[PublishedColumn], row_of: Int32s, records: Int64s
) -> Iterator[npt.NDArray[np.integer]]:
    for of_rows, several in groupby(columns, lambda column: column.of_rows):
        if of_rows:
            yield dense_ranks([column.ranks for column in several])[row_of]
        else:
            for column in several:
                yield text_ranks(column.texts).astype(np.int32)[column.codes[records]]


def text_ranks(texts: pl.Series | Sequence[str]) -> Int64s:
    """Return the rank of every text among the sorted ones; texts must be distinct."""
    series = texts if isinstance(texts, pl.Series) else pl.Series(texts, dtype=pl.String)
    ranks = np.empty(series.len(), dtype=np.int64)
    ranks[series.arg_sort().to_numpy()] = np.arange(series.len())
    return ranks


@dataclass(frozen=True, eq=False, repr=False)
class Release:
    """A table as it will be published, joined to its task."""

    in_memory: ClassVar[bool] = True
    """Whether the published rows are in memory, not in files."""
    task: Task
    grouping: Grouping
    cells: tuple[PublishedCells, ...]
    """One per quasi-identifier of the task."""

    @cached_property
    def suppressed(self) -> npt.NDArray[np.bool_]:
        """Per record, whether it is suppressed."""
        return self.grouping.labels < 0

    @cached_property
    def classes(self) -> npt.NDArray[np.int32]:
        """Per record, the number of its class (equal cells); -1 if suppressed.

        Classes are numbered by their cells, in the order of texts: a number tells nothing of where
        in the input a class stood.
        """
        if self.suppressed.all():
            return np.full(self.task.rows, -1, dtype=np.int32)
        ranks = [text_ranks(cells.texts)[cells.of_group[:-1]] for cells in self.cells]
        groups = self.cells[0].groups
        if all(cells.groups is groups for cells in self.cells):  # a clustering: one text per group
            return np.append(dense_ranks(ranks), np.int32(-1))[groups]
        if not self.suppressed.any():
            each = zip(ranks, self.cells, strict=True)
            return dense_ranks(rank[cells.groups] for rank, cells in each)
        result = np.full(self.task.rows, -1, dtype=np.int32)
        kept = ~self.suppressed
        each = zip(ranks, self.cells, strict=True)
        result[kept] = dense_ranks(rank[cells.groups[kept]] for rank, cells in each)
        return result

    @cached_property
    def class_members(self) -> Int64s:
        """Per class, the number of one of its records."""
        members = np.empty(len(self.class_sizes), dtype=np.int64)
        kept = np.flatnonzero(self.classes >= 0)
        members[self.classes[kept]] = kept
        return members

    def class_cells(self, x: int) -> Int32s:
        """Return per class the index of its text of quasi-identifier number x."""
        cells = self.cells[x]
        return cells.of_group[cells.groups[self.class_members]]

    @cached_property
    def class_sizes(self) -> Int64s:
        """Number of records of every class."""
        shown, copies = self.classes >= 0, self.task.copies
        return counted(self.classes[shown], None if copies is None else copies[shown])

    @cached_property
    def suppressed_records(self) -> int:
        """The number of suppressed records."""
        return self.task.records_in(self.suppressed)

    @cached_property
    def published_classes(self) -> npt.NDArray[np.int32]:
        """Per record, the number of its published class; starred records are a class, too."""
        if self.task.output.suppressed != "star" or not self.suppressed.any():
            return self.classes
        columns = self._quasi_columns
        alike = dense_ranks([column.codes for column in columns.values()])
        return number_rows([alike[self._row_of]])

    @cached_property
    def published_sizes(self) -> Int64s:
        """Number of records of every published class, starred records included."""
        classes, copies = self.published_classes, self.task.copies
        shown = classes >= 0
        return counted(classes[shown], None if copies is None else copies[shown])

    @property
    def published_class_cells(self) -> pl.DataFrame:
        """The published cells of every class, in the order of `published_sizes`."""
        members = np.empty(len(self.published_sizes), dtype=np.int64)
        shown = np.flatnonzero(self.published_classes >= 0)
        members[self.published_classes[shown]] = shown
        return pl.DataFrame(
            [
                pl.Series(attribute.name, [*cells.texts, HIDDEN], dtype=pl.String).gather(
                    np.where(
                        self.suppressed[members],
                        len(cells.texts),
                        cells.of_group[cells.groups[members]],
                    )
                )
                for attribute, cells in zip(self.task.quasi, self.cells, strict=True)
            ]
        )

    def values_of(self, column: Column, published: bool = True) -> GroupValues:
        """Return the values that classes hold; `published` counts starred records as one class."""
        classes = self.published_classes if published else self.classes
        count = len(self.published_sizes if published else self.class_sizes)
        return GroupValues.from_records(classes, column.codes, count, column.copies)

    def published_counts(self, x: int) -> Int64s:
        """Return per value of quasi-identifier number x how many records are not suppressed."""
        column, singly = self.task.quasi[x].column, self.grouping.suppressed_cells
        shown = ~self.suppressed if singly is None else ~(self.suppressed | singly[:, x])
        if shown.all():
            return column.counts
        copies = None if column.copies is None else column.copies[shown]
        return counted(column.codes[shown], copies, len(column.values))

    def value_blocks(self, column: Column, published: bool = True) -> Iterator[GroupValues]:
        """Yield the values that classes hold, some classes at a time beyond memory."""
        yield self.values_of(column, published)

    @cached_property
    def order(self) -> Int64s:
        """The numbers of the published records, in the order of publication.

        Sorted is a function of the published cells alone: of records with equal cells it does not
        matter which comes first. Shuffled starts from there, too, and takes its chance from the
        operating system, so that nothing that is known of the run can undo it.
        """
        published = self._published
        if self.task.output.order == "input":
            return published
        order = rows_in_order(self._columns, self._row_of[published], published)
        if self.task.output.order == "shuffled":
            chance = np.frombuffer(token_bytes(8 * len(order)), dtype=np.uint64)
            order = order[np.argsort(chance)]
        return np.asarray(published[order], dtype=np.int64)

    @property
    def _published(self) -> Int64s:
        """The numbers of the published records, rising."""
        if self.task.output.suppressed == "star":
            return np.arange(self.task.n)
        return np.flatnonzero(~self.suppressed)

    @cached_property
    def coded(self) -> pl.DataFrame:
        """The published table: no identifiers, columns as in the input, records in `order`.

        Its columns know their texts by number, see `published_rows`.
        """
        return self._cells_of(self.order)

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The published table as texts."""
        return self.coded.cast(pl.String)

    @property
    def in_file_order(self) -> pl.DataFrame:
        """The published table in the order of the input, for the analyst only."""
        return self._cells_of(self._published).cast(pl.String)

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """Notes on how classes are printed."""
        return tuple(one_value_note(each) for each in self.task.quasi if each.publishes_one_value)

    @cached_property
    def warnings(self) -> tuple[Note, ...]:
        """Warnings about the printed cells."""
        found = (one_value_warning(each, self.classes) for each in self.task.quasi)
        return tuple(each for each in found if each is not None)

    def _cells_of(self, records: Int64s) -> pl.DataFrame:
        row_of = self._row_of[records]
        return pl.DataFrame([column.cells(row_of, records) for column in self._columns])

    @property
    def _row_of(self) -> Int32s:
        """Per record, its kind of row: its class, or one more for suppressed records."""
        if not self.suppressed.any():
            return self.classes
        return np.where(self.suppressed, np.int32(len(self.class_sizes)), self.classes)

    @property
    def _quasi_columns(self) -> dict[str, PublishedColumn]:
        """The quasi-identifiers by kind of row, that of suppressed records last."""
        found = {}
        for x, (attribute, cells) in enumerate(zip(self.task.quasi, self.cells, strict=True)):
            codes, texts = self.class_cells(x), cells.texts
            if self.suppressed.any():
                hidden = texts.index(HIDDEN) if HIDDEN in texts else len(texts)
                codes = np.append(codes, np.int32(hidden))
                texts = texts if HIDDEN in texts else (*texts, HIDDEN)
            series = pl.Series(texts, dtype=pl.String)
            found[attribute.name] = PublishedColumn(attribute.name, series, codes, of_rows=True)
        return found

    @cached_property
    def _columns(self) -> list[PublishedColumn]:
        """The published columns, in their order."""
        task, found = self.task, []
        quasi = self._quasi_columns
        for name, role in task.roles.items():
            if role is Role.QUASI:
                found.append(quasi[name])
            elif name in task.pseudonymised or role.published:
                column = task.pseudonyms.get(name)
                cells = (
                    task.table.coded_texts(name)
                    if column is None
                    else Cells.from_series(column, name)
                )
                found.append(PublishedColumn(name, cells.texts, cells.codes, of_rows=False))
        return found


def recode(task: Task, grouping: Grouping) -> Release:
    """Return the release of a grouping."""
    return Release(task, grouping, published_cells(task, grouping))
