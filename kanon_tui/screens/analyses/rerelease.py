"""Earlier release: whom it and the release in view expose together, and a repair."""

from functools import partial
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType

from kanon_tui.core.analysis.analysis import Findings, Progress
from kanon_tui.core.analysis.attack.two_releases import TwoReleases, repaired
from kanon_tui.core.analysis.questions.rerelease import RereleaseQuestion
from kanon_tui.core.analysis.subject import Subject
from kanon_tui.core.editing.session import Session
from kanon_tui.core.pipeline.run import Result
from kanon_tui.core.project.project import Project
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.text import plural, visible
from kanon_tui.screens.analyses.generic import AnalysisPanel
from kanon_tui.screens.panel import sections_text
from kanon_tui.widgets.drawing import theme_style


class RereleaseScreen(AnalysisPanel):
    """The panel of two releases: counts, verdict, and the cost of a repair."""

    PANES: ClassVar = {"#found": "both releases together"}
    NEEDS: ClassVar = {"table": "result"}
    TABLES: ClassVar = {"earlier": "What was published before"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "table('earlier')", "Earlier file", id="rerelease.earlier"),
        Binding("g", "repair", "Generalise further", id="rerelease.repair"),
    ]

    def begin(self) -> None:
        super().begin()
        self.action_table("earlier")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Show in the footer only the keys that work now."""
        if action == "repair":
            exposed = self.found is not None and self.found.below_k > 0
            return self.result is not None and exposed and not self.working
        return super().check_action(action, parameters)

    @property
    def doing(self) -> str:
        return "comparing"

    @property
    def earlier_name(self) -> str:
        """The name of the earlier file."""
        return Path(self.options["earlier"]).name

    def details(self) -> str:
        if self.options["earlier"] is None:
            return " · e chooses the file that was published before"
        return f" beside {visible(self.earlier_name)}"

    def released(self) -> None:
        """Compare the release in view with the earlier file; what was shown is of another one."""
        self.findings = None
        self.show_figures(Text())
        super().released()

    # -- repairing

    def action_repair(self) -> None:
        """Generalise further, as a run of its own."""
        earlier = self.options["earlier"]
        if isinstance(self.result, Result) and earlier is not None:
            work = partial(_repair, self.result, self.project, earlier)
            done = partial(self._take_repaired, self.session)
            self.in_background(work, done, "generalising further")

    def _take_repaired(self, session: Session, made: tuple[Result, Findings]) -> None:
        result, findings = made
        self.result = result
        self.host.add_result(session, result)
        self.host.session_changed()
        self.show_new(findings)

    # -- showing

    def show_findings(self, findings: Findings) -> None:
        """Show the counts, the verdict, and what a repair has cost."""
        both: TwoReleases = findings.answer
        mark, style, verdict = self._verdict(both)
        text = sections_text(findings.sections)
        text.append(f"\n\n{mark} ", theme_style(self, style, bold=True))
        if self.result is not None:
            verdict += _repair_cost(self.result)
        self.show_figures(text.append(verdict))
        self.refresh_bindings()

    def _verdict(self, both: TwoReleases) -> tuple[str, str, str]:
        """Return a mark, its colour, and whether both releases may stand beside each other."""
        name = visible(self.earlier_name)
        if not both.people:
            return "!", "warning", f"Nobody is in both. Is {name} a release of the same people?"
        if not both.below_k:
            kept = f"Together with {name} everybody keeps k = {both.k:,} candidates."
            return "✓", "success", kept
        are = f"{plural(both.below_k, 'is', 'are')} left fewer than k = {both.k:,} candidates"
        advice = "g generalises further where that is needed"
        exposed = f"Together with {name} {both.below_k:,} {are}."
        return "✗", "error", f"{exposed} Do not publish this beside it: {advice}."


def _repair(result: Result, project: Project, earlier: Path) -> tuple[Result, Findings]:
    """Return a release that is safe beside the earlier one, and both compared; in a thread."""
    table = Subject(project, result=result).read(earlier)
    made = repaired(result, project, table, earlier.name)
    findings = RereleaseQuestion(earlier).run(Subject(project, result=made), Progress())
    findings.answer.refuse(earlier.name, tried=True)
    return made, findings


def _repair_cost(result: FinishedRun) -> str:
    """Return the cost of a repaired release, in words; empty for another one."""
    repair = result.grouping.search.get("repaired")
    if not isinstance(repair, dict):
        return ""
    if "merges" in repair:
        how = f"{repair['merges']:,} {plural(repair['merges'], 'merge')} of classes"
    else:
        levels = (f"{visible(n)} {level}" for n, level in repair["least_levels"].items())
        how = f"levels at least {', '.join(levels)}"
    return (
        f"\n\nGeneralised further: NCP {repair['ncp']:.4f} instead of {repair['ncp_before']:.4f}, "
        f"{how}.\nesc and x exports it; run --earlier FILE --repair does the same."
    )
