"""`import kanon_tui as kn`: frames, files and projects in; releases with their types out."""

from __future__ import annotations

import doctest
import inspect
import json
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import kanon_tui as kn
from kanon_tui.core.pipeline.run import anonymize as run_project
from kanon_tui.core.table.column import Kind, Role

PEOPLE = pl.DataFrame(
    {
        "name": [f"person {n}" for n in range(12)],
        "age": [21, 22, 23, 24, 38, 39, 40, 41, 62, 63, 64, 65],
        "zip": ["01234", "01235", "01236", "01237"] * 3,
        "pay": [10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, None],
        "score": [0.5 * n for n in range(12)],
        "code": ["7"] * 12,
        "ill": ["flu", "HIV", "flu", "gout"] * 3,
    }
)
ROLES = {"quasi": ["age", "zip"], "sensitive": "ill", "other": ["pay", "score", "code"]}


def in_pandas(frame: pl.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(frame.to_dict(as_series=False))


class ArrowTable:
    """A table of another library: all that is known of it is the interface of Arrow."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self._frame = frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._frame.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("given", [lambda f: f, pl.DataFrame.lazy, in_pandas, ArrowTable])
def test_any_frame_gives_the_same_release(given) -> None:
    expected = kn.anonymize(PEOPLE, k=2, algorithm="mondrian", **ROLES)
    release = kn.anonymize(given(PEOPLE), k=2, algorithm="mondrian", **ROLES)
    without = expected.table.drop("pay")  # pandas has no whole numbers that are missing
    assert release.table.drop("pay").equals(without)
    assert release.ncp == expected.measures.ncp
    assert release.rv == expected.measures.rv


def test_numbers_stay_numbers_and_texts_stay_texts() -> None:
    release = kn.anonymize(PEOPLE, k=2, algorithm="mondrian", **ROLES)
    assert release.columns == ("age", "zip", "pay", "score", "code", "ill")
    assert dict(release.table.schema) == {
        "age": pl.String,  # ranges
        "zip": pl.String,
        "pay": pl.Int64,
        "score": pl.Float64,
        "code": pl.String,  # texts of the frame that look like numbers
        "ill": pl.String,
    }
    assert release.table["pay"].null_count() == 1
    assert isinstance(release.to_pandas(), pd.DataFrame)
    assert release.to_pandas()["score"].tolist() == release.table["score"].to_list()


def test_a_file_has_numbers_where_every_cell_is_one(tmp_path: Path) -> None:
    PEOPLE.write_csv(tmp_path / "people.csv")
    release = kn.anonymize(tmp_path / "people.csv", k=2, algorithm="mondrian", **ROLES)
    schema = dict(release.table.schema)
    assert schema["pay"] == pl.Int64
    assert schema["code"] == pl.Int64
    assert schema["zip"] == pl.String  # leading zeros are no number
    release.write(tmp_path / "release.csv")
    project = kn.Project.from_dict(
        {
            "data": {"path": str(tmp_path / "people.csv"), "unlisted": "omit"},
            "attributes": {
                name: {"role": role}
                for role, names in ROLES.items()
                for name in ([names] if isinstance(names, str) else names)
            },
            "privacy": {"k": 2},
            "algorithm": {"name": "mondrian"},
        }
    )
    run_project(project).write(tmp_path / "project.csv")
    assert (tmp_path / "release.csv").read_bytes() == (tmp_path / "project.csv").read_bytes()


def test_columns_that_nobody_named_are_left_out_and_guesses_are_refused() -> None:
    release = kn.anonymize(PEOPLE, quasi=["age"], k=2)
    assert release.table.columns == ["age"]
    with pytest.raises(kn.InputError, match="7 roles are only guessed"):
        kn.anonymize(PEOPLE, k=2)
    accepted = kn.anonymize(PEOPLE, k=2, accept_guesses=True, algorithm="mondrian")
    assert "name" not in accepted.table.columns


def test_settings_are_those_of_a_project() -> None:
    release = kn.anonymize(
        PEOPLE,
        quasi={"age": kn.intervals(5, 20), "zip": kn.mask()},
        sensitive="ill",
        k=3,
        l=2,
        max_suppression=0.25,
        algorithm={"name": "global", "params": {"objective": "ncp"}},
        seed=7,
    )
    report = release.report
    assert (report["k"], report["seed"], report["params"]["objective"]) == (3, 7, "ncp")
    assert report["privacy"]["l_distinct"]["ill"] >= 2
    for wrong, sentence in (
        ({"k": 0}, "whole number of at least 1"),
        ({"kk": 2}, "did you mean .k."),
        ({"algorithm": "mondrain"}, "mondrian"),
        ({"quasi": ["age", "ages"]}, "'age'"),
        ({"sensitive": ["age"]}, "name it once"),
    ):
        with pytest.raises(ValueError, match=sentence):  # an InputError is one
            kn.anonymize(PEOPLE, **{"quasi": ["age"], "k": 2, **wrong})
    with pytest.raises(kn.InputError, match="leave the roles out"):
        kn.anonymize(kn.Project(data="people.csv"), quasi=["age"])


def test_settings_may_be_numbers_of_numpy() -> None:
    settings = {"k": np.int64(3), "seed": np.uint8(7), "max_suppression": np.float32(0.25)}
    release = kn.anonymize(PEOPLE, quasi="age", **settings)
    assert json.loads(json.dumps(release.report))["k"] == 3
    for wrong in (np.float64(3), np.bool_(True), True, np.int64(0)):
        with pytest.raises(kn.InputError, match="whole number of at least 1"):
            kn.anonymize(PEOPLE, quasi="age", k=wrong)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: kn.check(PEOPLE, ["age"], subset_size=0), "subset_size.*at least 1"),
        (lambda: kn.apply({}, PEOPLE, uncovered="drop"), "uncovered.*suppress"),
        (lambda: kn.apply({}, PEOPLE, below_k="drop"), "below_k.*suppress"),
        (
            lambda: kn.anonymize(
                PEOPLE.head(3),
                quasi="age",
                k=2,
                algorithm="stepwise",
                risk={"model": "prosecutor", "max": 0.2},
            ),
            "needs a k of 5 .*only 3",
        ),
    ],
)
def test_what_cannot_be_done_is_refused(call, sentence: str) -> None:
    with pytest.raises(kn.InputError, match=sentence):
        call()


def test_reasons_and_mapping_of_a_release() -> None:
    release = kn.anonymize(PEOPLE, quasi={"age": kn.intervals(10, 30)}, k=2, sensitive="ill")
    why = release.why(0, "age")
    assert "age" in why.question
    assert why.because
    for row, name in ((0, "ill"), (99, "age")):
        with pytest.raises(kn.InputError, match=r"no quasi-identifier|no row 99"):
            release.why(row, name)
    assert json.loads(json.dumps(release.mapping)) == release.mapping
    applied = kn.apply(release, PEOPLE)
    assert applied.result.table.equals(release.table)
    assert kn.apply(release.mapping, PEOPLE).published == 12


def test_analyses_take_frames_and_files(tmp_path: Path) -> None:
    PEOPLE.write_csv(tmp_path / "people.csv")
    release = kn.anonymize(PEOPLE, k=4, algorithm="mondrian", **ROLES)
    release.write(tmp_path / "r.csv")
    both = [
        kn.check(given, ["age", "zip"], "ill", 4) for given in (release.table, tmp_path / "r.csv")
    ]
    assert both[0] == both[1]
    assert both[0]["reached"]
    assert kn.risk(PEOPLE, quasi="age").models["prosecutor"].highest == 1.0
    assert kn.risk(tmp_path / "people.csv", quasi=["age"], population=120).mapping()
    points = kn.sweep(PEOPLE, ["global", "mondrian"], k=[2, 3], quasi=["age", "zip"]).frame()
    assert points["k"].to_list() == [2, 3, 2, 3]
    assert points["error"].null_count() == 4
    one = kn.sweep(PEOPLE, k=3, quasi=["age", "zip"], workers=-1).frame()
    assert one["k"].to_list() == [3]
    found = kn.levels(PEOPLE, quasi={"age": kn.breaks([30, 60])}, k=4)
    assert [level.labels for level in found["age"]] == [12, 3, 1]


def test_constructors_check_what_a_file_checks() -> None:
    spec = kn.AttributeSpec("quasi", kind="numeric", weight=0.5)
    assert (spec.role, spec.kind, spec.weight) == (Role.QUASI, Kind.NUMERIC, 0.5)
    project = kn.Project(data="x.csv", attributes={"age": spec, "ill": "sensitive"}, seed=3)
    assert project.data.path == "x.csv"
    assert project.attributes["ill"].role is Role.SENSITIVE
    assert kn.Project("x.csv", privacy={"k": 7}).privacy.k == 7
    for make, sentence in (
        (lambda: kn.AttributeSpec("quasi-identifier"), "role.*did you mean .identifier"),
        (lambda: kn.AttributeSpec("quasi", weight=-1), "weight.*at least 0"),
        (lambda: project.with_(k=-1), "k.*at least 1"),
        (lambda: kn.Project("x.csv", seed=-1), "seed.*at least 0"),
        (lambda: kn.Project("x.csv", privacy={"k": 0}), "k.*at least 1"),
        (lambda: kn.Project("x.csv", attributes={"a": {"rolle": "quasi"}}), "attributes.a.*role"),
        (lambda: kn.intervals(-5), "5"),
    ):
        with pytest.raises(kn.InputError, match=sentence):
            make()


def test_a_changed_project_keeps_the_rest_and_its_place(tmp_path: Path) -> None:
    project = kn.Project("x.csv", attributes={"age": "quasi"}).save(tmp_path / "p.yaml")
    changed = project.with_(k=9, algorithm="global", params={"objective": "ncp"}, l=2)
    assert changed.path == project.path
    assert changed.attributes == project.attributes
    assert changed.algorithm.params == {"objective": "ncp"}
    assert changed.with_(l=None).privacy.requirements == ()
    assert changed.with_(algorithm="mondrian").algorithm.params == {}
    assert project.privacy.k == 5


def test_a_sweep_is_a_chart() -> None:
    asked = {"quasi": ["age", "zip"], "k": [2, 3], "algorithms": ["mondrian", "k-member"]}
    chart = kn.sweep(PEOPLE, **asked).plot("classes").to_dict()
    (points,) = chart["datasets"].values()
    assert [(point["algorithm"], point["k"]) for point in points] == [
        ("mondrian", 2), ("mondrian", 3), ("k-member", 2), ("k-member", 3),
    ]  # fmt: skip
    assert all(point["classes"] > 1 for point in points)
    assert chart["encoding"]["y"]["field"] == "classes"
    with pytest.raises(kn.InputError, match="did you mean 'ncp'"):
        kn.sweep(PEOPLE, **asked).plot("nc")


def test_the_public_surface_is_documented() -> None:
    for name in kn.__all__:
        thing = getattr(kn, name)
        if callable(thing) and thing.__module__.startswith("kanon_tui.core.api.functions"):
            for part in ("Parameters", "Returns", "Raises", "Examples"):
                assert f"{part}\n---" in inspect.cleandoc(thing.__doc__), (name, part)
    assert issubclass(kn.InputError, ValueError)


@pytest.mark.parametrize(
    "module",
    ["core.algorithms", "core.analysis.attack.suite", "core.analysis.attack.weak_spots",
     "core.analysis.evidence", "core.analysis.proof", "core.api.builders",
      "core.api.functions", "core.api.release", "core.pipeline.run",
     "core.project.project", "sklearn"],
)  # fmt: skip
def test_the_examples_run(module: str) -> None:
    found = doctest.testmod(import_module(f"kanon_tui.{module}"))
    assert found.attempted > 1
    assert found.failed == 0


@pytest.mark.parametrize("name", ["feasibility", "linking", "rerelease", "trees", "utility"])
def test_the_example_of_an_analysis_runs(name: str) -> None:
    function = getattr(kn, name)
    for part in ("Parameters", "Returns", "Raises", "Examples"):
        assert f"{part}\n---" in function.__doc__
    (examples,) = doctest.DocTestFinder().find(function, name)
    assert examples.examples
    assert doctest.DocTestRunner().run(examples).failed == 0


def test_an_analysis_takes_a_release_or_a_project_with_one() -> None:
    release = kn.anonymize(PEOPLE, ["age"], k=2, algorithm="mondrian")
    assert release.project is not None
    with pytest.raises(kn.InputError, match="leave out release="):
        kn.utility(release, release=release.table)
    with pytest.raises(kn.InputError, match="name a release of the project"):
        kn.utility(release.project)
    with pytest.raises(kn.InputError, match="data is a DataFrame"):
        kn.utility(release.table)
    with pytest.raises(TypeError, match="missing a required argument: 'target'"):
        kn.trees(release)


def test_params_are_those_of_the_algorithm_that_is_named() -> None:
    release = kn.anonymize(
        PEOPLE, ["age"], k=2, params={"objective": "ncp"}, algorithm="global", seed=3
    )
    assert release.report["params"]["objective"] == "ncp"
