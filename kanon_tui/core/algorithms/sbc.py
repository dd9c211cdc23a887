"""Similarity-based clustering."""
from __future__ import annotations
from dataclasses import dataclass
from typing import ClassVar
from kanon_tui.core.algorithms.similarity import Similarity
from kanon_tui.core.parameters import parameter
from kanon_tui.core.run import Algorithm, Family, Steps
from kanon_tui.core.task import Task

__all__ = ["SBC"]

@dataclass(frozen=True)
class SBC(Algorithm):
    """x"""

    name: ClassVar[str] = "sbc"
    title: ClassVar[str] = "Similarity-based clustering"
    family: ClassVar[Family] = Family.CLUSTERING
    paper: ClassVar[str] = "Aghdam 2014"
    summary: ClassVar[str] = ("x")
    left_over: str = parameter("join-last", "x", choices=("join-last", "nearest", "suppress"))

    def steps(self, task: Task) -> Steps:
        """y"""
        clusters = Similarity(task, spatial=False)
        left = yield from clusters.grow()
        place = {"join-last": clusters.join_last, "nearest": clusters.join_nearest, "suppress": clusters.suppress}[self.left_over]
        yield from place(left)
        return clusters.grouping()
