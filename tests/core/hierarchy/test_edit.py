"""Edits of a hierarchy by hand: valid or refused, values kept, marks and typed values following."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kanon_tui.core.errors import InputError
from kanon_tui.core.hierarchy.edit import (
    add_level,
    add_rows,
    check_rename,
    closest,
    group,
    move,
    nearest_rows,
    own_rows,
    remove_level,
    rename,
    rows_like,
    split,
)
from kanon_tui.core.hierarchy.level_table import Hierarchy, Mark
from kanon_tui.core.table.column import Kind
from tests.core.hierarchy.countries import COUNTRIES, MARKED, column, refused
from tests.tries import tries


def labels_at(hierarchy: Hierarchy, level: int) -> list[str]:
    return [row[level] for row in hierarchy.rows]


# --- each edit by example -------------------------------------------------------------------------


def test_rename_changes_one_level_and_takes_its_mark_along():
    made = rename(MARKED, 1, "Europe", "EU")
    assert labels_at(made, 1) == ["EU", "EU", "Asia", "Andes", "Andes"]
    assert made.marks == {Mark(1, "EU"), Mark(2, "New World"), Mark(0, "Japan")}
    assert rename(made, 1, "EU", "Europe") == MARKED


def test_a_label_that_two_levels_share_is_renamed_on_one_only():
    twice = Hierarchy.from_rows([("a", "X", "X"), ("b", "Y", "X")])
    assert rename(twice, 2, "X", "All").rows == (("a", "X", "All"), ("b", "Y", "All"))


def test_what_rename_refuses():
    assert "is a value of the data" in refused(lambda: rename(COUNTRIES, 0, "France", "Frankreich"))
    assert "'Asia' is already a label of level 1" in refused(
        lambda: rename(COUNTRIES, 1, "Europe", "Asia")
    )
    assert "needs a name" in refused(lambda: rename(COUNTRIES, 1, "Europe", "  "))
    assert "'Mars' is not a label of level 1" in refused(lambda: rename(COUNTRIES, 1, "Mars", "x"))
    assert "levels go from 0 to 3" in refused(lambda: rename(COUNTRIES, 4, "World", "x"))
    check_rename(COUNTRIES, 3, "World", "Asia")  # the same word on another level is no clash


def test_group_of_values_gets_a_new_label_above_them():
    made = group(COUNTRIES, 0, ["Italy", "Japan"], "Far")
    assert labels_at(made, 1) == ["Europe", "Far", "Far", "Andes", "Andes"]
    assert labels_at(made, 2) == labels_at(COUNTRIES, 2)


def test_group_joins_a_label_that_is_there_with_its_path():
    made = group(COUNTRIES, 0, ["Italy", "Chile"], "Andes")
    assert made.rows[1] == ("Italy", "Andes", "New World", "World")
    assert made.rows[0] == COUNTRIES.rows[0]


def test_group_of_all_members_of_a_label_renames_it_and_keeps_its_mark():
    made = group(MARKED, 0, ["France", "Italy"], "EU")
    assert made == rename(MARKED, 1, "Europe", "EU")


def test_group_below_the_root_makes_a_level_in_which_the_others_stay_themselves():
    flat = Hierarchy.flat(["a", "b", "c"]).with_marks(["c"])
    made = group(flat, 0, ["a", "c"], "vowel or not")
    assert made.rows == (
        ("a", "vowel or not", "*"),
        ("b", "b", "*"),
        ("c", "vowel or not", "*"),
    )
    assert made.marks == {Mark(0, "c")}


def test_what_group_refuses():
    assert "'France' is under 'Old World' at level 2 but 'Peru' under 'New World'" in refused(
        lambda: group(COUNTRIES, 0, ["France", "Peru"], "Mixed")
    )
    assert "rename the root" in refused(
        lambda: group(COUNTRIES, 2, ["Old World", "New World"], "Everything")
    )
    assert "is the root" in refused(lambda: group(COUNTRIES, 3, ["World"], "x"))
    assert "already" in refused(lambda: group(COUNTRIES, 0, ["France", "Italy"], "Europe"))
    assert "nothing is selected" in refused(lambda: group(COUNTRIES, 0, [], "x"))
    assert "needs a name" in refused(lambda: group(COUNTRIES, 0, ["France"], ""))


def test_a_mark_vanishes_with_its_label_only():
    made = group(MARKED, 0, ["France", "Italy", "Japan"], "Old")
    assert made.marks == {Mark(2, "New World"), Mark(0, "Japan")}


def test_move_takes_the_path_of_the_new_parent():
    made = move(COUNTRIES, 0, "Japan", "Andes")
    assert made.rows[2] == ("Japan", "Andes", "New World", "World")
    assert "Asia" not in labels_at(made, 1)
    whole = move(COUNTRIES, 1, "Asia", "New World")
    assert whole.rows[2] == ("Japan", "Asia", "New World", "World")
    assert move(whole, 1, "Asia", "Old World") == COUNTRIES


def test_what_move_refuses():
    assert "is not a label of level 1" in refused(lambda: move(COUNTRIES, 0, "Japan", "Mars"))
    assert "only the root above" in refused(lambda: move(COUNTRIES, 2, "Old World", "World"))
    assert "cannot be moved" in refused(lambda: move(COUNTRIES, 3, "World", "x"))
    assert "already" in refused(lambda: move(COUNTRIES, 0, "Japan", "Asia"))


def test_split_lets_members_keep_their_label_of_the_level_below():
    made = split(MARKED, 1, "Europe")
    assert labels_at(made, 1) == ["France", "Italy", "Asia", "Andes", "Andes"]
    assert Mark(1, "Europe") not in made.marks
    assert group(made, 0, ["France", "Italy"], "Europe").rows == COUNTRIES.rows


def test_what_split_refuses():
    clash = Hierarchy.from_rows([("a", "x", "P", "*"), ("b", "y", "P", "*"), ("c", "z", "x", "*")])
    assert "would look like the other 'x'" in refused(lambda: split(clash, 2, "P"))
    assert "nothing to split" in refused(lambda: split(COUNTRIES, 0, "Peru"))
    assert "is the root" in refused(lambda: split(COUNTRIES, 3, "World"))
    alone = Hierarchy.from_rows([("a", "a", "*"), ("b", "B", "*")])
    assert "only itself below" in refused(lambda: split(alone, 1, "a"))


def test_levels_come_and_go_with_their_marks():
    made = add_level(MARKED, 1)
    assert labels_at(made, 2) == labels_at(made, 1)
    assert made.marks == {Mark(1, "Europe"), Mark(3, "New World"), Mark(0, "Japan")}
    assert remove_level(made, 2) == MARKED
    assert remove_level(MARKED, 1).marks == {Mark(1, "New World"), Mark(0, "Japan")}


def test_above_the_root_comes_the_star_and_nothing_else():
    assert labels_at(add_level(COUNTRIES, 3), 4) == ["*"] * 5
    assert "nothing can stand above" in refused(lambda: add_level(add_level(COUNTRIES, 3), 4))
    assert "cannot be removed" in refused(lambda: remove_level(COUNTRIES, 0))
    assert "must stay: level 2 has 2 labels" in refused(lambda: remove_level(COUNTRIES, 3))
    assert remove_level(add_level(COUNTRIES, 3), 4) == COUNTRIES


def test_rows_for_new_values():
    made = add_rows(
        COUNTRIES, {"Spain": ("Europe", "Old World", "World"), "?": ("a", "b", "World")}
    )
    assert made.rows[5:] == (("Spain", "Europe", "Old World", "World"), ("?", "a", "b", "World"))
    assert "has a row already" in refused(lambda: add_rows(COUNTRIES, {"Peru": ("a", "b", "c")}))
    assert "comes with 1 labels; the hierarchy has 3" in refused(
        lambda: add_rows(COUNTRIES, {"Spain": ("Europe",)})
    )
    assert "must end at the root 'World'" in refused(
        lambda: add_rows(COUNTRIES, {"Spain": ("Europe", "Old World", "*")})
    )
    assert "under 'Old World'" in refused(
        lambda: add_rows(COUNTRIES, {"Spain": ("Europe", "New World", "World")})
    )
    assert "equal labels" in refused(
        lambda: add_rows(COUNTRIES, {"p": ("n", "a", "World"), "q": ("n", "b", "World")})
    )
    assert "no label at level 1" in refused(
        lambda: add_rows(COUNTRIES, {"Spain": ("", "Old World", "World")})
    )
    assert "add a level first" in refused(
        lambda: add_rows(Hierarchy.from_rows([("a",)]), {"b": ()})
    )


def test_where_values_without_a_row_can_go():
    assert rows_like(COUNTRIES, ["Spain", "Malta"], "Italy") == {
        "Spain": ("Europe", "Old World", "World"),
        "Malta": ("Europe", "Old World", "World"),
    }
    assert own_rows(COUNTRIES, ["Mars"]) == {"Mars": ("Mars", "Mars", "World")}
    assert "also a label of level 1" in refused(lambda: own_rows(COUNTRIES, ["Asia"]))
    assert "no row either" in refused(lambda: rows_like(COUNTRIES, ["Spain"], "Mars"))
    assert closest("Itly", COUNTRIES.values)[0] == "Italy"
    assert sorted(closest("Itly", COUNTRIES.values)) == sorted(COUNTRIES.values)


def test_the_nearest_value_by_number():
    ages = Hierarchy.from_rows([("30", "B"), ("10", "A"), ("20", "A")])
    data = column([10, 20, 30, 4, 15, 26, 99], Kind.NUMERIC)
    assert nearest_rows(ages, data, ["4", "15", "26", "99"]) == {
        "4": ("A", "*"), "15": ("A", "*"), "26": ("B", "*"), "99": ("B", "*"),
    }  # fmt: skip
    assert "no order" in refused(lambda: nearest_rows(COUNTRIES, column(["a"]), ["a"]))


# --- random hierarchies ---------------------------------------------------------------------------


@st.composite
def hierarchies(draw: st.DrawFn) -> Hierarchy:
    """A random level table: every level maps the labels of the one below to a few names."""
    size = draw(st.integers(1, 8))
    rows = [[f"v{i}"] for i in range(size)]
    for level in range(draw(st.integers(0, 3))):
        names = draw(st.lists(st.sampled_from("ABCD"), min_size=size, max_size=size))
        parent: dict[str, str] = {}
        for row, name in zip(rows, names, strict=True):
            below = row[-1]
            row.append(parent.setdefault(below, f"{name}{level}"))
    made = Hierarchy.from_rows(rows)
    nodes = sorted({(j, row[j]) for row in made.rows for j in range(made.height + 1)})
    marks = draw(st.sets(st.sampled_from(nodes), max_size=3))
    return made.with_marks([Mark(*node) for node in marks])


def node_of(draw: st.DrawFn, hierarchy: Hierarchy) -> tuple[int, str]:
    level = draw(st.integers(0, hierarchy.height))
    return level, draw(st.sampled_from(hierarchy.labels(level)))


@st.composite
def edits(draw: st.DrawFn) -> tuple[Hierarchy, str, int, Hierarchy | None]:
    """A hierarchy, the name of an edit, its level, and what comes out (None: refused)."""
    before = draw(hierarchies())
    name = draw(st.sampled_from(["rename", "group", "move", "split", "add", "remove", "rows"]))
    level, label = node_of(draw, before)
    try:
        return before, name, level, edit(draw, before, name, level, label)
    except InputError:
        return before, name, level, None


def edit(draw: st.DrawFn, before: Hierarchy, name: str, level: int, label: str) -> Hierarchy:
    word = draw(st.sampled_from(["A0", "B1", "*", "new"]))
    match name:
        case "rename":
            return rename(before, level, label, word)
        case "group":
            labels = draw(st.sets(st.sampled_from(before.labels(level)), min_size=1))
            return group(before, level, sorted(labels), word)
        case "move":
            above = before.labels(min(level + 1, before.height))
            return move(before, level, label, draw(st.sampled_from(above)))
        case "split":
            return split(before, level, label)
        case "add":
            return add_level(before, level)
        case "remove":
            return remove_level(before, level)
    kinds = [own_rows(before, ["w"]), rows_like(before, ["w"], before.values[0])]
    return add_rows(before, draw(st.sampled_from(kinds)))


@pytest.mark.slow
@settings(max_examples=tries(120), deadline=None)
@given(edits())
def test_every_edit_is_valid_keeps_the_values_and_touches_only_its_levels(made):
    before, name, level, after = made
    assume(after is not None)
    assert Hierarchy.from_rows(after.rows).rows == after.rows  # valid, with a single root already
    assert after.values[: len(before.values)] == before.values
    assert after.with_marks(after.marks).marks == after.marks  # every mark has a label
    grown = after.height - before.height
    allowed = {"add": {1}, "remove": {-1}, "group": {0, 1}}.get(name, {0})
    assert grown in allowed
    old = zip(*before.rows, strict=True)
    new = zip(*after.rows, strict=True)
    old_levels = list(old)
    new_levels = list(new)
    match name:
        case "rename" | "split":
            same = [j for j in range(before.height + 1) if j != level]
            assert [old_levels[j] for j in same] == [new_levels[j] for j in same]
            assert old_levels[level] != new_levels[level] or name == "rename"
        case "group" | "move":
            assert old_levels[: level + 1] == new_levels[: level + 1]
        case "add":
            assert new_levels[: level + 1] + new_levels[level + 2 :] == old_levels
        case "remove":
            assert old_levels[:level] + old_levels[level + 1 :] == new_levels
        case "rows":
            assert after.rows[:-1] == before.rows


@pytest.mark.slow
@settings(max_examples=tries(80), deadline=None)
@given(st.data())
def test_what_one_edit_does_another_undoes(data):
    before = data.draw(hierarchies())
    level, label = data.draw(st.just(node_of(data.draw, before)))
    undone: Hierarchy | None = None
    try:
        match data.draw(st.sampled_from(["rename", "level", "move", "split"])):
            case "rename":
                undone = rename(rename(before, level, label, "another"), level, "another", label)
            case "level":
                undone = remove_level(add_level(before, level), level + 1)
            case "move":
                above = before.labels(min(level + 1, before.height))
                parent = next(row[level + 1] for row in before.rows if row[level] == label)
                there = move(before, level, label, data.draw(st.sampled_from(above)))
                assume(parent in there.labels(level + 1))  # else it was alone there
                undone = move(there, level, label, parent)
            case "split":
                parts = split(before, level, label)
                members = {row[level - 1] for row in before.rows if row[level] == label}
                assume(level + 1 <= before.height)
                undone = group(parts, level - 1, sorted(members), label)
                before = replace(before, marks=before.marks - {Mark(level, label)})
    except (InputError, IndexError):
        pass
    assume(undone is not None)
    assert undone.rows == before.rows
    assert undone.marks == before.marks
