"""The second proof: from data, project and release alone, also of releases that were changed."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import kanon_tui as kn
from kanon_tui.core.algorithms import ALGORITHMS
from tests.commands.command_line import kanon

ROWS = [
    (f"p{i}", 20 + i % 13, "FM"[i % 2], ("46201", "46202", "46300", "46310")[i % 4], "abc"[i % 3])
    for i in range(60)
]
DATA = pl.DataFrame(ROWS, schema=["name", "age", "sex", "zip", "ill"], orient="row")
PROJECT: dict[str, Any] = {
    "data": {"path": "data.csv"},
    "attributes": {
        "name": {"role": "identifier"},
        "age": {"role": "quasi", "kind": "numeric"},
        "sex": {"role": "quasi", "kind": "categorical"},
        "zip": {"role": "quasi", "kind": "categorical", "hierarchy": {"builder": "mask"}},
        "ill": {"role": "sensitive", "kind": "categorical"},
    },
    "privacy": {"k": 4, "l": {"distinct": 2}},
    "algorithm": {"name": "mondrian"},
}


def project(folder: Path, **changed: Any) -> kn.Project:
    DATA.write_csv(folder / "data.csv")
    (folder / "p.yaml").write_text(json.dumps(PROJECT | changed))
    return kn.Project.load(folder / "p.yaml")


def failing(proof: Any) -> list[str]:
    return [check.what for check in proof.checks if not check.holds]


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_makes_a_release_that_is_proven(name: str, tmp_path: Path) -> None:
    made = project(tmp_path, algorithm={"name": name})
    result = kn.anonymize(made)
    proof = kn.verify(result.table, made)
    assert failing(proof) == []
    assert proof.k == result.report["smallest_class"]
    assert (proof.records, proof.classes) == (result.table.height, result.report["classes"])


def test_what_was_changed_afterwards_is_found(tmp_path: Path) -> None:
    made = project(tmp_path)
    table = kn.anonymize(made).table.cast(pl.String)
    first = table.row(0, named=True)
    small = table.filter(pl.struct("age", "sex", "zip").len().over("age", "sex", "zip") == 4)

    def found(changed: pl.DataFrame, data: pl.DataFrame | None = None) -> str:
        proof = kn.verify(changed, made, data)
        assert not proof.holds
        return "; ".join(failing(proof))

    assert "columns" in found(table.with_columns(name=pl.lit("p1")))
    assert "columns" in found(table.drop("zip"))
    assert "columns" in found(table.drop("ill"))
    assert found(table.reverse()) == "the rows stand in the order of their cells"
    assert "record of the data" in found(pl.concat([table, table.head(30)]))
    assert "record of the data" in found(table, DATA.head(40))
    others = [value for value in "abc" if value != first["ill"]]
    ages = pl.Series("age", [first["age"], *["[20..20]"] * (table.height - 1)])
    assert "record of the data" in found(table.with_columns(ages))
    assert "k = 4" in found(table.slice(1) if small.is_empty() else table.head(1))
    one_value = table.with_columns(ill=pl.lit(others[0]))
    assert "distinct values of ill" in found(one_value)


def test_people_are_traced_back_where_that_is_possible(tmp_path: Path) -> None:
    """Ten people with six records each; a class of six rows may be one person."""
    visits = DATA.with_columns(name=pl.Series([f"p{i // 6}" for i in range(60)]))
    roles = PROJECT["attributes"] | {"name": {"role": "person"}}
    made = project(tmp_path, attributes=roles, algorithm={"name": "global"}, privacy={"k": 2})
    visits.write_csv(tmp_path / "data.csv")
    result = kn.anonymize(made)
    proof = kn.verify(result.table, made)
    assert failing(proof) == []
    assert proof.classes > 1


def test_people_are_counted_where_classes_overlap() -> None:
    """Two people with two records each; both classes cover all, what is beside tells whose rows."""
    visits = pl.DataFrame({"who": [*"aabb"], "age": [20, 20, 21, 21], "ill": [*"pqrs"]})
    made = kn.Project.from_dict({
        "data": {"path": "visits.csv"},
        "attributes": {
            "who": {"role": "person"},
            "age": {"role": "quasi", "kind": "numeric"},
            "ill": {"role": "sensitive"},
        },
        "privacy": {"k": 2},
        "algorithm": {"name": "k-member"},
    })  # fmt: skip
    release = pl.DataFrame({"age": ["*", "*", "[20..21]", "[20..21]"], "ill": [*"qspr"]})
    assert kn.verify(release, made, visits).holds
    same = release.with_columns(ill=pl.lit("p"))
    unclear = kn.verify(same, made, visits.with_columns(ill=pl.lit("p")))
    assert [(check.holds, check.decided) for check in unclear.checks if "people" in check.what] == [
        (False, False)
    ]
    with_l = made.with_(privacy={"k": 2, "l": 2})
    assert [c.decided for c in kn.verify(release, with_l, visits).checks if not c.holds] == [False]


def test_any_order_is_that_of_a_project_that_does_not_sort(tmp_path: Path) -> None:
    for order in ("input", "shuffled"):
        made = project(tmp_path, output={"order": order})
        assert kn.verify(kn.anonymize(made).table.reverse(), made).holds


def test_rows_are_in_order_within_the_folders_of_a_release(tmp_path: Path) -> None:
    made = project(tmp_path)
    kn.anonymize(made).write(tmp_path / "release", partition_by=("sex", "zip"))
    assert failing(kn.verify(tmp_path / "release", made)) == []
    parts = sorted((tmp_path / "release").rglob("*.parquet"))
    largest = max(parts, key=lambda part: part.stat().st_size)
    pl.read_parquet(largest, hive_partitioning=False).reverse().write_parquet(largest)
    assert failing(kn.verify(tmp_path / "release", made)) == [
        "the rows stand in the order of their cells"
    ]


def test_a_file_with_another_table_is_not_proven(tmp_path: Path) -> None:
    made = project(tmp_path)
    kn.anonymize(made).write(tmp_path / "r.sqlite")
    assert kn.verify(tmp_path / "r.sqlite", made).holds
    with closing(sqlite3.connect(tmp_path / "r.sqlite")) as database:
        database.execute("CREATE TABLE secret AS SELECT 'Ann' AS name")
        database.commit()
    proof = kn.verify(tmp_path / "r.sqlite", made)
    assert [check.found for check in proof.checks if not check.holds] == [
        "'secret' in the same file must not be published"
    ]


@pytest.mark.parametrize("ending", [".dta", ".sav"])
def test_names_may_be_those_of_statistics_programs(ending: str, tmp_path: Path) -> None:
    roles = {name: PROJECT["attributes"][name] for name in ("age", "sex", "ill")}
    renamed = {"zip": "post code", "name": "post-code"}
    roles |= {"post code": PROJECT["attributes"]["zip"], "post-code": {"role": "other"}}
    made = project(tmp_path, attributes=roles, data={"path": "data.csv", "rename": renamed})
    kn.anonymize(made).write(tmp_path / f"r{ending}")
    assert failing(kn.verify(tmp_path / f"r{ending}", made)) == []


def test_frames_and_releases_are_proven_however_the_file_wrote_numbers(tmp_path: Path) -> None:
    made = project(tmp_path, attributes=PROJECT["attributes"] | {"pay": {"role": "other"}})
    pays = pl.Series("pay", ["1.50", "1.5", "20.0", "3", "100", "-0.10"] * 10)
    DATA.with_columns(pays).write_csv(tmp_path / "data.csv")
    release = kn.anonymize(made)
    assert release.table["pay"].dtype.is_float()
    for shown in (release, release.table, release.to_pandas()):
        assert failing(kn.verify(shown, made)) == []
    other = release.table.with_columns(pl.col("pay") + 1)
    assert "record of the data" in "; ".join(failing(kn.verify(other, made)))
    assert kn.check(release, ["age", "sex", "zip"], k=4)["reached"]


def test_the_command_says_what_holds(tmp_path: Path) -> None:
    made = project(tmp_path, output={"formulas": "escape"})
    kn.anonymize(made).write(tmp_path / "r.csv")
    done = kanon("verify", "r.csv", "--project", "p.yaml", folder=tmp_path)
    assert (done.returncode, "is proven" in done.stdout) == (0, True)
    DATA.write_csv(tmp_path / "copy.csv")
    (tmp_path / "data.csv").unlink()
    asked = ("verify", "r.csv", "--project", "p.yaml", "--data", "copy.csv", "--json")
    done = kanon(*asked, folder=tmp_path)
    assert json.loads(done.stdout)["holds"] is True
    table = pl.read_csv(tmp_path / "r.csv", infer_schema=False)
    table.head(5).write_csv(tmp_path / "r.csv")
    done = kanon(*asked, folder=tmp_path)
    assert done.returncode == 1
    assert not json.loads(done.stdout)["holds"]
    done = kanon("verify", "none.csv", "--project", "p.yaml", folder=tmp_path)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
