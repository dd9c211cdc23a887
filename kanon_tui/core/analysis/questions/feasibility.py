"""k feasibility: how many records a shape needs to be k-anonymous as it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from kanon_tui.core.analysis.analysis import Analysis, Findings, LooksAt, Progress
from kanon_tui.core.fields.declaration import declared

if TYPE_CHECKING:
    from kanon_tui.core.analysis.subject import Subject


@dataclass(frozen=True, kw_only=True)
class FeasibilityQuestion(Analysis):
    """Estimate how likely a table of a given shape is k-anonymous without generalisation.

    Random tables are drawn in which every attribute has the same number of equally frequent values.
    The success rate is the share of tables in which no class has fewer than k records. Attributes
    are taken to be independent; real tables do better, because their attributes are related.

    With --records it is the rate at that many records, without it a curve over numbers of records.
    In the application a second curve is for the attributes of the table that is open, with their
    values as frequent as they are, and ▸ marks its number of records. A curve at 0 says that
    generalisation or suppression is needed.

    7 attributes of 2 values with k = 5 are hopeless with 1,200 records and safe with 7,500.
    """

    name: ClassVar[str] = "feasibility"
    title: ClassVar[str] = "k feasibility"
    question: ClassVar[str] = "How many records k needs"
    looks_at: ClassVar[LooksAt] = LooksAt.NOTHING
    command: ClassVar[str | None] = "simulate"
    key: ClassVar[str] = "F"
    example: ClassVar[str] = """
>>> import kanon_tui as kn
>>> kn.feasibility(attributes=7, k=5, records=7500, repeats=20).figures["success_rate"]
1.0
"""

    attributes: int = declared(help="Number of attributes", low=1)
    values: int = declared(2, "Values of each, equally frequent", low=1)
    k: int = declared(help="The fewest records of a combination", low=1)
    repeats: int = declared(200, "Random tables per number of records", low=1)
    most_records: int | None = declared(None, "Where the curve ends", low=1, high=10**15)
    records: int | None = declared(None, "Number of records, for one rate and no curve", low=1)
    seed: int = declared(0, "Seed of the random numbers", low=0)

    @classmethod
    def proposed(cls, subject: Subject) -> Mapping[str, Any]:
        """Return the number of quasi-identifiers and k of the run in view, else of the project."""
        from kanon_tui.core.table.column import Role

        if subject.result is not None:
            task = subject.result.task
            return {"attributes": len(task.quasi) or 3, "k": task.k}
        if subject.project is None:
            return {}
        roles = [attribute.role for attribute in subject.project.attributes.values()]
        return {"attributes": roles.count(Role.QUASI) or 3, "k": subject.project.privacy.k}

    def run(self, subject: Subject, progress: Progress) -> Findings:
        """Return the success rate at one number of records, or the curve over many."""
        if self.records is not None:
            return self._at_one_number(self.records)
        from kanon_tui.core.analysis.feasibility import FeasibilityCurve, shape_of
        from kanon_tui.core.errors import KanonError

        curve = FeasibilityCurve.of_shape(
            self.attributes, self.values, self.k, self.repeats, self.seed
        )
        note = ""
        if subject.project is not None:
            try:
                curve = curve.beside_table(shape_of(subject.task), subject.task.n)
            except KanonError as error:
                note = f"no curve for this table: {error}"
        findings = Findings()
        for growing in curve.up_to(self.most_records).points():
            progress.check()
            findings = self._of_curve(growing, note)
            progress.show(findings)
        return findings

    @property
    def _settings(self) -> dict[str, int | None]:
        names = ("attributes", "values", "k", "records", "repeats", "seed")
        return {name: getattr(self, name) for name in names}

    def _at_one_number(self, records: int) -> Findings:
        from kanon_tui.core.analysis.feasibility import feasibility

        rate = feasibility(self.attributes, self.k, records, self.values, self.repeats, self.seed)
        low, high = rate.interval
        sentences = (
            f"attributes: {self.attributes:,} with {self.values:,} values each   "
            f"records: {records:,}   k = {self.k:,}",
            f"k-anonymous: {round(rate.success_rate * self.repeats):,} of {self.repeats:,} random "
            f"tables, {rate.success_rate:.1%} (95 % interval {low:.1%} to {high:.1%})",
        )
        figures = {**self._settings, "success_rate": rate.success_rate}
        return Findings(figures=figures, summary=sentences)

    def _of_curve(self, curve: Any, note: str) -> Findings:
        sentences = [sentence for sentence in (note, curve.verdict()) if sentence]
        rates = [
            {"shape": shape, "records": records, "success_rate": rate}
            for (shape, records), rate in curve.rates.items()
        ]
        return Findings([curve.section()], {**self._settings, "curve": rates}, sentences)
