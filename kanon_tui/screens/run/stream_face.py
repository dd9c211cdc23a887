"""The face of screen 5 while a table beyond memory is worked on, pass by pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.text import Text
from textual.widgets import Static
from textual.worker import get_current_worker

from kanon_tui.core.editing.session import Session
from kanon_tui.core.pipeline.live import LiveRun
from kanon_tui.core.pipeline.result import Result
from kanon_tui.core.pipeline.stream import PASSES, WatchedStream
from kanon_tui.core.table.target import Target
from kanon_tui.core.text import bar, visible
from kanon_tui.screens.streaming import ask_where_to_write, pass_text, watch_stream
from kanon_tui.widgets.drawing import theme_style

if TYPE_CHECKING:
    from kanon_tui.screens.base import StepScreen

__all__ = ["PassesView", "StreamFace"]

BAR = 16
SAID = (
    "c stops and writes nothing; during the search it ends with the best so far. A file gets its "
    "name when it is verified."
)


class PassesView(Static):
    """The passes of a run over files: done, at work, or to come."""

    DEFAULT_CSS = """
    PassesView { height: 1fr; padding: 1 2; }
    """

    def draw(self, stream: WatchedStream) -> None:
        """Show the progress of all passes."""
        project = stream.project
        text = Text.assemble(
            (project.algorithm.name, "bold"),
            f" · k={project.privacy.k} · {visible(project.name)} → ",
            (visible(stream.target.path.name), "bold"),
            "\n\n",
        )
        begun = {one.name: one for one in stream.passes}
        for name, title in PASSES.items():
            one = begun.get(name)
            known = any(list(PASSES).index(each) > list(PASSES).index(name) for each in begun)
            if one is None and not known:
                text.append(f"– {title}\n", "dim")
            elif one is None or one.ended is not None:
                text.append("✓ ", theme_style(self, "success"))
                took = "   known" if one is None else f"{one.seconds():>8.1f} s"
                text.append(f"{title:<24} {took}\n")
            else:
                text.append("▶ ", theme_style(self, "warning"))
                text.append(f"{title:<24} {one.seconds():>8.1f} s  ", "bold")
                text.append(bar(one.share, BAR), theme_style(self, "success"))
                text.append(f" {one.share:.0%}\n")
        text.append(f"\n{'Stopping …' if stream.stopping else SAID}", "dim")
        self.update(text)


class StreamFace:
    """Starts, shows and stops the run over files of a screen."""

    def __init__(
        self,
        screen: StepScreen,
        *,
        begun: Callable[[], object],
        searching: Callable[[LiveRun], object],
        finished: Callable[[Session, LiveRun, Result], object],
        failed: Callable[[Exception], object],
    ) -> None:
        self._screen = screen
        self._begun, self._searching = begun, searching
        self._finished, self._failed = finished, failed
        self.stream: WatchedStream | None = None

    @property
    def at_work(self) -> bool:
        """Whether a run is under way."""
        return self.stream is not None and not self.stream.over

    def ask(self, paused: bool) -> None:
        """Ask for a place, then run."""
        session = self._screen.session
        project = session.project

        def go_on(target: Target, force: bool) -> None:
            if not self.at_work:
                self._begin(session, watch_stream(session, project, target, force, paused=paused))

        ask_where_to_write(self._screen, project, go_on)

    def _begin(self, session: Session, stream: WatchedStream) -> None:
        screen, self.stream = self._screen, stream

        def work() -> Result:
            worker = get_current_worker()
            return stream.run(lambda: worker.is_cancelled)

        def done(result: Result) -> None:
            assert stream.live is not None
            self.draw()
            self._finished(session, stream.live, result)

        def failed(error: Exception) -> None:
            self.draw()
            self._failed(error)

        screen.host.background.compute(screen, work, done, group="run", failed=failed)
        self._begun()
        self.draw()

    def draw(self) -> None:
        """Bring what is shown up to date; a search that has begun is handed on once."""
        stream, screen = self.stream, self._screen
        if stream is None:
            return
        line = screen.query_one("#pass", Static)
        line.set_class(self.at_work and stream.live is not None, "-shown")
        line.update(Text(f"{pass_text(stream)} → {visible(stream.target.path.name)}", "bold"))
        screen.query_one(PassesView).draw(stream)
        if stream.live is not None:
            self._searching(stream.live)

    def cancel(self) -> None:
        """Stop the run; a search ends with the best found so far."""
        if self.stream is not None:
            self.stream.cancel()
            self.draw()
