"""Risk models: how likely people are found in a release, by what is known of the population."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from kanon_tui.core.analysis.analysis import Analysis, Findings, Progress, column, data_table
from kanon_tui.core.fields.declaration import declared, number, optional

if TYPE_CHECKING:
    from kanon_tui.core.analysis.subject import Subject

_SHARE = number(above=0, high=1, words="a share above 0, at most 1")


@dataclass(frozen=True)
class RiskQuestion(Analysis):
    """Estimate how likely people are found: three risk models, uniques, k-map and δ-presence.

    The population is given by its size, by survey weights or by a table.
    """

    name: ClassVar[str] = "risk"
    title: ClassVar[str] = "Risk models"
    question: ClassVar[str] = "Risk by knowledge of the population"
    command: ClassVar[str | None] = None  # `risk` measures tables without a project as well
    function: ClassVar[str | None] = None  # and so does `kn.risk`
    key: ClassVar[str] = "M"
    panel: ClassVar[str] = "kanon_tui.screens.analyses.risk_models:RiskModelsScreen"

    population: int | None = declared(None, "People of the population", low=1)
    weights: str | None = declared(None, "A column of survey weights", type=optional(column()))
    population_table: Any = declared(
        None, "A table of everybody in the population", type=optional(data_table())
    )
    threshold: float = declared(0.2, "The risk that is too high", type=_SHARE)

    def run(self, subject: Subject, progress: Progress) -> Findings:
        """Return the risk of the published rows by every model."""
        from kanon_tui.core.analysis.population_risk import (
            KnownPopulation,
            release_risk,
            risk_sections,
        )
        from kanon_tui.core.analysis.subject import name_of_table

        result = subject.finished_run
        assert subject.project is not None
        everybody = None
        if self.population_table is not None:
            everybody = subject.read(self.population_table)
        risk = release_risk(
            result,
            subject.project,
            KnownPopulation(self.population, self.weights),
            everybody,
            name_of_table(self.population_table, "the population table"),
            self.threshold,
        )
        return Findings(risk_sections(risk), risk.mapping(), answer=risk)
