"""Recursive partitioning: Morton's buckets, and what trees make of generalised cells."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kanon_tui.core.analysis.published_cells import PublishedTable
from kanon_tui.core.analysis.trees.features import TreeTable
from kanon_tui.core.analysis.trees.partition import (
    FOLDS,
    Node,
    Partitioning,
    _auc,
    _folds,
    grow_tree,
    partition,
)
from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AttributeSpec, DataSource, Project
from kanon_tui.core.project.samples import find_sample
from kanon_tui.core.release.recode import recode
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.table import as_table
from kanon_tui.core.task.task import Grouping, Task
from tests.core.analysis.trees.buckets import Condition, bucket
from tests.core.analysis.trees.tables import original_table, release_table

# --- Adult


@pytest.fixture(scope="module")
def adult() -> tuple[Project, Task]:
    project = Project.load(find_sample("adult").project)
    return project, prepare(project)


def adult_table(adult: tuple[Project, Task]) -> TreeTable:
    return original_table(*adult, ["capital-gain", "age", "education-num"], "salary")


def test_worked_morton_buckets(adult: tuple[Project, Task]) -> None:
    """Morton figures 6 and 15: bucket #1 and bucket #2 of the raw Adult data."""
    table = adult_table(adult)
    assert table.records == 30_162
    first = bucket(table, [Condition("capital-gain", ">=", "7298")])
    assert first.records == 1330
    assert first.shares[">50K"] == pytest.approx(0.986, abs=5e-4)
    second = bucket(table, [Condition("capital-gain", "<", "7298"), Condition("age", "<", "28")])
    assert second.records == 7162
    assert second.shares["<=50K"] == pytest.approx(0.971, abs=5e-4)


@pytest.mark.slow
def test_worked_morton_tree(adult: tuple[Project, Task]) -> None:
    """Figure 15: capital gain, then age, then education; bucket #3 is a coin toss."""
    tree = grow_tree(adult_table(adult), leaves=4)
    leaves = [(n.path, n.records, n.majority, round(n.share, 3)) for n in tree.root.leaves()]
    assert leaves == [
        ("capital-gain ≥ 7298", 1330, ">50K", 0.986),
        ("capital-gain < 7298 and age ≥ 28 and education-num ≥ 13", 5691, ">50K", 0.503),
        ("capital-gain < 7298 and age ≥ 28 and education-num < 13", 15979, "<=50K", 0.805),
        ("capital-gain < 7298 and age < 28", 7162, "<=50K", 0.971),
    ]
    assert (tree.root.records, tree.root.majority) == (30_162, "<=50K")
    assert tree.baseline == pytest.approx(0.751, abs=5e-4)
    assert tree.baseline < tree.accuracy < 0.85
    assert 0.7 < tree.auc < 0.9  # type: ignore[operator]


def test_adult_with_coarse_ages_loses_bucket_2(adult: tuple[Project, Task]) -> None:
    project, task = adult
    release = as_table(
        task.table.frame.with_columns(
            age=pl.when(pl.col("age").cast(pl.Int64) < 45).then(pl.lit("[17..44]"))
            .otherwise(pl.lit("[45..90]"))
        ).drop("education-num")
    )  # fmt: skip
    on = ["capital-gain", "age"]
    found = partition(PublishedTable(project, task, release), "salary", on, leaves=3)
    assert [n.path for n in found.original.root.leaves()][-1] == "capital-gain < 7298 and age < 28"
    assert [n.path for n in found.release.root.leaves()] == [
        "capital-gain ≥ 7298",
        "capital-gain < 7298 and age ≥ 45",
        "capital-gain < 7298 and age < 45",
    ]
    assert found.kept is not None
    assert 0.9 < found.kept <= 1.0
    young = [Condition("age", "<", "28")]
    assert bucket(release_table(project, task, release, on, "salary"), young).records == 0


# --- small tables

PROJECT = Project(
    data=DataSource("x.csv"),
    attributes={
        "name": AttributeSpec(role=Role.IDENTIFIER),
        "age": AttributeSpec(role=Role.QUASI, kind=Kind.NUMERIC),
        "job": AttributeSpec(role=Role.QUASI, kind=Kind.CATEGORICAL),
        "flu": AttributeSpec(role=Role.SENSITIVE, kind=Kind.CATEGORICAL),
    },
    privacy=Privacy(k=2),
)
AGES = [20, 21, 22, 23, 40, 41, 42, 43] * 5
DATA = {
    "name": [f"n{i}" for i in range(40)],
    "age": [str(age) for age in AGES],
    "job": ["cook", "nurse"] * 20,
    "flu": ["yes" if age >= 40 else "no" for age in AGES],
}


def parted(release: dict[str, list[str]], **options: Any) -> Partitioning:
    task = prepare(PROJECT, as_table(pl.DataFrame(DATA)))
    table = as_table(pl.DataFrame(release))
    return partition(PublishedTable(PROJECT, task, table), "flu", **{"smallest": 1, **options})


def conditions(node: Node) -> list[str]:
    return [node.condition] + [c for child in node.children for c in conditions(child)]


def published(**columns: list[str]) -> dict[str, list[str]]:
    return {name: columns.get(name, cells) for name, cells in DATA.items() if name != "name"}


def test_an_unchanged_release_keeps_everything() -> None:
    found = parted(published())
    assert found.attributes == ("age", "job")
    assert found.original == found.release
    assert found.kept == 1.0
    assert found.original.accuracy == 1.0
    assert found.original.auc == 1.0
    leaves = [(n.records, n.share, n.majority, n.path) for n in found.original.root.leaves()]
    assert leaves == [(20, 1.0, "yes", "age ≥ 40"), (20, 1.0, "no", "age < 40")]


def test_a_release_that_says_nothing_keeps_the_baseline() -> None:
    found = parted(published(age=["*"] * 40, job=["*"] * 40))
    assert found.release.baseline == 0.5
    assert found.release.accuracy <= 0.5
    assert found.release.auc is not None
    assert found.release.auc <= 0.5
    assert [n.path for n in found.release.root.leaves()] == ["all records"]
    assert found.kept == found.release.accuracy


def test_ranges_that_do_not_overlap_are_asked_for_by_where_they_begin() -> None:
    found = parted(published(age=["[20..23]" if age < 40 else "[40..43]" for age in AGES]))
    assert conditions(found.release.root) == ["", "age ≥ 40", "age < 40"]
    assert found.kept == 1.0


def test_ranges_that_overlap_are_asked_for_by_middle_and_width() -> None:
    by_middle = parted(published(age=["[20..41]" if age < 40 else "[23..43]" for age in AGES]))
    # The two middles are 30.5 and 33, the widths 21 and 20: either tells them apart.
    assert conditions(by_middle.release.root)[1] in ("middle of age ≥ 33", "width of age ≥ 21")
    by_width = parted(published(age=["[20..43]" if age < 40 else "[31..32]" for age in AGES]))
    assert conditions(by_width.release.root) == ["", "width of age ≥ 23", "width of age < 23"]
    starred = parted(published(age=["[20..41]*" if age < 40 else "[23..43]*" for age in AGES]))
    assert starred.release.accuracy == 1.0


def test_sets_are_asked_for_what_they_may_be() -> None:
    job = ["{cook|nurse}" if age < 40 else "cook" for age in AGES]
    found = parted(published(age=["*"] * 40, job=job))
    assert conditions(found.release.root)[1] in ("job is {cook|nurse}", "values job may have ≥ 2")
    task = prepare(
        PROJECT, as_table(pl.DataFrame({**DATA, "job": ["cook", "nurse", "x", "y"] * 10}))
    )
    cells = as_table(pl.DataFrame(published(job=["{cook|x}", "{nurse|x}", "y", "{cook|y}"] * 10)))
    asked = [f for _, f, _ in release_table(PROJECT, task, cells, ["job"], "flu").features]
    assert [f.yes for f in asked] == [
        "job may be cook",
        "job is {nurse|x}",
        "job may be x",
        "values job may have ≥ ",
    ]  # whether it may be y is whether it may not be x


def test_missing_is_a_question_of_its_own() -> None:
    age = ["?" if age < 40 else str(age) for age in AGES]
    task = prepare(PROJECT, as_table(pl.DataFrame({**DATA, "age": age})))
    tree = grow_tree(original_table(PROJECT, task, ["age"], "flu"), smallest=1)
    assert tree.accuracy == 1.0
    assert conditions(tree.root) == ["", "age is missing", "age is not missing"]


def test_dates_are_said_as_dates() -> None:
    spec = {
        "born": AttributeSpec(role=Role.QUASI, kind=Kind.DATE),
        "flu": PROJECT.attributes["flu"],
    }
    project = replace(PROJECT, attributes=spec)
    data = {"born": [f"{2000 + i % 4}-05-0{1 + i % 3}" for i in range(40)],
            "flu": ["yes" if i % 4 > 1 else "no" for i in range(40)]}  # fmt: skip
    task = prepare(project, as_table(pl.DataFrame(data)))
    tree = grow_tree(original_table(project, task, ["born"], "flu"), smallest=1)
    assert conditions(tree.root)[1:] == ["born ≥ 2002-05-01", "born < 2002-05-01"]


def test_beyond_fifty_values_the_rarer_ones_share_a_question() -> None:
    jobs = [f"j{i % 60:02}" for i in range(240)] + ["j00"] * 60
    data = {"age": ["1", "2"] * 150, "job": jobs, "flu": ["a" if j < "j50" else "b" for j in jobs]}
    project = replace(PROJECT, attributes={n: PROJECT.attributes[n] for n in ("age", "job", "flu")})
    task = prepare(project, as_table(pl.DataFrame(data)))
    tree = grow_tree(original_table(project, task, ["job"], "flu"), smallest=1)
    assert conditions(tree.root)[1] == "job is one of 10 rarer values"
    assert tree.accuracy == 1.0


def test_settings_bound_the_tree() -> None:
    rng = np.random.default_rng(3)
    noisy = {**DATA, "flu": rng.permutation(DATA["flu"]).tolist()}
    task = prepare(PROJECT, as_table(pl.DataFrame(noisy)))
    table = original_table(PROJECT, task, ["age", "job"], "flu")
    assert len(list(grow_tree(table, leaves=3, smallest=1).root.leaves())) == 3
    assert min(n.records for n in grow_tree(table, leaves=9, smallest=7).root.leaves()) >= 7
    assert grow_tree(table, seed=1) == grow_tree(table, seed=1)


def test_a_later_answer_narrows_the_path() -> None:
    flu = ["yes" if 21 < age < 42 else "no" for age in AGES]
    task = prepare(PROJECT, as_table(pl.DataFrame({**DATA, "flu": flu})))
    tree = grow_tree(original_table(PROJECT, task, ["age"], "flu"), smallest=1)
    paths = {n.path for n in tree.root.leaves()}
    assert paths & {"age ≥ 22 and age < 42", "age < 42 and age ≥ 22"}
    assert sum(n.records for n in tree.root.leaves()) == 40


def test_one_value_left_in_the_release_has_no_auc() -> None:
    release = {name: cells[4:8] for name, cells in published().items()}
    found = parted(release)
    assert found.release.auc is None
    assert found.release.accuracy == found.release.baseline == 1.0


@pytest.mark.parametrize(
    ("release", "options", "message"),
    [
        (published(), {"target": "fly"}, "the data has no column 'fly'; did you mean 'flu'"),
        (published(), {"target": "name"}, "'name' is an identifier"),
        (published(flu=["{a|b}"] * 40), {}, "target: 'flu' is a value in the release, which"),
        (published(flu=["perhaps"] * 40), {}, "the release: flu: a cell is neither a value"),
        ({"age": ["20"], "job": ["cook"]}, {}, "the release has no column 'flu'"),
        ({"flu": ["no"] * 2}, {}, "the release has no attribute besides 'flu'"),
        (published(), {"attributes": ["age", "flu"]}, "attributes: 'flu' is the target itself"),
        (published(), {"attributes": ["age", "age"]}, "attributes: 'age' is named twice"),
        (published(), {"attributes": ["agee"]}, "the data has no column"),
        (published(), {"leaves": 1}, "leaves is 1"),
        (published(), {"smallest": 0}, "smallest is 0"),
        (published(age=["old"] * 40), {}, "the release: age: a cell is neither"),
        ({"age": ["20"], "job": ["cook"], "flu": ["no"]}, {}, "a table of one record"),
    ],
)
def test_refused(release: dict[str, list[str]], options: dict[str, Any], message: str) -> None:
    task = prepare(PROJECT, as_table(pl.DataFrame(DATA)))
    given = {"target": "flu", **options}
    with pytest.raises(InputError, match=f"^{message}"):
        partition(PublishedTable(PROJECT, task, as_table(pl.DataFrame(release))), **given)


def test_many_numbers_are_predicted_by_half() -> None:
    spec = {"age": PROJECT.attributes["age"], "pay": AttributeSpec(Role.SENSITIVE, Kind.NUMERIC)}
    project = replace(PROJECT, attributes=spec)
    data = {
        "age": [str(20 + i) for i in range(40)],
        "pay": [str(100 * i) for i in range(39)] + ["?"],
    }
    table = as_table(pl.DataFrame(data))
    found = partition(PublishedTable(project, prepare(project, table), table), "pay", smallest=2)
    leaves = [(n.path, n.majority, n.records) for n in found.original.root.leaves()]
    assert ("age < 39", "below 1900", 19) in leaves
    assert {majority for _, majority, _ in leaves} == {"1900 or more", "below 1900"}
    assert found.original == found.release
    # Nearly all pay is the smallest: the cut still leaves two sides.
    mostly_low = {**data, "pay": ["0"] * 25 + [str(i) for i in range(15)]}
    table = as_table(pl.DataFrame(mostly_low))
    tree = partition(PublishedTable(project, prepare(project, table), table), "pay").original
    assert (tree.root.majority, tree.root.share) == ("below 1", 26 / 40)


@pytest.mark.parametrize("values", [1, 101])
def test_targets_with_too_few_or_too_many_values_are_refused(values: int) -> None:
    data = {
        "age": ["1", "2"] * 60,
        "job": ["a"] * 120,
        "flu": [str(i % values) for i in range(120)],
    }
    project = replace(PROJECT, attributes={n: PROJECT.attributes[n] for n in ("age", "job", "flu")})
    table = as_table(pl.DataFrame(data))
    with pytest.raises(InputError, match=f"^target: 'flu' has {values} values"):
        partition(PublishedTable(project, prepare(project, table), table), "flu")


# --- twins


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=2, max_size=60), st.integers(0, 5))
def test_folds_are_even_for_every_value(target: list[int], seed: int) -> None:
    folds = _folds(np.array(target), seed)
    assert set(folds) == set(range(min(FOLDS, len(target))))
    for value in set(target):
        sizes = np.bincount(folds[np.array(target) == value], minlength=FOLDS)
        assert sizes.max() - sizes.min() <= 1


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4)), min_size=2, max_size=25))
def test_auc_counts_pairs_in_the_right_order(records: list[tuple[int, int]]) -> None:
    target = np.array([t for t, _ in records])
    chances = np.array([[s / 4, (4 - s) / 8, (4 - s) / 8] for _, s in records])
    areas = []
    weights = []
    for value in sorted(set(target.tolist())):
        inside = chances[target == value, value]
        outside = chances[target != value, value]
        if len(outside):
            pairs = [(a > b) + 0.5 * (a == b) for a in inside for b in outside]
            areas.append(sum(pairs) / len(pairs))
            weights.append(len(inside))
    found = _auc(target, chances, np.ones(len(target)))
    if not areas:
        assert found is None
    else:
        assert found == pytest.approx(np.average(areas, weights=weights))


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.data())
def test_a_bucket_of_a_release_holds_only_records_that_belong(data: st.DataObject) -> None:
    n = data.draw(st.integers(2, 20))
    ages = data.draw(st.lists(st.integers(18, 24), min_size=n, max_size=n))
    jobs = data.draw(st.lists(st.sampled_from(["cook", "nurse", "guard"]), min_size=n, max_size=n))
    flu = data.draw(st.lists(st.sampled_from(["yes", "no"]), min_size=n, max_size=n))
    assume(len(set(flu)) == 2)
    columns = {"name": ["x"] * n, "age": [str(a) for a in ages], "job": jobs, "flu": flu}
    task = prepare(PROJECT, as_table(pl.DataFrame(columns)))
    labels = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), np.int32)
    release = as_table(recode(task, Grouping(labels)).frame)
    tests = {
        ("age", "<", "21"): lambda i: ages[i] < 21,
        ("age", ">=", "21"): lambda i: ages[i] >= 21,
        ("age", "=", "21"): lambda i: ages[i] == 21,
        ("age", "!=", "21"): lambda i: ages[i] != 21,
        ("job", "=", "cook"): lambda i: jobs[i] == "cook",
        ("job", "!=", "cook"): lambda i: jobs[i] != "cook",
    }
    chosen = data.draw(st.lists(st.sampled_from(list(tests)), min_size=1, max_size=2, unique=True))
    wanted = [Condition(*each) for each in chosen]
    table = release_table(PROJECT, task, release, ["age", "job"], "flu")
    # A number's range may hold a boundary that no record of the class lies on.
    sure = []
    for i in range(n):
        mates = [j for j in range(n) if labels[j] == labels[i]]
        between = range(min(ages[j] for j in mates), max(ages[j] for j in mates) + 1)
        fine = all(all(tests[each](j) for j in mates) for each in chosen)
        if ("age", "!=", "21") in chosen and 21 in between:
            fine = False
        if fine:
            sure.append(i)
    found = bucket(table, wanted)
    assert found.records == len(sure)
    for value, share in found.shares.items():
        assert share == pytest.approx(sum(flu[i] == value for i in sure) / len(sure))
    original = bucket(original_table(PROJECT, task, ["age", "job"], "flu"), wanted)
    assert original.records == sum(all(tests[each](i) for each in chosen) for i in range(n))
