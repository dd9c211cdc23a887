"""Risk models: how likely people are found in a release, by what is known of the population."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from textual.binding import Binding, BindingType

from kanon_tui.core.analysis.population_risk import (
    KnownPopulation,
    PopulationRisk,
    check_population,
    release_risk,
    risk_sections,
    survey_weights,
)
from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.declaration import Field, number, optional, whole_number
from kanon_tui.core.privacy.risk import THRESHOLD
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.table import Table
from kanon_tui.core.text import visible
from kanon_tui.screens.panel import AnalysisScreen, sections_text
from kanon_tui.widgets.dialogs import ask_text

KEPT = "risk models"
_SIZE = Field("population", optional(whole_number(1)), None, "People of the population")
_SHARE = number(above=0, high=1, words="a share above 0, at most 1")
_ABOVE = Field("threshold", _SHARE, THRESHOLD, "A risk that is too high")


@dataclass(frozen=True)
class Assumption:
    """The knowledge of the population (at most one of three), and the risk that is too high."""

    size: int | None = None
    weights: str | None = None
    path: Path | None = None
    population: Table | None = None
    """The table in the file of `path`."""
    threshold: float = THRESHOLD


class RiskModelsScreen(AnalysisScreen):
    """The panel of risk models: uniques, k-map and presence, with their assumptions."""

    TITLE = "risk models"
    PANES: ClassVar = {"#found": "how likely people are found"}
    LOOKS_AT_RELEASE = True
    NEEDS: ClassVar = dict.fromkeys(("size", "weights", "everybody", "threshold"), "result")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "size", "Population", id="risk.size"),
        Binding("c", "weights", "Weights", id="risk.weights"),
        Binding("e", "everybody", "Table", id="risk.table"),
        Binding("t", "threshold", "Threshold", id="risk.threshold"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.assumption = Assumption()
        self.found: PopulationRisk | None = None

    def begin(self) -> None:
        """Begin with what was entered last in this session, else the population of the project."""
        if self.result is not None:
            bound, task = self.result.task.privacy.risk, self.result.task
            size = None if bound is None else bound.population
            weights = None if size else survey_weights(self.session.project, task.table.names)
            of_project = Assumption(size, weights)
            self._assess(self.host.kept_by_panels.get(KEPT, of_project))

    def details(self) -> str:
        assumption = self.assumption
        if assumption.path is not None:
            return f" · population of {visible(assumption.path.name)}"
        if assumption.weights is not None:
            return f" · weights {visible(assumption.weights)}"
        if assumption.size is not None:
            return f" · population of {assumption.size:,}"
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
        now = "" if self.assumption.size is None else str(self.assumption.size)

        def take(size: int | None) -> None:
            self._assume(size=size)

        ask_text(self, "Size of the population", take, check, now, hint)

    def action_weights(self) -> None:
        """Choose the column of survey weights."""
        if self.result is None:
            return
        roles, known = self.result.task.roles, self.session.project.attributes
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

        hint, named = "how many people of the population a record stands for", {n: n for n in names}
        title = "Which column has survey weights?"
        self.ask_one(title, named, self.assumption.weights, chosen, hint)

    def action_everybody(self) -> None:
        """Choose a file of everybody in the population."""

        self.ask_file("Everybody of the population", lambda path: self._assume(path=path))

    def action_threshold(self) -> None:
        """Type the risk above which records are counted."""

        def check(text: str) -> float:
            return float(_ABOVE.parse(text, "risk"))

        def take(threshold: float) -> None:
            self._assess(replace(self.assumption, threshold=threshold), remember=True)

        now = f"{self.assumption.threshold:g}"
        hint = "Records with a higher risk are counted: 0.2 counts classes below 5."
        ask_text(self, "A risk that is too high", take, check, now, hint)

    def released(self) -> None:
        """Assess the release of another run."""
        self._assess(self.assumption)

    def _assume(self, **known: Any) -> None:
        """Assess with other knowledge of the population, and remember it."""
        self._assess(Assumption(**known, threshold=self.assumption.threshold), remember=True)

    def _assess(self, assumption: Assumption, *, remember: bool = False) -> None:
        """Work it out; what is shown stays until then, and where that fails.

        With `remember` it is kept for the session; a population table is read again.
        """
        result = self.result
        assert result is not None
        project = self.project

        def work() -> tuple[Assumption, PopulationRisk]:
            path, population = assumption.path, assumption.population
            if path is not None and population is None:
                population = self.read(path)
            known = KnownPopulation(assumption.size, assumption.weights)
            name = "" if path is None else path.name
            found = release_risk(result, project, known, population, name, assumption.threshold)
            return replace(assumption, population=population), found

        def done(made: tuple[Assumption, PopulationRisk]) -> None:
            self.assumption, self.found = made
            if remember:
                self.host.kept_by_panels[KEPT] = replace(self.assumption, population=None)
            self.show_figures(sections_text(risk_sections(made[1])))

        self.in_background(work, done, "counting")
