"""Requirements beyond k on the command line: proven, refused by name, or out of reach."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import polars as pl
import pytest

from tests.commands import command_line

PEOPLE = "age,zip,ill\n31,1,flu\n32,1,flu\n41,2,cold\n42,2,flu\n"
PROJECT = """
data: {path: people.csv}
attributes: {age: {role: quasi}, zip: {role: quasi, kind: categorical}, ill: {role: sensitive}}
privacy: PRIVACY
algorithm: {name: mondrian}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE)
    return tmp_path


def kanon(folder: Path, privacy: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "p.yaml").write_text(PROJECT.replace("PRIVACY", privacy))
    return command_line.kanon(*arguments, folder=folder)


def test_run_proves_what_is_required_and_reports_it(folder: Path) -> None:
    asked = "{k: 2, l: {attribute: ill, distinct: 2}, alpha: {max: 0.8}}"
    done = kanon(folder, asked, "run", "p.yaml", "--out", "r.csv", "--report", "r.json")
    assert done.returncode == 0, done.stderr
    assert "every class has at least 2 distinct values of ill: the worst has 2" in done.stdout
    assert pl.read_csv(folder / "r.csv")["age"].to_list() == ["[31..42]"] * 4
    required = json.loads((folder / "r.json").read_text())["privacy"]["required"]
    assert [(one["model"], one["reached"]) for one in required] == [
        ("l_distinct", 2.0),
        ("alpha", 0.75),
    ]


@pytest.mark.parametrize(
    ("privacy", "code", "why"),
    [
        (
            "{k: 2, l: 3}",
            1,
            "ill: distinct l-diversity of 3 is required, but the whole table has only 2; "
            "require 2 or less",
        ),
        ("{k: 2, l: {attribute: age, distinct: 2}}", 2, "'age', which is no sensitive attribute"),
        ("{k: 2, l: {attribute: ill}}", 2, "p.yaml: privacy.l: the key distinct, entropy or c is"),
        ("{k: 2, alpha: {max: 0.9, values: [hiv]}}", 2, "ill has no such value"),
    ],
)
def test_what_cannot_be_is_one_sentence(privacy: str, code: int, why: str, folder: Path) -> None:
    done = kanon(folder, privacy, "run", "p.yaml", "--out", "r.csv")
    assert done.returncode == code
    assert why in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (folder / "r.csv").exists()


def test_sweep_and_explain_keep_to_it(folder: Path) -> None:
    asked = "{k: 2, p: 2}"
    told = kanon(folder, asked, "explain", "p.yaml").stdout
    assert "Beyond k, every class must have at least 2 distinct values of ill." in told
    assert "with what is required on either side" in told
    told = kanon(folder, asked, "explain", "p.yaml", "--algorithm", "k-member").stdout
    assert "shows fewer than 2 distinct values of ill (1): merge it" in told
    swept = kanon(folder, asked, "sweep", "p.yaml", "--algorithms", "mondrian", "--k", "2,4")
    rows = [line.split() for line in swept.stdout.splitlines() if line.startswith("mondrian")]
    assert [row[5] for row in rows] == ["1", "1"]
