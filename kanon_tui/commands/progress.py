"""Progress bars on stderr for long work, where a person is watching."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

    from kanon_tui.core.analysis.sweep.sweep import Sweep, SweepPoint
    from kanon_tui.core.pipeline.run import Run

__all__ = ["finish_run", "finish_sweep", "following"]


def finish_run(run: Run) -> None:
    """Run to the end, with a bar when stderr is a terminal."""
    if not sys.stderr.isatty():
        run.finish()
        return
    with _bar() as progress:
        bar = progress.add_task(run.algorithm.name, total=None)
        for step in run:
            if step.progress is not None:
                progress.update(bar, total=1.0, completed=step.progress)


@contextmanager
def following() -> Iterator[Callable[[str, float], None]]:
    """Give a function that draws a bar when stderr is a terminal: phase and share done."""
    if not sys.stderr.isatty():
        yield lambda what, share: None
        return
    with _bar() as progress:
        bar = progress.add_task("", total=1.0)
        yield lambda what, share: progress.update(bar, description=what, completed=share)


def finish_sweep(sweep: Sweep) -> list[SweepPoint]:
    """Return all points in the order asked for, with a bar when stderr is a terminal."""
    if not sys.stderr.isatty():
        return sweep.in_order(list(sweep))
    points = []
    with _bar(counting=True) as progress:
        bar = progress.add_task("sweep", total=sweep.total)
        for point in sweep:
            points.append(point)
            progress.update(bar, advance=1, description=f"{point.algorithm} k={point.k}")
    return sweep.in_order(points)


def _bar(counting: bool = False) -> Progress:
    """Return a bar on stderr that vanishes at its end; `counting` shows 3/12 beside it."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    counts = [MofNCompleteColumn()] if counting else []
    columns = (TextColumn("{task.description}"), BarColumn(), *counts, TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)
