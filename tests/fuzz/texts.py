"""Words for names and cells: plain, odd, in other scripts, and some that steer terminals."""

from __future__ import annotations

from random import Random

from tests.hostile import HOSTILE

ODD = (
    "?", "NA", "null", "-", "0", "-0", "1e5", "1,5", "1.000,5", "31.12.1999", "2001-02-30", "[/]",
    "[1..2]", "{a|b}", "*", "=1+1", "@x", "a;b", 'say "x"', "'", "\t", " x ", "x\ny", "é", "日本",
    "e\u0301", "\U0001f468\u200d\U0001f469", "9" * 400, "9007199254740993", "x" * 300, HOSTILE,
)  # fmt: skip


def random_text(random: Random) -> str:
    kind = random.random()
    if kind < 0.35:
        return random.choice(ODD)
    if kind < 0.7:
        return str(random.randrange(100))
    return "".join(random.choices("abcxyz0189 .-äß", k=random.randint(1, 8)))


def random_name(random: Random) -> str:
    """For a column: not empty, nor made of blanks alone."""
    return f"{random.choice('abc')}{random_text(random)}"
