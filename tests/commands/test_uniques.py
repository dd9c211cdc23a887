"""`kanon-tui uniques`: which sets of attributes give people away, in figures alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.command_line import PEOPLE, said


def test_figures_and_no_values(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = said("uniques", "p.yaml", capsys=capsys, code=0)
    assert out.startswith("8 of 8 records are singled out by sets of up to 2 of 2 attributes")
    assert "the smallest sets below k = 2: age, zip" in out
    for line in PEOPLE.splitlines()[1:]:
        name, _, zip_code, *_ = line.split(",")
        assert name not in out
        assert zip_code not in out


def test_json_and_scores(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = json.loads(
        said(
            "uniques", "p.yaml", "--attributes", "sex,flu", "--scores", "s.csv", "--json",
            capsys=capsys, code=0,
        )
    )  # fmt: skip
    assert made["singled_out"] == 1  # one of the women has flu twice over, one of the men alone
    assert made["combinations"][0] == {
        "attributes": ["sex"], "smallest": 4, "unique": 0, "newly_unique": 0,
    }  # fmt: skip
    scores = (here / "s.csv").read_text().splitlines()
    assert scores[0] == "record,score"
    assert len(scores) == 9
    assert "exists" in said("uniques", "p.yaml", "--scores", "s.csv", capsys=capsys)


def test_remedies_are_tried(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    args = ("uniques", "p.yaml", "--remedies")
    found = json.loads(said(*args, "--json", capsys=capsys, code=0))
    assert set(found) == {"exposed", "remedies"}
    printed = said(*args, capsys=capsys, code=0)
    assert "Homogeneity" in printed
    assert "Records with the highest scores" in printed


def test_an_unknown_column_is_one_sentence(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sentence = said("uniques", "p.yaml", "--attributes", "agee", capsys=capsys)
    assert "did you mean 'age'" in sentence
