"""Recorded runs of the papers' samples, decision by decision."""

from __future__ import annotations

from functools import cache

from kanon_tui.core.pipeline.run import Run, start
from kanon_tui.core.pipeline.timeline import Timeline
from kanon_tui.core.project.project import Project, with_overrides
from kanon_tui.core.project.samples import find_sample
from kanon_tui.core.task.task import RunContext
from kanon_tui.core.teaching.picture import Drawing, Scene
from kanon_tui.core.teaching.picture_registry import new_timeline

NARROW, MIDDLE, WIDE = (42, 15), (62, 31), (84, 36)
"""The room that a picture has at 80×24, 120×40 and 160×45."""
SIDE = 32, 15
"""The room beside it at 80×24."""


@cache
def recorded(sample: str, algorithm: str, k: int | None = None) -> tuple[Run, Timeline]:
    """A run of a sample to its end, with all its steps."""
    project = with_overrides(Project.load(find_sample(sample).project), algorithm=algorithm, k=k)
    run = start(project, context=RunContext(decisions_per_step=1, watched=True))
    timeline = new_timeline(run.algorithm)
    for step in run:
        timeline.add(step)
    return run, timeline


def scene(sample: str, algorithm: str, number: int, k: int | None = None) -> Scene:
    """A step of a sample's run; negative numbers count from the end."""
    run, timeline = recorded(sample, algorithm, k)
    number = number if number > 0 else timeline.last + 1 + number
    return Scene(run.task, run.algorithm, timeline, number)


def drawn(
    drawing: Drawing, sample: str, algorithm: str, number: int, room: tuple[int, int] = NARROW
) -> str:
    """A picture without its colours."""
    return drawing.draw(scene(sample, algorithm, number), *room).plain()


def number_of(sample: str, algorithm: str, text: str) -> int:
    """The first step with a text in its sentence."""
    _, timeline = recorded(sample, algorithm)
    return next(n for n, step in timeline.steps(1, timeline.last) if text in step.sentence)
