"""The runs of a project: once more with the neighbouring k, and two of them compared."""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from kanon_tui.core.analysis.compare import differences
from kanon_tui.core.editing.state_folder import EarlierRun
from kanon_tui.core.errors import InputError, KanonError
from kanon_tui.core.pipeline.live import LiveRun
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import State, conclude, start
from kanon_tui.core.project.project import Project
from kanon_tui.core.project.sections import AlgorithmChoice
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.task.task import Task
from kanon_tui.screens.base import StepScreen
from kanon_tui.screens.results.compare import CompareScreen
from kanon_tui.screens.results.figures import signed
from kanon_tui.screens.strings import choose_string
from kanon_tui.services.background import cancellation_check
from kanon_tui.widgets.dialogs import Confirm, choose, confirm

SHOWN = {"ncp": "NCP", "rv": "RV", "classes": "classes", "suppressed_records": "supp."}


class Rerun:
    """A run with other settings; `finish` does the work, in a thread."""

    def __init__(self, project: Project, task: Callable[[], Task | None]) -> None:
        self.k = project.privacy.k
        self.project = project
        self._task = task
        self._live: LiveRun | None = None
        self._stopped = False

    def finish(self, abandoned: Callable[[], bool]) -> FinishedRun | None:
        """Run to the end; None when it was stopped."""
        live = self._live = LiveRun(start(self.project, task=self._task()))
        live.drive(lambda: self._stopped or abandoned())
        if self._stopped or live.run.state is State.CANCELLED:
            return None
        result = conclude(live.run, self.project)
        _ = result.cautions  # counted here, not while the screen is drawn
        return result

    def stop(self) -> None:
        """End at the next step."""
        self._stopped = True
        if self._live is not None:
            self._live.cancel()

    @property
    def progress(self) -> str:
        """`running again with k = 6: 42%, 3.1 s (esc stops)`."""
        begun = f"running again with k = {self.k:,}"
        if self._live is None:
            return f"{begun} … (esc stops)"
        snapshot = self._live.snapshot
        share = "" if snapshot.progress is None else f"{snapshot.progress:.0%}, "
        return f"{begun}: {share}{snapshot.seconds:.1f} s (esc stops)"


def difference_line(before: FinishedRun, after: FinishedRun) -> str:
    """Return `k 5 → 6: better classes +20, supp. −37 · worse NCP +0.11, RV −0.008`."""
    by_verdict: dict[str, list[str]] = {"better": [], "worse": [], "same": []}
    for difference in differences(before, after):
        if difference.name in SHOWN:
            amount = signed(round(difference.difference or 0, 3))
            word = {1: "better", -1: "worse"}.get(
                difference.better if amount != "±0" else 0, "same"
            )
            by_verdict[word].append(
                SHOWN[difference.name] + ("" if word == "same" else f" {amount}")
            )
    parts = [f"{word} {', '.join(changes)}" for word, changes in by_verdict.items() if changes]
    return f"k {before.task.k:,} → {after.task.k:,}: {' · '.join(parts)}"


class RunsScreen(StepScreen):
    """The base of Results: its runs, again with other settings, compared, forgotten."""

    def __init__(self) -> None:
        super().__init__()
        self.under_way: Rerun | None = None
        """The run that was started here and has not ended."""

    @abstractmethod
    def show_result(self, result: FinishedRun, before: FinishedRun | None = None) -> None:
        """Put a result in front; `before` is what it was run again from."""

    @abstractmethod
    def fill(self) -> None:
        """Show the result in front and the progress of the run under way."""

    def action_rerun(self, step: int) -> None:
        """Run the result in front again with k one higher or lower, in the background."""
        before = self.result
        if before is None:
            return
        task = before.task
        k = before.task.k + step
        if not 1 <= k <= task.n:
            raise InputError(f"k goes from 1 to the {task.n:,} records of the table")
        project = before.project or self.session.project
        project = replace(project, privacy=replace(task.privacy, k=k))
        self._begin(project, lambda: replace(task, privacy=project.privacy), before)

    def action_strings(self) -> None:
        """Choose among the passing strings of the result in front, or build another; publish it."""
        before = self.result
        if before is None:
            return
        project = before.project or self.session.project

        def chosen(choice: AlgorithmChoice) -> None:
            again = replace(project, algorithm=choice, privacy=before.task.privacy)
            self._begin(again, lambda: before.task, before)

        choose_string(self, lambda: before.task, before, chosen)

    def repeat(self, run: EarlierRun) -> None:
        """Run an earlier run again, on the project as it is now, in the background."""
        session = self.session
        try:
            session.check_counted()
            project = run.again(session.project)
        except KanonError as error:
            self.host.notify(error.on_screen)
        else:
            self._begin(project, lambda: prepare(project, session.table), None)

    def _begin(
        self, project: Project, task: Callable[[], Task | None], before: FinishedRun | None
    ) -> None:
        """Start a run, unless one is under way."""
        if self.under_way is None:
            self._run(Rerun(project, task), before)

    def _run(self, rerun: Rerun, before: FinishedRun | None) -> None:
        session = self.session
        self.under_way = rerun

        def done(result: FinishedRun | None) -> None:
            self.under_way = None
            if result is None:
                self.host.notify("stopped")
            elif session is self.session:
                self.host.add_result(session, result)
                self.show_result(result, before)
                self.host.session_changed()
            self.fill()

        def failed(error: Exception) -> None:
            self.under_way = None
            self.fill()
            self.host.show_error(f"No release with k = {rerun.k:,}", error)

        def work() -> FinishedRun | None:
            return rerun.finish(cancellation_check())

        self.host.background.compute(self, work, done, group="rerun", failed=failed)
        self.fill()

    def action_forget_runs(self) -> None:
        """Ask whether to delete the list of runs of earlier sessions, and delete it."""
        host = self.host
        session = self.session

        def forget() -> None:
            host.history.clear(session.project)
            host.earlier_runs = ()
            host.session_changed()

        count = len(host.earlier_runs)
        text = f"Settings and figures of {count:,} earlier runs on this project are removed."
        question = Confirm("Forget earlier runs?", text, "Forget them", "Keep them")
        confirm(self, question, forget)

    def compare(self, chosen: int | None) -> None:
        """Compare the result in front with the chosen one; ask if that is the same."""
        results = self.session.results
        current = self.result
        other_results = [other_result for other_result in results if other_result is not current]
        if current is None or not other_results:
            self.host.notify("there is only one run; press + to run again with k+1")
        elif chosen is not None and results[chosen] is not current:
            self._compare(current, results[chosen])
        elif len(other_results) == 1:
            self._compare(current, other_results[0])
        else:
            title = self.session.run_title
            options = [
                (title(other_result), partial(self._compare, current, other_result))
                for other_result in other_results
            ]
            choose(self, "Compare with", options)

    def _compare(self, first: FinishedRun, second: FinishedRun) -> None:
        self.ask(CompareScreen(first, second))
