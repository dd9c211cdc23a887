"""An algorithm of another package, as docs/add-an-algorithm.md writes it, is found everywhere."""

from __future__ import annotations

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


def install(folder: Path, entries: str, **modules: str) -> None:
    """Put a distribution with modules and entry points into a folder."""
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    info = folder / "toys-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toys\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text(f"[kanon_tui.algorithms]\n{entries}\n")


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
