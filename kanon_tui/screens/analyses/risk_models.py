"""Risk models: how likely people are found in a release, by what is known of the population."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from textual.binding import Binding, BindingType

from kanon_tui.core.analysis.analysis import Findings
from kanon_tui.core.analysis.population_risk import check_population, survey_weights
from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.declaration import Field, number, optional, whole_number
from kanon_tui.core.privacy.risk import THRESHOLD
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.text import visible
from kanon_tui.screens.analyses.generic import AnalysisPanel
from kanon_tui.widgets.dialogs import ask_text

KEPT = "risk models"
_NOTHING_KNOWN = {"population": None, "weights": None, "population_table": None}
"""The options of which at most one is known at a time."""
_SIZE = Field("population", optional(whole_number(1)), None, "People of the population")
_SHARE = number(above=0, high=1, words="a share above 0, at most 1")
_ABOVE = Field("threshold", _SHARE, THRESHOLD, "A risk that is too high")


class RiskModelsScreen(AnalysisPanel):
    """The panel of risk models: uniques, k-map and presence, with their assumptions."""

    PANES: ClassVar = {"#found": "how likely people are found"}
    NEEDS: ClassVar = dict.fromkeys(("size", "weights", "everybody", "threshold"), "result")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "size", "Population", id="risk.size"),
        Binding("c", "weights", "Weights", id="risk.weights"),
        Binding("e", "everybody", "Table", id="risk.table"),
        Binding("t", "threshold", "Threshold", id="risk.threshold"),
    ]

    _is_said = False
    """Whether somebody chose the options here, so that the session keeps them."""

    def begin(self) -> None:
        """Begin with what was entered last in this session, else the population of the project."""
        if self.result is not None:
            self.options |= self.host.kept_by_panels.get(KEPT) or self._known_to_project(
                self.result
            )
        super().begin()

    def _known_to_project(self, result: FinishedRun) -> Mapping[str, Any]:
        """Return the population that the release was made for, else the column of weights."""
        bound = result.task.privacy.risk
        if bound is not None and bound.population:
            return {"population": bound.population}
        return {"weights": survey_weights(self.session.project, result.task.table.names)}

    @property
    def doing(self) -> str:
        return "counting"

    def details(self) -> str:
        options = self.options
        if options["population_table"] is not None:
            return f" · population of {visible(Path(options['population_table']).name)}"
        if options["weights"] is not None:
            return f" · weights {visible(options['weights'])}"
        if options["population"] is not None:
            return f" · population of {options['population']:,}"
        return " · p types the size of the population"

    # -- what is known

    def action_size(self) -> None:
        """Type how many people the population has."""
        people = 0 if self.result is None else self.result.task.people

        def check(text: str) -> int | None:
            size: int | None = _SIZE.parse(text.replace(",", ""), "population")
            if size is not None:
                check_population(size, people)
            return size

        hint = "People of whom the table is a random sample. Empty: not known."
        now = str(self.options["population"] or "")

        def take(size: int | None) -> None:
            self._assume(population=size)

        ask_text(self, "Size of the population", take, check, now, hint)

    def action_weights(self) -> None:
        """Choose the column of survey weights."""
        if self.result is None:
            return
        roles = self.result.task.roles
        known = self.session.project.attributes
        names = [n for n in roles if n in known and known[n].kind is Kind.NUMERIC]
        names.sort(key=lambda n: (known[n].role is not Role.WEIGHT, roles[n] is Role.QUASI))
        if not names:
            self.host.fail(InputError("no column holds numbers; 2 shows the kind of every column"))
            return

        def chosen(name: str) -> None:
            spec = known[name]
            if spec.role in (Role.OTHER, Role.IDENTIFIER) and spec.identifier == "drop":
                fields = {"role": Role.WEIGHT, "publish_unique": spec.role is Role.OTHER}
                # so that the project remembers it
                self.edit_attributes([name], f"{name}: survey weight", **fields)
            self._assume(weights=name)

        hint = "how many people of the population a record stands for"
        named = {n: n for n in names}
        title = "Which column has survey weights?"
        self.ask_one(title, named, self.options["weights"], chosen, hint)

    def action_everybody(self) -> None:
        """Choose a file of everybody in the population."""

        self.ask_file(
            "Everybody of the population", lambda path: self._assume(population_table=path)
        )

    def action_threshold(self) -> None:
        """Type the risk above which records are counted."""

        def check(text: str) -> float:
            return float(_ABOVE.parse(text, "risk"))

        def take(threshold: float) -> None:
            self._is_said = True
            self.set_options(threshold=threshold)

        now = f"{self.options['threshold']:g}"
        hint = "Records with a higher risk are counted: 0.2 counts classes below 5."
        ask_text(self, "A risk that is too high", take, check, now, hint)

    def _assume(self, **known: object) -> None:
        """Assess with other knowledge of the population, and remember it."""
        self._is_said = True
        self.set_options(**{**_NOTHING_KNOWN, **known})

    def show_findings(self, findings: Findings) -> None:
        """Show the risk, and keep for the session what was said of the population."""
        if self._is_said:
            self.host.kept_by_panels[KEPT] = dict(self.options)
        super().show_findings(findings)

    def work_failed(self) -> None:
        """Forget what was said with which nothing was found."""
        self._is_said = False
        super().work_failed()
