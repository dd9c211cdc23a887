"""What every merging and splitting algorithm must do, whatever it is that it optimises."""

from __future__ import annotations

import numpy as np

from kanon_tui.core.pipeline.run import Run, RunStep
from kanon_tui.core.privacy.verify import verify
from kanon_tui.core.release.recode import Release, recode
from kanon_tui.core.task.task import Algorithm, Grouping, RunContext, Task

Clusters = list[list[int]]


def grouping_of(task: Task, algorithm: Algorithm, *paces: int) -> Grouping:
    """What the algorithm decides when the pace changes from step to step, the last one staying."""
    run = Run(task, algorithm)
    for pace in paces:
        run.context.decisions_per_step = pace
        next(run, None)
    grouping = run.finish()
    assert grouping is not None
    return grouping


def clusters_of(grouping: Grouping) -> Clusters:
    """The records of every group, in the order of the labels."""
    labels = grouping.labels
    return [np.flatnonzero(labels == label).tolist() for label in range(labels.max() + 1)]


def sorted_clusters(clusters: Clusters) -> Clusters:
    return [sorted(cluster) for cluster in clusters]


def released(task: Task, grouping: Grouping) -> Release:
    """The release, verified from its printed cells."""
    release = recode(task, grouping)
    names = [attribute.name for attribute in task.quasi]
    assert verify(release.frame, names, [], task.k) >= task.k
    return release


def steps_of(task: Task, algorithm: Algorithm) -> list[RunStep]:
    """Every decision as a step of its own."""
    return list(Run(task, algorithm, RunContext(1)))


def check_shape(task: Task, algorithm: Algorithm) -> None:
    """The release verifies, any pace gives the same, equal records stay together."""
    grouping = grouping_of(task, algorithm)
    release = released(task, grouping)
    for paces in ((1,), (1, 3, 1, 10_000)):
        again = grouping_of(task, algorithm, *paces)
        assert again.labels.tolist() == grouping.labels.tolist()
        assert again.search == grouping.search
    rows = {}
    for i, row in enumerate(zip(*(a.column.codes.tolist() for a in task.quasi), strict=True)):
        assert grouping.labels[i] == rows.setdefault(row, grouping.labels[i])
    assert len(release.class_sizes) <= grouping.search["clusters"]
    last = steps_of(task, algorithm)[-1:]
    for step in last:
        assert step.counters["clusters"] == grouping.search["clusters"]
        assert step.progress == 1.0
