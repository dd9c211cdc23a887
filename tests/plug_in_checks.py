"""Where an algorithm of a plug-in is found; `test_plug_ins.py` runs this beside the plug-in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import kanon_tui as kn
from benchmarks.growth import ORDER
from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.analysis.recommend import recommend
from kanon_tui.core.clustering.clustering import Clustering
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import start
from kanon_tui.core.pipeline.trial import preflight
from kanon_tui.core.project.project import AlgorithmChoice, Project
from kanon_tui.core.task.task import RunContext, Steps, Task
from kanon_tui.core.teaching.picture import Drawing, Scene
from kanon_tui.core.teaching.picture_registry import new_timeline, pictures_of
from kanon_tui.core.teaching.pseudo_code import Code
from kanon_tui.screens.run.screen import of_algorithm
from tests.core.fields.reference_tables import algorithm_table, parameter_rows
from tests.paths import SAMPLES

NAME = "runs-of-k"


@dataclass(frozen=True)
class Silent(Clustering):
    """Declares nothing but what every algorithm must, and gives no facts to pictures."""

    name: ClassVar[str] = "silent"
    title: ClassVar[str] = "Silent"
    paper: ClassVar[str] = "none"
    summary: ClassVar[str] = "One class"

    def steps(self, task: Task, context: RunContext) -> Steps:
        """Take the steps of the plug-in."""
        return ALGORITHMS[NAME]().steps(task, replace(context, watched=False))


def drawn(project: Project, name: str) -> dict[str, str]:
    """Return the pictures at the end of a run, by name."""
    asked = replace(project, algorithm=AlgorithmChoice(name))
    run = start(asked, context=RunContext(1, watched=True))
    timeline = new_timeline(run.algorithm)
    for step in run:
        timeline.add(step)
    scene = Scene(run.task, run.algorithm, timeline, timeline.last)
    drawings: list[Drawing] = [*pictures_of(run.algorithm), Code()]
    return {each.name: each.draw(scene, 60, 20).plain() for each in drawings}


def main() -> None:
    """Look for the plug-in everywhere."""
    algorithm = ALGORITHMS[NAME]
    project = Project.load(SAMPLES / "mondrian" / "project.yaml")
    project = replace(project, algorithm=AlgorithmChoice(NAME, {"descending": True}))
    assert NAME in ORDER, "benchmarks"
    assert NAME in {one["name"] for one in kn.algorithms()}, "catalogue"
    assert "descending" in {field.name for field in of_algorithm(project)[0]}, "form"
    assert f"`{NAME}`: `descending`" in {row[0] for row in parameter_rows()}, "parameters in docs"
    assert algorithm.summary in algorithm_table(algorithm.family), "algorithms in docs"
    assert preflight(project, prepare(project), algorithm).facts, "estimates"
    (point,) = kn.sweep(project, [NAME], ks=[2])
    assert point.error is None, "sweep"

    pictures = drawn(project, NAME)
    assert list(pictures)[:2] == ["map", "progress"]
    assert "0 below" in pictures["map"]
    assert "▸ cut after every k records" in pictures["pseudo-code"]
    ALGORITHMS["silent"] = Silent
    assert all(drawn(project, "silent").values()), "pictures of a run without facts"

    one_attribute = prepare(Project.load("one.yaml"))
    assert not algorithm.wishes(prepare(project))
    advised = {each.algorithm for each in recommend(one_attribute)}
    assert NAME in advised, f"advice: {advised}"


if __name__ == "__main__":
    main()
