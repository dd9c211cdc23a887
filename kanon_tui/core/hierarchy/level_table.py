"""Generalisation hierarchies: a level table, checked once, fast on codes ever after.

A `Hierarchy` is what a person writes: one row per value, column j its label at level j. It knows
nothing of a table. `Hierarchy.bind(column)` joins it to the coded values of one attribute and gives
a `BoundHierarchy`, in which a level is an integer array from value code to label number; everything
downstream (search, recoding, metrics) works on those arrays.

A project file keeps every word as text, but a specification may also come from Python or from
ordinary YAML, which reads `yes` as true, `1995-09-20` as a date and `01234` as the octal number
668. Values and labels must be texts: `text_of` refuses what cannot be turned back, and
`refuse_misread` finds out from the data where a number was once another text.
"""

import datetime
import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property, partial
from itertools import chain, pairwise
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from kanon_tui.core.errors import InputError, OnlyWithValues, Value, Values
from kanon_tui.core.numeric import Int64s
from kanon_tui.core.table.column import Column, GroupValues, Kind, counted
from kanon_tui.core.text import plural, quoted_list

HIDDEN = "*"
"""The label that says nothing at all."""

Codes = npt.NDArray[np.int32]


@dataclass(frozen=True, order=True)
class Mark:
    """A MAGVal: values below this node may be generalised up to it and no further."""

    level: int
    label: str


@dataclass(frozen=True, eq=False)
class Level:
    """The labels of one level, and which of them every value has."""

    labels: tuple[str, ...]
    """Distinct, in the order of the first value that has them."""
    codes: Codes
    """Per value an index into `labels`."""

    @classmethod
    def from_texts(cls, texts: Iterable[str]) -> Self:
        """Return the level of the labels of every value."""
        number_of: dict[str, int] = {}
        codes = [number_of.setdefault(text, len(number_of)) for text in texts]
        return cls(tuple(number_of), np.array(codes, dtype=np.int32))

    @classmethod
    def from_groups(cls, groups: npt.NDArray[Any], label_of: Callable[[Any], str]) -> Self:
        """Return the level of values that lie in numbered groups.

        `label_of` is asked once per group, for the number as a Python integer.
        """
        first, codes = in_order_of_appearance(groups)
        labels = [label_of(group) for group in groups[first].tolist()]
        by_label = cls.from_texts(labels)  # two groups may have the same label
        return cls(by_label.labels, by_label.codes[codes])

    @classmethod
    def of_values(cls, values: Sequence[str]) -> Self:
        """Return the level of the values themselves, which are distinct."""
        return cls(tuple(values), np.arange(len(values), dtype=np.int32))

    @classmethod
    def root(cls, count: int, label: str = HIDDEN) -> Self:
        """Return the level at which `count` values have one label."""
        return cls((label,), np.zeros(count, dtype=np.int32))

    def texts(self) -> list[str]:
        """Return the label of every value."""
        labels = self.labels
        return [labels[code] for code in self.codes.tolist()]

    def of_selected(self, values: npt.NDArray[np.integer]) -> "Level":
        """Return the level of some of the values, in this order."""
        numbers = self.codes[values]
        first, codes = in_order_of_appearance(numbers)
        return Level(tuple(self.labels[number] for number in numbers[first].tolist()), codes)

    def equals(self, other: "Level") -> bool:
        """Return whether every value has the same label on both."""
        return self.labels == other.labels and np.array_equal(self.codes, other.codes)


def in_order_of_appearance(keys: npt.NDArray[Any]) -> tuple[Int64s, Codes]:
    """Return where each distinct key first stands, and per entry the number of its key.

    Keys are numbered in the order in which they first appear.
    """
    if not len(keys):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
    if (keys[1:] >= keys[:-1]).all():  # as along a line of numbers, where nothing has to be sorted
        starts = np.append(True, keys[1:] != keys[:-1])
        return np.flatnonzero(starts), np.cumsum(starts, dtype=np.int32) - np.int32(1)
    _, first, key = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.empty(len(order), dtype=np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return first[order], number[key]


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A valid level table: per level the label of every value, from the values to the root.

    Make one with `from_rows` or `from_levels`, which check it and add the root where it lacks one.
    """

    levels: tuple[Level, ...]
    marks: frozenset[Mark] = field(default_factory=frozenset)
    source: str = ""
    """The file it was read from, for messages."""

    @classmethod
    def from_rows(cls, rows: Iterable[Sequence[str]], who: str = "hierarchy") -> Self:
        """Check a level table and complete it to a single root.

        `who` names the attribute or file in error messages.
        """
        table = [tuple(row) for row in rows]
        _check_shape(table, who)
        return cls.from_levels([Level.from_texts(texts) for texts in zip(*table, strict=True)], who)

    @classmethod
    def from_levels(cls, levels: Sequence[Level], who: str = "hierarchy") -> Self:
        """Check levels of the same values, the values first, and complete them to a single root.

        `who` names the attribute or file in error messages.
        """
        complete = tuple(levels)
        if len(complete[-1].labels) > 1:
            complete = (*complete, Level.root(len(complete[0].codes)))
        _check_nested(complete, who)
        return cls(complete)

    @classmethod
    def flat(cls, values: Iterable[str]) -> Self:
        """Return a hierarchy with every value directly below `*`."""
        bottom = Level.of_values(tuple(values))
        return cls((bottom, Level.root(len(bottom.codes))))

    def with_rows(self, rows: Iterable[Sequence[str]]) -> Self:
        """Return the hierarchy with other rows, which are valid by construction."""
        levels = tuple(Level.from_texts(texts) for texts in zip(*rows, strict=True))
        return replace(self, levels=levels)

    def __eq__(self, other: object) -> bool:
        """Return whether the other hierarchy has the same rows and the same MAGVals."""
        if not isinstance(other, Hierarchy):
            return NotImplemented
        same_height = len(self.levels) == len(other.levels)
        return (
            same_height
            and self.marks == other.marks
            and all(map(Level.equals, self.levels, other.levels))
        )

    def __hash__(self) -> int:
        """Return a number that equal hierarchies share."""
        return hash((self.levels[0].labels, self.marks))

    @cached_property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """Per value its labels, from level 0 to the root."""
        return tuple(zip(*(level.texts() for level in self.levels), strict=True))

    @property
    def height(self) -> int:
        """Number of levels above the values."""
        return len(self.levels) - 1

    @property
    def values(self) -> tuple[str, ...]:
        """The values it covers, in row order."""
        return self.levels[0].labels

    @property
    def root(self) -> str:
        """The label that all values share."""
        return self.levels[-1].labels[0]

    def labels(self, level: int) -> tuple[str, ...]:
        """Return the distinct labels of a level, in order of first appearance."""
        return self.levels[level].labels

    def with_marks(self, marks: Iterable[str | Mark], who: str = "hierarchy") -> Self:
        """Return the hierarchy with these MAGVals; a bare label must name one node only."""
        return replace(self, marks=frozenset(self._resolve(mark, who) for mark in marks))

    def uncovered(self, column: Column) -> list[str]:
        """Return the values of a column that have no row here (missing never counts)."""
        return _without_row(column, self.find_rows(column))

    def bind(self, column: Column) -> "BoundHierarchy":
        """Join the hierarchy to the values of a column.

        All values that lack a row are reported at once. A missing value without a row of its own
        stays itself below the root, and where the root has a name (or there is no level above the
        values at all) a level of `*` is added to hold both: nobody knows that a missing country is
        one of the United States.
        """
        rows = self.find_rows(column)
        uncovered = _without_row(column, rows)
        if uncovered:
            verb = plural(len(uncovered), "is", "are")
            them = plural(len(uncovered), "it", "them")
            where = f" to {self.source}" if self.source else ""
            first = column.first_record_text(np.flatnonzero(rows < 0))
            raise InputError(
                f"{column.name}: {Values(uncovered)} {verb} not in its hierarchy{first}; "
                f"add a row for {them}{where} or rebuild the hierarchy"
            )
        levels = [Level.of_values(column.values)]
        levels += [_level_of_rows(level, rows, column) for level in self.levels[1:]]
        if column.missing is not None and rows[column.missing] < 0:
            self._check_missing_text(column)
            if self.height > 0 and self.root == HIDDEN:
                levels[-1] = Level.root(len(rows))
        if len(levels[-1].labels) > 1:
            levels.append(Level.root(len(rows)))
        bound = BoundHierarchy(column, tuple(levels), self._order(rows), self.marks)
        if column.kind.ordered:
            bound.check_contiguous()
        return bound

    @cached_property
    def _row_numbers(self) -> dict[str, int]:
        return {value: number for number, value in enumerate(self.values)}

    @cached_property
    def _label_ranks(self) -> tuple[dict[str, int], ...]:
        """Per level every label with its place in the order of first appearance."""
        return tuple({x: i for i, x in enumerate(level.labels)} for level in self.levels)

    def find_rows(self, column: Column) -> Int64s:
        """Return the row of every value code, -1 where a value has none.

        By its text, for numbers and dates also by equal number.
        """
        if self.values == column.values[: len(self.values)]:  # as builders make them
            rows = np.full(len(column.values), -1, dtype=np.int64)
            rows[: len(self.values)] = np.arange(len(self.values))
        else:
            row_of = self._row_numbers
            rows = np.array([row_of.get(text, -1) for text in column.values], dtype=np.int64)
        without = [code for code in np.flatnonzero(rows < 0).tolist() if code != column.missing]
        if without and column.numbers is not None:
            by_number: dict[float, int] = {}
            for row, number in enumerate(column.parse(self.values).tolist()):
                by_number.setdefault(number, row)
            for code in without:
                rows[code] = by_number.get(float(column.numbers[code]), -1)
        return rows

    def _check_missing_text(self, column: Column) -> None:
        """Refuse a missing value that stays itself and looks like a label (NA: North America)."""
        assert column.missing is not None
        text = column.values[column.missing]
        for level in range(1, self.height):
            if text in self._label_ranks[level]:
                raise InputError(
                    f"{column.name}: '{text}' means missing in the data but is a label of level "
                    f"{level} of its hierarchy; rename the label or give '{text}' a row of its own"
                )

    @cached_property
    def tree_order(self) -> Int64s:
        """Row numbers as the tree is walked from the root, children in the order of the rows."""
        keys = [level.codes for level in self.levels]
        if all((codes[1:] >= codes[:-1]).all() for codes in keys):
            return np.arange(len(keys[0]))
        return np.lexsort(keys).astype(np.int64)

    def _order(self, rows: Int64s) -> Codes:
        """Return the rank of every code in the order of the tree.

        Missing values without a row go last; codes that share a row keep their order.
        """
        place = np.empty(len(self.tree_order), dtype=np.int64)
        place[self.tree_order] = np.arange(len(place))
        place_of_code = np.where(rows < 0, len(place), place[rows])
        order = np.argsort(place_of_code, kind="stable")
        rank = np.empty(len(order), dtype=np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        return rank

    def _labels_of(self, level: int) -> str:
        """Return the first labels of a level for an error; those of level 0 are values."""
        words = f"; its labels are {quoted_list(self.labels(level))}"
        return words if level else str(OnlyWithValues(words))

    def _resolve(self, mark: str | Mark, who: str) -> Mark:
        if isinstance(mark, Mark):
            if not 0 <= mark.level <= self.height:
                raise InputError(
                    f"{who}: MAGVal '{mark.label}' names level {mark.level}; "
                    f"levels go from 0 to {self.height}"
                )
            if mark.label not in self._label_ranks[mark.level]:
                raise InputError(
                    f"{who}: MAGVal '{mark.label}' is not a label of level {mark.level}"
                    f"{self._labels_of(mark.level)}"
                )
            return mark
        levels = [j for j, labels in enumerate(self._label_ranks) if mark in labels]
        if not levels:
            every_label = dict.fromkeys(chain.from_iterable(row[1:] for row in self.rows))
            raise InputError(
                f"{who}: MAGVal '{mark}' is not a label of its hierarchy; "
                f"mark one of {quoted_list(every_label)}"
            )
        covers = {frozenset(row[0] for row in self.rows if row[j] == mark) for j in levels}
        if len(covers) > 1:
            where = " and ".join(map(str, levels))
            raise InputError(
                f"{who}: MAGVal '{mark}' is a label of levels {where} with different values; "
                f"write {{label: {mark}, level: {levels[0]}}} to say which"
            )
        return Mark(levels[0], mark)


@dataclass(frozen=True, eq=False)
class BoundHierarchy:
    """A hierarchy over the values of one column; labels are those that occur in the data."""

    column: Column
    levels: tuple[Level, ...]
    """The labels of every value code, from the values to the root."""
    order: Codes
    """Rank of every value code in the order of the tree."""
    marks: frozenset[Mark] = field(default_factory=frozenset)

    @property
    def built(self) -> bool:
        """Whether its labels are known; a deferred hierarchy finds them when they are needed."""
        return True

    @property
    def height(self) -> int:
        """Number of levels above the values."""
        return len(self.levels) - 1

    @property
    def one_step(self) -> bool:
        """Whether several categories have nothing between a value and `*`."""
        return not self.column.kind.ordered and self.column.present > 2 and self.height <= 1

    def label(self, code: int, level: int) -> str:
        """Return the label of a value code at a level."""
        labels_of_level = self.levels[level]
        return labels_of_level.labels[int(labels_of_level.codes[code])]

    @cached_property
    def paths(self) -> tuple[tuple[str, ...], ...]:
        """Labels of every value code, level 0 to the root."""
        return tuple(zip(*(level.texts() for level in self.levels), strict=True))

    @property
    def labels(self) -> tuple[tuple[str, ...], ...]:
        """Per level the labels that occur in the data, in order of their first value code."""
        return tuple(level.labels for level in self.levels)

    @property
    def maps(self) -> tuple[Codes, ...]:
        """Per level an array from value code to label number (an index into `labels[level]`)."""
        return tuple(level.codes for level in self.levels)

    @cached_property
    def mark_levels(self) -> Codes:
        """Level of magval(v) for every value code; the height where there is no mark."""
        levels = np.full(len(self.levels[0].codes), self.height, dtype=np.int32)
        for level in range(self.height, -1, -1):  # the lowest mark on a path is set last
            marked = [Mark(level, label) in self.marks for label in self.labels[level]]
            levels[np.array(marked)[self.maps[level]]] = level
        return levels

    def covered(self, level: int) -> npt.NDArray[np.int64]:
        """Return how many distinct values of the data each label of a level covers."""
        values_covered = None if self.column.coding is None else self.column.covered
        return counted(self.maps[level], values_covered, len(self.labels[level]))

    def lca_level(self, codes: Iterable[int]) -> int:
        """Return the lowest level at which all these values have the same label."""
        values = np.fromiter(codes, dtype=np.int64)
        for level, mapping in enumerate(self.maps):
            labels = mapping[values]
            if (labels == labels[0]).all():
                return level
        raise AssertionError("the root covers every value")

    def common_ancestors(self, groups: GroupValues) -> tuple[Int64s, Int64s]:
        """Return per group the lowest node above all of its values: the level and the label number.

        A group without values has level 0 and label -1.
        """
        levels = np.zeros(groups.count, dtype=np.int64)
        labels = np.full(groups.count, -1, dtype=np.int64)
        undecided = groups.distinct > 0
        in_order = np.argsort(self.order)  # there the first and the last stand for all between them
        first, last = (in_order[end] for end in groups.ends(self.order[groups.code]))
        for level, mapping in enumerate(self.maps):
            agree = undecided & (mapping[first] == mapping[last])
            levels[agree], labels[agree] = level, mapping[first][agree]
            undecided &= ~agree
        return levels, labels

    def with_column(self, column: Column) -> "BoundHierarchy":
        """Return the hierarchy for a column with the same values and other records."""
        return replace(self, column=column)

    def check_contiguous(self) -> None:
        """Refuse groups of numbers or dates that are not ranges, or that overlap."""
        numbers = self.column.value_numbers
        values = self.column.values
        present = np.flatnonzero(~np.isnan(numbers))
        same_number = np.diff(numbers[present]) == 0
        if same_number.any() and self.column.kind is Kind.NUMERIC:  # doubles are coarse beyond 2^53
            exact = self.column.exact_numbers
            for place in np.flatnonzero(same_number).tolist():
                same_number[place] = exact[place] == exact[place + 1]
        for level in range(1, self.height):
            groups = self.maps[level][present]
            split = np.flatnonzero(same_number & (np.diff(groups) != 0))
            if len(split):
                lower = present[split[0]]
                upper = present[split[0] + 1]
                raise InputError(
                    f"{self.column.name}: level {level} of its hierarchy puts "
                    f"{Value(values[lower])} into '{self.label(lower, level)}' but "
                    f"{Value(values[upper])}, the same number, into '{self.label(upper, level)}'; "
                    f"equal numbers belong together"
                )
            starts = np.flatnonzero(np.diff(groups, prepend=-1))
            run_labels, counts = np.unique(groups[starts], return_counts=True)
            if (counts > 1).any():
                broken = run_labels[counts > 1][0]
                second = starts[groups[starts] == broken][1]
                raise InputError(
                    f"{self.column.name}: level {level} of its hierarchy puts "
                    f"{Value(values[present[second]])} into '{self.labels[level][broken]}' but "
                    f"{Value(values[present[second - 1]], 'the value')} before it into "
                    f"'{self.labels[level][groups[second - 1]]}'; groups of numbers must be "
                    f"ranges that do not overlap"
                )


class DeferredHierarchy(BoundHierarchy):
    """A hierarchy without marks whose labels are found when they are first asked for.

    A column of a million numbers takes seconds to get labels, which clusterings never look at.
    """

    def __init__(self, column: Column, build: Callable[[], BoundHierarchy]) -> None:
        self.__dict__.update(column=column, marks=frozenset(), _build=build)

    def __getattr__(self, name: str) -> Any:
        if name not in ("levels", "order"):
            raise AttributeError(name)
        built = self.__dict__["_build"]()
        self.__dict__.update(levels=built.levels, order=built.order)
        return self.__dict__[name]

    @property
    def built(self) -> bool:
        """Whether its labels have been asked for."""
        return "levels" in self.__dict__

    def with_column(self, column: Column) -> BoundHierarchy:
        """Return the hierarchy for a column with the same values and other records."""
        return DeferredHierarchy(column, partial(_return_same, self))


def _return_same(hierarchy: BoundHierarchy) -> BoundHierarchy:
    return hierarchy


def _level_of_rows(level: Level, rows: Int64s, column: Column) -> Level:
    """Return the labels of a column's values, which have these rows of a level.

    A value without a row has itself as its label.
    """
    covered = rows >= 0
    if covered.all():
        return level.of_selected(rows)
    number_of = {label: number for number, label in enumerate(level.labels)}
    numbers = level.codes[rows]
    for code in np.flatnonzero(~covered).tolist():
        numbers[code] = number_of.setdefault(column.values[code], len(number_of))
    return Level(tuple(number_of), numbers).of_selected(np.arange(len(numbers)))


def _without_row(column: Column, rows: Int64s) -> list[str]:
    return [
        column.values[code] for code in np.flatnonzero(rows < 0).tolist() if code != column.missing
    ]


def _value_of(row: Sequence[str]) -> OnlyWithValues:
    """Return the value of a row in brackets."""
    value = row[0] if row else ""
    return OnlyWithValues(f" ('{value}')")


def _check_shape(table: list[tuple[str, ...]], who: str) -> None:
    if not table:
        raise InputError(f"{who}: the hierarchy has no rows; it needs one row per value")
    width = len(table[0])
    if width == 0:
        raise InputError(f"{who}: row 1 of the hierarchy is empty; write the value and its labels")
    row_of_value: dict[str, int] = {}
    for number, row in enumerate(table, start=1):
        if len(row) != width:
            raise InputError(
                f"{who}: row {number} of the hierarchy{_value_of(row)} has "
                f"{len(row)} levels, row 1 has {width}; every row needs the same number"
            )
        if row[0] in row_of_value:
            raise InputError(
                f"{who}: row {number} of the hierarchy repeats {Value(row[0], 'the value')} of row "
                f"{row_of_value[row[0]]}; every value has one row"
            )
        row_of_value[row[0]] = number
        if row[0] != "" and "" in row:
            raise InputError(
                f"{who}: row {number} of the hierarchy{_value_of(row)} has no label at level "
                f"{row.index('')}; an empty cell would look like a missing value"
            )


def _check_nested(levels: Sequence[Level], who: str) -> None:
    """Refuse equal labels that become different: every level is a function of the level below."""
    for height, (level, above) in enumerate(pairwise(levels[1:]), start=1):
        first = np.full(len(level.labels), len(level.codes), dtype=np.int64)
        np.minimum.at(first, level.codes, np.arange(len(level.codes)))
        expected = above.codes[first][level.codes]
        strays = np.flatnonzero(above.codes != expected)
        if len(strays):
            stray = int(strays[0])
            earlier = int(first[level.codes[stray]])
            label = level.labels[level.codes[stray]]
            raise InputError(
                f"{who}: row {stray + 1} of the hierarchy puts '{label}' of level {height} under "
                f"'{above.labels[above.codes[stray]]}' at level {height + 1}, row {earlier + 1} "
                f"puts it under '{above.labels[above.codes[earlier]]}'; "
                f"equal labels must stay equal on the levels above"
            )


def text_of(value: Any, who: str) -> str:
    """Return a value or label as the text it was written as, refused where YAML has changed it."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool):
        words = "yes, on and true" if value else "no, off and false"
        raise InputError(f"{who}: YAML reads {words} without quotes as a truth value; quote it")
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return str(value)
    if isinstance(value, datetime.date):
        raise InputError(
            f"{who}: YAML reads {value} without quotes as a date, not as a text; write '{value}'"
        )
    if value is None:
        raise InputError(f"{who}: YAML reads null, ~ and nothing at all as no value; quote it")
    raise InputError(f"{who}: '{value}' is not a text; write a text in quotes")


def refuse_misread(written: Iterable[Any], uncovered: Collection[str], who: str) -> None:
    """Refuse values without a row that YAML read as another number: `01234` as 668.

    Leading zeros make an octal number of digits, a colon (`12:30`) one to base sixty.
    """
    for number in written:
        if isinstance(number, int) and not isinstance(number, bool) and number >= 0:
            for text in (f"0{number:o}", f"{number // 60}:{number % 60:02}"):
                if text in uncovered:
                    raise InputError(
                        f"{who}: YAML reads {text} without quotes as the number {number}; quote it"
                    )


def exact(number: float) -> Decimal:
    """Return the shortest decimal that reads back as the same float, as it was written."""
    return Decimal(int(number)) if number == int(number) else Decimal(repr(float(number)))
