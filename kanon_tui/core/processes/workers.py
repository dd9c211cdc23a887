"""Workers: they call functions of one job each, in this process, beside it or on a cluster.

A job is a plain function of shared data (needed by all jobs of a pass) and a few numbers. It reads
its piece, may write files into the work folder and returns a small result. As it depends on nothing
else, it can run anywhere and be repeated.

Helper processes are plain Python interpreters that talk over pipes. Unlike those of
`multiprocessing` they never import the script that started them: a notebook, a script without a
main guard and a thread of the application can all use them. Closing them kills them in the middle
of a job, and they end by themselves when the program that started them is gone, however it went.
This last is why it is not joblib's loky: its workers outlive a killed program, and two more
processes stay when its pool ends.
"""

import os
import pickle
import subprocess
import sys
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, BinaryIO, Self, TypeVar, cast

from kanon_tui.core.errors import InfrastructureError
from kanon_tui.core.processes.interruption import helpers, uninterrupted

_PROGRAM = (
    "import pickle, sys; "
    "sys.path += (x for x in pickle.load(sys.stdin.buffer) if x not in sys.path); "
    "from kanon_tui.core.processes.workers import work; "
    "work(sys.stdin.buffer, sys.stdout.buffer)"
)


T = TypeVar("T")
_LOOK_AGAIN = 0.2
_LIBRARIES, _PER_THREAD = 1_500_000_000, 200_000_000
"""Bytes of address space that a process with the libraries takes, and each of their threads."""


def cores() -> int:
    """Return how many processes can run at the same time."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _search_path() -> list[str]:
    """Return the folders where a helper looks for modules: never the current folder.

    Files that lie beside the data are not code. The package itself is found wherever it is.
    """
    try:
        current = os.getcwd()
    except FileNotFoundError:
        current = ""
    safe = [entry for entry in sys.path if os.path.isabs(entry) and entry != current]
    return [*safe, str(Path(__file__).parents[2])]


class Processes:
    """Helpers that each call `prepare(*setup)` once and the function it returns for every job.

    `prepare` must be importable by name, and jobs and results are pickled. Results come in the
    order in which they are ready, as pairs of the job's number and the result.
    """

    def __init__(
        self, count: int, prepare: Callable[..., Callable[[Any], Any]], *setup: Any
    ) -> None:
        self._results: SimpleQueue[tuple[int, bool, Any]] = SimpleQueue()
        self._jobs: SimpleQueue[tuple[int, Any] | None] = SimpleQueue()
        self._helpers: list[subprocess.Popen[bytes]] = []
        self._threads: list[Thread] = []
        setup_message = pickle.dumps(_search_path()) + pickle.dumps((prepare, setup), protocol=5)
        for _ in range(count):
            helper = subprocess.Popen(
                [sys.executable, "-P", "-c", _PROGRAM],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            thread = Thread(target=self._serve, args=(helper, setup_message), daemon=True)
            helpers.add(helper)
            self._helpers.append(helper)
            self._threads.append(thread)
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for helper in self._helpers:
            helper.kill()
            self._jobs.put(None)
        for helper, thread in zip(self._helpers, self._threads, strict=True):
            helper.wait()
            helpers.discard(helper)
            thread.join()
            for pipe in (helper.stdin, helper.stdout):
                if pipe is not None:
                    pipe.close()

    def submit(self, jobs: Sequence[Any]) -> None:
        """Hand out jobs, which are numbered from 0."""
        for number, job in enumerate(jobs):
            self._jobs.put((number, job))

    def result(self, seconds: float) -> tuple[int, Any] | None:
        """Return the next result, or None if there is none within `seconds`."""
        try:
            number, succeeded, result = self._results.get(timeout=seconds)
        except Empty:
            return None
        if not succeeded:
            raise result
        return number, result

    def _serve(self, helper: subprocess.Popen[bytes], setup_message: bytes) -> None:
        """Send jobs to one helper and collect their results, in a thread of its own."""
        to_helper = cast(BinaryIO, helper.stdin)
        from_helper = cast(BinaryIO, helper.stdout)
        number = 0
        try:
            to_helper.write(setup_message)
            while (job := self._jobs.get()) is not None:
                number = job[0]
                pickle.dump(job[1], to_helper, protocol=5)
                to_helper.flush()
                self._results.put((number, *pickle.load(from_helper)))
        except (OSError, EOFError, pickle.UnpicklingError):
            ended = InfrastructureError(
                f"a helper process ended early (code {helper.wait()}); "
                f"give it more memory, use fewer workers or workers: 1"
            )
            self._results.put((number, False, ended))


def call_bounded(function: Callable[..., T], memory: int, *arguments: Any) -> T | None:
    """Return the result of a function called in a child process; None if the process ended early.

    Where the system can, the process gets no more than `memory` bytes beside its libraries, so that
    a file which expands to more than the machine holds ends the child and not the program. Errors
    that the function raises are raised here.
    """
    with Processes(1, _bounded, function, memory) as child:
        child.submit([arguments])
        try:
            while (answer := child.result(_LOOK_AGAIN)) is None:
                pass
        except InfrastructureError:
            return None
    result: T = answer[1]
    return result


def _bounded(function: Callable[..., T], memory: int) -> Callable[[Sequence[Any]], T]:
    """Limit the memory of this process, and return the function as a handler of jobs."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        most = memory + _LIBRARIES + cores() * _PER_THREAD
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    return lambda arguments: function(*arguments)


def work(jobs: BinaryIO, results: BinaryIO) -> None:
    """Handle jobs in a helper process until its pipe is closed, which also ends a job under way."""
    prepare, setup = pickle.load(jobs)
    waiting: SimpleQueue[Any] = SimpleQueue()

    def receive() -> None:
        try:
            while True:
                waiting.put(pickle.load(jobs))
        finally:  # the program has ended, or sent something unreadable
            os._exit(1)

    Thread(target=receive, daemon=True).start()
    handle = prepare(*setup)
    while True:
        job = waiting.get()
        try:
            answer = (True, handle(job))
        except Exception as error:
            answer = (False, error)
        pickle.dump(answer, results, protocol=5)
        results.flush()


Job = Callable[..., Any]
_THREADS = 4
"""The most jobs at a time in this process: each holds a piece of the data."""
Progress = Callable[[str, float], None]
"""A function called with the phase and the share done; an error it raises stops the work."""


class Workers(ABC):
    """A way to call `job(shared, *arguments)` for many tuples of arguments."""

    _progress: Progress | None = None
    _pass = ""

    def begin(self, what: str, progress: Progress | None) -> None:
        """Begin a pass; `progress` is called with its finished jobs from now on."""
        self._pass = what
        self._progress = progress
        if progress is not None:
            progress(what, 0.0)

    def report_progress(self, done: int, jobs: int) -> None:
        """Report that `done` of the jobs of this pass are finished."""
        if self._progress is not None and jobs:
            self._progress(self._pass, done / jobs)

    @abstractmethod
    def map(self, job: Job, shared: Any, arguments: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
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


class LocalWorkers(Workers):
    """Workers in threads of this process, which the called libraries let run side by side."""

    @cached_property
    def _pools(self) -> set[ThreadPoolExecutor]:
        """The pools whose jobs are running."""
        return set()

    def map(self, job: Job, shared: Any, arguments: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
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
            for argument in arguments:
                waiting.append(pool.submit(job, shared, *argument))
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
