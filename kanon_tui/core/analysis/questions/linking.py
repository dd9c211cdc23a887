"""Linking attack: whom an outsider finds who has a table of people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from kanon_tui.core.analysis.analysis import Analysis, Findings, Progress, columns, data_table
from kanon_tui.core.fields.declaration import declared

if TYPE_CHECKING:
    from kanon_tui.core.analysis.attack.linking import Linked
    from kanon_tui.core.analysis.subject import Subject


@dataclass(frozen=True)
class LinkingQuestion(Analysis):
    """Look the people of an outsider's table up in the original and in a release.

    A published range, set, label or mask matches what it covers. Counts are returned, nothing about
    any person.
    """

    name: ClassVar[str] = "attack"
    title: ClassVar[str] = "Linking attack"
    question: ClassVar[str] = "Who can be found with an outsider's table"
    command: ClassVar[str | None] = None  # `attack` has this attack and the others
    function: ClassVar[str | None] = "linking"
    key: ClassVar[str] = "L"
    panel: ClassVar[str] = "kanon_tui.screens.analyses.attack:AttackScreen"
    returns: ClassVar[str] = "Attack"
    returns_help: ClassVar[str] = (
        "Of `original` and `release` how many people are `unique`, `below_k` or `disclosed`."
    )
    example: ClassVar[str] = """
>>> import kanon_tui as kn, polars as pl
>>> people = pl.DataFrame({"age": [21, 22, 38, 39], "ill": ["flu", "flu", "cold", "flu"]})
>>> release = kn.anonymize(people, quasi=["age"], sensitive="ill", k=2, algorithm="mondrian")
>>> kn.linking(release, pl.DataFrame({"age": [22, 39]}), "age").release.disclosed
1
"""

    external: Any = declared(help="The table of an outsider", type=data_table())
    on: tuple[str, ...] = declared(help="Attributes of both tables", type=columns())

    def run(self, subject: Subject, progress: Progress) -> Findings:
        """Return how many people are found in either table."""
        from kanon_tui.core.analysis.attack.linking import linking_attack
        from kanon_tui.core.analysis.subject import name_of_table

        name = name_of_table(self.external, "the external table")
        attack = linking_attack(subject.release, subject.read(self.external), self.on, name)
        figures = {
            "people": attack.people,
            "original": _counts(attack.original),
            "release": _counts(attack.release),
        }
        return Findings([attack.section()], figures, answer=attack)


def _counts(linked: Linked) -> dict[str, int]:
    return {"unique": linked.unique, "below_k": linked.below_k, "disclosed": linked.disclosed}
