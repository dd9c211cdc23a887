"""What a reader must know of a release that verifies: the one place that all front ends ask.

A release is verified when it keeps what was asked for. It may keep that and still be unsafe, or of
no use. A caution says so: a severe one turns the green tick amber in the application, is a warning
of `run`, refuses the release under `run --strict`, and stands in every report.

A further caution is a function that takes the release and its measures and returns a `Caution` or
None; it is added to `CHECKS`, whose order is the order in which cautions are said.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from kanon_tui.core.metrics.measure import Measures
from kanon_tui.core.release.all_columns import AllColumns
from kanon_tui.core.release.recode import Release
from kanon_tui.core.text import Note, Quotable, first_few, note, plural


class Severity(StrEnum):
    """The weight of a caution: whether it speaks against the release."""

    WARNING = "warning"
    """The release is verified and should not leave the house like this: it is amber, not green."""
    NOTE = "note"
    """Worth knowing; the release stays green."""


@dataclass(frozen=True)
class Caution:
    """Something that a verified release needs to have said about it."""

    about: str
    """What it is about, in a word or two; stable, for programs."""
    sentence: Note
    columns: tuple[str, ...]
    """The columns that it is about, in published order."""
    severity: Severity

    @property
    def is_amber(self) -> bool:
        """Whether the release is amber, not green."""
        return self.severity is Severity.WARNING


ReleaseCheck = Callable[[Release, Measures], Caution | None]

ALL_COLUMNS = "all columns"
HIDDEN_COLUMNS = "hidden columns"


def cautions_of(release: Release, measures: Measures) -> tuple[Caution, ...]:
    """Return all cautions about a release, severe ones first."""
    cautions = [check(release, measures) for check in CHECKS]
    raised = [caution for caution in cautions if caution is not None]
    return tuple(sorted(raised, key=lambda caution: not caution.is_amber))


def unique_by_all_columns(release: Release, measures: Measures) -> Caution | None:
    """Return the caution about records that all published columns single out; None for none."""
    return all_columns_caution(release.all_columns)


def all_columns_caution(counted: AllColumns) -> Caution | None:
    """Return the caution about people whom k does not protect; None where k covers all columns."""
    at_risk = counted.but_sensitive
    if not counted.columns.unchanged or not (at_risk.unique or at_risk.below_k):
        return None
    severity = Severity.WARNING if at_risk.unique else Severity.NOTE
    return Caution(ALL_COLUMNS, all_columns_sentence(counted), counted.columns.unchanged, severity)


def all_columns_sentence(counted: AllColumns) -> Note:
    """Return the sentence about the records that all published columns single out."""
    by = "by all but the sensitive ones" if counted.columns.sensitive else "by all of them"
    unique = counted.but_sensitive.unique
    below = counted.but_sensitive.below_k
    more = f" ({below:,} below k)" if below > unique else ""
    return note(
        "k covers {covered:,} of {columns:,} published columns; {by} {unique:,} of {total:,} "
        "{people} {are} unique{more}",
        covered=len(counted.columns.covered),
        columns=counted.columns.number,
        by=Quotable(by),
        unique=unique,
        total=counted.total,
        people=Quotable("people" if counted.in_people else "records"),
        are=Quotable(plural(unique, "is", "are")),
        more=Quotable(more),
    )


def hidden_throughout(release: Release, measures: Measures) -> Caution | None:
    """Return the caution about columns that are hidden in every record; None for none."""
    hidden = measures.hidden
    if not hidden:
        return None
    sentence = note(
        "{columns} {are} hidden in every record (* throughout), so that nothing of {them} is left",
        columns=Quotable(first_few(hidden, 3)),
        are=Quotable(plural(len(hidden), "is", "are")),
        them=Quotable(plural(len(hidden), "it", "them")),
    )
    return Caution(HIDDEN_COLUMNS, sentence, hidden, Severity.WARNING)


CHECKS: tuple[ReleaseCheck, ...] = (hidden_throughout, unique_by_all_columns)
"""The checks of every release, in the order in which their cautions are said."""
