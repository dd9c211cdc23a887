"""Changing a hierarchy by hand: every edit gives a new valid hierarchy or says why it cannot be.

A hierarchy is a level table, and most edits concern a *label of a level*: all rows that have it
there. The level above must stay a function of this one (equal labels stay equal), there is one
root, and the values themselves come from the data. What would break that is refused with the
reason. MAGVals go with the labels they are on and vanish with them.

    rename        another word for a label; who is in it does not change
    group         several labels of a level get one label at the level above
    move          a label goes below another label of the level above, with all that lies below it
    split         a group falls apart: its members keep, at its level, the label they have below
    add_level     a level like the one below it, ready to be grouped
    remove_level  a level goes; the levels below and above meet
    add_rows      rows for values that have none

What one does another undoes: a rename or a move by its reverse, a new level by its removal, a group
of labels that stood for themselves by a split. Numbers are not looked at here: whether groups are
ranges that do not overlap is checked where the hierarchy meets the data (`Hierarchy.bind`).

Cost: O(rows · levels) per edit.

Where values that a hierarchy does not cover can go: rows for `edit.add_rows`.
"""

import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from kanon_tui.core.errors import InputError, Value, Values
from kanon_tui.core.hierarchy.level_table import HIDDEN, Hierarchy, Mark
from kanon_tui.core.table.column import Column
from kanon_tui.core.text import quoted_list

Rows = Iterable[tuple[str, ...]]


def check_rename(hierarchy: Hierarchy, level: int, old: str, new: str) -> None:
    """Raise why a label cannot be renamed so; quick enough to be asked at every key."""
    _check_label(hierarchy, level, old)
    if level == 0:
        raise InputError(
            f"{Value(old)} is a value of the data and is published as it stands; only labels of "
            f"level 1 and above can be renamed"
        )
    _check_name(new)
    if new != old and new in hierarchy.labels(level):
        raise InputError(
            f"'{new}' is already a label of level {level}; choose another name, or put what is in "
            f"'{old}' there by moving it"
        )


def rename(hierarchy: Hierarchy, level: int, old: str, new: str) -> Hierarchy:
    """Return the hierarchy with another word for a label of a level."""
    check_rename(hierarchy, level, old, new)
    rows = (
        (*row[:level], new, *row[level + 1 :]) if row[level] == old else row
        for row in hierarchy.rows
    )
    before = Mark(level, old)
    after = Mark(level, new)
    return _edited(hierarchy, rows, (after if mark == before else mark for mark in hierarchy.marks))


def group(hierarchy: Hierarchy, level: int, labels: Collection[str], name: str) -> Hierarchy:
    """Give labels of one level the label `name` at the level above.

    A name that the level above already has means joining that group, whose labels further up are
    taken over; else the labels must agree on the level after it. Labels directly below the root get
    a new level between, in which the others stay themselves.
    """
    selected = frozenset(labels)
    if not selected:
        raise InputError("nothing is selected to group; select labels of one level")
    for label in labels:
        _check_label(hierarchy, level, label)
    _check_name(name)
    if level == hierarchy.height:
        raise InputError(
            f"'{hierarchy.rows[0][level]}' is the root, which holds everything; group labels of a "
            f"lower level"
        )
    if level + 1 == hierarchy.height:
        if len(selected) == len(hierarchy.labels(level)):
            raise InputError(
                f"these are all labels of level {level}, which the root "
                f"'{hierarchy.root}' holds already; rename the root instead"
            )
        hierarchy = add_level(hierarchy, level)
    above = level + 1
    inside = [row for row in hierarchy.rows if row[level] in selected]
    parents = {row[above] for row in inside}
    target = next((row for row in hierarchy.rows if row[above] == name), None)
    if parents == {name}:
        raise InputError(f"level {above} is '{name}' already for {_labels(level, list(labels))}")
    if target is None and len(parents) == 1:
        members = sum(row[above] in parents for row in hierarchy.rows)
        if members == len(inside):
            return rename(hierarchy, above, parents.pop(), name)
    if target is None:
        _check_agree(inside, level)
    path = (name, *inside[0][above + 1 :]) if target is None else target[above:]
    rows = ((*row[:above], *path) if row[level] in selected else row for row in hierarchy.rows)
    return _edited(hierarchy, rows, hierarchy.marks)


def move(hierarchy: Hierarchy, level: int, label: str, parent: str) -> Hierarchy:
    """Put a label of a level below another label of the level above."""
    check_movable(hierarchy, level)
    _check_label(hierarchy, level + 1, parent)
    return group(hierarchy, level, [label], parent)


def check_movable(hierarchy: Hierarchy, level: int) -> None:
    """Raise why the labels of a level cannot go anywhere else."""
    _check_level(hierarchy, level)
    if level == hierarchy.height:
        raise InputError(f"'{hierarchy.rows[0][level]}' is the root and cannot be moved")
    if level + 1 == hierarchy.height:
        raise InputError(
            f"labels of level {level} have only the root above them, so there is nowhere else to "
            f"move to; group some of them to make a level between"
        )


def split(hierarchy: Hierarchy, level: int, label: str) -> Hierarchy:
    """Return the hierarchy without a group: its members keep their label of the level below."""
    _check_label(hierarchy, level, label)
    if level == 0:
        raise InputError(f"{Value(label)} is a value of the data and holds nothing to split")
    if level == hierarchy.height:
        raise InputError(f"'{label}' is the root; add a level below it and group there instead")
    members = {row[level - 1] for row in hierarchy.rows if row[level] == label}
    if members == {label}:
        raise InputError(f"'{label}' of level {level} has only itself below; nothing to split")
    other_labels = {row[level] for row in hierarchy.rows if row[level] != label}
    clash = sorted(members & other_labels)
    if clash:
        raise InputError(
            f"'{clash[0]}' of level {level - 1} would look like the other '{clash[0]}' that level "
            f"{level} has already; rename one of them first"
        )
    rows = (
        (*row[:level], row[level - 1], *row[level + 1 :]) if row[level] == label else row
        for row in hierarchy.rows
    )
    return _edited(
        hierarchy, rows, (mark for mark in hierarchy.marks if mark != Mark(level, label))
    )


def add_level(hierarchy: Hierarchy, level: int) -> Hierarchy:
    """Return a new level above this one, with the same labels; above the root one of `*`."""
    _check_level(hierarchy, level)
    top = level == hierarchy.height
    root = hierarchy.root
    if top and root == HIDDEN:
        raise InputError(f"nothing can stand above '{HIDDEN}', which hides everything")
    rows = (
        (*row[: level + 1], HIDDEN if top else row[level], *row[level + 1 :])
        for row in hierarchy.rows
    )
    marks = (Mark(m.level + (m.level > level), m.label) for m in hierarchy.marks)
    return _edited(hierarchy, rows, marks)


def remove_level(hierarchy: Hierarchy, level: int) -> Hierarchy:
    """Take a level out; its MAGVals go with it."""
    _check_level(hierarchy, level)
    if level == 0:
        raise InputError("level 0 holds the values of the data and cannot be removed")
    if level == hierarchy.height and len(hierarchy.labels(level - 1)) > 1:
        raise InputError(
            f"level {level} is the root and must stay: level {level - 1} has "
            f"{len(hierarchy.labels(level - 1)):,} labels that only meet there"
        )
    rows = ((*row[:level], *row[level + 1 :]) for row in hierarchy.rows)
    marks = (
        Mark(m.level - (m.level > level), m.label) for m in hierarchy.marks if m.level != level
    )
    return _edited(hierarchy, rows, marks)


def add_rows(hierarchy: Hierarchy, new: Mapping[str, Sequence[str]]) -> Hierarchy:
    """Add values with their labels from level 1 to the root, which must fit the rows there are."""
    height = hierarchy.height
    root = hierarchy.root
    if height == 0:
        raise InputError(
            f"the hierarchy has no level above its only value {Value(root, '')}; add a level first"
        )
    covered = frozenset(hierarchy.values)
    for value, labels in new.items():
        if value in covered:
            raise InputError(f"{Value(value)} has a row already; move it instead")
        if len(labels) != height:
            raise InputError(
                f"{Value(value)} comes with {len(labels)} labels; the hierarchy has {height} "
                f"levels above the values"
            )
        if labels[-1] != root:
            raise InputError(f"{Value(value)} must end at the root '{root}', not at '{labels[-1]}'")
    added = [(value, *labels) for value, labels in new.items()]
    checked = Hierarchy.from_rows((*hierarchy.rows, *added))
    return replace(checked, marks=hierarchy.marks)


# --- what all edits share -------------------------------------------------------------------------


def _edited(hierarchy: Hierarchy, rows: Rows, marks: Iterable[Mark]) -> Hierarchy:
    """Return a hierarchy with rows valid by construction and the marks that still have a label."""
    unmarked = hierarchy.with_rows(rows)
    marks_before = list(marks)
    labels = {
        level: frozenset(unmarked.labels(level)) for level in {mark.level for mark in marks_before}
    }
    marks_after = frozenset(mark for mark in marks_before if mark.label in labels[mark.level])
    return replace(unmarked, marks=marks_after, source="")


def _check_level(hierarchy: Hierarchy, level: int) -> None:
    if not 0 <= level <= hierarchy.height:
        raise InputError(f"there is no level {level}; levels go from 0 to {hierarchy.height}")


def _labels(level: int, labels: Sequence[str]) -> str:
    """Return labels of a level for an error; those of level 0 are values of the data."""
    return quoted_list(labels) if level else str(Values(labels))


def _check_label(hierarchy: Hierarchy, level: int, label: str) -> None:
    _check_level(hierarchy, level)
    if label not in hierarchy.labels(level):
        raise InputError(
            f"{_labels(level, [label])} is not a label of level {level}; its labels are "
            f"{_labels(level, hierarchy.labels(level))}"
        )


def _check_name(name: str) -> None:
    if not name.strip():
        raise InputError("a label needs a name; an empty cell would look like a missing value")


def _check_agree(rows: Sequence[tuple[str, ...]], level: int) -> None:
    """Refuse to join labels of a level that do not share the label two levels up."""
    by_top: dict[str, str] = {}
    for row in rows:
        by_top.setdefault(row[level + 2], row[level])
    if len(by_top) > 1:
        (first_top, first), (second_top, second) = list(by_top.items())[:2]
        raise InputError(
            f"'{first}' is under '{first_top}' at level {level + 2} but '{second}' under "
            f"'{second_top}', so they cannot share a label below that; move one of them to where "
            f"the other is first"
        )


MOST_COMPARED = 2_000
"""Looking for alike texts takes a while; with more than this it would be felt."""


def rows_like(
    hierarchy: Hierarchy, values: Iterable[str], example: str
) -> dict[str, tuple[str, ...]]:
    """Return rows that put values where another value is."""
    if example not in hierarchy.values:
        raise InputError(f"{Value(example)} has no row either; choose a value that has one")
    labels = hierarchy.rows[hierarchy.values.index(example)][1:]
    return dict.fromkeys(values, labels)


def own_rows(hierarchy: Hierarchy, values: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return rows that keep every value itself on all levels below the root."""
    root = (hierarchy.root,)
    between = range(1, hierarchy.height)
    taken = {label: level for level in between for label in hierarchy.labels(level)}
    rows = {}
    for value in values:
        if value in taken:
            raise InputError(
                f"{Value(value)} is also a label of level {taken[value]}, so it would not stay by "
                f"itself; rename that label, or put the value under one"
            )
        rows[value] = (*[value] * len(between), *root)
    return rows


def closest(value: str, texts: Sequence[str], most: int = 5) -> list[str]:
    """Return all known texts, those most like the value first unless they are too many."""
    compared = texts if len(texts) <= MOST_COMPARED else ()
    alike = difflib.get_close_matches(value, compared, n=most, cutoff=0.5)
    return [*alike, *(text for text in texts if text not in alike)]


def nearest_rows(
    hierarchy: Hierarchy, column: Column, values: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Return rows with the labels of the nearest number or date that has a row."""
    numbers = column.parse(hierarchy.values)
    readable = np.flatnonzero(~np.isnan(numbers))
    if not column.kind.ordered or not len(readable):
        raise InputError(f"{column.name}: its values have no order, so none is nearest")
    order = readable[np.argsort(numbers[readable], kind="stable")]
    line = numbers[order]
    nearest = (order[np.abs(line - number).argmin()] for number in column.parse(values))
    return {value: hierarchy.rows[int(row)][1:] for value, row in zip(values, nearest, strict=True)}
