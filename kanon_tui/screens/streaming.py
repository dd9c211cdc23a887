"""Questions and progress of runs over the pieces of a table beyond memory.

A streamed release is written while it is made, so that its file or folder is asked for first.
Settings that cannot stream are refused before anything is read.
"""

import os
from collections.abc import Callable
from pathlib import Path

from kanon_tui.core.dask.cluster import check_scheduler
from kanon_tui.core.editing.session import Session
from kanon_tui.core.errors import KanonError
from kanon_tui.core.pipeline.engine_choice import check_streamable
from kanon_tui.core.pipeline.publishing import check_streamed_target
from kanon_tui.core.pipeline.sampled_table import SampledTable
from kanon_tui.core.pipeline.stream import PASSES, WatchedStream
from kanon_tui.core.project.project import Project
from kanon_tui.core.table.formats import STREAMED_ENDINGS
from kanon_tui.core.table.writing import Target
from kanon_tui.core.teaching.picture_registry import watched
from kanon_tui.core.text import joined
from kanon_tui.screens.base import StepScreen
from kanon_tui.widgets.dialogs import Confirm, confirm
from kanon_tui.widgets.path_dialog import AskPath, ask_target

HINT = (
    "The release is written while it is made, and takes its name when it is proved. A name "
    "without an ending is a folder of Parquet parts. tab completes"
)


def ask_where_to_write(
    screen: StepScreen, project: Project, proceed: Callable[[Target, bool], object]
) -> None:
    """Ask for the file or folder of a release until one is given that can be written.

    What cannot stream is refused, and whether to trust the scheduler is asked first. `proceed` gets
    the target and whether an existing file may be replaced.
    """
    scheduler, trusted = _scheduler(project), screen.session.trusted_schedulers
    try:
        check_streamable(project)
        check_scheduler(scheduler, insecure=False)
    except KanonError as error:
        screen.host.show_error("This cannot be done in pieces", error)
        return
    if scheduler not in trusted:
        text = (
            f"The project sends the run to the scheduler {scheduler}, which can read the data and "
            "run code as you."
        )

        def trust() -> None:
            trusted.add(scheduler)
            ask_where_to_write(screen, project, proceed)

        confirm(screen, Confirm("Trust this scheduler?", text, "Trust it", "Do not run"), trust)
        return

    def check(path: Path) -> None:
        target = Target.parse(str(path))
        target.check(True, project.inputs)
        check_streamed_target(target, None)

    folder = (project.path or project.data_path).parent
    proposed = folder / f"{Path(project.name).stem}-anonymised.parquet"
    ask_target(
        screen,
        AskPath("Write the release to", str(proposed), HINT, endings=STREAMED_ENDINGS),
        lambda path: proceed(Target.parse(str(path)), os.path.exists(path)),
        check,
        lambda path: _releases_in(screen.session, Target.parse(str(path))),
    )


def _releases_in(session: Session, target: Target) -> str:
    """Return which runs of this session have their release in a file, as part of a sentence."""
    titles = [
        session.run_title(one) for one in session.results if one.in_files and one.target == target
    ]
    return f" and holds {joined(titles)}" if titles else ""


def _scheduler(project: Project) -> str | None:
    """Return the scheduler that a run of this project is sent to."""
    return project.run.scheduler if project.run.engine == "dask" else None


def watch_stream(
    session: Session, project: Project, target: Target, force: bool, *, paused: bool = False
) -> WatchedStream:
    """Return a streaming run whose search records what its pictures need."""
    table = session.table
    known = table if isinstance(table, SampledTable) and table.exact else None
    if session.project.data != project.data:
        known = None  # read in another way
    return WatchedStream(
        project, target, force, lambda run: watched(run, paused=paused), known,
        session.memory_freed_for_run, trust=_scheduler(project) in session.trusted_schedulers,
    )  # fmt: skip


def pass_text(stream: WatchedStream) -> str:
    """Return the progress of a run, such as `pass 2 of 8: count values 42%`."""
    if not stream.passes:
        return "starting …"
    now = stream.passes[-1]
    number = list(PASSES).index(now.name) + 1
    share = f" {now.share:.0%}" if now.share and now.name != "search" else ""
    stopping = " · stopping …" if stream.stopping else ""
    return f"pass {number} of {len(PASSES)}: {PASSES[now.name]}{share}{stopping}"
