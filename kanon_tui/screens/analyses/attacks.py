"""The attack suite: what outsiders could learn from a release, in people."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Static

from kanon_tui.core.analysis.attack.attacked import AttackResult
from kanon_tui.core.analysis.attack.suite import KINDS, attack_release, attack_sections
from kanon_tui.core.pipeline.result import Result
from kanon_tui.core.table.table import Table
from kanon_tui.screens.analyses.base import AnalysisScreen, nobody_waits, sections_text
from kanon_tui.widgets.dialogs import Choose
from kanon_tui.widgets.lists import ScrollPane


class AttacksScreen(AnalysisScreen):
    """The panel of the attack suite: a line per attack, then what each of them found."""

    TITLE = "attacks"
    LOOKS_AT_RELEASE = True
    NEEDS: ClassVar = {"kind": "result", "control": "result"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "kind", "Kind", id="attacks.kind"),
        Binding("e", "control", "Control", id="attacks.control"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.kind = "all"
        self.control: Table | None = None
        self.found: list[AttackResult] = []

    def body(self) -> Iterable[Widget]:
        with ScrollPane(id="found", classes="pane"):
            yield Static(id="figures")

    def on_mount(self) -> None:
        self.query_one("#found").border_title = "success rates in people"
        self.query_one("#found").focus()
        self.draw_status()
        self.released()

    def details(self) -> str:
        beside = "" if self.control is None else f" · beside {self.control.height:,} others"
        return f" · {self.kind}{beside}"

    def action_kind(self) -> None:
        """Choose one kind of attack, or all."""
        names = ["all", *(kind.name for kind in KINDS if kind.name != "composition")]
        titles = ["all", *(f"{k.name}: {k.summary}" for k in KINDS if k.name != "composition")]

        def chosen(row: int | None) -> None:
            if row is not None:
                self.kind = names[row]
                self.released()

        self.ask(Choose("Which attack?", titles, current=names.index(self.kind)), chosen)

    def action_control(self) -> None:
        """Choose a file of people who were not in the data."""

        def chosen(path: Path) -> None:
            def read(table: Table) -> None:
                self.control = table
                self.released()

            self.in_background(lambda: self.read(path), read, "reading")

        self.ask_file("People who were not in the data", chosen)

    def released(self) -> None:
        """Attack the release that is looked at."""
        result, kind, control = self.result, self.kind, self.control
        if not isinstance(result, Result):
            return

        def attack() -> list[AttackResult]:
            stop = nobody_waits()
            frame = None if control is None else control.frame
            return attack_release(result, kind, frame, watch=lambda done, total: not stop())

        self.in_background(attack, self._show, "attacking")

    def _show(self, found: list[AttackResult]) -> None:
        self.found = found
        text = sections_text(attack_sections(found)[1:])
        self.query_one("#figures", Static).update(text)
