"""Algorithms and privacy models of other packages are found everywhere."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.command_line import ENVIRONMENT, PATIENCE, PEOPLE, PROJECT
from tests.paths import ROOT

PAGE = (ROOT / "docs" / "add-an-algorithm.md").read_text(encoding="utf-8")
CLASS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[0]


def install(
    folder: Path, entries: str, group: str = "kanon_tui.algorithms", **modules: str
) -> None:
    """Put a distribution with modules and entry points into a folder."""
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    info = folder / "toys-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toys\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text(f"[{group}]\n{entries}\n")


def python(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(ROOT), str(folder)])
    return subprocess.run(
        [sys.executable, *args],
        cwd=folder,
        env={**ENVIRONMENT, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "people.yaml").write_text(PROJECT)
    (tmp_path / "one.csv").write_text("age\n" + "".join(f"{age}\n" for age in range(20, 40)))
    (tmp_path / "one.yaml").write_text("{data: {path: one.csv}, attributes: {age: {role: quasi}}}")
    return tmp_path


@pytest.mark.slow
def test_an_algorithm_of_one_file_is_found_everywhere(folder: Path) -> None:
    install(folder, "runs-of-k = toy:RunsOfK", toy=CLASS)
    done = python(folder, "-m", "tests.plug_in_checks")
    assert done.returncode == 0, done.stderr
    listed = python(folder, "-m", "kanon_tui", "algorithms")
    assert "runs-of-k  (clustering)" in listed.stdout
    assert "--set descending=false" in listed.stdout
    run = python(folder, "-m", "kanon_tui", "run", "people.yaml", "--algorithm", "runs-of-k")
    assert run.returncode == 0, run.stderr


BROKEN = {
    "missing": ("missing = nowhere:Class", "nowhere"),
    "number": ("number = toy:NUMBER", "no subclass of Algorithm"),
    "other": ("other = toy:RunsOfK", "has the name 'runs-of-k'"),
    "bare": ("bare = toy:Bare", "paper"),
    "mondrian": ("mondrian = toy:Mondrian", "already"),
}


@pytest.mark.slow
def test_a_broken_plug_in_is_one_sentence_and_the_others_are_there(folder: Path) -> None:
    more = """
NUMBER = 3

@dataclass(frozen=True)
class Bare(Clustering):
    name = "bare"
    def steps(self, task, context): ...

class Mondrian(RunsOfK):
    name = "mondrian"
"""
    install(folder, "\n".join(entry for entry, _ in BROKEN.values()), toy=CLASS + more)
    listed = python(folder, "-m", "kanon_tui", "algorithms")
    assert listed.returncode == 0
    assert "k-member  (clustering)" in listed.stdout
    for name, (_, reason) in BROKEN.items():
        (line,) = [line for line in listed.stderr.splitlines() if f"'{name}'" in line]
        assert "toys 1.2" in line
        assert reason in line
    run = python(folder, "-m", "kanon_tui", "run", "people.yaml", "--algorithm", "number")
    assert run.returncode != 0
    assert "toys 1.2" in run.stderr
    assert "Traceback" not in run.stderr
    assert len(run.stderr.splitlines()) == 1


MODELS = "kanon_tui.privacy_models"
MINORITY = '''
import numpy as np
import polars as pl
from kanon_tui.core.fields.declaration import whole_number
from kanon_tui.core.privacy.model import PrivacyModel
from kanon_tui.core.privacy.shares import highest_shares

class Minority(PrivacyModel):
    """At least so many records besides those of the most frequent value."""
    key = name = "minority"
    bound_key, example, letter, title = "min", 2, "m", "minority"
    report_meaning = "fewest records of other values in a class"
    at_least, monotone, digits, loosest = True, True, 0, 0.0
    bound_type = whole_number(low=1)
    help = "Every class has at least so many records of other values"
    condition = "a minority of {bound} records in {attribute}"
    violation = "a minority of fewer than {bound} records in {attribute}"

    def figures(self, groups, column):
        return np.round(groups.sizes * (1 - highest_shares(groups)))

    @staticmethod
    def proof(held, claim):
        records = pl.col("records")
        rest = held.group_by("class").agg(figure=records.sum() - records.max())
        return rest["figure"].cast(pl.Float64).to_numpy() - LIE

LIE = 0

class Unproven(Minority):
    key = name = "unproven"
    proof = None
'''
FORM = """
from kanon_tui.core.privacy.models import MODELS
from kanon_tui.screens.run import screen
import kanon_tui as kn
print([m.form_field().name for m in MODELS.values()][-1])
project = kn.Project.load("people.yaml").with_(minority=1)
print(project.privacy.requirements[0].short)
print(kn.anonymize(project).report["privacy"]["required"][0]["proof"])
"""


@pytest.mark.slow
def test_a_privacy_model_of_another_package_brings_its_own_proof(folder: Path) -> None:
    install(folder, "minority = toy:Minority\nunproven = toy:Unproven", MODELS, toy=MINORITY)
    asked = PROJECT.replace("k: 2", "k: 2, minority: {attribute: flu, min: 1}")
    (folder / "minority.yaml").write_text(asked)
    run = python(folder, "-m", "kanon_tui", "run", "minority.yaml", "--report", "r.md",
                 "--out", "r.csv")  # fmt: skip
    assert run.returncode == 0, run.stderr
    report = (folder / "r.md").read_text()
    assert "proven by a formula of toys 1.2, not of Kanon" in report
    checked = python(folder, "-m", "kanon_tui", "check", "r.csv", "--quasi", "age,zip", "--k",
                     "2", "--sensitive", "flu", "--json")  # fmt: skip
    assert json.loads(checked.stdout)["minority"] >= 1
    shown = python(folder, "-c", FORM)
    assert shown.stdout.split() == ["minority", "m≥1", "toys", "1.2"], shown.stderr
    proven = python(folder, "-m", "kanon_tui", "verify", "r.csv", "--project", "minority.yaml")
    assert proven.returncode == 0, proven.stderr
    (folder / "unproven.yaml").write_text(PROJECT.replace("k: 2", "k: 2, unproven: 1"))
    refused = python(folder, "-m", "kanon_tui", "run", "unproven.yaml")
    assert refused.returncode == 2
    assert "toys 1.2" in refused.stderr
    assert "no second formula" in refused.stderr
    (folder / "toy.py").write_text(MINORITY.replace("LIE = 0", "LIE = 9"))
    unproven = python(folder, "-m", "kanon_tui", "run", "minority.yaml", "--out", "n.csv")
    assert unproven.returncode == 1
    assert "does not verify" in unproven.stderr
    assert not (folder / "n.csv").exists()
