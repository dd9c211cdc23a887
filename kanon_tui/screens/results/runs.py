"""The runs of a project: once more with the neighbouring k, and two of them compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from textual.worker import get_current_worker

from kanon_tui.core.analysis.compare import Comparison, differences
from kanon_tui.core.errors import InputError, KanonError
from kanon_tui.core.project.project import Project
from kanon_tui.core.run.live import LiveRun
from kanon_tui.core.run.result import Result, conclude, start
from kanon_tui.core.run.run import State
from kanon_tui.screens.base import StepScreen
from kanon_tui.screens.dialogs import Choose
from kanon_tui.screens.results.compare import CompareScreen, PairedRows
from kanon_tui.screens.results.figure_tables import signed

__all__ = ["Rerun", "Runs", "difference_line"]

SHOWN = {"ncp": "NCP", "rv": "RV", "classes": "classes", "suppressed_records": "supp."}


class Rerun:
    """The same run with another k; `finish` does the work, in a thread."""

    def __init__(self, result: Result, project: Project, k: int) -> None:
        if not 1 <= k <= result.task.n:
            raise InputError(f"k goes from 1 to the {result.task.n:,} records of the table")
        self.k = k
        self._project = replace(project, privacy=replace(result.task.privacy, k=k))
        task = replace(result.task, privacy=self._project.privacy)
        self.live = LiveRun(start(self._project, task=task))

    def finish(self, abandoned: Callable[[], bool]) -> Result | None:
        """Run to the end; None when it was stopped."""
        self.live.drive(abandoned)
        if self.live.run.state is State.CANCELLED:
            return None
        return conclude(self.live.run, self._project)

    @property
    def progress(self) -> str:
        """`running again with k = 6: 42%, 3.1 s (esc stops)`."""
        seen = self.live.snapshot
        share = "" if seen.progress is None else f"{seen.progress:.0%}, "
        return f"running again with k = {self.k:,}: {share}{seen.seconds:.1f} s (esc stops)"


def difference_line(before: Result, after: Result) -> str:
    """`k 5 → 6: better classes +20, supp. −37 · worse NCP +0.11, RV −0.008`."""
    by_verdict: dict[str, list[str]] = {"better": [], "worse": [], "same": []}
    for one in differences(before, after):
        if one.name in SHOWN:
            amount = signed(round(one.difference or 0, 3))
            word = {1: "better", -1: "worse"}.get(one.better if amount != "±0" else 0, "same")
            by_verdict[word].append(SHOWN[one.name] + ("" if word == "same" else f" {amount}"))
    parts = [f"{word} {', '.join(found)}" for word, found in by_verdict.items() if found]
    return f"k {before.task.k:,} → {after.task.k:,}: {' · '.join(parts)}"


class Runs:
    """What the results screen does with several runs."""

    def __init__(
        self,
        screen: StepScreen,
        *,
        in_front: Callable[[], Result | None],
        show: Callable[[Result, Result], None],
        fill: Callable[[], None],
    ) -> None:
        self.screen = screen
        self._in_front, self._show, self._fill = in_front, show, fill
        self.under_way: Rerun | None = None

    def rerun(self, step: int) -> None:
        """The run in front once more with k one higher or lower, in the background."""
        screen, before, session = self.screen, self._in_front(), self.screen.session
        if before is None or self.under_way is not None:
            return
        try:
            project = before.project or session.project
            rerun = self.under_way = Rerun(before, project, before.task.k + step)
        except KanonError as error:
            screen.host.say(str(error))
            return

        def done(result: Result | None) -> None:
            self.under_way = None
            if result is None:
                screen.host.say("stopped")
            elif session is screen.session:
                session.results.append(result)
                self._show(result, before)
                screen.host.session_changed()
            self._fill()

        def failed(error: Exception) -> None:
            self.under_way = None
            self._fill()
            screen.host.show_error(f"No release with k = {rerun.k:,}", error)

        def work() -> Result | None:
            worker = get_current_worker()
            return rerun.finish(lambda: worker.is_cancelled)

        screen.host.compute(screen, work, done, group="rerun", failed=failed)
        self._fill()

    def stop(self) -> None:
        """Let the run under way end at its next step."""
        if self.under_way is not None:
            self.under_way.live.cancel()

    def compare(self, chosen: int | None) -> None:
        """The result in front beside the chosen one; where that is no other, ask."""
        results, current = self.screen.session.results, self._in_front()
        others = [one for one in results if one is not current]
        if current is None or not others:
            self.screen.host.say("one run is not enough to compare: run again, or press + for k+1")
        elif chosen is not None and results[chosen] is not current:
            self._compare(current, results[chosen])
        elif len(others) == 1:
            self._compare(current, others[0])
        else:
            self.screen.ask(
                Choose("Compare with", [self.screen.session.run_title(one) for one in others]),
                lambda n: self._compare(current, others[n]) if n is not None else None,
            )

    def _compare(self, first: Result, second: Result) -> None:
        session = self.screen.session
        titles = (session.run_title(first), session.run_title(second))

        def show_comparison(rows: PairedRows) -> None:
            self.screen.ask(CompareScreen(rows, titles))

        self.screen.compute(
            lambda: PairedRows(Comparison(first, second)), show_comparison, group="compare"
        )
