"""The second proof: from data, project and release alone, also of releases that were changed."""

from __future__ import annotations

import json
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
    release = pl.DataFrame({"age": ["[20..21]", "[20..21]", "*", "*"], "ill": [*"prqs"]})
    assert kn.verify(release, made, visits).holds
    same = release.with_columns(ill=pl.lit("p"))
    unclear = kn.verify(same, made, visits.with_columns(ill=pl.lit("p")))
    assert [(check.holds, check.decided) for check in unclear.checks if "people" in check.what] == [
        (False, False)
    ]
    with_l = made.with_(privacy={"k": 2, "l": 2})
    assert [c.decided for c in kn.verify(release, with_l, visits).checks if not c.holds] == [False]


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
