"""Clusterings side by side on all cores, pulled like one: who does not pull makes all of them wait.

Kernels work without the interpreter's lock, so that threads are enough. What comes first depends
on the machine; what each of the clusterings finds does not.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from queue import Full, Queue

from kanon_tui.core.task.steps import Grouping, Steps

__all__ = ["Heard", "side_by_side"]

_LOOK = 0.05
"""Seconds between two looks at whether anybody still pulls."""


@dataclass(frozen=True, eq=False)
class Heard:
    """What a job tells of after each of its steps."""

    job: int
    progress: float
    grouping: Grouping | None = None
    """What it found, when it is done."""


def side_by_side(jobs: Sequence[Callable[[], Steps]], workers: int) -> Generator[Heard, None, None]:
    """The steps of all jobs, so many of them at a time; closing it ends them all."""
    if workers <= 1 or len(jobs) == 1:
        for number, job in enumerate(jobs):
            yield from _heard(number, job)
        return
    told: Queue[Heard | BaseException] = Queue(maxsize=1)
    over = threading.Event()
    waiting, lock = iter(enumerate(jobs)), threading.Lock()

    def tell(news: Heard | BaseException) -> None:
        while not over.is_set():
            try:
                told.put(news, timeout=_LOOK)
            except Full:
                continue
            return

    def work() -> None:
        while not over.is_set():
            with lock:
                number, job = next(waiting, (0, None))
            if job is None:
                return
            try:
                for news in _heard(number, job):
                    tell(news)
                    if over.is_set():
                        return
            except BaseException as error:
                tell(error)  # whoever pulls raises it
                return

    threads = [threading.Thread(target=work, daemon=True) for _ in range(min(workers, len(jobs)))]
    for thread in threads:
        thread.start()
    try:
        done = 0
        while done < len(jobs):
            news = told.get()
            if isinstance(news, BaseException):
                raise news
            done += news.grouping is not None
            yield news
    finally:
        over.set()
        for thread in threads:
            thread.join()


def _heard(number: int, job: Callable[[], Steps]) -> Iterator[Heard]:
    steps = job()
    while True:
        try:
            step = next(steps)
        except StopIteration as stop:
            yield Heard(number, 1.0, stop.value)
            return
        yield Heard(number, step.progress or 0.0)
