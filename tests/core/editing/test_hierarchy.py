"""What a hierarchy is and what becomes of the rest of its attribute when it changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from kanon_tui.core.editing.hierarchy import (
    attribute_lines,
    check_still_usable,
    edited,
    hierarchy_state,
    imported,
    level_preview,
    replaced,
    spec_as_given,
    with_mark_toggled,
)
from kanon_tui.core.editing.session import Session
from kanon_tui.core.hierarchy.edit import add_level, add_rows, group, move, remove_level, rename
from kanon_tui.core.hierarchy.level_table import Hierarchy, Mark
from kanon_tui.core.hierarchy.specification import (
    build_hierarchy,
    read_hierarchy_file,
    write_hierarchy_file,
)
from kanon_tui.core.metrics.measure import level_measures
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AttributeSpec, DataSource, Project
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.table import as_table
from tests.core.hierarchy.countries import COUNTRIES, MARKED, column, refused


def session_of(spec: AttributeSpec, texts: Sequence[object], path: Path | None = None) -> Session:
    project = Project(
        data=DataSource(path="t.csv"),
        attributes={"x": spec, "y": AttributeSpec(Role.QUASI, Kind.CATEGORICAL)},
        privacy=Privacy(k=2),
        path=path,
    )
    frame = pl.DataFrame({"x": [str(t) for t in texts], "y": ["a", "b"] * (len(texts) // 2)})
    return Session(project, as_table(frame, missing_tokens=("?",)))


def categorical(**fields: object) -> AttributeSpec:
    return AttributeSpec(Role.QUASI, Kind.CATEGORICAL, **fields)  # type: ignore[arg-type]


LEVELS = {"levels": {row[0]: list(row[1:]) for row in COUNTRIES.rows}}


def test_state_of_a_default_hierarchy_is_what_a_run_uses():
    session = session_of(categorical(), ["b", "a", "a", "?"])
    state = hierarchy_state(session, "x")
    assert not state.given
    assert state.problem == ""
    assert state.hierarchy == Hierarchy.flat(["a", "b"])
    assert state.bound.paths == session.task().quasi[0].hierarchy.paths
    assert state.records.tolist() == [2, 1]
    assert (state.missing, state.missing_records) == ("?", 1)
    assert state.levels == level_measures(session.task().quasi[0], 2, 0)
    assert [(line.mark, line.height) for line in attribute_lines(session)] == [("·", 1), ("·", 1)]


def test_where_missing_records_are_dropped_their_values_need_no_row():
    session = session_of(categorical(hierarchy=LEVELS), ["Mars", "Peru", "Italy", "Peru"])
    frame = session.table.frame.with_columns(y=pl.Series(["?", "a", "b", "a"]))
    project = replace(session.project, data=DataSource("t.csv", missing_policy="drop"))
    state = hierarchy_state(Session(project, as_table(frame, missing_tokens=("?",))), "x")
    assert state.problem == ""
    assert state.uncovered == ()
    assert state.records.sum() == 3


def test_state_with_uncovered_values_still_has_its_table():
    session = session_of(categorical(hierarchy=LEVELS), ["Mars", "Peru", "Italy", "Mars"])
    state = hierarchy_state(session, "x")
    assert state.hierarchy == COUNTRIES
    assert state.uncovered == ("Mars",)
    assert state.uncovered_records.tolist() == [2]
    assert "'Mars' is not in its hierarchy" in state.problem
    assert state.levels == ()
    assert attribute_lines(session)[0].mark == "!"
    other = hierarchy_state(session, "y")  # one attribute's problem is not another's
    assert other.problem == ""
    assert other.levels[0].rv == pytest.approx(0.5)  # with the weight it will have


def test_state_without_any_table_says_why():
    state = hierarchy_state(session_of(categorical(hierarchy={"file": "no.csv"}), "ab"), "x")
    assert state.hierarchy is None
    assert "does not exist" in state.problem
    assert state.column.values == ("a", "b")  # so that another one can be built
    words = hierarchy_state(session_of(AttributeSpec(Role.QUASI, Kind.NUMERIC), "ab"), "x")
    assert words.column is None
    assert "not numbers" in words.problem


def test_state_orders_rows_as_the_tree_does():
    mixed = {"a": ["P", "*"], "b": ["Q", "*"], "c": ["P", "*"]}
    state = hierarchy_state(session_of(categorical(hierarchy={"levels": mixed}), "abca"), "x")
    assert [state.hierarchy.rows[i][0] for i in state.order] == ["a", "c", "b"]


def test_marks_that_have_no_label_are_a_problem_but_do_not_hide_the_others():
    spec = categorical(hierarchy=LEVELS, magvals=("Europe", "Atlantis"))
    state = hierarchy_state(session_of(spec, ["Peru", "Italy"]), "x")
    assert "Atlantis" in state.problem
    assert state.hierarchy.marks == {Mark(1, "Europe")}


def test_edited_fields_move_typed_research_values_with_their_levels():
    rv = (0.4, None, 0.2, 0.0)
    session = session_of(categorical(hierarchy=LEVELS, rv=rv), ["Peru", "Italy"])
    state = hierarchy_state(session, "x")
    assert edited(state, add_level(COUNTRIES, 1), 1)["rv"] == (0.4, None, None, 0.2, 0.0)
    assert edited(state, remove_level(COUNTRIES, 2), 2)["rv"] == (0.4, None, 0.0)
    assert edited(state, rename(COUNTRIES, 1, "Asia", "E"), 1)["rv"] == rv
    only = session_of(categorical(hierarchy=LEVELS, rv=(None, None, 0.2, None)), ["Peru", "Italy"])
    assert edited(hierarchy_state(only, "x"), remove_level(COUNTRIES, 2), 2)["rv"] is None


def test_edited_fields_make_the_same_hierarchy_again():
    session = session_of(categorical(hierarchy=LEVELS), ["Peru", "Italy"])
    made = group(MARKED, 0, ["Italy", "Japan"], "[/] {x}: 'y'")
    session.change_attributes(["x"], "edit", **edited(hierarchy_state(session, "x"), made, 0))
    assert hierarchy_state(session, "x").hierarchy == made


def test_another_hierarchy_keeps_what_still_fits_and_says_what_is_lost():
    spec = categorical(
        hierarchy=LEVELS, magvals=("Europe", Mark(0, "Peru")), rv=(0.4, 0.3, 0.2, 0.0)
    )
    state = hierarchy_state(session_of(spec, ["Peru", "Italy"]), "x")
    fields, lost = replaced(state, {"builder": "flat"}, Path())
    assert fields == {"hierarchy": {"builder": "flat"}, "magvals": (Mark(0, "Peru"),), "rv": None}
    assert lost == "1 MAGVals whose labels are gone and the research values typed for other levels"
    assert replaced(state, None, Path())[0]["magvals"] == ()
    assert replaced(state, LEVELS, Path()) == (
        {"hierarchy": LEVELS, "magvals": spec.magvals, "rv": spec.rv}, "",
    )  # fmt: skip


def test_marks_are_toggled_and_written_as_shortly_as_they_can_be():
    twice = {"a": ["a", "A", "*"], "b": ["b", "A", "*"], "c": ["c", "a", "*"]}
    session = session_of(categorical(hierarchy={"levels": twice}), "abca")
    state = hierarchy_state(session, "x")
    fields = with_mark_toggled(state, [(2, "A"), (2, "a")])
    assert fields["magvals"] == ("A", Mark(2, "a"))  # 'a' alone could be the value
    session.change_attributes(["x"], "marks", **fields)
    state = hierarchy_state(session, "x")
    assert state.hierarchy.marks == {Mark(2, "A"), Mark(2, "a")}
    assert with_mark_toggled(state, [(2, "A")])["magvals"] == (Mark(2, "a"),)
    assert "the root is the limit" in refused(lambda: with_mark_toggled(state, [(3, "*")]))


@pytest.mark.parametrize(
    ("kind", "texts", "spec"),
    [
        (Kind.CATEGORICAL, ["a", "b"], {"builder": "flat"}),
        (Kind.NUMERIC, [17, 90, 34, 35], {"builder": "intervals"}),
        (Kind.DATE, ["1990-02-01", "2011-03-04", "2020-05-06", "1985-01-01"], {"builder": "date"}),
    ],
)
def test_a_default_that_is_marked_becomes_the_builder_that_makes_it(kind, texts, spec):
    session = session_of(AttributeSpec(Role.QUASI, kind), texts)
    state = hierarchy_state(session, "x")
    assert spec_as_given(state) == spec
    first = state.hierarchy.rows[0][0]
    session.change_attributes(["x"], "mark", **with_mark_toggled(state, [(0, first)]))
    after = hierarchy_state(session, "x")
    assert after.problem == ""
    assert after.hierarchy.rows == state.hierarchy.rows
    assert after.hierarchy.marks == {Mark(0, first)}


def test_an_edit_that_makes_numbers_overlap_is_refused_unless_they_did_before():
    levels = {"levels": {"1": ["A", "*"], "2": ["A", "*"], "3": ["B", "*"], "4": ["B", "*"]}}
    numeric = AttributeSpec(Role.QUASI, Kind.NUMERIC, hierarchy=levels)
    state = hierarchy_state(session_of(numeric, [1, 2, 3, 4]), "x")
    crossed = move(state.hierarchy, 0, "2", "B")
    check_still_usable(state, crossed)  # 2 next to 3: still ranges
    crossed = move(state.hierarchy, 0, "1", "B")
    assert "ranges that do not overlap" in refused(lambda: check_still_usable(state, crossed))
    lacking = hierarchy_state(session_of(numeric, [1, 2, 3, 5]), "x")
    check_still_usable(lacking, crossed)  # not all covered yet: shown, not refused
    covered = add_rows(crossed, {"5": ("B", "*")})
    assert "overlap" in refused(lambda: check_still_usable(lacking, covered))


# --- files and forms ------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["csv", "yaml", "xml"])
def test_a_file_that_was_exported_is_imported_again(tmp_path, ending):
    path = tmp_path / f"x.{ending}"
    write_hierarchy_file(COUNTRIES, path, "x")
    assert read_hierarchy_file(path, "x") == COUNTRIES
    data = column(["Peru", "Italy"])
    there = Project(data=DataSource("t.csv"), path=tmp_path / "p.yaml")
    spec = imported(path, "x", data, there)
    expected = {
        "csv": {"file": "x.csv"},
        "xml": {"utd": "x.xml", "attribute": "x"},
        "yaml": LEVELS,
    }
    assert spec == expected[ending]
    assert build_hierarchy(spec, data, there.folder) == COUNTRIES
    elsewhere = Project(data=DataSource("t.csv"), path=tmp_path / "sub" / "p.yaml")
    assert build_hierarchy(imported(path, "x", data, elsewhere), data, Path("/")) == COUNTRIES
    unsaved = Project(data=DataSource("t.csv"))
    assert imported(path, "x", data, unsaved) == LEVELS


def test_what_import_refuses(tmp_path):
    project = Project(data=DataSource("t.csv"))
    write_hierarchy_file(COUNTRIES, tmp_path / "x.csv")
    assert "none of the values of x" in refused(
        lambda: imported(tmp_path / "x.csv", "x", column(["Mars"]), project)
    )
    assert "end in .csv, .yaml or .xml" in refused(
        lambda: imported(tmp_path / "x.txt", "x", column(["Mars"]), project)
    )
    assert "does not exist" in refused(
        lambda: imported(tmp_path / "y.csv", "x", column(["Mars"]), project)
    )


def test_preview_is_what_the_levels_will_be():
    session = session_of(AttributeSpec(Role.QUASI, Kind.NUMERIC, rv=(1.0, 0.0)), [1, 2, 11, 12])
    attribute, levels = level_preview(session, "x", {"builder": "intervals", "widths": [10]})
    assert [level.labels for level in levels] == [4, 2, 1]
    assert [level.passes for level in levels] == [False, True, True]
    assert attribute.hierarchy.paths[0] == ("1", "0-9", "*")
    assert np.isclose(levels[0].rv, 0.5)
    assert "not a multiple" in refused(
        lambda: level_preview(session, "x", {"builder": "intervals", "widths": [5, 7]})
    )
