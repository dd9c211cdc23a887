"""Counts, lists and numbers as sentences say them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = [
    "count_of", "first_few", "joined", "plural", "quoted_list", "short_list", "short_number",
    "shortened",
]  # fmt: skip


def plural(count: float, one: str, many: str = "") -> str:
    """The word that goes with a count: `plural(2, "record")`, `plural(1, "is", "are")`."""
    return one if count == 1 else many or one + "s"


def count_of(count: int, one: str, many: str = "") -> str:
    """`1 record`, `2,306 records`."""
    return f"{count:,} {plural(count, one, many)}"


def joined(words: Sequence[str], last: str = "and") -> str:
    """`age, zip and sex`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def first_few(texts: Sequence[str], most: int) -> str:
    """`South, West, East and 2 more`."""
    more = f" and {len(texts) - most:,} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more


def short_list(texts: Sequence[str], most: int = 3) -> str:
    """The first few of some values, each short enough for a sentence."""
    return first_few([shortened(text) for text in texts], most)


def quoted_list(items: Iterable[object], most: int = 5) -> str:
    """`'a', 'b', 'c' and 4 more`."""
    return first_few([f"'{item}'" for item in items], most)


def shortened(text: str, longest: int = 40) -> str:
    """A text of at most so many characters; a longer one ends in …"""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def short_number(value: float, decimals: int = 3) -> str:
    """`0.917`, `2.5`, `1`: no more digits than one can follow by ear."""
    return f"{value:.{decimals}f}".rstrip("0").rstrip(".")
