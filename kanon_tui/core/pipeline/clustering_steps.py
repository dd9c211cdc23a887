"""What a clustering goes through: blocks, requirements beyond k, refining, disjoint ranges."""

from __future__ import annotations

from functools import partial

from kanon_tui.core.clustering.clustering import BlockClustering, Clustering
from kanon_tui.core.clustering.disjoint_ranges import disjoint_steps
from kanon_tui.core.clustering.refining import refined_steps
from kanon_tui.core.clustering.requirement_repair import steps_beyond_k
from kanon_tui.core.pipeline.blocks import block_steps
from kanon_tui.core.task.steps import Algorithm, RunContext, Steps
from kanon_tui.core.task.task import Task

__all__ = ["clustering_steps"]


def clustering_steps(algorithm: Algorithm, task: Task, context: RunContext) -> Steps:
    """The steps of a clustering, and of what the task and its parameters want beyond it."""
    if not task.overlap and isinstance(algorithm, Clustering):
        return disjoint_steps(partial(_own_steps, algorithm), algorithm, task, context)
    return _own_steps(algorithm, task, context)


def _own_steps(algorithm: Algorithm, task: Task, context: RunContext) -> Steps:
    own = algorithm.steps
    if isinstance(algorithm, BlockClustering):
        own = partial(block_steps, algorithm)
    steps = steps_beyond_k(algorithm, task, context, own)
    if isinstance(algorithm, Clustering) and algorithm.refine:
        return refined_steps(steps, algorithm, task, context)
    return steps
