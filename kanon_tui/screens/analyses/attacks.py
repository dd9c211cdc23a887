"""The attack suite: what outsiders could learn from a release, in people."""

from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType

from kanon_tui.core.analysis.attack.suite import (
    KINDS,
    AttackedAgain,
    attack_again,
    attack_sections,
    find_kinds,
    offered,
    run_attacks,
    seen_by_attackers,
    side_by_side,
)
from kanon_tui.core.analysis.attack.weak_spots import remedies, weak_spot_sections
from kanon_tui.core.pipeline.run import Result
from kanon_tui.core.table.table import Table
from kanon_tui.screens.analyses.base import AnalysisScreen, cancellation_check, sections_text


class AttacksScreen(AnalysisScreen):
    """The panel of the attack suite: a line per attack, then what each of them found."""

    TITLE = "attacks"
    PANES: ClassVar = {"#found": "success rates in people"}
    LOOKS_AT_RELEASE = True
    NEEDS: ClassVar = {
        "kind": "result", "control": "result", "counter": "result",
        "remedies": "result",
    }  # fmt: skip
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "kind", "Kind", id="attacks.kind"),
        Binding("e", "control", "Control", id="attacks.control"),
        Binding("c", "counter", "Counter-measures", id="attacks.counter"),
        Binding("r", "remedies", "Remedies", id="attacks.remedies"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.kind = "all"
        self.control: Table | None = None
        self.counters: tuple[str, ...] = ()
        """The counter-measures to try beside the release as it is."""
        self.found: list[AttackedAgain] = []

    def details(self) -> str:
        beside = "" if self.control is None else f" · beside {self.control.height:,} others"
        return f" · {self.kind}{beside}{''.join(f' · {each}' for each in self.counters)}"

    def action_kind(self) -> None:
        """Choose one kind of attack, or all."""
        listed = {f"{k.name}: {k.summary}": k.name for k in KINDS if k.name != "composition"}
        self.choose_option("kind", "Which attack?", {"all": "all", **listed})

    def action_control(self) -> None:
        """Choose a file of people who were not in the data."""
        self.choose_table("control", "People who were not in the data")

    def action_counter(self) -> None:
        """Choose counter-measures, to see the attacks on releases with them."""
        if self.result is not None:
            choices = offered(self.result.task, self.project)
            title = "Release again with which counter-measures?"
            self.choose_several("counters", title, choices, self.counters)

    def released(self) -> None:
        """Attack the release that is looked at, and one more for every counter-measure."""
        result, kind, control, counters = self.result, self.kind, self.control, self.counters
        if not isinstance(result, Result):
            return

        def attack() -> list[AttackedAgain]:
            stop = cancellation_check()
            frame = None if control is None else control.frame
            attacked = seen_by_attackers(result, frame, watch=lambda done, total: not stop())
            kinds, measures = find_kinds(kind), result.measures
            found = run_attacks(attacked, kinds)
            own = AttackedAgain("", found, measures.ncp, measures.suppressed_records)
            return [own, *(attack_again(attacked, each, kinds) for each in counters)]

        self.in_background(attack, self._show, "attacking")

    def action_remedies(self) -> None:
        """Show whom k does not protect and why, and try what helps."""
        result = self.result
        if not isinstance(result, Result):
            return

        def tried() -> Text:
            stop = cancellation_check()
            found = remedies(result, watch=lambda done, total: not stop())
            return sections_text(weak_spot_sections(result, found))

        self.in_background(tried, self.show_figures, "trying what helps")

    def _show(self, found: list[AttackedAgain]) -> None:
        self.found = found
        compared = [side_by_side(found)] if len(found) > 1 else []
        self.show_figures(sections_text([*compared, *attack_sections(found[0].attacks)[1:]]))
