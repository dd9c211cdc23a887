"""The recoder: turns the grouping of an algorithm into the cells that are published.

All algorithms share it. A quasi-identifier prints the label of a level or the text of a class: a
range of numbers or dates, a common ancestor, a set, or one value for all. Only this package knows
what a class prints; algorithms label records. Afterwards a release is judged by its printed cells
alone: records whose cells are equal are one class.

A release has few distinct cells: those of a quasi-identifier are the texts of its classes, those of
a column that is published unchanged are its values. So a cell is a number here, and the published
table has columns that store each text once (`pl.Enum`): a quarter of the memory of texts, and
counting, sorting and comparing work on numbers.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl

from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.numeric import Int32s, Int64s, random_words
from kanon_tui.core.release.all_columns import (
    AllColumns,
    AtRisk,
    ColumnContribution,
    ComparedColumns,
    PublishedCodes,
)
from kanon_tui.core.release.class_texts import class_texts, one_value_note, one_value_warning
from kanon_tui.core.release.distinct_rows import dense_ranks, number_rows, order_of_rows
from kanon_tui.core.table.cell_codes import Cells, coded_series
from kanon_tui.core.table.column import Column, GroupValues, Role, counted
from kanon_tui.core.task.task import Grouping, QuasiIdentifier, Task
from kanon_tui.core.text import Note


@dataclass(frozen=True, eq=False, repr=False)
class PublishedCells:
    """The published cells of a quasi-identifier; records of a group print the same text."""

    groups: Int32s
    """The group of every record, -1 for a suppressed one."""
    of_group: Int32s
    """Per group, an index into the texts; the last entry, -1, is for suppressed records."""
    texts: tuple[str, ...]
    """The distinct texts that records print."""

    @cached_property
    def codes(self) -> Int32s:
        """Per record, an index into the texts; -1 for a suppressed one."""
        return self.of_group[self.groups]


def published_cells(task: Task, grouping: Grouping) -> tuple[PublishedCells, ...]:
    """Return the cells of every quasi-identifier of a grouping."""
    if grouping.levels is None:
        return _local_cells(task, grouping)
    cells = []
    singly = grouping.suppressed_cells
    suppressed = grouping.labels < 0
    for x, (attribute, level) in enumerate(zip(task.quasi, grouping.levels, strict=True)):
        labels = attribute.hierarchy.maps[level]
        texts = [*attribute.hierarchy.labels[level], HIDDEN]
        groups = attribute.column.codes
        if singly is not None and singly[:, x].any():
            labels = np.append(labels, np.int32(len(texts) - 1))
            groups = np.where(singly[:, x], np.int32(len(labels) - 1), groups)
        if suppressed.any():
            groups = np.where(suppressed, np.int32(-1), groups)
        cells.append(_unified(texts, labels, groups, in_order=True))
    return _with_one_value(task, cells)


def _with_one_value(task: Task, labels: Sequence[PublishedCells]) -> tuple[PublishedCells, ...]:
    """Return the cells of levels, with one value per class for attributes that publish so."""
    if not any(attribute.publishes_one_value for attribute in task.quasi):
        return tuple(labels)
    shown = labels[0].groups >= 0
    classes = np.full(task.rows, -1, dtype=np.int32)
    classes[shown] = number_rows([cells.codes[shown] for cells in labels])
    count = int(classes.max(initial=-1)) + 1

    def one_value(attribute: QuasiIdentifier) -> PublishedCells:
        numbers, texts = class_texts(attribute, _values(attribute, classes, count))
        return _unified(texts, numbers, classes, in_order=False)

    return tuple(
        one_value(attribute) if attribute.publishes_one_value else cells
        for attribute, cells in zip(task.quasi, labels, strict=True)
    )


def _values(attribute: QuasiIdentifier, groups: npt.NDArray[np.integer], count: int) -> GroupValues:
    return GroupValues.from_records(groups, attribute.column.codes, count, attribute.column.copies)


def _unified(
    texts: Sequence[str],
    numbers: npt.NDArray[np.integer],
    groups: npt.NDArray[np.integer],
    in_order: bool,
) -> PublishedCells:
    """Return cells in which equal texts have one code and unused texts are left out.

    `numbers` has the text of every group, `groups` the group of every record. Unless texts are
    `in_order` already they are sorted: clusters are numbered as they were found, and every one has
    records.
    """
    used_numbers = numbers
    if in_order:
        shown_groups = groups[groups >= 0] if len(groups) and groups.min() < 0 else groups
        used_numbers = numbers[np.bincount(shown_groups, minlength=len(numbers)) > 0]
    used = np.flatnonzero(np.bincount(used_numbers, minlength=len(texts)))
    used_texts = [texts[number] for number in used.tolist()]
    distinct = dict.fromkeys(used_texts) if in_order else sorted(set(used_texts))
    code_of = {text: code for code, text in enumerate(distinct)}
    translate = np.full(len(texts), -1, dtype=np.int32)
    translate[used] = [code_of[text] for text in used_texts]
    of_group = np.append(translate[numbers], np.int32(-1))
    return PublishedCells(groups.astype(np.int32, copy=False), of_group, tuple(code_of))


def _local_cells(task: Task, grouping: Grouping) -> tuple[PublishedCells, ...]:
    """Return the cells of a clustering: every cluster has one text per attribute."""
    cluster, count = _numbered(grouping.labels)
    cells = []
    for x, attribute in enumerate(task.quasi):
        shown = cluster
        if grouping.suppressed_cells is not None:
            shown = np.where(grouping.suppressed_cells[:, x], np.int32(-1), cluster)
        stretches = None if grouping.stretches is None else grouping.stretches[x]
        numbers, texts = class_texts(attribute, _values(attribute, shown, count), stretches)
        if shown is not cluster:
            numbers = numbers.copy()
            for partly_hidden in np.unique(cluster[shown != cluster]).tolist():
                text = texts[numbers[partly_hidden]]
                if text != HIDDEN:
                    numbers[partly_hidden] = len(texts)
                    texts.append(text + HIDDEN)
        cells.append(_unified(texts, numbers, cluster, in_order=False))
    return tuple(cells)


def _numbered(labels: npt.NDArray[np.integer]) -> tuple[Int32s, int]:
    """Return clusters renumbered from 0 in the order of their labels, and their number."""
    shown_labels = labels[labels >= 0]
    if int(shown_labels.max(initial=-1)) >= 2 * len(labels):
        numbers = np.full(len(labels), -1, dtype=np.int32)
        distinct_labels, numbers[labels >= 0] = np.unique(shown_labels, return_inverse=True)
        return numbers, len(distinct_labels)
    is_used = np.bincount(shown_labels) > 0
    upto = np.append(np.cumsum(is_used, dtype=np.int32) - np.int32(1), np.int32(-1))
    return upto[np.where(labels < 0, -1, labels)], int(is_used.sum())


def text_ranks(texts: pl.Series | Sequence[str]) -> Int32s:
    """Return the rank of every text among the sorted ones; texts must be distinct."""
    series = texts if isinstance(texts, pl.Series) else pl.Series(texts, dtype=pl.String)
    ranks = np.empty(series.len(), dtype=np.int32)
    ranks[series.arg_sort().to_numpy()] = np.arange(series.len())
    return ranks


@dataclass(frozen=True, eq=False, repr=False)
class Release:
    """A table as it will be published, joined to its task."""

    task: Task
    grouping: Grouping
    cells: tuple[PublishedCells, ...]
    """One per quasi-identifier of the task."""

    @cached_property
    def suppressed(self) -> npt.NDArray[np.bool_]:
        """Per record, whether it is suppressed."""
        return self.grouping.labels < 0

    @property
    def starred(self) -> bool:
        """Whether suppressed records are published, with every cell hidden."""
        return self.task.output.suppressed == "star" and bool(self.suppressed.any())

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
        result = np.full(self.task.rows, -1, dtype=np.int32)
        shown_rows = ~self.suppressed if self.suppressed.any() else slice(None)
        ranked = zip(ranks, self.cells, strict=True)
        result[shown_rows] = dense_ranks(rank[cells.groups[shown_rows]] for rank, cells in ranked)
        return result

    @cached_property
    def class_members(self) -> Int64s:
        """Per class, the number of one of its records."""
        return _members(self.classes, len(self.class_sizes))

    def class_cells(self, x: int) -> Int32s:
        """Return per class the index of its text of quasi-identifier number x."""
        cells = self.cells[x]
        return cells.of_group[cells.groups[self.class_members]]

    @cached_property
    def class_sizes(self) -> Int64s:
        """Number of records of every class."""
        return self.task.records_of_classes(self.classes)

    @cached_property
    def suppressed_records(self) -> int:
        """The number of suppressed records."""
        return self.task.records_in(self.suppressed)

    @cached_property
    def published_classes(self) -> npt.NDArray[np.int32]:
        """Per record, the number of its published class; starred records are a class, too."""
        if not self.starred:
            return self.classes
        return number_rows([self._columns[attribute.name][0] for attribute in self.task.quasi])

    @cached_property
    def published_sizes(self) -> Int64s:
        """Number of records of every published class, starred records included."""
        return self.task.records_of_classes(self.published_classes)

    @property
    def published_class_cells(self) -> pl.DataFrame:
        """The published cells of every class, in the order of `published_sizes`."""
        return self.quasi_cells(_members(self.published_classes, len(self.published_sizes)))

    def quasi_cells(self, rows: Int64s) -> pl.DataFrame:
        """Return the texts of the quasi-identifiers of some rows, `*` for suppressed ones."""
        quasi = self.quasi_ranks(bool(self.suppressed.any()))
        return pl.DataFrame(
            [texts.gather(ranks[rows]).alias(name) for name, (ranks, texts) in quasi.items()]
        )

    def values_of(self, column: Column, published: bool = True) -> GroupValues:
        """Return the values that classes hold; `published` counts starred records as one class."""
        classes = self.published_classes if published else self.classes
        count = len(self.published_sizes if published else self.class_sizes)
        return GroupValues.from_records(classes, column.codes, count, column.copies)

    def shown_classes(self, x: int) -> Int32s:
        """Return the class of every record; -1 where it or its cell of x is suppressed."""
        singly = self.grouping.suppressed_cells
        return self.classes if singly is None else np.where(singly[:, x], -1, self.classes)

    def published_counts(self, x: int) -> Int64s:
        """Return per value of quasi-identifier number x how many records are not suppressed."""
        column = self.task.quasi[x].column
        shown = self.shown_classes(x) >= 0
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
        order = order_of_rows(ranks[published] for ranks, _ in self._columns.values())
        if self.task.output.order == "shuffled":
            order = order[np.argsort(random_words(len(order)))]
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
        return tuple(
            one_value_note(attribute)
            for attribute in self.task.quasi
            if attribute.publishes_one_value
        )

    @cached_property
    def warnings(self) -> tuple[Note, ...]:
        """Warnings about the printed cells."""
        warnings = (one_value_warning(attribute, self.classes) for attribute in self.task.quasi)
        return tuple(warning for warning in warnings if warning is not None)

    @cached_property
    def all_columns(self) -> AllColumns:
        """The records that all published columns together single out."""
        return self._published_codes().count()

    def contributions(self, left_out: Collection[str] = ()) -> tuple[ColumnContribution, ...]:
        """Return what leaving out each unchanged column would spare, the most helpful first.

        Columns that are `left_out` are so already.
        """
        published = self._published_codes().without(left_out)
        return published.contributions(published.count().but_sensitive.unique)

    def risk_without(self, left_out: Collection[str]) -> AtRisk | None:
        """Return the records at risk by all but these and the sensitive columns.

        None where that was not counted, as may be beyond memory.
        """
        return self._published_codes().without(left_out).count().but_sensitive

    def _published_codes(self) -> PublishedCodes:
        """Return the published rows as codes."""
        task = self.task
        shown = self._published if len(self._published) < task.n else slice(None)
        compared = ComparedColumns.from_task(task)
        return PublishedCodes(
            compared,
            task.k,
            self.published_classes[shown],
            {name: self._columns[name][0][shown] for name in compared.unchanged},
            {name: self._columns[name][0][shown] for name in compared.sensitive},
            None if task.repeated is None else task.repeated.codes[shown],
        )

    def _cells_of(self, records: Int64s) -> pl.DataFrame:
        """Return the published cells of some records; every column stores its texts once."""
        return pl.DataFrame(
            [
                coded_series(name, texts).gather(ranks[records].view(np.uint32))
                for name, (ranks, texts) in self._columns.items()
            ]
        )

    def quasi_ranks(self, starred: bool) -> dict[str, tuple[Int32s, pl.Series]]:
        """Return by quasi-identifier the rank of every row's text, and the sorted texts.

        Suppressed rows have the text `*` where they are `starred`, and else any rank.
        """
        ranks_by_name = {}
        for attribute, cells in zip(self.task.quasi, self.cells, strict=True):
            shown = list(cells.texts)
            codes = cells.of_group[cells.groups]
            if starred:
                shown += [] if HIDDEN in shown else [HIDDEN]
                codes = np.where(self.suppressed, np.int32(shown.index(HIDDEN)), codes)
            texts = pl.Series(shown, dtype=pl.String)
            ranks_by_name[attribute.name] = text_ranks(texts)[codes], texts.sort()
        return ranks_by_name

    @cached_property
    def _columns(self) -> dict[str, tuple[Int32s, pl.Series]]:
        """By published column, per record the rank of its text, and the sorted texts."""
        task = self.task
        columns = {}
        quasi = self.quasi_ranks(bool(self.suppressed.any()))
        for name, role in task.roles.items():
            if role is Role.QUASI:
                columns[name] = quasi[name]
            elif name in task.pseudonymised or role.published:
                if name in task.pseudonyms:
                    cells = Cells.from_series(task.pseudonyms[name], name)
                else:
                    cells = task.table.coded_texts(name)
                columns[name] = text_ranks(cells.texts)[cells.codes], cells.texts.sort()
        return columns


def _members(classes: Int32s, count: int) -> Int64s:
    """Return one of the records of every class."""
    members = np.empty(count, dtype=np.int64)
    shown_records = np.flatnonzero(classes >= 0)
    members[classes[shown_records]] = shown_records
    return members


def recode(task: Task, grouping: Grouping) -> Release:
    """Return the release of a grouping."""
    return Release(task, grouping, published_cells(task, grouping))
