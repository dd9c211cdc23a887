"""Attacks: the success of every attack on the release in view, and what helps against it."""

from functools import partial
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType

from kanon_tui.core.analysis.analysis import Findings
from kanon_tui.core.analysis.attack.suite import KINDS, attack_sections, offered, side_by_side
from kanon_tui.core.analysis.attack.weak_spots import remedies, weak_spot_sections
from kanon_tui.core.pipeline.run import Result
from kanon_tui.screens.analyses.generic import AnalysisPanel
from kanon_tui.screens.panel import sections_text
from kanon_tui.services.background import cancellation_check


class AttacksScreen(AnalysisPanel):
    """The panel of the attack suite: a line per attack, then what each of them found."""

    PANES: ClassVar = {"#found": "success rates in people"}
    NEEDS: ClassVar = {
        "kind": "result", "table": "result", "counter": "result", "remedies": "result",
    }  # fmt: skip
    TABLES: ClassVar = {"control": "People who were not in the data"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "kind", "Kind", id="attacks.kind"),
        Binding("e", "table('control')", "Control", id="attacks.control"),
        Binding("c", "counter", "Counter-measures", id="attacks.counter"),
        Binding("r", "remedies", "Remedies", id="attacks.remedies"),
    ]

    @property
    def doing(self) -> str:
        return "attacking"

    def details(self) -> str:
        beside = ""
        if self.found:
            tried = [result.control[0] for result in self.found[0].attacks if result.control]
            beside = f" · beside {max(tried):,} others" if tried else ""
        measures = "".join(f" · {option}" for option in self.options["counter_measures"])
        return f" · {self.options['kind']}{beside}{measures}"

    def action_kind(self) -> None:
        """Choose one kind of attack, or all."""
        listed = {f"{k.name}: {k.summary}": k.name for k in KINDS if k.name != "composition"}
        titles = {"all": "all", **listed}
        self.ask_one("Which attack?", titles, self.options["kind"], self._try_kind)

    def _try_kind(self, kind: str) -> None:
        self.set_options(kind=kind)

    def action_counter(self) -> None:
        """Choose counter-measures, to see the attacks on releases with them."""
        if self.result is not None:
            choices = offered(self.result.task, self.project)
            title = "Release again with which counter-measures?"
            marked = self.options["counter_measures"]
            self.choose_several("counter_measures", title, choices, marked)

    def action_remedies(self) -> None:
        """Show whom k does not protect and why, and try what helps."""
        if isinstance(self.result, Result):
            work = partial(_remedies_text, self.result)
            self.in_background(work, self.show_figures, "trying what helps")

    def show_findings(self, findings: Findings) -> None:
        """Show every attack, and with counter-measures all releases side by side."""
        runs = findings.answer
        compared = [side_by_side(runs)] if len(runs) > 1 else []
        self.show_figures(sections_text([*compared, *attack_sections(runs[0].attacks)[1:]]))


def _remedies_text(result: Result) -> Text:
    """Return whom k does not protect, and what helps; in a thread."""
    stop = cancellation_check()
    tried = remedies(result, watch=lambda done, total: not stop())
    return sections_text(weak_spot_sections(result, tried))
