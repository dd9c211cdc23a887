"""What became of new records, in sentences for the command line and the dialog."""

from __future__ import annotations

from kanon_tui.core.analysis.applying.apply import Applied
from kanon_tui.core.analysis.applying.recoding import NO_CLASS
from kanon_tui.core.text import count_of, joined

__all__ = ["SAME_PEOPLE", "summary"]

SAME_PEOPLE = (
    "if people of the earlier release are among the new records, what changed about them can be "
    "seen by comparing the two; kanon-tui rerelease counts whom both together give away"
)


def summary(applied: Applied, file: str, mapping: str) -> list[str]:
    """The lines that tell it, the first without indent."""
    result, measures = applied.result, applied.result.measures
    lines = [
        f"{file} as in {mapping}: k = {result.task.k:,}, verified: the smallest of "
        f"{measures.classes:,} classes has {measures.smallest_class:,} records",
        f"  {applied.records:,} records: {applied.published:,} published, "
        f"{applied.uncovered_records:,} not covered, {applied.small_records:,} in small classes",
    ]
    for name, count in applied.uncovered.items():
        who = "no class has these values together" if name == NO_CLASS else f"{name}: not covered"
        lines.append(f"  {who}: {count_of(count, 'record')}")
    if applied.union is not None:
        union = applied.union
        lines.append(
            f"  with the earlier release: {union.records:,} records, {union.classes:,} classes "
            f"({union.new_classes:,} new), the smallest has {union.k:,} records"
        )
    if result.published_as_they_are:
        lines.append(f"  published as they are: {joined(result.published_as_they_are)}")
    lines += [f"  warning: {each}" for each in result.task.singling_out]
    lines.append(f"  note: {SAME_PEOPLE}")
    return lines
