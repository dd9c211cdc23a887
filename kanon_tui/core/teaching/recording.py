"""A run that was recorded decision by decision, to be played afterwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kanon_tui.core.errors import KanonError
from kanon_tui.core.pipeline.result import conclude, start
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.pipeline.timeline import MOST_KEPT, Timeline
from kanon_tui.core.project.project import Project
from kanon_tui.core.task.steps import RunContext
from kanon_tui.core.task.task import Task
from kanon_tui.core.teaching.picture_registry import new_timeline
from kanon_tui.core.text import count_of

__all__ = ["Recording", "record"]


@dataclass(frozen=True, eq=False)
class Recording:
    """The steps of a run and how it ended."""

    run: Run
    timeline: Timeline
    end: str
    """The release in a sentence, or why there is none."""


def record(
    project: Project, task: Task, abandoned: Callable[[], bool] = lambda: False
) -> Recording:
    """Run to the end, keeping every decision; of very many the first, and the rest at once."""
    context = RunContext(decisions_per_step=1, watched=True)
    run = start(project, task=task, context=context)
    timeline = new_timeline(run.algorithm)
    try:
        for step in run:
            if timeline.last < MOST_KEPT:
                timeline.add(step)
            else:
                context.decisions_per_step, context.watched = MOST_KEPT, False
            if abandoned():
                run.cancel()
        measures = conclude(run, project).measures
    except KanonError as error:
        return Recording(run, timeline, str(error))
    end = (
        f"{count_of(measures.classes, 'class', 'classes')}, NCP {measures.ncp:.4f}, RV "
        f"{measures.rv:.4f}, {count_of(measures.suppressed_records, 'record')} suppressed"
    )
    return Recording(run, timeline, end)
