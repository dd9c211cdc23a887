"""The pictures by name, and the timelines with their facts."""

from kanon_tui.core.pipeline.live import LiveRun
from kanon_tui.core.pipeline.run import Run, start
from kanon_tui.core.pipeline.timeline import Timeline
from kanon_tui.core.project.project import Project
from kanon_tui.core.task.task import Algorithm, Family, RunContext, Task
from kanon_tui.core.teaching.clusters import RecordMap, Tree
from kanon_tui.core.teaching.cockpit import Cockpit
from kanon_tui.core.teaching.lattice import LatticePicture
from kanon_tui.core.teaching.picture import Drawing
from kanon_tui.core.teaching.run_states import ClusteringState, FullDomainState

EVERY_DECISION = 1_000
"""The largest table, in records, of which a run at full speed keeps every single decision."""

PICTURES: dict[str, type[Drawing]] = {
    drawing.name: drawing for drawing in (LatticePicture, RecordMap, Tree, Cockpit)
}
"""The pictures that an algorithm can name in `Algorithm.pictures`."""


def pictures_of(algorithm: Algorithm | type[Algorithm]) -> list[Drawing]:
    """Return new drawings of an algorithm's own pictures, then the cockpit that every run has."""
    drawings = [PICTURES[name]() for name in algorithm.pictures if name in PICTURES]
    return [*drawings, Cockpit()]


def new_timeline(algorithm: Algorithm | type[Algorithm]) -> Timeline:
    """Return a timeline that keeps the facts for the pictures of an algorithm."""
    full_domain = algorithm.family is Family.FULL_DOMAIN
    return Timeline(FullDomainState if full_domain else ClusteringState)


def watched_run(project: Project, task: Task, *, paused: bool = False) -> LiveRun:
    """Return a run whose steps have the facts for pictures.

    One that waits goes on at a decision a second.
    """
    return watched(start(project, task=task, context=RunContext(watched=True)), paused=paused)


def watched(run: Run, *, paused: bool = False) -> LiveRun:
    """Return a live run of a run whose steps have the facts for pictures."""
    timeline = new_timeline(run.algorithm)
    small = run.task.n <= EVERY_DECISION
    live = LiveRun(run, paused=paused, timeline=timeline, every_decision=small)
    if paused:
        live.set_speed(1)
    return live
