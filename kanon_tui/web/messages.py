"""What a browser may send: a few small messages, told from everything else."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["LONGEST_MESSAGE", "clamped_size", "read_message", "within"]

LONGEST_MESSAGE = 1_000_000
"""Characters; room for a page of text that is pasted."""
_WIDTHS, _HEIGHTS = (1, 500), (1, 200)
"""Larger screens are not drawn: every cell costs memory in the session's process."""


def read_message(text: str) -> tuple[str, Any] | None:
    """The kind of a message and what it holds; None for what our page does not send.

    `stdin` holds a text, `resize` a width and a height that can be drawn, `ping` a text that is
    sent back, `focus` and `blur` nothing.
    """
    if len(text) > LONGEST_MESSAGE:
        return None
    try:
        match json.loads(text):
            case ["stdin" | "ping" as kind, str(value)]:
                return kind, value
            case ["resize", {"width": int(width), "height": int(height)}]:
                return "resize", clamped_size(width, height)
            case ["focus" | "blur" as kind]:
                return kind, None
    except (ValueError, RecursionError):  # no JSON, a number without end, lists in lists in lists
        return None
    return None


def clamped_size(width: int, height: int) -> tuple[int, int]:
    """The nearest size that can be drawn."""
    return within(width, *_WIDTHS), within(height, *_HEIGHTS)


def within(value: int, least: int, most: int) -> int:
    """The nearest number of a range."""
    return max(least, min(most, value))
