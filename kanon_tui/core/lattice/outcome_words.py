"""What the test of a string found, in words."""

from __future__ import annotations

from kanon_tui.core.lattice.frequency import Frequency, Outcome
from kanon_tui.core.text import plural

__all__ = ["verdict"]


def verdict(outcome: Outcome, frequency: Frequency) -> str:
    """What a test found, as a template."""
    small, smallest, missed = outcome.small or 0, outcome.smallest, outcome.missed
    if missed is not None and not outcome.passes:
        records = plural(missed.records, "record is in a class", "records are in classes")
        return f"fails: {{lacking:,}} {records} with {{lack}}"
    if outcome.small is None:
        return "fails: its {classes:,} or more classes are too many for k = {k}"
    if outcome.passes and (small or missed is not None):
        beyond_k = "" if missed is None else " or with {lack}"
        records = plural(small, "record")
        return f"passes: {{small:,}} {records} in classes below {{k}}{beyond_k} may be suppressed"
    if smallest is None or (frequency.allowed and not outcome.passes):
        if outcome.passes:
            return "passes: its classes have {k:,} records or more"
        records = plural(small, "record is in a class", "records are in classes")
        return f"fails: {{small:,}} {records} below {{k}}, {{allowed:,}} may go"
    if outcome.passes:
        return f"passes: its smallest class has {{smallest:,}} {plural(smallest, 'record')}"
    return f"fails: its smallest class has {{smallest:,}} {plural(smallest, 'record')}, k is {{k}}"
