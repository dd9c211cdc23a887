"""`kanon-tui check` on a table that anybody made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.command_line import kanon


def test_check_measures_any_table(folder: Path) -> None:
    (folder / "r.csv").write_text("a,b,s\n1,x,u\n1,x,v\n2,y,u\n2,y,u\n2,y,w\n")
    done = kanon("check", "r.csv", "--quasi", "a,b", "--k", "2", "--json", folder=folder)
    assert done.returncode == 0
    found = json.loads(done.stdout)
    (warning,) = found.pop("warnings")
    assert "k = 2 is small" in warning
    assert found == {
        "records": 5,
        "quasi": ["a", "b"],
        "classes": 2,
        "k": 2,
        "l_distinct": None,
        "l_entropy": None,
        "t": None,
        "p": None,
        "alpha": None,
        "l_recursive": None,
        "t_hierarchy": None,
        "beta": None,
        "beta_enhanced": None,
        "delta": None,
        "risk_max": 0.5,
        "risk_mean": pytest.approx(0.4),
        "reached": True,
        "published": {
            "columns": 3,
            "covered": 2,
            "counted": "records",
            "unique_records": 3,
            "below_k_records": 3,
            "but_sensitive": {"unique_records": 3, "below_k_records": 3},
        },
        "cautions": [
            {
                "about": "all columns",
                "sentence": "k covers 2 of 3 published columns; by all of them 3 of 5 records are "
                "unique",
                "columns": ["s"],
                "severity": "warning",
            }
        ],
    }
    done = kanon(
        *("check", "r.csv", "--quasi", "a,b", "--k", "3", "--sensitive", "s"), folder=folder
    )
    assert done.returncode == 1
    assert "k = 3 is NOT reached" in done.stdout
    assert "distinct l-diversity 2" in " ".join(done.stdout.split())
    (folder / "one.csv").write_text("a,s\n1,u\n1,u\n2,u\n2,v\n")
    done = kanon(
        "check", "one.csv", *["--quasi", "a", "--k", "2", "--sensitive", "s"], folder=folder
    )
    assert "2 people: their class reveals s" in done.stdout


VISITS = "patient_id,age,ill\n" + "".join(
    f"p{i // 3},{'young' if i < 12 else 'old'},{'flu' if i % 3 else 'cold'}\n" for i in range(24)
)


def test_people_are_counted_and_repeated_ones_warned_of(folder: Path) -> None:
    (folder / "v.csv").write_text(VISITS)
    asked = ("check", "v.csv", "--quasi", "age", "--k", "5", "--sensitive", "ill")
    done = kanon(*asked, folder=folder)
    assert done.returncode == 0
    assert "patient_id repeats: 24 rows are 8 people; k counts rows" in done.stdout
    assert "p1" not in done.stdout
    done = kanon(*asked, "--person", "patient_id", "--json", folder=folder)
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert (found["records"], found["people"], found["k"]) == (24, 8, 4)
    assert (found["risk_max"], found["alpha"], found["l_distinct"]) == (0.25, 1.0, 2)
    assert found["disclosed"]["ill"]["revealed"] == 8  # everybody has had the flu
    done = kanon(*asked, "--person", "age", folder=folder)
    assert done.returncode == 2
    assert "'age' names the person" in done.stderr


def test_run_warns_of_repeated_people_and_counts_them_when_told(folder: Path) -> None:
    (folder / "v.csv").write_text(VISITS)
    project = (
        "data: {path: v.csv}\nattributes:\n  patient_id: {role: ROLE}\n"
        "  age: {role: quasi}\n  ill: {role: sensitive}\n"
        "privacy: {k: 5}\nalgorithm: {name: global}\n"
    )
    (folder / "rows.yaml").write_text(project.replace("ROLE", "identifier"))
    done = kanon("run", "rows.yaml", "--report", "r.md", folder=folder)
    said = "patient_id repeats: 24 rows are 8 people; k counts rows"
    assert f"warning: {said}" in done.stdout
    assert said in (folder / "r.md").read_text().replace("\\", "")
    (folder / "people.yaml").write_text(project.replace("ROLE", "person"))
    done = kanon("run", "people.yaml", "--out", "o.csv", "--report", "r.json", folder=folder)
    assert "8 people: their class reveals ill" in done.stdout
    report = json.loads((folder / "r.json").read_text())
    assert report["privacy"]["disclosed"]["ill"]["revealed"] == 8
    assert "repeats" not in done.stdout
    assert "the smallest of 1 class has 24 records of 8 people" in done.stdout
    assert (folder / "o.csv").read_text().splitlines()[0] == "age,ill"
    report = json.loads((folder / "r.json").read_text())
    assert (report["people"], report["privacy"]["k"]) == (8, 8)
