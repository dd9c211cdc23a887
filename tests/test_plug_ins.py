"""An algorithm of another package, as docs/add-an-algorithm.md writes it, is found everywhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.command_line import ENVIRONMENT, PATIENCE, PEOPLE, PROJECT
from tests.paths import ROOT, SAMPLES

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


CHECKS = f'''
from dataclasses import replace

import kanon_tui as kn
from benchmarks.growth import ORDER
from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.analysis.recommend import recommend
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.preflight import preflight
from kanon_tui.core.pipeline.result import start
from kanon_tui.core.project.project import AlgorithmChoice, Project
from kanon_tui.core.task.steps import RunContext
from kanon_tui.core.teaching.picture import Scene
from kanon_tui.core.teaching.picture_registry import new_timeline, pictures_of
from kanon_tui.core.teaching.pseudo_code import Code
from kanon_tui.core.teaching.glossary import terms_of
from kanon_tui.screens.run.setup import of_algorithm
from tests.core.fields.reference_tables import algorithm_table, parameter_rows

name = "runs-of-k"
toy = ALGORITHMS[name]
project = Project.load("{SAMPLES / "mondrian" / "project.yaml"}")
project = replace(project, algorithm=AlgorithmChoice(name, {{"descending": True}}))
assert name in ORDER, "benchmarks"
assert name in {{one["name"] for one in kn.algorithms()}}, "catalogue"
assert "descending" in {{field.name for field in of_algorithm(project)[0]}}, "form"
assert f"`{{name}}`, `descending`" in {{row[0] for row in parameter_rows()}}, "docs: parameters"
assert toy.summary in algorithm_table(toy.family), "docs: algorithms"
assert preflight(project, prepare(project), toy).facts
(point,) = kn.sweep(project, [name], ks=[2])
assert point.error is None and point.ncp is not None, "sweep"

run = start(project, context=RunContext(1, watched=True))
timeline = new_timeline(run.algorithm)
for step in run:
    timeline.add(step)
scene = Scene(run.task, run.algorithm, timeline, timeline.last)
drawings = pictures_of(run.algorithm)
assert [drawing.name for drawing in drawings] == ["clusters", "class sizes", "curve"], "pictures"
drawn = [drawing.draw(scene, 60, 20).plain() for drawing in drawings]
assert "0 below" in drawn[0], "clusters"
assert "▸ cut after every k records" in Code().draw(scene, 60, 20).plain(), "pseudo-code"
assert "cluster" in terms_of(toy), "glossary"

task = run.task
one = prepare(Project.load("one.yaml"))
advised = {{each.algorithm for each in recommend(one, budget=0.05)}}
assert toy.wishes(one) and not toy.wishes(task)
assert name in advised, f"advice: {{advised}}"

class Silent(toy):  # declares nothing but what it must, and tells no facts
    name, title, pictures, pseudo_code = "silent", "Silent", (), ()
ALGORITHMS["silent"] = Silent
quiet = start(replace(project, algorithm=AlgorithmChoice("silent")), context=RunContext(1))
timeline = new_timeline(quiet.algorithm)
for step in quiet:
    timeline.add(step)
scene = Scene(quiet.task, quiet.algorithm, timeline, timeline.last)
for drawing in [*pictures_of(quiet.algorithm), Code()]:
    assert drawing.draw(scene, 60, 20).plain()
'''


@pytest.mark.slow
def test_an_algorithm_of_one_file_is_found_everywhere(folder: Path) -> None:
    install(folder, "runs-of-k = toy:RunsOfK", toy=CLASS)
    done = python(folder, "-c", CHECKS)
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
