"""SpatialDistance."""
from __future__ import annotations
from dataclasses import dataclass
from typing import ClassVar
from kanon_tui.core.algorithms.similarity import Similarity
from kanon_tui.core.run import Algorithm, Family, Steps
from kanon_tui.core.task import Task

__all__ = ["SD"]

@dataclass(frozen=True)
class SD(Algorithm):
    """x"""

    name: ClassVar[str] = "sd"
    title: ClassVar[str] = "SpatialDistance clustering"
    family: ClassVar[Family] = Family.CLUSTERING
    paper: ClassVar[str] = "Aghdam and Sonehara 2013"
    summary: ClassVar[str] = ("x")

    def steps(self, task: Task) -> Steps:
        """y"""
        clusters = Similarity(task, spatial=True)
        left = yield from clusters.grow()
        yield from clusters.join_nearest(left)
        return clusters.grouping()
