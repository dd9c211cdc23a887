"""What an algorithm is: a generator of steps that returns a grouping.

It knows nothing of who runs it, prints nothing and measures nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from kanon_tui.core.task.task import Task

__all__ = ["Algorithm", "Family", "Grouping", "Pace", "Step", "Steps"]


class Family(StrEnum):
    """The two ways to generalise a table."""

    FULL_DOMAIN = "full-domain"  # one level per attribute, for all records
    CLUSTERING = "clustering"  # local recoding: every class finds its own ranges and labels


@dataclass(frozen=True, eq=False)
class Grouping:
    """What an algorithm decides: which records belong together, and nothing about how it prints."""

    labels: npt.NDArray[np.int32]
    """Per record the number of its group; -1 for a suppressed record."""
    levels: tuple[int, ...] | None = None
    """Full-domain: the level of every quasi-identifier."""
    suppressed_cells: npt.NDArray[np.bool_] | None = None
    """Records × quasi-identifiers: cells hidden one by one (only `udc-suppress`)."""
    search: Mapping[str, Any] = field(default_factory=dict)
    """What the report says about the search."""
    notes: tuple[str, ...] = ()
    """Sentences a reader of the result should see, such as 'not proven optimal'."""


@dataclass(frozen=True, slots=True)
class Step:
    """One decision of an algorithm, or at full speed a bounded batch of them.

    The sentence is put together only when somebody reads it.
    """

    kind: str
    """A word for the decision: cut, raise, test, prune, merge, grow, suppress …"""
    template: str
    """The sentence, with `{names}` of facts in it."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    counters: Mapping[str, float] = field(default_factory=dict)
    """Running totals such as generated, pruned, tested, clusters, merges."""
    progress: float | None = None
    """Share of the work that is done, 0 to 1, where it is known."""
    keep: Callable[[], Grouping] | None = None
    """Gives the best grouping so far, which a cancel keeps."""

    @property
    def sentence(self) -> str:
        """The decision in words."""
        return self.template.format_map(self.facts)


Steps = Generator[Step, None, Grouping]


class Pace:
    """How many decisions one step may stand for; whoever runs the algorithm sets it."""

    __slots__ = ("decisions",)

    FULL_SPEED: ClassVar[int] = 10_000

    def __init__(self, decisions: int = FULL_SPEED) -> None:
        self.decisions = decisions


class Algorithm(ABC):
    """A way to k-anonymise a table. Subclasses are frozen dataclasses: fields are parameters."""

    name: ClassVar[str]
    title: ClassVar[str]
    family: ClassVar[Family]
    paper: ClassVar[str]
    summary: ClassVar[str]
    """One line: how it works and when to choose it."""
    keeps_magvals: ClassVar[bool] = False
    """Whether no value is ever generalised beyond its MAGVal, at the price of suppression."""

    @abstractmethod
    def steps(self, task: Task) -> Steps:
        """Yield a step per decision and return the grouping."""
