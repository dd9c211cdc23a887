"""Workers: they call functions of one job each, in this process or on a cluster.

A job is a plain function of shared data (needed by all jobs of a pass) and a few numbers. It reads
its piece, may write files into the work folder and returns a small result. As it depends on nothing
else, it can run anywhere and be repeated.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from kanon_tui.core.errors import InputError
from kanon_tui.core.processes.helper_processes import Processes, cores
from kanon_tui.core.processes.interruption import uninterrupted

Job = Callable[..., Any]
_THREADS = 4
"""The most jobs at a time in this process: each holds a piece of the data."""
Progress = Callable[[str, float], None]
"""A function called with the phase and the share done; an error it raises stops the work."""


class Workers(ABC):
    """A way to call `job(shared, *arguments)` for many tuples of arguments."""

    name: str
    _progress: Progress | None = None
    _pass = ""

    def begin(self, what: str, progress: Progress | None) -> None:
        """Begin a pass; `progress` is called with its finished jobs from now on."""
        self._pass, self._progress = what, progress
        if progress is not None:
            progress(what, 0.0)

    def report_progress(self, done: int, jobs: int) -> None:
        """Report that `done` of the jobs of this pass are finished."""
        if self._progress is not None and jobs:
            self._progress(self._pass, done / jobs)

    @abstractmethod
    def each(self, job: Job, shared: Any, arguments: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
        """Yield the results in the order of the arguments."""

    @property
    def helpers(self) -> Callable[..., Processes]:
        """The class of helpers for the parts of a search, called like `Processes`."""
        return Processes

    @abstractmethod
    def stop(self) -> None:
        """Cancel all jobs; none of them writes any more when this returns."""

    @contextmanager
    def stopped_by_errors(self) -> Iterator[None]:
        """Stop all jobs if the block ends with an error, Ctrl-C included, so that none writes."""
        try:
            yield
        except BaseException:
            with uninterrupted():
                self.stop()
            raise

    def check_folder_visible(self, folder: Path) -> None:
        """Refuse a work folder that not all workers see."""
        if not folder.is_dir():
            raise InputError(f"{folder} is gone; run again")


class LocalWorkers(Workers):
    """Workers in threads of this process, which the called libraries let run side by side."""

    name = "stream"

    @cached_property
    def _pools(self) -> set[ThreadPoolExecutor]:
        """The pools whose jobs are running."""
        return set()

    def each(self, job: Job, shared: Any, arguments: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
        """Yield the results as they are asked for, in the order of the arguments."""
        for done, answer in enumerate(self._answers(job, shared, arguments), 1):
            self.report_progress(done, len(arguments))
            yield answer

    def _answers(
        self, job: Job, shared: Any, arguments: Sequence[tuple[Any, ...]]
    ) -> Iterator[Any]:
        threads = min(cores(), _THREADS, len(arguments))
        if threads < 2:
            yield from (job(shared, *each) for each in arguments)
            return
        pool = ThreadPoolExecutor(threads, "kanon-piece")
        self._pools.add(pool)
        waiting: deque[Future[Any]] = deque()
        try:
            for each in arguments:
                waiting.append(pool.submit(job, shared, *each))
                if len(waiting) >= threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)
            self._pools.discard(pool)

    def stop(self) -> None:
        """Cancel all jobs and wait for those that have begun."""
        for pool in tuple(self._pools):
            pool.shutdown(cancel_futures=True)
