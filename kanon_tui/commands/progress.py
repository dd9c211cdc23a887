"""Progress bars on stderr for long work, where a person is watching."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kanon_tui.commands.output import log
from kanon_tui.core.optional import is_installed

if TYPE_CHECKING:
    from rich.progress import Progress

    from kanon_tui.core.analysis.sweep.sweep import Sweep, SweepPoint
    from kanon_tui.core.pipeline.run import Run, RunStep

_SECONDS = 3.0
"""Seconds between two lines of plain progress."""


def finish_run(run: Run, plain: bool = False) -> None:
    """Run to the end; show the progress on a terminal, or with `plain` as lines."""
    for _ in progressing(run, plain):
        pass


def progressing(run: Run, plain: bool = False) -> Iterator[RunStep]:
    """Yield the steps of a run to its end, showing its progress."""
    with following(plain) as progress:
        for step in run:
            progress(run.algorithm.name, step.progress)
            yield step


@contextmanager
def following(plain: bool = False) -> Iterator[Callable[[str, float | None], None]]:
    """Yield a progress callback (phase, share done) that draws a bar when stderr is a terminal.

    With `plain` it prints a line when a phase begins, and every few seconds.
    """
    on_terminal = sys.stderr.isatty()
    if plain or (on_terminal and not is_installed("rich")):
        yield _lines()
        return
    if not on_terminal:
        yield lambda what, share: None
        return
    with _bar() as progress:
        bar = progress.add_task("", total=None)
        yield lambda what, share: progress.update(
            bar, description=what, total=None if share is None else 1.0, completed=share
        )


def _lines() -> Callable[[str, float | None], None]:
    began = time.monotonic()
    shown = "", 0.0

    def report(what: str, share: float | None) -> None:
        nonlocal shown
        now = time.monotonic()
        if what != shown[0] or now - shown[1] >= _SECONDS:
            shown = what, now
            done = "" if share is None else f" {share:.0%},"
            log(f"{what}:{done} {now - began:.0f} s")

    return report


def finish_sweep(sweep: Sweep) -> list[SweepPoint]:
    """Return all points in the order asked for, with a bar when stderr is a terminal."""
    points: list[SweepPoint] = []
    with following() as progress:
        for point in sweep:
            points.append(point)
            done = f"{len(points)}/{sweep.total}"
            progress(f"{point.algorithm} k={point.k} {done}", len(points) / sweep.total)
    return sweep.in_order(points)


def _bar() -> Progress:
    """Return a bar on stderr that vanishes at its end."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)
