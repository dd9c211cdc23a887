"""The published cells of every quasi-identifier: the label of a level, or the text of a class.

A class prints a range of numbers or dates, a common ancestor, a set, or one value for all. Only
this package knows what a class prints; algorithms label records.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.numeric import Int32s, Int64s
from kanon_tui.core.release.distinct_rows import number_rows
from kanon_tui.core.release.one_value import one_value_texts
from kanon_tui.core.release.rounded_ranges import rounded_range
from kanon_tui.core.table.column import Column, end_text, range_of_ends, set_text
from kanon_tui.core.table.group_values import GroupValues
from kanon_tui.core.task.task import Grouping, QuasiIdentifier, Task


class ClassTexts(NamedTuple):
    """The published texts of classes, equal ones stored once."""

    numbers: Int64s
    """Per class, an index into the texts."""
    texts: list[str]


def cell_texts(
    attribute: QuasiIdentifier, clusters: GroupValues, stretches: Int32s | None = None
) -> list[str]:
    """Return the text of every cluster; with stretches, a whole stretch or `*`."""
    numbers, texts = class_texts(attribute, clusters, stretches)
    return [texts[number] for number in numbers.tolist()]


def class_texts(
    attribute: QuasiIdentifier, clusters: GroupValues, stretches: Int32s | None = None
) -> ClassTexts:
    """Return the texts of all clusters as numbers into a short list of texts."""
    if attribute.publishes_one_value:
        return ClassTexts(np.arange(clusters.count), one_value_texts(attribute, clusters))
    if attribute.ordered:
        return _ranges(attribute, clusters, stretches)
    if attribute.publishes_ancestor:
        return _common_ancestors(attribute, clusters)
    return _sets(attribute.column, clusters)


def _ranges(
    attribute: QuasiIdentifier, clusters: GroupValues, stretches: Int32s | None
) -> ClassTexts:
    """Return ranges `[lo..hi]` with observed or round ends; `*` where missing meets present."""
    column = attribute.column
    values, missing = column.values, column.missing
    low, high = clusters.ends(clusters.code)
    if stretches is not None:
        low, high, several = clusters.stretch_ends(stretches)
        low[several] = -1
    width = len(values) + 1
    ends, numbers = np.unique((low + 1) * width + high, return_inverse=True)
    low, high = ends // width - 1, ends % width
    apart = (low >= 0) & (low != high)
    used = np.unique(np.concatenate([low[apart], high[apart]])).tolist()
    end_of = {code: end_text(column, values[code]) for code in used}

    def text(lo: int, hi: int) -> str:
        if lo < 0 or (hi == missing and lo != missing):
            return HIDDEN
        if lo == hi:
            return values[lo]
        if attribute.publish == "rounded":
            first, last = rounded_range(column, lo, hi)[0]
            return range_of_ends(column, (values[lo], values[hi]), (first, last))
        return range_of_ends(column, (values[lo], values[hi]), (end_of[lo], end_of[hi]))

    return ClassTexts(numbers, list(map(text, low.tolist(), high.tolist())))


def _common_ancestors(attribute: QuasiIdentifier, clusters: GroupValues) -> ClassTexts:
    """Return the labels of the lowest level at which all values of a cluster agree."""
    hierarchy = attribute.hierarchy
    levels, labels = hierarchy.common_ancestors(clusters)
    before = np.cumsum([0, *map(len, hierarchy.labels)])
    texts = [label for level in hierarchy.labels for label in level]
    return ClassTexts(np.where(labels < 0, len(texts), before[levels] + labels), [*texts, HIDDEN])


def _sets(column: Column, clusters: GroupValues) -> ClassTexts:
    """Return sets `{A|B|C}` of the values of a cluster, sorted as text."""
    values = column.values
    same, examples = clusters.same_sets
    begins, ends = clusters.starts[examples].tolist(), clusters.starts[examples + 1].tolist()
    texts = []
    for begin, end in zip(begins, ends, strict=True):
        members = [values[code] for code in clusters.code[begin:end].tolist()]
        text = set_text(members) if len(members) > 1 else "".join(members)
        texts.append(text if members else HIDDEN)
    return ClassTexts(same, texts)


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

    def forget_codes(self) -> None:
        """Drop the cached `codes`, which take as much memory as the groups."""
        self.__dict__.pop("codes", None)


def published_cells(task: Task, grouping: Grouping) -> tuple[PublishedCells, ...]:
    """Return the cells of every quasi-identifier of a grouping."""
    if grouping.levels is None:
        return _local_cells(task, grouping)
    cells = []
    singly, suppressed = grouping.suppressed_cells, grouping.labels < 0
    for x, (attribute, level) in enumerate(zip(task.quasi, grouping.levels, strict=True)):
        labels, texts = (
            attribute.hierarchy.maps[level],
            [*attribute.hierarchy.labels[level], HIDDEN],
        )
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
    there = numbers
    if in_order:
        some = groups[groups >= 0] if len(groups) and groups.min() < 0 else groups
        there = numbers[np.bincount(some, minlength=len(numbers)) > 0]
    used = np.flatnonzero(np.bincount(there, minlength=len(texts)))
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
    kept = labels[labels >= 0]
    if int(kept.max(initial=-1)) >= 2 * len(labels):
        numbers = np.full(len(labels), -1, dtype=np.int32)
        found, numbers[labels >= 0] = np.unique(kept, return_inverse=True)
        return numbers, len(found)
    there = np.bincount(kept) > 0
    upto = np.append(np.cumsum(there, dtype=np.int32) - np.int32(1), np.int32(-1))
    return upto[np.where(labels < 0, -1, labels)], int(there.sum())
