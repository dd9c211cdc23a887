"""What all clusterings have in common: their classes can be refined when they are done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kanon_tui.core.fields.declaration import declared
from kanon_tui.core.task.steps import Algorithm, Family

__all__ = ["Clustering"]


@dataclass(frozen=True)
class Clustering(Algorithm):
    """An algorithm that finds classes of records; `refining` says how they are refined."""

    family: ClassVar[Family] = Family.CLUSTERING

    refine: bool = declared(
        False,
        "Afterwards let near classes exchange records and split large ones, as long as that helps",
        last=True,
    )
    refine_by: str = declared(
        "ncp",
        "What refining must better: the certainty penalty (lower) or the research value (higher)",
        choices=("ncp", "rv"),
        last=True,
    )
    refine_rounds: int = declared(
        20,
        "Most rounds of refining; it ends earlier when nothing helps any more",
        low=1,
        high=1000,
        last=True,
    )
