"""Data constraint rules: which values a group must not mix, and how much each rule matters.

Both kinds of rule name two sets of values that should stay apart: `Apart` lists them, `Boundary`
cuts a line of numbers or dates in two. Bound to a column a rule is two boolean masks over the value
codes, and a group breaks it when it holds a value of either set. A project file writes them as

    rules: {base: 10, keep: [{boundary: [64, 65], importance: 25},
                             {apart: [[White, Asian], Hispanic], importance: 5},
                             {apart: [20-29, 30-39], importance: 10}]}

A name in a set is a value, or a label of the hierarchy for all values below it. A name that the
data does not have keeps nothing apart, and a note says so: next month's file may have it.

Reference: Morton, data constraint rules (table 1).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from kanon_tui.core.errors import THOSE_OF_DATA, InputError, Value, Values
from kanon_tui.core.fields.declaration import FieldType, declared, list_of, number, section, text
from kanon_tui.core.fields.located import LocatedValue, exact_number
from kanon_tui.core.hierarchy.level_table import BoundHierarchy
from kanon_tui.core.numeric import Flags, Floats, Int64s
from kanon_tui.core.table.column import Column
from kanon_tui.core.text import Note, Quotable, note, quoted_list


@dataclass(frozen=True, eq=False)
class RuleSides:
    """The two sets of values of a rule, bound to a column."""

    first: Flags
    """Per value code whether it is in the first set."""
    second: Flags
    missing_names: tuple[str, ...] = ()
    """The names that the data does not have."""


@dataclass(frozen=True)
class Apart:
    """A rule that keeps the values of one set apart from those of another."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    importance: float

    def __str__(self) -> str:
        return f"{_set_text(self.first)} | {_set_text(self.second)}"

    def sides(self, column: Column, hierarchy: BoundHierarchy | None = None) -> RuleSides:
        """Return the two sets of values, of names of values and of labels of the hierarchy."""
        both = sorted(set(self.first) & set(self.second))
        members = {name: _members(name, column, hierarchy) for name in (*self.first, *self.second)}
        first = _union([members[name] for name in self.first], column)
        second = _union([members[name] for name in self.second], column)
        if both or (first & second).any():
            shared = [column.values[code] for code in np.flatnonzero(first & second)]
            typed = both or [value for value in shared if value in members]
            names = quoted_list(typed) if typed else str(Values(shared))
            raise InputError(
                f"{column.name}: rule '{self}' names {names} on both sides; "
                f"a value cannot be kept apart from itself"
            )
        missing = tuple(name for name, codes in members.items() if not len(codes))
        return RuleSides(first, second, missing)


def _members(name: str, column: Column, hierarchy: BoundHierarchy | None) -> Int64s:
    """Return the codes of the values that a name stands for: a value, or those below a label."""
    if name in column.code_of:
        return np.array([column.code_of[name]])
    if hierarchy is None:
        return np.zeros(0, dtype=np.int64)
    labelled: list[tuple[int, Int64s]] = []
    for level, labels in enumerate(hierarchy.levels[1:-1], start=1):
        if name in labels.labels:
            codes = np.flatnonzero(labels.codes == labels.labels.index(name))
            labelled.append((level, codes))
    if not labelled:
        return np.zeros(0, dtype=np.int64)
    lowest, members = labelled[0]
    for level, codes in labelled[1:]:
        if not np.array_equal(codes, members):
            raise InputError(
                f"{column.name}: a rule names '{name}', which is a label of levels {lowest} and "
                f"{level} of its hierarchy with different values; name the values"
            )
    return members


def _union(sets: Iterable[Int64s], column: Column) -> Flags:
    flags = np.zeros(len(column.values), dtype=bool)
    for codes in sets:
        flags[codes] = True
    return flags


@dataclass(frozen=True)
class Boundary:
    """A rule that keeps numbers or dates up to `low` apart from those from `high` on."""

    low: str
    high: str
    importance: float

    def __str__(self) -> str:
        return f"{self.low} | {self.high}"

    def sides(self, column: Column, hierarchy: BoundHierarchy | None = None) -> RuleSides:
        """Return the values up to `low` and those from `high` on; labels have no part in it."""
        if column.numbers is None:
            raise InputError(
                f"{column.name}: rule 'boundary {self}' needs numbers or dates, the attribute is "
                f"{column.kind}; use apart: [A, B] for categories"
            )
        low, high = column.parse([self.low, self.high])
        for end, place in ((self.low, low), (self.high, high)):
            if np.isnan(place):
                noun = "date" if column.kind == "date" else "number"
                raise InputError(
                    f"{column.name}: boundary '{end}' is not a {noun}; "
                    f"write a value like {Value(column.values[0], THOSE_OF_DATA)}"
                )
        if low >= high:
            raise InputError(
                f"{column.name}: boundary {self} must rise; write the lower value first"
            )
        with np.errstate(invalid="ignore"):
            return RuleSides(column.lowest <= low, column.highest >= high)


Rule = Apart | Boundary


_IMPORTANCE = number(above=0)
_ENDS = list_of(text("a number or a date"), "two values: [highest below, lowest above]", length=2)
_VALUES = list_of(text("a value"), "a list of values")


def _read_side(located: LocatedValue) -> tuple[str, ...]:
    if not isinstance(located.value, list | tuple):
        return (located.text("a value or a list of values"),)
    values: tuple[str, ...] = _VALUES.read(located)
    if not values:
        raise located.refuse("an empty list keeps nothing apart; name at least one value")
    return values


def _write_side(side: tuple[str, ...]) -> Any:
    return exact_number(side[0]) if len(side) == 1 else _VALUES.write(side)


_SIDES = list_of(
    FieldType("a value or a list of values", _read_side, _write_side),
    "two values or two lists of values: [A, B]",
    length=2,
)


def _read_rule(located: LocatedValue) -> Rule:
    at = located.entries(("boundary", "apart", "importance"))
    if ("boundary" in at) == ("apart" in at):
        raise located.refuse(
            "a rule is either {boundary: [64, 65], importance: 25} or "
            "{apart: [A, B], importance: 20}"
        )
    if "importance" not in at:
        raise located.refuse("the key importance is missing; give a number above 0")
    importance = _IMPORTANCE.read(at["importance"])
    if "boundary" in at:
        low, high = _ENDS.read(at["boundary"])
        return Boundary(low, high, importance)
    first, second = _SIDES.read(at["apart"])
    return Apart(first, second, importance)


def _write_rule(rule: Rule) -> dict[str, Any]:
    importance = _IMPORTANCE.write(rule.importance)
    if isinstance(rule, Boundary):
        return {"boundary": _ENDS.write((rule.low, rule.high)), "importance": importance}
    return {"apart": _SIDES.write((rule.first, rule.second)), "importance": importance}


RULE = FieldType("a rule", _read_rule, _write_rule)
"""The type of one rule."""
_KEEP = list_of(RULE, "a list of rules")


@dataclass(frozen=True)
class RuleTable:
    """The rules of an attribute, and the base value that is left when all are broken."""

    base: float = declared(0.0, low=0)
    rules: tuple[Rule, ...] = declared((), key="keep", type=_KEEP)

    def bind(self, column: Column, hierarchy: BoundHierarchy | None = None) -> "BoundRules":
        """Return the rules bound to a column, whose sets may name labels of the hierarchy."""
        for rule in self.rules:
            if not 0 < rule.importance < np.inf:
                raise InputError(
                    f"{column.name}: rule '{rule}' has importance {rule.importance:g}; "
                    f"importance must be a number above 0"
                )
        if not 0 <= self.base < np.inf:
            raise InputError(
                f"{column.name}: the base value of its rules is {self.base:g}; "
                f"it must be a number of at least 0"
            )
        sides = [rule.sides(column, hierarchy) for rule in self.rules]
        shape = (len(self.rules), len(column.values))
        return BoundRules(
            self,
            np.array([side.first for side in sides], dtype=bool).reshape(shape),
            np.array([side.second for side in sides], dtype=bool).reshape(shape),
            tuple(
                _missing_note(column, rule, side.missing_names)
                for rule, side in zip(self.rules, sides, strict=True)
                if side.missing_names
            ),
        )


def _missing_note(column: Column, rule: Rule, names: Sequence[str]) -> Note:
    return note(
        "{name}: rule {rule} names {names}, which the data does not have; it keeps nothing apart "
        "there",
        name=Quotable(column.name),
        rule=Quotable(f"'{rule}'"),
        names=Quotable(quoted_list(names)),
    )


RULES = section(RuleTable)
"""The type of the rules of one attribute."""


@dataclass(frozen=True, eq=False)
class BoundRules:
    """Rules bound to the value codes of a column; methods take many groups at once."""

    table: RuleTable
    first: Flags
    """`first[r, code]`: the value is on the first side of rule r."""
    second: Flags
    notes: tuple[Note, ...] = ()
    """A note for every rule with names that the data does not have."""

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules, in table order."""
        return self.table.rules

    @cached_property
    def importances(self) -> Floats:
        """Importance of every rule."""
        return np.array([rule.importance for rule in self.rules], dtype=np.float64)

    def broken(
        self,
        codes: npt.NDArray[np.integer],
        groups: npt.NDArray[np.integer],
        count: int | None = None,
    ) -> Flags:
        """Return flags of shape (rules, groups): the group has values of both sides.

        `codes[i]` is a value in group `groups[i]`; groups are numbered from 0 and negative ones
        (suppressed records) are passed over. `count` says how many groups there are where the last
        ones may hold no value.
        """
        published = groups >= 0
        codes = codes[published]
        groups = groups[published]
        size = count if count is not None else int(groups.max()) + 1 if len(groups) else 0
        result = np.zeros((len(self.rules), size), dtype=bool)
        for r in range(len(self.rules)):
            on_first = np.zeros(size, dtype=bool)
            on_second = np.zeros(size, dtype=bool)
            on_first[groups[self.first[r][codes]]] = True
            on_second[groups[self.second[r][codes]]] = True
            result[r] = on_first & on_second
        return result

    def ratio(self, broken: Flags) -> Floats:
        """Return DR of every group: the share of importance (base included) that is not broken."""
        if not self.rules:
            return np.ones(broken.shape[1], dtype=np.float64)
        total = self.table.base + self.importances.sum()
        importance_kept = self.table.base + (~broken).T.astype(np.float64) @ self.importances
        return np.asarray(importance_kept / total, dtype=np.float64)

    def broken_by_level(self, level_map: npt.NDArray[np.integer]) -> Flags:
        """Return per rule whether any group of a level breaks it; `level_map`: code → group."""
        codes = np.arange(len(level_map))
        return np.asarray(self.broken(codes, level_map).any(axis=1), dtype=bool)

    def of_level(self, level_map: npt.NDArray[np.integer]) -> float:
        """Return DR of a whole level, where one group is enough to break a rule."""
        return float(self.ratio(self.broken_by_level(level_map)[:, None])[0])


def _set_text(values: tuple[str, ...]) -> str:
    return values[0] if len(values) == 1 else "{" + ", ".join(values) + "}"
