"""Distributions, pairs, means and counts, recounted with pandas from the printed cells."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest

import kanon_tui as kn
from kanon_tui.core.analysis.published_cells import PublishedTable
from kanon_tui.core.analysis.utility.distributions import Summary, groups_of, interval_overlap
from kanon_tui.core.analysis.utility.queries import query_errors
from kanon_tui.core.analysis.utility.utility import Utility, measure_utility
from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.run import Result, anonymize
from kanon_tui.core.project.project import Project, project_from_mapping
from kanon_tui.core.project.samples import find_sample
from kanon_tui.core.table.column import Kind
from kanon_tui.core.table.table import as_table

TOWNS = {"north": ["a", "b", "c"], "south": ["d", "e"]}
PROJECT = {
    "data": {"path": "people.csv"},
    "attributes": {
        "age": {
            "role": "quasi",
            "kind": "numeric",
            "hierarchy": {"builder": "intervals", "widths": [10, 40]},
        },
        "town": {
            "role": "quasi",
            "kind": "categorical",
            "hierarchy": {"builder": "groups", "levels": [TOWNS]},
        },
        "pay": {"role": "other", "kind": "numeric"},
        "flu": {"role": "sensitive", "kind": "categorical"},
    },
    "privacy": {"k": 3},
    "algorithm": {"name": "global", "params": {"levels": "age=1,town=1"}},
}


@pytest.fixture(scope="module")
def people() -> pl.DataFrame:
    chance = np.random.default_rng(7)
    age = chance.integers(20, 60, 400)
    return pl.DataFrame(
        {
            "age": age,
            "town": chance.choice(list("abcde"), 400, p=[0.4, 0.1, 0.1, 0.3, 0.1]),
            "pay": age * 100 + chance.integers(0, 1000, 400),
            "flu": np.where(chance.random(400) < age / 100, "yes", "no"),
        }
    )


@pytest.fixture(scope="module")
def project() -> Project:
    return project_from_mapping(PROJECT)


@pytest.fixture(scope="module")
def result(people: pl.DataFrame, project: Project) -> Result:
    return anonymize(project, people)


@pytest.fixture(scope="module")
def found(result: Result) -> Utility:
    return kn.utility(result)


def spread(result: Result, people: pl.DataFrame) -> pd.DataFrame:
    """The release as a pandas frame: a row and a weight for every pair of values it may mean."""
    ages = sorted(people["age"].unique().to_list())
    towns = sorted(people["town"].unique().to_list())
    rows = []
    for age, town, pay, flu in result.table.rows():
        low, high = map(int, age.split("-"))
        inside = [a for a in ages if low <= a <= high]
        below = TOWNS.get(town, towns)
        rows += [
            (a, t, float(pay), flu, 1 / len(inside) / len(below))
            for a, t in itertools.product(inside, below)
        ]
    return pd.DataFrame(rows, columns=["age", "town", "pay", "flu", "weight"])


def grouped(frame: pd.DataFrame, found: Utility) -> pd.DataFrame:
    """The same with the groups that the labels of the axes spell."""
    labels = {each.attribute: each.labels for each in found.marginals}
    frame = frame.copy()
    for name in ("age", "pay"):
        starts = [float(label.split()[0]) for label in labels[name][1:]]
        frame[name] = [labels[name][i] for i in np.searchsorted(starts, frame[name], "right")]
    return frame


def shares(frame: pd.DataFrame, by: list[str]) -> pd.Series:
    return frame.groupby(by)["weight"].sum() / frame["weight"].sum()


def test_distances_of_attributes_and_pairs(
    result: Result, people: pl.DataFrame, found: Utility
) -> None:
    original = grouped(pd.DataFrame(people.to_dict(as_series=False)).assign(weight=1.0), found)
    release = grouped(spread(result, people), found)

    def distance(names: list[str]) -> float:
        both = pd.concat([shares(original, names), shares(release, names)], axis=1).fillna(0)
        return float((both.iloc[:, 0] - both.iloc[:, 1]).abs().sum() / 2)

    assert [each.attribute for each in found.marginals] == ["age", "town", "pay", "flu"]
    for each in found.marginals:
        assert each.distance == pytest.approx(distance([each.attribute]))
        expected = shares(release, [each.attribute])
        for label, share in zip(each.labels, each.release, strict=True):
            assert share == pytest.approx(expected.get(label, 0.0))
    assert found.marginals[1].distance > 0.1  # town: uneven before, even within its label
    assert found.marginals[3].distance == 0.0  # flu is published as it is
    assert len(found.pairs) == 6
    assert [p.distance for p in found.pairs] == sorted(p.distance for p in found.pairs)[::-1]
    for pair in found.pairs:
        names = [pair.first, pair.second]
        assert pair.distance == pytest.approx(distance(names))
        for frame, value in (
            (original, pair.original_association),
            (release, pair.release_association),
        ):
            table = frame.pivot_table("weight", *names, "sum", fill_value=0.0)
            table = (table / table.to_numpy().sum()).to_numpy()
            expected = np.outer(table.sum(axis=1), table.sum(axis=0))
            chi = ((table - expected) ** 2 / expected).sum()
            assert value == pytest.approx(np.sqrt(chi / (min(table.shape) - 1)))


def test_means_and_intervals(result: Result, people: pl.DataFrame, found: Utility) -> None:
    original = pd.DataFrame(people.to_dict(as_series=False)).assign(weight=1.0)
    release = spread(result, people)
    assert {each.measure for each in found.means} == {"pay"}
    told = [each for each in found.means if each.by == "town"]
    assert [each.group for each in told] == ["a", "b", "c", "d", "e"]
    for each in told:
        for frame, summary in ((original, each.original), (release, each.release)):
            rows = frame[frame["town"] == each.group]
            mean = float(np.average(rows["pay"], weights=rows["weight"]))
            total = float(rows["weight"].sum())
            squares = np.average((rows["pay"] - mean) ** 2, weights=rows["weight"])
            half = 1.959964 * np.sqrt(squares * total / (total - 1) / total)
            assert summary.records == pytest.approx(total)
            assert summary.mean == pytest.approx(mean)
            assert summary.high - summary.low == pytest.approx(2 * half)
        own = original[original["town"] == each.group]["pay"]
        assert each.original.median == own.median()


def test_overlap_of_intervals() -> None:
    def interval(low: float, high: float) -> Summary:
        return Summary(10, (low + high) / 2, 0, low, high)

    assert interval_overlap(interval(0, 2), interval(0, 2)) == 1
    assert interval_overlap(interval(0, 2), interval(1, 5)) == pytest.approx((1 / 2 + 1 / 4) / 2)
    assert interval_overlap(interval(0, 2), interval(3, 5)) < 0


def test_errors_of_count_queries_are_those_of_a_recount(
    result: Result, people: pl.DataFrame, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every query that is drawn is answered again with pandas, from the original and the cells."""
    from kanon_tui.core.analysis.utility import queries

    drawn: list[list[tuple[str, list[str]]]] = []
    draw = queries._drawn

    def remember(
        quasi: list[str], asked: dict[str, queries._QueriedAttribute], *more: object
    ) -> object:
        query = draw(quasi, asked, *more)
        places = {name: member[asked[name].place] for name, member in query.items()}
        drawn.append(
            [(n, [asked[n].column.values[v] for v in np.flatnonzero(m)]) for n, m in places.items()]
        )
        return query

    monkeypatch.setattr(queries, "_drawn", remember)
    task = result.task
    names = ["age", "town", "pay", "flu"]
    published = PublishedTable(project, replace(task, seed=3), as_table(result.table))
    read = published.read(names)
    monkeypatch.setattr(queries, "MOST_QUERIES", 40)
    found = query_errors(published, names[:2], read)
    assert found == query_errors(published, names[:2], read)
    assert found.queries == 40
    drawn = drawn[: len(drawn) // 2]
    original = pd.DataFrame(people.to_dict(as_series=False)).astype(str)
    weighted = spread(result, people)
    weighted["pay"] = weighted["pay"].astype(int)
    weighted = weighted.astype({"age": str, "pay": str})
    errors = []
    for parts in drawn:
        count = original[np.logical_and.reduce([original[n].isin(v) for n, v in parts])].shape[0]
        hit = np.logical_and.reduce([weighted[n].isin(v) for n, v in parts])
        if count:
            errors.append(abs(weighted[hit]["weight"].sum() - count) / count)
    errors = errors[:40]  # a few more are drawn, as some select nobody
    assert found.median == pytest.approx(np.median(errors))
    assert found.mean == pytest.approx(np.mean(errors))
    assert found.ninetieth == pytest.approx(np.quantile(errors, 0.9))


@pytest.mark.slow
def test_an_unchanged_release_loses_nothing(people: pl.DataFrame, project: Project) -> None:
    loose = replace(
        project,
        privacy=replace(project.privacy, k=1),
        output=replace(project.output, order="input"),  # folds follow the order of the records
    )
    same = anonymize(
        replace(loose, algorithm=replace(loose.algorithm, params={"levels": "age=0,town=0"})),
        people,
    )
    found = kn.utility(same, "flu")
    assert {each.distance for each in (*found.marginals, *found.pairs)} == {0.0}
    assert found.queries is not None
    assert found.queries.ninetieth == pytest.approx(0.0)
    assert {each.overlap for each in found.means} == {1.0}
    assert {each.kept for each in found.learnt} == {1.0}


@pytest.mark.slow
def test_models_learn_what_there_is(result: Result) -> None:
    found = kn.utility(result, "flu")
    assert [each.model for each in found.learnt] == [
        "logistic regression", "random forest", "naive Bayes",
    ]  # fmt: skip
    for each in found.learnt:
        assert each.original.auc is not None
        assert each.original.auc > 0.52
        assert each.original.baseline == pytest.approx(each.release.baseline)
    with pytest.raises(InputError, match="no column 'flue'; did you mean 'flu'"):
        kn.utility(result, "flue")


def test_groups_hold_as_many_as_asked(people: pl.DataFrame) -> None:
    rare = people.with_columns(
        pl.when(pl.int_range(400) < 3).then(pl.lit("rare")).otherwise("town").alias("town"),
        pl.when(pl.int_range(400) == 0).then(10**9).otherwise("pay").alias("pay"),
    )
    table = as_table(rare)
    for name, kind in (
        ("town", Kind.CATEGORICAL),
        ("age", Kind.NUMERIC),
        ("pay", Kind.NUMERIC),
    ):
        axis = groups_of(table.column(name, kind), 15)
        sizes = np.bincount(axis.group_of_value[axis.column.codes])
        assert len(axis.labels) > 3
        assert sizes.min() >= 15
        assert len(sizes) == len(axis.labels)
        assert not any("rare" in label or "1000000000" in label for label in axis.labels)


def test_groups_of_days_and_missing_values() -> None:
    days = pd.date_range("1990-03-05", periods=3000, freq="D").strftime("%Y-%m-%d").tolist()
    table = as_table(pl.DataFrame({"born": [*days, "", ""]}))
    axis = groups_of(table.column("born", Kind.DATE), 300)
    assert axis.labels == (
        "below 1991", "1991 to below 1992", "1992 to below 1993", "1993 to below 1994",
        "1994 to below 1995", "1995 to below 1996", "1996 to below 1997", "1997 or more", "missing",
    )  # fmt: skip
    assert np.bincount(axis.group_of_value[axis.column.codes])[-1] == 2


def test_stars_sets_and_means_are_spread(project: Project, people: pl.DataFrame) -> None:
    task = anonymize(project, people).task
    release = pl.DataFrame(
        {"age": ["*", "35.5"], "town": ["{a|d}", "north"], "pay": ["2500", "3000"],
         "flu": ["yes", "no"]}
    )  # fmt: skip
    found = measure_utility(PublishedTable(project, task, as_table(release)))
    town = dict(zip(found.marginals[1].labels, found.marginals[1].release, strict=True))
    assert town == pytest.approx(
        {"a": (1 / 2 + 1 / 3) / 2, "b": 1 / 6, "c": 1 / 6, "d": 1 / 4, "e": 0}
    )
    assert sum(found.marginals[0].release) == pytest.approx(1)


@pytest.mark.slow
def test_the_census_sample_from_its_project() -> None:
    sample = Project.load(find_sample("census").project)
    found = kn.utility(anonymize(sample))
    assert found.pairs[0].distance > max(each.distance for each in found.marginals) - 1e-12
    assert found.queries is not None
    assert 0 < found.queries.median < 1
