"""Attacks: what outsiders could learn from a release, counted in people."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from kanon_tui.core.analysis.analysis import Analysis, Findings, Progress, columns, data_table
from kanon_tui.core.fields.declaration import declared, list_of, optional, text

if TYPE_CHECKING:
    from kanon_tui.core.analysis.attack.attacked import AttackedRelease
    from kanon_tui.core.analysis.subject import Subject

KINDS = (
    "singling-out", "downcoding", "linkability", "composition", "inference", "refinement",
    "minimality", "all",
)  # fmt: skip
"""The names of the attacks, and the word for all of them."""
_COUNTER_MEASURES = list_of(text(), "counter-measures like [l=2, publish=rounded]")


@dataclass(frozen=True)
class AttacksQuestion(Analysis):
    """Attack a release: what could an outsider learn from it about the people of the data?

    The control names people who were not in the data; only success beyond theirs is due to the
    release. Counter-measures release the data again, and both releases are attacked. Counts and
    published cells are returned, nothing about any person.
    """

    name: ClassVar[str] = "attacks"
    title: ClassVar[str] = "Attacks"
    question: ClassVar[str] = "What outsiders could learn, in people"
    command: ClassVar[str | None] = None  # `attack` has these attacks and the linking attack
    function: ClassVar[str | None] = None  # `kn.attack` returns the list of results
    key: ClassVar[str] = "S"
    panel: ClassVar[str] = "kanon_tui.screens.analyses.attacks:AttacksScreen"

    kind: str = declared("all", "The attack to try, or all", choices=KINDS)
    control: Any = declared(None, "People who were not in the data", type=optional(data_table()))
    earlier: Any = declared(
        None, "Composition: an earlier release of the same people", type=optional(data_table())
    )
    on: tuple[str, ...] | None = declared(
        None, "Linkability: what the first party knows", type=optional(columns())
    )
    counter_measures: tuple[str, ...] = declared(
        (), "Counter-measures to compare, like l=2", type=_COUNTER_MEASURES
    )

    def run(self, subject: Subject, progress: Progress) -> Findings:
        """Return the successes of every attack, and the same with every counter-measure."""
        from kanon_tui.core.analysis.attack import suite

        attacked = self._attacked(subject, progress)
        kinds = suite.find_kinds(self.kind)
        results = suite.run_attacks(attacked, kinds)
        runs = [suite.AttackedAgain("", results, None)]
        if subject.result is not None:
            measures = subject.result.measures
            runs = [suite.AttackedAgain("", results, measures.ncp, measures.suppressed_records)]
        for changes in self.counter_measures:
            runs.append(suite.attack_again(attacked, changes, kinds))
        sections = suite.attack_sections(results)
        if len(runs) > 1:
            sections.append(suite.side_by_side(runs))
        figures: dict[str, Any] = {
            "people": attacked.task.people,
            "attacks": [result.mapping() for result in results],
        }
        if len(runs) > 1:
            figures["with"] = [
                {**asdict(run), "attacks": [result.mapping() for result in run.attacks]}
                for run in runs[1:]
            ]
        return Findings(sections, figures, answer=runs)

    def _attacked(self, subject: Subject, progress: Progress) -> AttackedRelease:
        """Return the release as attackers see it."""
        from kanon_tui.core.analysis.attack.attacked import AttackedRelease

        release = subject.release
        return AttackedRelease(
            release.project,
            release.task,
            release.table,
            release.name,
            watch=progress.watch,
            control=None if self.control is None else subject.read(self.control),
            earlier=None if self.earlier is None else subject.read(self.earlier),
            options={"on": list(self.on)} if self.on else {},
        )
