"""The contents page: which pictures every algorithm has, and what they are made from."""

from __future__ import annotations

from kanon_tui.core.pipeline.live import LiveRun
from kanon_tui.core.pipeline.result import start
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.pipeline.timeline import Timeline
from kanon_tui.core.project.project import Project
from kanon_tui.core.task.steps import Algorithm, Family, RunContext
from kanon_tui.core.task.task import Task
from kanon_tui.core.teaching.charts import ClassSizes, Curve
from kanon_tui.core.teaching.cluster_table import ClusterTable
from kanon_tui.core.teaching.clustering_state import ClusteringState
from kanon_tui.core.teaching.cut_diagram import CutDiagram
from kanon_tui.core.teaching.cut_tree import CutTree
from kanon_tui.core.teaching.distance_table import DistanceTable
from kanon_tui.core.teaching.full_domain_state import FullDomainState
from kanon_tui.core.teaching.lattice import LatticePicture
from kanon_tui.core.teaching.level_bars import DistinctCounts, PointerBars
from kanon_tui.core.teaching.merge_tree import MergeTree
from kanon_tui.core.teaching.part_table import PartTable
from kanon_tui.core.teaching.picture import Drawing
from kanon_tui.core.teaching.sorted_list import SortedList
from kanon_tui.core.teaching.sorted_records import SortedRecords
from kanon_tui.core.teaching.string_counts import StringCounts

__all__ = ["PICTURES", "new_timeline", "pictures_of", "watched", "watched_run"]

EVERY_DECISION = 1_000
"""Records of the largest table of which also a run at full speed keeps every single decision."""

PICTURES: dict[str, tuple[type[Drawing], ...]] = {
    "global": (LatticePicture, SortedList, StringCounts),
    "hybrid": (LatticePicture, SortedList, PointerBars, StringCounts),
    "local": (PointerBars, LatticePicture),
    "distributed": (PartTable, LatticePicture, SortedList),
    "incognito": (LatticePicture, StringCounts),
    "datafly": (DistinctCounts, LatticePicture),
    "mondrian": (CutDiagram, CutTree),
    "top-down": (CutDiagram, CutTree),
    "k-member": (ClusterTable, DistanceTable),
    "gcka": (ClusterTable, DistanceTable),
    "bottom-up": (ClusterTable, MergeTree),
    "euclidean": (ClusterTable, MergeTree),
    "udc": (ClusterTable, MergeTree),
    "udc-suppress": (ClusterTable, MergeTree),
    "sbc": (SortedRecords, ClusterTable, DistanceTable),
    "sd": (SortedRecords, ClusterTable, DistanceTable),
}
"""Those of an algorithm alone, the first one shown first; all have the two at the end too."""


def pictures_of(algorithm: str) -> list[Drawing]:
    """The pictures of an algorithm, ready to be drawn."""
    of_all: tuple[type[Drawing], ...] = ClassSizes, Curve
    return [make() for make in (*PICTURES.get(algorithm, ()), *of_all)]


def new_timeline(algorithm: Algorithm | type[Algorithm]) -> Timeline:
    """A timeline that keeps what the pictures of an algorithm are drawn from."""
    full_domain = algorithm.family is Family.FULL_DOMAIN
    return Timeline(FullDomainState if full_domain else ClusteringState)


def watched_run(project: Project, task: Task, *, paused: bool = False) -> LiveRun:
    """A run with all that its pictures need; one that waits goes on at a decision a second."""
    return watched(start(project, task=task, context=RunContext(watched=True)), paused=paused)


def watched(run: Run, *, paused: bool = False) -> LiveRun:
    """The same of a run whose steps carry what pictures are drawn from."""
    timeline, small = new_timeline(run.algorithm), run.task.n <= EVERY_DECISION
    live = LiveRun(run, paused=paused, timeline=timeline, every_decision=small)
    if paused:
        live.set_speed(1)
    return live
