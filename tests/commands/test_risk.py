"""`kanon-tui risk`: three models, a population by size, weights or table; k-map and δ-presence."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from tests.commands.command_line import kanon

ROWS = pd.DataFrame(
    {
        "age": ["20-29"] * 3 + ["30-39"] * 2 + ["40-49"],
        "sex": ["F", "F", "M", "M", "M", "F"],
        "who": ["a", "b", "c", "d", "d", "e"],
        "weight": ["10", "20", "5", "8", "8", "4"],
    }
)


@pytest.fixture
def table(folder: Path) -> Path:
    ROWS.to_csv(folder / "t.csv", index=False)
    return folder


def asked(folder: Path, *more: str) -> dict:
    done = kanon("risk", "t.csv", "--quasi", "age,sex", *more, "--json", folder=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_three_models_without_a_population(table: Path) -> None:
    found = asked(table, "--threshold", "0.6")
    sizes = ROWS.groupby(["age", "sex"])["age"].transform("size")
    assert found["risk"]["prosecutor"] == {
        "highest": pytest.approx((1 / sizes).max()),
        "average": pytest.approx((1 / sizes).mean()),
        "share": pytest.approx((1 / sizes > 0.6).mean()),
    }
    assert found["risk"]["journalist"] == found["risk"]["prosecutor"] == found["risk"]["marketer"]
    assert (found["sample_uniques"], found["population_uniques"]) == (2, None)


def test_a_population_by_size_and_by_weights(table: Path) -> None:
    found = asked(table, "--population", "60")
    assert found["risk"]["journalist"]["highest"] == pytest.approx(0.1)
    assert found["risk"]["prosecutor"]["highest"] == 1
    assert found["population_uniques"]["zayatz"] > 0
    found = asked(table, "--weights", "weight")
    larger = ROWS.astype({"weight": float}).groupby(["age", "sex"])["weight"].transform("sum")
    assert found["population"] == 55
    assert found["risk"]["marketer"]["average"] == pytest.approx((1 / larger).mean())
    people = asked(table, "--person", "who")
    assert (people["people"], people["records"], people["sample_uniques"]) == (5, 6, 3)


def test_a_population_table_gives_k_map_and_presence(table: Path) -> None:
    everybody = pd.DataFrame(
        {
            "age": ["20-29"] * 6 + ["30-39"] * 4 + ["40-49"] * 2 + ["50-59"] * 3,
            "sex": ["F", "F", "F", "F", "M", "M", "M", "M", "M", "F", "F", "F", "F", "F", "M"],
        }
    )
    everybody.to_csv(table / "p.csv", index=False)
    found = asked(table, "--population-table", "p.csv")
    counted = everybody.value_counts()
    mine = ROWS[["age", "sex"]].value_counts()
    both = pd.DataFrame({"f": mine, "F": counted}).dropna()
    assert found["k_map"] == both["F"].min()
    assert found["presence"]["lowest"] == pytest.approx((both["f"] / both["F"]).min())
    assert found["presence"]["highest"] == pytest.approx((both["f"] / both["F"]).max())
    assert found["presence"]["not_covered"] == 4
    done = kanon(
        *("risk", "t.csv", "--quasi", "age,sex", "--population-table", "p.csv", "--k-map", "3"),
        folder=table,
    )
    assert done.returncode == 1
    assert "3-map is NOT reached" in done.stdout


def test_a_release_of_a_project_covers_people(folder: Path) -> None:
    """Ranges and labels count whom they cover."""
    done = kanon("run", "p.yaml", "--out", "r.csv", "--force", folder=folder)
    assert done.returncode == 0, done.stderr
    done = kanon(
        *("risk", "p.yaml", "--release", "r.csv", "--population-table", "people.csv"),
        "--json",
        folder=folder,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["k_map"] >= 2
    assert found["presence"]["not_covered"] == 0
    assert found["risk"]["journalist"]["highest"] <= found["risk"]["prosecutor"]["highest"]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (("t.csv",), "name its quasi-identifiers"),
        (("t.csv", "--quasi", "age,sxe"), "sxe"),
        (("t.csv", "--quasi", "age", "--population", "3"), "the population has 3 people"),
        (("t.csv", "--quasi", "age", "--weights", "wait"), "no column 'wait'"),
        (("t.csv", "--quasi", "age", "--k-map", "3"), "--population-table"),
        (("p.yaml", "--quasi", "age"), "a project says itself which role"),
    ],
)
def test_refused(table: Path, given: tuple[str, ...], says: str) -> None:
    done = kanon("risk", *given, folder=table)
    assert done.returncode == 2
    assert says in done.stderr
