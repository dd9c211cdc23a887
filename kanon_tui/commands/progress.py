"""A progress bar on stderr while a run is pulled, where a person is watching."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kanon_tui.core.run.run import Run

__all__ = ["watched"]


def watched(run: Run) -> None:
    """Pull a run to its end, with a bar when stderr is a terminal."""
    if not sys.stderr.isatty():
        run.finish()
        return
    from kanon_tui.core.run.warm_up import is_warm

    if not is_warm():
        print(
            "kanon-tui: the first run of an algorithm on this machine compiles its inner loops, "
            "which takes some seconds",
            file=sys.stderr,
        )
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task(run.algorithm.name, total=None)
        for step in run:
            if step.progress is not None:
                progress.update(bar, total=1.0, completed=step.progress)
