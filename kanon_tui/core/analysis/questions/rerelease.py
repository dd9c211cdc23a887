"""Earlier release: whom a release and an earlier one of the same people expose together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from kanon_tui.core.analysis.analysis import Analysis, Findings, Progress, data_table
from kanon_tui.core.fields.declaration import declared

if TYPE_CHECKING:
    from kanon_tui.core.analysis.subject import Subject


@dataclass(frozen=True)
class RereleaseQuestion(Analysis):
    """Check whether a release and an earlier one of the same people together single somebody out.

    Everybody must keep k candidates when both are joined. Only counts are printed, nothing about
    any person. Exit code 1 if somebody has fewer.
    """

    name: ClassVar[str] = "rerelease"
    title: ClassVar[str] = "Earlier release"
    question: ClassVar[str] = "Whom two releases expose together"
    key: ClassVar[str] = "B"
    panel: ClassVar[str] = "kanon_tui.screens.analyses.rerelease:RereleaseScreen"
    returns: ClassVar[str] = "TwoReleases"
    returns_help: ClassVar[str] = (
        "How many are `unique` or `below_k` in both together, and the `fewest` candidates."
    )
    example: ClassVar[str] = """
>>> import kanon_tui as kn, polars as pl
>>> people = pl.DataFrame({"age": [21, 22, 38, 39] * 10})
>>> release = kn.anonymize(people, quasi="age", k=20, algorithm="mondrian")
>>> kn.rerelease(release, release.table).below_k
0
"""

    earlier: Any = declared(help="The earlier release", type=data_table())

    def run(self, subject: Subject, progress: Progress) -> Findings:
        """Return everybody's candidates in both releases together."""
        from kanon_tui.core.analysis.attack.two_releases import two_releases
        from kanon_tui.core.analysis.subject import name_of_table
        from kanon_tui.core.errors import NotReachedError

        release = subject.release
        name = name_of_table(self.earlier, "the earlier release")
        both = two_releases(release, subject.read(self.earlier), name)
        refusal = ""
        try:
            both.refuse(name)
        except NotReachedError as error:
            refusal = str(error).removesuffix("; nothing was written")
        counts = (
            "people", "not_in_both", "k", "fewest", "unique", "below_k", "below_k_at_worst",
            "counted",
        )  # fmt: skip
        figures = {count: getattr(both, count) for count in counts}
        return Findings([both.section()], figures, answer=both, refusal=refusal)
