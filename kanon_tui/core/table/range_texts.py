"""A range of numbers or dates as it is printed."""

from __future__ import annotations

from kanon_tui.core.table.column import Column
from kanon_tui.core.table.schema import Kind

__all__ = ["end_text", "range_of_ends", "range_text"]


def range_text(column: Column, low: str, high: str) -> str:
    """`[lo..hi]`: two values of the column as they stood, as long as they cannot be misread.

    A range that reaches a coded end is open there: `>=75`, `<=40`, and `*` at both.
    """
    return range_of_ends(column, (low, high), (end_text(column, low), end_text(column, high)))


def range_of_ends(column: Column, values: tuple[str, str], ends: tuple[str, str]) -> str:
    """The same, where `end_text` of both values is known."""
    coding, (low, high) = column.coding, values
    if coding is not None and high == coding.top_text:
        return "*" if low == coding.bottom_text else f">={ends[0]}"
    if coding is not None and low == coding.bottom_text:
        return f"<={ends[1]}"
    return f"[{ends[0]}..{ends[1]}]"


def end_text(column: Column, value: str) -> str:
    """A value as the end of a range."""
    return value.strip() if column.kind is Kind.DATE else column.number_format.shown(value)
