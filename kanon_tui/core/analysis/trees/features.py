"""Turn the cells of a table into numbers that a decision tree can split.

A tree may ask only what a generalised cell really says.

  number or date   where it begins, as long as no two ranges of the table overlap; otherwise its
                   middle and its width. A cell that says nothing is the whole domain, and
                   `[20..35]*` counts as the range that is shown
  category         one yes-or-no question per value of the data, "may it be this one?", and, where
                   labels or sets overlap, how many values it covers; beyond the most frequent
                   values the others share one question
  missing          a yes-or-no question of its own

On an original table that is the number itself and "is it this one?".

A split divides published cells, not people. `straddling_cells` finds the cells that reach to the
other side of a split:

  number or date, by where it begins or by its middle   the range has values below the cut and at or
                                                        above it
  category                                              the cell covers something of what is asked
                                                        for and something else: `{A|B}` where the
                                                        question is whether it is A
  questions about width and number of values            the cell shares a value with a cell of the
                                                        other side

With `overlap="nodes"` ranges are asked for where they begin, and the last line holds for every
question. That is how Morton filtered his figures 16 to 20.

Cost: O(values of the data · cells) per split for categories, O(values + cells) for numbers.

A target may be published generalised, as Morton's were: `{<=50K|>50K}` may be either. Such a record
counts with its share in each value (`value_groups`). A target of more than ten numbers or dates is
cut in two at the median of the original.

`determines` finds attributes that determine the target: a tree which may ask about them asks
about little else: `income` tells `income_class`. An attribute determines the target when it leaves
at most a tenth of the errors that guessing the commonest value makes, in answers of ten records at
least, so that this is no accident. Answers are the values of a category (ten records on average)
and, for numbers and dates, as many stretches of the line as the target has values. Missing is a
value, too.

Reference: Morton, section "Adult Consensus Dataset", where salary is anonymised with the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from kanon_tui.core.analysis.published_cells import CellReader, ReadCells, ValueGroups, end_of_range
from kanon_tui.core.errors import InputError, Values
from kanon_tui.core.numeric import Flags, Floats, Int64s
from kanon_tui.core.optional import require
from kanon_tui.core.release.distinct_rows import number_rows
from kanon_tui.core.table.column import Column, Kind
from kanon_tui.core.table.table import Table
from kanon_tui.core.task.task import Task

Overlap = Literal["straddling", "nodes"]
MOST_QUESTIONS = 50
"""The most values of one attribute that are asked for one by one."""


@dataclass(frozen=True)
class Feature:
    """One thing a tree can ask about an attribute."""

    yes: str
    no: str
    bound: Literal["", "number", "date"] = ""
    """What follows the words: nothing, or the number at which the answer changes."""
    cuts: bool = False
    """Whether that number is one of the attribute: a cut of its values in two."""
    values: tuple[str, ...] = ()
    """The values that are asked for."""
    cell: str | None = None
    """The cell that is asked for in their place: all that it covers."""

    def in_words(self, answer: bool, bound: float) -> str:
        """Return the answer in words: `capital-gain ≥ 7298`, `sex is not Male`."""
        words = self.yes if answer else self.no
        if not self.bound:
            return words
        if self.bound == "date":
            return f"{words}{np.datetime64(int(np.floor(bound)), 'D')}"
        return f"{words}{bound:.0f}" if bound == round(bound) else f"{words}{bound:.10g}"


@dataclass(frozen=True, eq=False)
class TreeTable:
    """A table as a decision tree sees it; codes are per record an index into the cells."""

    cells: Mapping[str, ReadCells]
    codes: Mapping[str, npt.NDArray[np.int32]]
    target: Target
    people: Int64s
    """Records behind every row: 1, or the size of a cluster where rows are clusters."""
    overlap: Overlap = "straddling"
    """Which records of a split overlap; with nodes, trees ask where ranges begin."""

    @property
    def records(self) -> int:
        """The number of rows: records, or clusters."""
        return len(self.target.codes)

    @cached_property
    def features(self) -> tuple[tuple[str, Feature, Floats], ...]:
        """Attribute, feature and the feature's number per cell."""
        return tuple(
            (name, feature, numbers)
            for name, cells in self.cells.items()
            for feature, numbers in _features(name, cells, self.overlap)
        )

    def matrix(self) -> npt.NDArray[np.float32]:
        """Return records × features, or a column of zeros where there is nothing to ask."""
        matrix = np.zeros((self.records, max(1, len(self.features))), dtype=np.float32)
        for column, (name, _, numbers) in enumerate(self.features):
            matrix[:, column] = numbers[self.codes[name]]
        return matrix


def clusters_of(table: TreeTable, task: Task, release: Table) -> TreeTable:
    """Return a release with one row per cluster: per different row of quasi-identifiers.

    A cluster counts in every value of the target with the mean share of its records.
    """
    quasi = [attribute.name for attribute in task.quasi if attribute.name in release.names]
    varying = [name for name in table.cells if name not in quasi]
    if varying:
        raise InputError(
            f"rows: clusters: '{varying[0]}' differs within a cluster; ask about quasi-identifiers "
            f"alone, such as {quasi[0]}"
        )
    row_of = number_rows([release.column(name, Kind.CATEGORICAL).codes for name in quasi])
    _, first, people = np.unique(row_of, return_index=True, return_counts=True)
    shares = np.zeros((len(people), len(table.target.values)))
    np.add.at(shares, row_of, table.target.shares[table.target.codes])
    number = np.arange(len(people), dtype=np.int32)
    return TreeTable(
        table.cells,
        {name: codes[first] for name, codes in table.codes.items()},
        Target(table.target.values, shares / people[:, None], number),
        people.astype(np.int64),
    )


def _features(name: str, cells: ReadCells, overlap: Overlap) -> list[tuple[Feature, Floats]]:
    column = cells.attribute.column
    if column.kind.ordered:
        features = _number_features(name, cells, overlap)
    else:
        features = _category_features(name, cells)
    if cells.missing.any():
        values = () if column.missing is None else (column.values[column.missing],)
        words = Feature(f"{name} is missing", f"{name} is not missing", values=values)
        features.append((words, cells.missing.astype(np.float64)))
    return features


def _number_features(name: str, cells: ReadCells, overlap: Overlap) -> list[tuple[Feature, Floats]]:
    column = cells.attribute.column
    domain = cells.attribute.line
    if not len(domain):
        return []
    first = domain[0]
    last = domain[-1]
    low = np.clip(np.where(cells.missing, -np.inf, cells.low), first, last)
    high = np.clip(np.where(cells.missing, np.inf, cells.high), first, last)
    bound: Literal["number", "date"] = "date" if column.kind is Kind.DATE else "number"
    ranges = np.unique(np.column_stack([low, high])[~cells.missing], axis=0)
    if overlap == "nodes" or (ranges[1:, 0] > ranges[:-1, 1]).all():
        centre = (first + last) / 2
        begin = Feature(f"{name} ≥ ", f"{name} < ", bound, cuts=True)
        return [(begin, np.where(cells.missing, centre, low))]
    middle = Feature(f"middle of {name} ≥ ", f"middle of {name} < ", bound, cuts=True)
    width = Feature(f"width of {name} ≥ ", f"width of {name} < ", "number")
    return [(middle, (low + high) / 2), (width, high - low)]


def _category_features(name: str, cells: ReadCells) -> list[tuple[Feature, Floats]]:
    column = cells.attribute.column
    present = [code for code in range(len(column.values)) if code != column.missing]
    order = sorted(present, key=lambda code: (-int(column.counts[code]), code))
    values = [column.values[code] for code in order]
    frequent = values[:MOST_QUESTIONS]
    rare = values[MOST_QUESTIONS:]
    shown = cells.shows(frequent)
    rare_covered = np.asarray(cells.shown[:, order[MOST_QUESTIONS:]].sum(axis=1)).ravel()
    covered = shown.sum(axis=0) + rare_covered
    general = bool((covered > 1).any())
    questions: list[tuple[tuple[str, ...], str, Flags]] = [
        ((value,), value, flags) for value, flags in zip(frequent, shown, strict=True)
    ]
    if rare:
        questions.append((tuple(rare), f"one of {len(rare):,} rarer values", rare_covered > 0))
    features: list[tuple[Feature, Floats]] = []
    answered = {np.zeros(len(covered), dtype=bool).tobytes()}
    for of_values, value, flags in questions:
        same_or_opposite = (flags ^ flags[0]).tobytes()
        if same_or_opposite not in answered:  # else the same cells are told apart already
            answered.add(same_or_opposite)
            texts = [cells.texts[cell] for cell in np.flatnonzero(flags).tolist()]
            question = _category_question(name, of_values, value, texts, general)
            features.append((question, flags.astype(np.float64)))
    if general and any(flags.sum() > 1 for _, _, flags in questions):
        words = Feature(f"values {name} may have ≥ ", f"values {name} may have < ", "number")
        features.append((words, covered.astype(np.float64)))
    return features


def _category_question(
    name: str, values: tuple[str, ...], label: str, texts: Sequence[str], general: bool
) -> Feature:
    """Return a question in words; where only one cell says yes, that cell is what is asked for."""
    if len(texts) == 1:
        return Feature(f"{name} is {texts[0]}", f"{name} is not {texts[0]}", cell=texts[0])
    if general:
        return Feature(f"{name} may be {label}", f"{name} cannot be {label}", values=values)
    return Feature(f"{name} is {label}", f"{name} is not {label}", values=values)


def straddling_cells(
    cells: ReadCells,
    present: Int64s,
    above: Flags,
    question: Feature,
    cut: float,
    overlap: Overlap = "straddling",
) -> Flags:
    """Return which of the cells at a split straddle it, in the order of `present`.

    `above` tells for each on which side it is, `cut` the number at which the upper side begins.
    With the overlap of nodes a cell counts when it shares a value with a cell of the other side.
    """
    column = cells.attribute.column
    if overlap == "nodes":
        question = Feature("", "")
    if question.cuts:
        high = end_of_range(cells.high[present], column)
        through = (cells.low[present] < cut) & (high >= cut)
        return np.asarray(through & ~cells.missing[present], dtype=bool)
    if question.values or question.cell is not None:
        return _partly_asked_for(cells, present, question)
    if column.kind.ordered:
        return _sharing_numbers(cells, present, above)
    shown = cells.shown[present]
    beyond = [np.asarray(shown[side].sum(axis=0)).ravel() for side in (~above, above)]
    return np.asarray(np.where(above, shown @ beyond[0], shown @ beyond[1]) > 0, dtype=bool)


def _partly_asked_for(cells: ReadCells, present: Int64s, question: Feature) -> Flags:
    """Return the cells that cover some value which is asked for, and some other one."""
    if question.cell is not None:
        is_asked_for = cells.shown[cells.texts.index(question.cell)].toarray().ravel() > 0
    else:
        asked_values = set(question.values)
        is_asked_for = np.array([value in asked_values for value in cells.attribute.column.values])
    shown = cells.shown[present]
    return np.asarray((shown @ is_asked_for > 0) & (shown @ ~is_asked_for > 0), dtype=bool)


def _sharing_numbers(cells: ReadCells, present: Int64s, above: Flags) -> Flags:
    """Return flags of shape (present,): cells with numbers that cells of the other side cover too.

    `present` are indexes of cells, `above` says on which side of the split each lies.
    """
    column = cells.attribute.column
    missing = cells.missing[present]
    everything = cells.everything[present]
    first, behind = (ends[present] for ends in cells.places())
    places = len(cells.attribute.line)
    if column.missing is not None:  # one place more, behind the last number
        first = np.where(missing, places, first)
        behind = np.where(missing, places + 1, behind)
        places += 1
        behind = np.where(everything, places, behind)
    behind = np.maximum(first, behind)
    sharing = np.zeros(len(present), dtype=bool)
    for side in (above, ~above):
        opened = np.bincount(first[side], minlength=places + 1)
        closed = np.bincount(behind[side], minlength=places + 1)
        covered = np.cumsum(opened - closed)[:places] > 0
        before = np.concatenate([[0], np.cumsum(covered)])
        sharing |= ~side & (before[behind] > before[first])
    return sharing


# --- the target -----------------------------------------------------------------------------------


MOST_NUMBERS = 10
"""The most values of a numeric target that are told apart one by one."""
MOST_VALUES = 100


@dataclass(frozen=True, eq=False)
class Target:
    """The target of one table."""

    values: tuple[str, ...]
    shares: Floats
    """Cells × values: how a record with this cell counts; every row adds up to 1."""
    codes: npt.NDArray[np.int32]
    """Per record, an index into the cells."""

    @property
    def mixed(self) -> int:
        """The records whose cell covers several values."""
        return int(((self.shares > 0).sum(axis=1) > 1)[self.codes].sum())

    @cached_property
    def likeliest(self) -> Int64s:
        """Per record the value with its largest share; the first of several."""
        return np.asarray(self.shares.argmax(axis=1)[self.codes], dtype=np.int64)

    def counts(self, records: Int64s | slice = slice(None)) -> Floats:
        """Return the records per value; shares of records make them no whole numbers."""
        cells = np.bincount(self.codes[records], minlength=len(self.shares))
        return np.asarray(cells @ self.shares, dtype=np.float64)

    def parts(self, records: Int64s) -> tuple[Int64s, Int64s, Floats]:
        """Return these records in one part per value they cover.

        Place in `records`, value, share.
        """
        cells, values = np.nonzero(self.shares)
        covered = np.bincount(cells, minlength=len(self.shares))
        first = np.cumsum(covered) - covered
        record_codes = self.codes[records]
        place = np.repeat(np.arange(len(record_codes)), covered[record_codes])
        within = np.arange(len(place)) - np.repeat(
            np.cumsum(covered[record_codes]) - covered[record_codes], covered[record_codes]
        )
        part = first[record_codes][place] + within
        return place, values[part].astype(np.int64), self.shares[cells[part], values[part]]


def original_target(reader: CellReader) -> Target:
    """Return the target as the original has it: every record is one of one value."""
    groups = _target_values(reader.column)
    return Target(groups.labels, groups.of_values, reader.column.codes)


def published_target(reader: CellReader, texts: Column, where: str) -> Target:
    """Return the target as a release has it; `where` names the release in messages."""
    groups = _target_values(reader.column)
    covered = groups.covered(reader.read(texts.values, where))
    lost = np.flatnonzero(covered.sum(axis=1) == 0)
    if len(lost):
        shown = Values([texts.values[cell] for cell in lost.tolist()], 3)
        raise InputError(
            f"target: '{texts.name}' is {shown} in {where}, which covers no value of the data; "
            f"use the project with which the release was made"
        )
    return Target(groups.labels, covered / covered.sum(axis=1, keepdims=True), texts.codes)


def _target_values(column: Column) -> ValueGroups:
    """Return the values to distinguish, decided by the original alone."""
    if column.numbers is None:
        every = np.arange(len(column.values))
        return ValueGroups(column, _checked(column.name, column.values), every)
    missing = () if column.missing is None else (column.values[column.missing],)
    numbers = column.numbers[~np.isnan(column.numbers)]
    line, first, place = np.unique(numbers, return_index=True, return_inverse=True)
    if len(line) <= MOST_NUMBERS:
        named = tuple(column.values[code] for code in first.tolist())
        labels = _checked(column.name, (*named, *missing))
        groups = place
    else:
        reached = np.cumsum(column.counts[: len(numbers)])
        middle = np.searchsorted(reached, reached[-1] // 2, "right")
        median = max(numbers[middle], line[1])  # so that neither side is empty
        cut = column.values[int(first[np.searchsorted(line, median)])]
        labels = f"below {cut}", f"{cut} or more", *missing
        groups = (numbers >= median).astype(np.int64)
    last = np.full(len(missing), len(labels) - 1)
    return ValueGroups(column, labels, np.append(groups, last))


def _checked(name: str, values: Sequence[str]) -> tuple[str, ...]:
    if not 2 <= len(values) <= MOST_VALUES:
        raise InputError(
            f"target: '{name}' has {len(values):,} values; choose an attribute with 2 to "
            f"{MOST_VALUES}"
        )
    return tuple(values)


RECORDS_PER_ANSWER = 10
ERRORS_LEFT = 0.1


def determines(column: Column, target: Target) -> bool:
    """Return whether an attribute of the original determines its target."""
    values = target.likeliest
    errors = len(values) - int(np.bincount(values).max())
    if column.numbers is None:
        answers = column.codes.astype(np.int64)
        if len(np.unique(answers)) * RECORDS_PER_ANSWER > len(values):
            return False
    else:
        answers = _stretches(column, values, len(target.values))
    pairs, counts = np.unique(answers * len(target.values) + values, return_counts=True)
    right = np.zeros(int(answers.max()) + 1, dtype=np.int64)
    np.maximum.at(right, pairs // len(target.values), counts)
    return errors > 0 and len(values) - int(right.sum()) <= ERRORS_LEFT * errors


def _stretches(column: Column, values: Int64s, most: int) -> Int64s:
    """Return the stretch of every record, cut so that they tell most about the target."""
    trees = require("sklearn.tree", "growing a decision tree")
    places = np.unique(column.value_numbers, return_inverse=True)[
        1
    ]  # missing is one place, the last
    line = places[column.codes].reshape(-1, 1)
    tree = trees.DecisionTreeClassifier(
        criterion="entropy",
        max_leaf_nodes=most + (column.missing is not None),
        min_samples_leaf=RECORDS_PER_ANSWER,
        random_state=0,
    )
    return np.asarray(tree.fit(line, values).apply(line), dtype=np.int64)
