"""What a report says beside the figures: purpose, recipients, decisions and who signs."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_tui.core.fields.declaration import declared
from kanon_tui.core.fields.types import list_of, text

__all__ = ["ReportTexts"]


@dataclass(frozen=True)
class ReportTexts:
    """Free text by those responsible for a release, which the report quotes as it is."""

    purpose: str = declared("", "What the release is for", type=text("a sentence"))
    recipients: str = declared("", "Who gets the release", type=text("a sentence"))
    decisions: tuple[str, ...] = declared(
        (),
        "What was decided, by whom and why",
        type=list_of(text("a sentence"), "a list of sentences"),
    )
    signed_by: tuple[str, ...] = declared(
        (),
        "Names, with their offices, of those who sign the report",
        type=list_of(text("a name"), "a list of names"),
    )
