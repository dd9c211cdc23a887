"""The recoder: turns what an algorithm decided into the cells that are published.

All sixteen algorithms share it. A release is afterwards judged by its printed cells alone: records
whose cells are equal are one class, whatever the algorithm meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from secrets import token_bytes

import numpy as np
import numpy.typing as npt
import polars as pl

from kanon_tui.core.data.column import Column, counted
from kanon_tui.core.data.group_values import GroupValues
from kanon_tui.core.data.schema import Role
from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.numeric import Int64s
from kanon_tui.core.release.cell_texts import cell_texts
from kanon_tui.core.release.distinct_rows import (
    dense_ranks,
    number_rows,
    ranks_of_texts,
    row_keys,
)
from kanon_tui.core.release.one_value import one_value_note, one_value_warning
from kanon_tui.core.task.steps import Grouping
from kanon_tui.core.task.task import QuasiIdentifier, Task
from kanon_tui.core.text import Note

__all__ = ["PublishedCells", "Release", "recode", "text_ranks"]


@dataclass(frozen=True, eq=False)
class PublishedCells:
    """One quasi-identifier as it is published: per record an index into the printed texts."""

    codes: npt.NDArray[np.int32]
    """-1 for a suppressed record."""
    texts: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Release:
    """A table as it will be published, still joined to the task it came from."""

    task: Task
    grouping: Grouping
    cells: tuple[PublishedCells, ...]
    """One per quasi-identifier of the task."""

    @cached_property
    def suppressed(self) -> npt.NDArray[np.bool_]:
        """Which records are suppressed."""
        return self.grouping.labels < 0

    @cached_property
    def classes(self) -> npt.NDArray[np.int32]:
        """Per record the number of its equivalence class (equal cells), -1 if suppressed.

        Classes are numbered by their cells, in the order of texts: a number tells nothing of where
        in the input a class stood.
        """
        result = np.full(self.task.rows, -1, dtype=np.int32)
        kept = ~self.suppressed
        if kept.any():
            rows, place = self._different_rows(kept)
            columns = [text_ranks(cells.texts)[cells.codes[rows]] for cells in self.cells]
            result[kept] = dense_ranks(columns)[place]
        return result

    def _different_rows(self, kept: npt.NDArray[np.bool_]) -> tuple[Int64s, Int64s | slice]:
        """Rows among which are all cells of the kept ones, and per kept row the place of its own.

        The rows of a cluster have the same cells unless some are hidden: one is enough.
        """
        rows = np.flatnonzero(kept)
        if self.grouping.levels is not None or self.grouping.suppressed_cells is not None:
            return rows, slice(None)
        labels = self.grouping.labels[rows]
        one = np.full(int(labels.max()) + 1, -1, dtype=np.int64)
        one[labels] = rows
        used = one >= 0
        return one[used], (np.cumsum(used) - 1)[labels]

    @cached_property
    def class_sizes(self) -> Int64s:
        """Number of records of every class."""
        shown, copies = self.classes >= 0, self.task.copies
        return counted(self.classes[shown], None if copies is None else copies[shown])

    @cached_property
    def suppressed_records(self) -> int:
        """How many records are suppressed."""
        return self.task.records_in(self.suppressed)

    @cached_property
    def published_classes(self) -> npt.NDArray[np.int32]:
        """As `classes`, but starred records, where they are published, are a class as well."""
        if self.task.output.suppressed != "star" or not self.suppressed.any():
            return self.classes
        every = np.arange(self.task.rows)
        return number_rows([_with_stars(cells, every)[0] for cells in self.cells])

    @cached_property
    def published_sizes(self) -> Int64s:
        """Number of records of every published class, starred records included."""
        classes, copies = self.published_classes, self.task.copies
        shown = classes >= 0
        return counted(classes[shown], None if copies is None else copies[shown])

    def values_of(self, column: Column, published: bool = True) -> GroupValues:
        """The values that classes hold of a column; `published` counts starred records as one."""
        classes = self.published_classes if published else self.classes
        count = len(self.published_sizes if published else self.class_sizes)
        return GroupValues.of(classes, column.codes, count, column.copies)

    def published_counts(self, x: int) -> Int64s:
        """Of quasi-identifier number x, how many records show each value, as it was or coarser."""
        column, singly = self.task.quasi[x].column, self.grouping.suppressed_cells
        shown = ~self.suppressed if singly is None else ~(self.suppressed | singly[:, x])
        if shown.all():
            return column.counts
        copies = None if column.copies is None else column.copies[shown]
        return counted(column.codes[shown], copies, len(column.values))

    def value_blocks(self, column: Column, published: bool = True) -> Iterator[GroupValues]:
        """As `values_of`, some classes at a time where all would take too much memory."""
        yield self.values_of(column, published)

    @cached_property
    def order(self) -> Int64s:
        """Record numbers in the order they are published.

        Sorted is a function of the published cells alone: of records with equal cells it does not
        matter which comes first. Shuffled starts from there, too, and takes its chance from the
        operating system, so that nothing that is known of the run can undo it.
        """
        published = self._published
        if self.task.output.order == "input":
            return published
        order = pl.Series(row_keys(self._text_ranks(published))).arg_sort().to_numpy()
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
    def frame(self) -> pl.DataFrame:
        """The published table: no identifiers, columns as in the input, records in `order`."""
        return self._cells_of(self.order)

    @property
    def in_file_order(self) -> pl.DataFrame:
        """The same records as they follow one another in the input: for the analyst's eyes only."""
        return self._cells_of(self._published)

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What a reader should know of how classes are printed."""
        return tuple(one_value_note(each) for each in self.task.quasi if each.publishes_one_value)

    @cached_property
    def warnings(self) -> tuple[Note, ...]:
        """What nobody should overlook in the printed cells."""
        found = (one_value_warning(each, self.classes) for each in self.task.quasi)
        return tuple(each for each in found if each is not None)

    def _cells_of(self, records: Int64s) -> pl.DataFrame:
        columns = []
        for name, cells in self._published_columns.items():
            if isinstance(cells, pl.Series):
                columns.append(cells.gather(records))
            else:
                codes, texts = _with_stars(cells, records)
                columns.append(pl.Series(name, texts, dtype=pl.String).gather(codes))
        return pl.DataFrame(columns)

    def _text_ranks(self, records: Int64s) -> Iterator[npt.NDArray[np.integer]]:
        """Per published column the place of every cell among its sorted texts."""
        for cells in self._published_columns.values():
            if isinstance(cells, pl.Series):
                yield ranks_of_texts(cells.gather(records))
            else:
                codes, texts = _with_stars(cells, records)
                yield text_ranks(texts)[codes]

    @property
    def _published_columns(self) -> dict[str, PublishedCells | pl.Series]:
        """Every column that is published: its cells, or the texts of all records as they are."""
        task = self.task
        found: dict[str, PublishedCells | pl.Series] = {}
        cells = {a.name: c for a, c in zip(task.quasi, self.cells, strict=True)}
        for name, role in task.roles.items():
            if role is Role.QUASI:
                found[name] = cells[name]
            elif name in task.pseudonymised:
                found[name] = task.pseudonyms[name]
            elif role.published:
                found[name] = task.table.frame[name]
        return found


def _with_stars(
    cells: PublishedCells, records: Int64s
) -> tuple[npt.NDArray[np.int32], tuple[str, ...]]:
    """The codes of some records and the texts, with one for suppressed cells where there are."""
    codes = cells.codes[records]
    suppressed = codes < 0
    if not suppressed.any():
        return codes, cells.texts
    if HIDDEN in cells.texts:
        codes[suppressed] = cells.texts.index(HIDDEN)
        return codes, cells.texts
    codes[suppressed] = len(cells.texts)
    return codes, (*cells.texts, HIDDEN)


def recode(task: Task, grouping: Grouping) -> Release:
    """The published cells of a grouping."""
    if grouping.levels is None:
        return Release(task, grouping, _local_cells(task, grouping))
    cells = []
    singly = grouping.suppressed_cells
    for x, (attribute, level) in enumerate(zip(task.quasi, grouping.levels, strict=True)):
        texts = attribute.hierarchy.labels[level]
        labels = attribute.hierarchy.maps[level][attribute.column.codes]
        if singly is not None:
            labels = np.where(singly[:, x], len(texts), labels)
        labels = np.where(grouping.labels < 0, -1, labels)
        cells.append(_unified((*texts, HIDDEN), labels, in_order=True))
    return Release(task, grouping, _with_one_value(task, cells))


def _with_one_value(task: Task, labels: Sequence[PublishedCells]) -> tuple[PublishedCells, ...]:
    """The labels of levels, save that some attributes publish one value for a whole class."""
    if not any(attribute.publishes_one_value for attribute in task.quasi):
        return tuple(labels)
    shown = labels[0].codes >= 0
    classes = np.full(task.rows, -1, dtype=np.int32)
    classes[shown] = number_rows([cells.codes[shown] for cells in labels])
    count = int(classes.max(initial=-1)) + 1
    return tuple(
        _unified(
            cell_texts(attribute, _values(attribute, classes, count)),
            classes,
            in_order=False,
        )
        if attribute.publishes_one_value
        else cells
        for attribute, cells in zip(task.quasi, labels, strict=True)
    )


def _values(attribute: QuasiIdentifier, groups: npt.NDArray[np.integer], count: int) -> GroupValues:
    return GroupValues.of(groups, attribute.column.codes, count, attribute.column.copies)


def text_ranks(texts: Sequence[str]) -> Int64s:
    """The place of every text among the sorted ones."""
    ranks = np.empty(len(texts), dtype=np.int64)
    ranks[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    return ranks


def _unified(
    texts: Sequence[str], codes: npt.NDArray[np.integer], in_order: bool
) -> PublishedCells:
    """Equal texts get one code, and texts that no record has are left out.

    Unless they are `in_order` already they are sorted: clusters are numbered as they were found.
    """
    used = np.flatnonzero(np.bincount(codes[codes >= 0], minlength=len(texts)))
    used_texts = [texts[code] for code in used.tolist()]
    distinct = dict.fromkeys(used_texts) if in_order else sorted(set(used_texts))
    numbers = {text: number for number, text in enumerate(distinct)}
    translate = np.full(len(texts) + 1, -1, dtype=np.int32)  # the last one serves code -1
    translate[used] = [numbers[text] for text in used_texts]
    return PublishedCells(translate[codes], tuple(numbers))


def _local_cells(task: Task, grouping: Grouping) -> tuple[PublishedCells, ...]:
    """The cells of a clustering: every cluster has one text per attribute."""
    kept = grouping.labels >= 0
    labels, position = np.unique(grouping.labels[kept], return_inverse=True)
    cluster = np.full(task.rows, -1, dtype=np.int64)
    cluster[kept] = position
    cells = []
    for x, attribute in enumerate(task.quasi):
        shown = cluster
        if grouping.suppressed_cells is not None:
            shown = np.where(grouping.suppressed_cells[:, x], -1, cluster)
        stretches = None if grouping.stretches is None else grouping.stretches[x]
        texts = cell_texts(attribute, _values(attribute, shown, len(labels)), stretches)
        for partly_hidden in np.unique(cluster[shown != cluster]).tolist():
            if texts[partly_hidden] != HIDDEN:
                texts[partly_hidden] += HIDDEN
        cells.append(_unified(texts, cluster, in_order=False))
    return tuple(cells)
