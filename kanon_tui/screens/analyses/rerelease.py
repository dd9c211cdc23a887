"""Earlier release: whom a release and an earlier one of the same people expose together."""

from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType

from kanon_tui.core.analysis.attack.two_releases import TwoReleases, check_together, repaired_result
from kanon_tui.core.pipeline.run import Result
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.table.table import Table
from kanon_tui.core.text import plural, visible
from kanon_tui.screens.analyses.base import AnalysisScreen, cancellation_check, sections_text
from kanon_tui.widgets.drawing import theme_style


class RereleaseScreen(AnalysisScreen):
    """The panel of two releases: counts, verdict, and the cost of a repair."""

    TITLE = "earlier release"
    PANES: ClassVar = {"#found": "both releases together"}
    LOOKS_AT_RELEASE = True
    NEEDS: ClassVar = {"earlier": "result"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "earlier", "Earlier file", id="rerelease.earlier"),
        Binding("g", "repair", "Generalise further", id="rerelease.repair"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.earlier: Table | None = None
        self.earlier_name = ""
        self.found: TwoReleases | None = None

    def begin(self) -> None:
        self.action_earlier()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Show in the footer only the keys that work now."""
        if action == "repair":
            in_memory = self.result is not None and not self.result.in_files
            exposed = self.found is not None and self.found.below_k > 0
            return in_memory and exposed and not self.working
        return super().check_action(action, parameters)

    def details(self) -> str:
        if self.earlier is None:
            return " · e chooses the file that was published before"
        return f" beside {visible(self.earlier_name)}"

    # -- checking

    def action_earlier(self) -> None:
        if self.result is not None:
            self.choose_table("earlier", "What was published before")

    def released(self) -> None:
        """Compare the release of another run with the same file."""
        result, earlier, name = self.result, self.earlier, self.earlier_name
        if result is None or earlier is None:
            return
        project, self.found = self.project, None
        self._draw()

        def compared(found: TwoReleases) -> None:
            self.found = found
            self._draw()

        def compare() -> TwoReleases:
            return check_together(result, project, earlier, name, cancellation_check())

        self.in_background(compare, compared, "comparing")

    # -- repairing

    def action_repair(self) -> None:
        """Generalise further, as a run of its own."""
        result, earlier, name, session = self.result, self.earlier, self.earlier_name, self.session
        if not isinstance(result, Result) or result.in_files or earlier is None:
            return
        project = self.project

        def repair() -> tuple[Result, TwoReleases]:
            made = repaired_result(result, project, earlier, name)
            found = check_together(made, project, earlier, name)
            found.refuse(name, tried=True)
            return made, found

        def done(made: tuple[Result, TwoReleases]) -> None:
            self.result, self.found = made
            self.host.add_result(session, made[0])
            self.host.session_changed()
            self._draw()

        self.in_background(repair, done, "generalising further")

    # -- showing

    def _draw(self) -> None:
        found, result = self.found, self.result
        text = Text()
        if found is not None and result is not None:
            text = sections_text([found.section()])
            self._verdict(text, found)
            self._cost(text, result)
        self.show_figures(text)
        self.refresh_bindings()

    def _verdict(self, text: Text, found: TwoReleases) -> None:
        name = visible(self.earlier_name)
        if not found.people:
            text.append("\n\n! ", theme_style(self, "warning", bold=True))
            text.append(f"Nobody is in both. Is {name} a release of the same people?")
        elif found.below_k:
            are = f"{plural(found.below_k, 'is', 'are')} left fewer than k = {found.k:,}"
            text.append("\n\n✗ ", theme_style(self, "error", bold=True))
            text.append(f"Together with {name} {found.below_k:,} {are} candidates. Do not publish ")
            text.append("this beside it: ")
            if self.result is not None and not self.result.in_files:
                text.append("g generalises further where that is needed.")
            else:
                text.append("run again with coarser levels or a higher k; a release in files is ")
                text.append("not generalised further where it lies.")
        else:
            text.append("\n\n✓ ", theme_style(self, "success", bold=True))
            text.append(f"Together with {name} everybody keeps k = {found.k:,} candidates.")

    def _cost(self, text: Text, result: FinishedRun) -> None:
        """Append the cost of a repaired release."""
        repair = result.grouping.search.get("repaired")
        if not isinstance(repair, dict):
            return
        text.append(f"\n\nGeneralised further: NCP {repair['ncp']:.4f} instead of ")
        text.append(f"{repair['ncp_before']:.4f}, ")
        if "merges" in repair:
            text.append(f"{repair['merges']:,} {plural(repair['merges'], 'merge')} of classes.")
        else:
            levels = (f"{visible(n)} {level}" for n, level in repair["least_levels"].items())
            text.append(f"levels at least {', '.join(levels)}.")
        text.append("\nesc and x exports it; run --earlier FILE --repair does the same.", "dim")
