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
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from kanon_tui.core.errors import InputError
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


@dataclass(frozen=True)
class Hierarchy:
    """A valid level table: `rows[i][j]` is the label of value i at level j.

    Make one with `Hierarchy.of`, which checks it and adds the root where it lacks one.
    """

    rows: tuple[tuple[str, ...], ...]
    marks: frozenset[Mark] = field(default_factory=frozenset)
    source: str = field(default="", compare=False)
    """The file it was read from, for messages."""

    @classmethod
    def from_rows(cls, rows: Iterable[Sequence[str]], who: str = "hierarchy") -> Self:
        """Check a level table and complete it to a single root.

        `who` names the attribute or file in error messages.
        """
        table = [tuple(row) for row in rows]
        _check_shape(table, who)
        if len({row[-1] for row in table}) > 1:
            table = [(*row, HIDDEN) for row in table]
        _check_levels(table, who)
        return cls(tuple(table))

    @classmethod
    def flat(cls, values: Iterable[str]) -> Self:
        """Return a hierarchy with every value directly below `*`."""
        return cls(tuple((value, HIDDEN) for value in values))

    @property
    def height(self) -> int:
        """Number of levels above the values."""
        return len(self.rows[0]) - 1

    @cached_property
    def values(self) -> tuple[str, ...]:
        """The values it covers, in row order."""
        return tuple(row[0] for row in self.rows)

    def labels(self, level: int) -> tuple[str, ...]:
        """Return the distinct labels of a level, in order of first appearance."""
        return tuple(self._label_ranks[level])

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
            verb, them = plural(len(uncovered), "is", "are"), plural(len(uncovered), "it", "them")
            where = f" to {self.source}" if self.source else ""
            raise InputError(
                f"{column.name}: {quoted_list(uncovered)} {verb} not in its hierarchy; "
                f"add a row for {them}{where} or rebuild the hierarchy"
            )
        paths = [
            (text,) * (self.height + 1) if row is None else (text, *self.rows[row][1:])
            for text, row in zip(column.values, rows, strict=True)
        ]
        root = self.rows[0][-1]
        if column.missing is not None and rows[column.missing] is None:
            self._check_missing_text(column)
            if self.height > 0 and root == HIDDEN:
                paths[column.missing] = (*paths[column.missing][:-1], root)
        if len({path[-1] for path in paths}) > 1:
            paths = [(*path, HIDDEN) for path in paths]
        bound = BoundHierarchy(column, tuple(paths), self._order(rows), self.marks)
        if column.kind.ordered:
            bound.check_contiguous()
        return bound

    @cached_property
    def _row_numbers(self) -> dict[str, int]:
        return {value: number for number, value in enumerate(self.values)}

    @cached_property
    def _label_ranks(self) -> tuple[dict[str, int], ...]:
        """Per level every label with its place in the order of first appearance."""
        levels = zip(*self.rows, strict=True)
        return tuple({x: i for i, x in enumerate(dict.fromkeys(level))} for level in levels)

    def find_rows(self, column: Column) -> list[int | None]:
        """Return the row of every value code.

        By its text, for numbers and dates also by equal number.
        """
        rows = [self._row_numbers.get(text) for text in column.values]
        without = [i for i, row in enumerate(rows) if row is None and i != column.missing]
        if without and column.numbers is not None:
            by_number: dict[float, int] = {}
            for row, number in enumerate(column.parse(self.values).tolist()):
                by_number.setdefault(number, row)
            for code in without:
                rows[code] = by_number.get(float(column.numbers[code]))
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
        keys = [np.arange(len(self.rows))]
        for level, ranks in enumerate(self._label_ranks[1:-1], start=1):
            keys.append(np.array([ranks[row[level]] for row in self.rows]))
        return np.lexsort(keys).astype(np.int64)

    def _order(self, rows: Sequence[int | None]) -> Codes:
        """Return the rank of every code in the order of the tree.

        Missing values without a row go last; codes that share a row keep their order.
        """
        row_of = np.array([-1 if row is None else row for row in rows])
        place = np.argsort(self.tree_order)[row_of]
        order = np.lexsort([np.arange(len(rows)), place, row_of < 0])
        rank = np.empty(len(order), dtype=np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        return rank

    def _resolve(self, mark: str | Mark, who: str) -> Mark:
        if isinstance(mark, Mark):
            if not 0 <= mark.level <= self.height:
                raise InputError(
                    f"{who}: MAGVal '{mark.label}' names level {mark.level}; "
                    f"levels go from 0 to {self.height}"
                )
            if mark.label not in self._label_ranks[mark.level]:
                raise InputError(
                    f"{who}: MAGVal '{mark.label}' is not a label of level {mark.level}; "
                    f"its labels are {quoted_list(self.labels(mark.level))}"
                )
            return mark
        levels = [j for j, labels in enumerate(self._label_ranks) if mark in labels]
        if not levels:
            raise InputError(
                f"{who}: MAGVal '{mark}' is not a label of its hierarchy; "
                f"mark one of {quoted_list(dict.fromkeys(x for row in self.rows for x in row[1:]))}"
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
    paths: tuple[tuple[str, ...], ...]
    """Labels of every value code, level 0 to the root."""
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
        return len(self.paths[0]) - 1

    @property
    def one_step(self) -> bool:
        """Whether several categories have nothing between a value and `*`."""
        return not self.column.kind.ordered and self.column.present > 2 and self.height <= 1

    @cached_property
    def labels(self) -> tuple[tuple[str, ...], ...]:
        """Per level the labels that occur in the data, in order of their first value code."""
        return tuple(
            tuple(dict.fromkeys(path[level] for path in self.paths))
            for level in range(self.height + 1)
        )

    @cached_property
    def maps(self) -> tuple[Codes, ...]:
        """Per level an array from value code to label number (an index into `labels[level]`)."""
        result = []
        for level, labels in enumerate(self.labels):
            number = {label: i for i, label in enumerate(labels)}
            result.append(np.array([number[path[level]] for path in self.paths], dtype=np.int32))
        return tuple(result)

    @cached_property
    def mark_levels(self) -> Codes:
        """Level of magval(v) for every value code; the height where there is no mark."""
        levels = np.full(len(self.paths), self.height, dtype=np.int32)
        for level in range(self.height, -1, -1):  # the lowest mark on a path is set last
            marked = [Mark(level, label) in self.marks for label in self.labels[level]]
            levels[np.array(marked)[self.maps[level]]] = level
        return levels

    def covered(self, level: int) -> npt.NDArray[np.int64]:
        """Return how many distinct values of the data each label of a level covers."""
        each = None if self.column.coding is None else self.column.covered
        return counted(self.maps[level], each, len(self.labels[level]))

    def lca_level(self, codes: Iterable[int]) -> int:
        """Return the lowest level at which all these values have the same label."""
        wanted = np.fromiter(codes, dtype=np.int64)
        for level, mapping in enumerate(self.maps):
            labels = mapping[wanted]
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
        numbers, values = self.column.value_numbers, self.column.values
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
                one, other = present[split[0]], present[split[0] + 1]
                raise InputError(
                    f"{self.column.name}: level {level} of its hierarchy puts '{values[one]}' into "
                    f"'{self.paths[one][level]}' but '{values[other]}', the same number, into "
                    f"'{self.paths[other][level]}'; equal numbers belong together"
                )
            starts = np.flatnonzero(np.diff(groups, prepend=-1))
            run_labels, counts = np.unique(groups[starts], return_counts=True)
            if (counts > 1).any():
                broken = run_labels[counts > 1][0]
                second = starts[groups[starts] == broken][1]
                raise InputError(
                    f"{self.column.name}: level {level} of its hierarchy puts "
                    f"'{values[present[second]]}' into '{self.labels[level][broken]}' but "
                    f"'{values[present[second - 1]]}' before it into "
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
        if name not in ("paths", "order"):
            raise AttributeError(name)
        built = self.__dict__["_build"]()
        self.__dict__.update(paths=built.paths, order=built.order)
        return self.__dict__[name]

    @property
    def built(self) -> bool:
        """Whether its labels have been asked for."""
        return "paths" in self.__dict__

    def with_column(self, column: Column) -> BoundHierarchy:
        """Return the hierarchy for a column with the same values and other records."""
        return DeferredHierarchy(column, partial(_return_same, self))


def _return_same(hierarchy: BoundHierarchy) -> BoundHierarchy:
    return hierarchy


def _without_row(column: Column, rows: Sequence[int | None]) -> list[str]:
    return [
        column.values[code]
        for code, row in enumerate(rows)
        if row is None and code != column.missing
    ]


def _check_shape(table: list[tuple[str, ...]], who: str) -> None:
    if not table:
        raise InputError(f"{who}: the hierarchy has no rows; it needs one row per value")
    width = len(table[0])
    if width == 0:
        raise InputError(f"{who}: row 1 of the hierarchy is empty; write the value and its labels")
    seen: dict[str, int] = {}
    for number, row in enumerate(table, start=1):
        if len(row) != width:
            raise InputError(
                f"{who}: row {number} of the hierarchy ('{row[0] if row else ''}') has "
                f"{len(row)} levels, row 1 has {width}; every row needs the same number"
            )
        if row[0] in seen:
            raise InputError(
                f"{who}: row {number} of the hierarchy repeats the value '{row[0]}' of row "
                f"{seen[row[0]]}; every value has one row"
            )
        seen[row[0]] = number
        if row[0] != "" and "" in row:
            raise InputError(
                f"{who}: row {number} of the hierarchy ('{row[0]}') has no label at level "
                f"{row.index('')}; an empty cell would look like a missing value"
            )


def _check_levels(table: list[tuple[str, ...]], who: str) -> None:
    """Refuse equal labels that become different: every level is a function of the level below."""
    for level in range(1, len(table[0]) - 1):
        parent: dict[str, tuple[str, int]] = {}
        for number, row in enumerate(table, start=1):
            label, above = row[level], row[level + 1]
            known = parent.setdefault(label, (above, number))
            if known[0] != above:
                raise InputError(
                    f"{who}: row {number} of the hierarchy puts '{label}' of level {level} under "
                    f"'{above}' at level {level + 1}, row {known[1]} puts it under '{known[0]}'; "
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
