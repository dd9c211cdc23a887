"""Who does the work: functions of one job each, called here or on a cluster.

A job is a plain function of a `Shared` (what all jobs of a kind need) and a few numbers. It reads
its piece, may write files into the work folder and gives back something small. Because it depends
on nothing else, it can be done anywhere and done again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

__all__ = ["Here", "Job", "Workers"]

Job = Callable[..., Any]


class Workers(ABC):
    """Calls `job(shared, *arguments)` for every tuple of arguments."""

    name: str

    @abstractmethod
    def each(self, job: Job, shared: Any, arguments: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
        """The answers, in the order of the arguments."""

    def work_folder(self, folder: Path) -> None:
        """Hear where files can be left for other jobs; a cluster needs to know."""

    def close(self) -> None:
        """Let everybody go."""


class Here(Workers):
    """In this process, one job after the other: each uses all cores by itself."""

    name = "stream"

    def each(self, job: Job, shared: Any, arguments: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
        """The answers as they are asked for."""
        for each in arguments:
            yield job(shared, *each)
