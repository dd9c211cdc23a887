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

from kanon_tui.core.errors import InputError
from kanon_tui.core.helper_processes import Helpers, Processes

__all__ = ["Here", "Job", "Workers"]

Job = Callable[..., Any]
_WAITING = 2_000_000
"""Rows of answers that may wait to be merged."""


class Workers(ABC):
    """Calls `job(shared, *arguments)` for every tuple of arguments."""

    name: str

    @abstractmethod
    def each(self, job: Job, shared: Any, arguments: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
        """The answers, in the order of the arguments."""

    def merged(
        self,
        job: Job,
        merge: Callable[[Sequence[Any]], Any],
        shared: Any,
        arguments: Sequence[tuple[Any, ...]],
        check: Callable[[Any], None],
    ) -> Any:
        """The answers of all jobs merged into one; `check` may refuse what it has grown to."""
        whole: list[Any] = []
        waiting: list[Any] = []
        for answer in self.each(job, shared, arguments):
            waiting.append(answer)
            if not whole or sum(map(len, waiting)) >= max(len(whole[0]), _WAITING):
                whole, waiting = [merge([*whole, *waiting])], []
                check(whole[0])
        merged = merge([*whole, *waiting])
        check(merged)
        return merged

    @property
    def helpers(self) -> Callable[..., Helpers]:
        """Who works on the parts of a search, made as `Processes` are."""
        return Processes

    def folder_is_seen(self, folder: Path) -> None:
        """Refuse a work folder that not all workers see."""
        if not folder.is_dir():
            raise InputError(f"{folder} is gone; run again")


class Here(Workers):
    """In this process, one job after the other: each uses all cores by itself."""

    name = "stream"

    def each(self, job: Job, shared: Any, arguments: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
        """The answers as they are asked for."""
        for each in arguments:
            yield job(shared, *each)
