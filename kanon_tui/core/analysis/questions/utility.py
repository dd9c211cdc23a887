"""Utility: what analyses find in the original and in the release."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from kanon_tui.core.analysis.analysis import Analysis, Findings, Progress, column
from kanon_tui.core.fields.declaration import declared, optional

if TYPE_CHECKING:
    from kanon_tui.core.analysis.subject import Subject
    from kanon_tui.core.analysis.utility.utility import Utility


@dataclass(frozen=True)
class UtilityQuestion(Analysis):
    """Compare what analyses find in the original and in a release.

    Published ranges, labels and sets are spread over the values of the original that they cover.
    Distances are total variation (0 the same, 1 nothing in common), associations Cramer's V. With
    --target, models for that attribute are cross-validated on each table's own cells.
    """

    name: ClassVar[str] = "utility"
    title: ClassVar[str] = "Utility"
    question: ClassVar[str] = "Results of analyses before and after"
    key: ClassVar[str] = "U"
    panel: ClassVar[str] = "kanon_tui.screens.analyses.utility:UtilityScreen"
    returns: ClassVar[str] = "Utility"
    returns_help: ClassVar[str] = (
        "Distances of attributes and pairs, errors of counts, means and models; "
        "`kn.utility_sections` makes sections of a report of it."
    )
    example: ClassVar[str] = """
>>> import kanon_tui as kn, polars as pl
>>> people = pl.DataFrame({"age": [21, 22, 38, 39] * 10})
>>> release = kn.anonymize(people, quasi="age", k=20, algorithm="mondrian")
>>> found = kn.utility(release)
>>> [section.title for section in kn.utility_sections(found)][:1]
['Distributions, original and release']
"""

    target: str | None = declared(
        None, "The attribute that models predict", type=optional(column())
    )

    def run(self, subject: Subject, progress: Progress) -> Findings:
        """Return distances of attributes and pairs, errors of counts, means and models."""
        from kanon_tui.core.analysis.utility.utility import measure_utility, utility_sections

        utility = measure_utility(subject.release, self.target)
        sentence = (
            f"records: {utility.original_records:,} in the original, "
            f"{utility.release_records:,} released"
        )
        return Findings(utility_sections(utility), _figures(utility), [sentence], utility)


def _figures(utility: Utility) -> dict[str, Any]:
    return {
        "records": {"original": utility.original_records, "release": utility.release_records},
        "marginals": [asdict(marginal) for marginal in utility.marginals],
        "pairs": [asdict(pair) for pair in utility.pairs],
        "means": [{**asdict(mean), "overlap": mean.overlap} for mean in utility.means],
        "queries": None if utility.queries is None else asdict(utility.queries),
        "target": utility.target,
        "models": [{**asdict(model), "kept": model.kept} for model in utility.learnt],
    }
