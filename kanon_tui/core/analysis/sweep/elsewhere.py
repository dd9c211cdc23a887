"""The points of a sweep as jobs, for the workers of a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kanon_tui.core.analysis.sweep.sweep import Sweep, SweepPoint
from kanon_tui.core.processes.workers import Workers
from kanon_tui.core.project.project import Project
from kanon_tui.core.task.task import Task

__all__ = ["points_by", "sweep_point"]


def points_by(workers: Workers, sweep: Sweep) -> Iterator[SweepPoint]:
    """The figures of all points, in the order asked for; groupings stay where they were found."""
    jobs = [(name, k) for name in sweep.algorithms for k in sweep.ks]
    yield from workers.each(sweep_point, (sweep.project, sweep.task), jobs)


def sweep_point(shared: tuple[Project, Task], algorithm: str, k: int) -> SweepPoint:
    """One point, in one thread."""
    (point,) = Sweep(*shared, [algorithm], [k], workers=1)
    return replace(point, grouping=None)
