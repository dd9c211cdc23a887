"""Jobs on a worker of a cluster, with their data and results in files.

Errors are returned, not raised: a worker would log them together with the arguments.
"""

from __future__ import annotations

import os
import pickle
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

from kanon_tui.core.errors import KanonError
from kanon_tui.core.version import __version__

__all__ = [
    "PickledJob", "Setup", "cancel_batch", "first_unreadable", "handle_search_job",
    "merge_answers", "own_version", "run_job",
]  # fmt: skip

_at_work: Counter[str] = Counter()
"""The number of jobs of each batch that run in this process."""
_given_up: set[str] = set()
_lock = Lock()

JobOutcome = tuple[Any, ...]
"""(True, name of the file with the answer), or (False, kind of error, sentence)."""


@dataclass(eq=False, repr=False)
class PickledJob:
    """A job whose printed form shows nothing of its arguments."""

    folder: Path
    answer: str
    """The name of the file with the result, without its ending."""
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    shared: str = ""
    """The name of the file with the data that all jobs of a pass need."""
    batch: str = ""

    def __repr__(self) -> str:
        return "PickledJob()"

    def __sizeof__(self) -> int:
        return 256


@dataclass(eq=False, repr=False)
class Setup:
    """The setup of a search helper; every worker prepares it once."""

    prepare: Callable[..., Any]
    setup: tuple[Any, ...]

    @cached_property
    def handle(self) -> Callable[[Any], Any]:
        """The function that handles a job."""
        made: Callable[[Any], Any] = self.prepare(*self.setup)
        return made


def handle_search_job(setup: Setup, job: Any) -> Any:
    """Handle one job of a search."""
    return setup.handle(job)


def run_job(job: PickledJob) -> JobOutcome:
    """Run a job and leave its result in a file."""
    return _guarded(job, lambda: job.function(_shared(job.folder / job.shared), *job.arguments))


def merge_answers(job: PickledJob, answers: Sequence[JobOutcome]) -> JobOutcome:
    """Merge the results of other jobs."""
    for answer in answers:
        if not answer[0]:
            return answer

    def merged() -> Any:
        return job.function([_read(job.folder / answer[1]) for answer in answers])

    return _guarded(job, merged)


def _guarded(job: PickledJob, work: Callable[[], Any]) -> JobOutcome:
    path = job.folder / f"{job.answer}.pickle"
    if path.exists():  # done by a worker that was lost since
        return True, path.name
    with _lock:
        if job.batch in _given_up:  # it arrived after all were cancelled
            return False, "NotReachedError", "cancelled; nothing was written"
        _at_work[job.batch] += 1
    try:
        answer = work()
        aside = path.with_suffix(f".{os.getpid()}.aside")
        with open(aside, "wb") as file:
            pickle.dump(answer, file, protocol=5)
        aside.replace(path)
    except KanonError as error:
        return False, type(error).__name__, str(error)
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(last.filename).name}:{last.lineno}"
        return False, "NotReachedError", (
            f"a worker of the cluster failed ({type(error).__name__} at {place}); nothing was "
            "written"
        )  # fmt: skip
    finally:
        with _lock:
            _at_work[job.batch] -= 1
    return True, path.name


def cancel_batch(batch: str) -> int:
    """Start no further job of a batch on this worker; return how many are running."""
    with _lock:
        _given_up.add(batch)
        return _at_work[batch]


def _read(path: Path) -> Any:
    with open(path, "rb") as file:
        return pickle.load(file)


@lru_cache(maxsize=2)
def _shared(path: Path) -> Any:
    """Return the data that all jobs of a pass need, which every worker reads once."""
    return _read(path)


def own_version() -> str:
    """Return the version of the package on this worker."""
    return __version__


def first_unreadable(paths: Sequence[str]) -> str | None:
    """Return the first of these files and folders that this worker cannot read, or None."""
    return next((path for path in paths if not os.access(path, os.R_OK)), None)
