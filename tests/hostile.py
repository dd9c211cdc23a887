"""Texts that would steer a terminal, and whether bytes on their way to one do."""

from __future__ import annotations

import re
import unicodedata

TITLE = "\x1b]2;OWNED\x07"
COLOUR = "\x1b[1337m"
HOSTILE = f"{TITLE}{COLOUR}\u202e\u200b\x9b1337m\x9d2;OWNED\x9c[/][b]\u2066\ufeff\x7f\x08"
"""Sets the window's title and a colour, turns letters round, hides some, closes markup."""
IN_A_CELL = f"{HOSTILE}\r\n\x0b\x1bc"
"""With what a name of a file cannot well have: line breaks, and a reset of the terminal."""

_SEQUENCES = re.compile(
    r"\x1b\[[0-9;?<>=]*[ -/]*[@-~]"  # colours, cursor, modes
    r"|\x1b\]22;[a-z]*\x07"  # the shape of the pointer
    r"|\x1b\]52;c;[A-Za-z0-9+/=]*\x07"  # the clipboard, in letters that cannot steer
    r"|\x1b[=>78M]"
)
_JOINERS = "\n\r\t"


def assert_harmless(raw: bytes, sequences: bool = False) -> None:
    """Nothing of a hostile text steers; with `sequences`, our own escape sequences may be there."""
    text = raw.decode("utf-8")
    for steers in ("\x1b]2;", "\x1b]0;", "1337m\x9c", "\x1b[1337", "\x9b", "\x1bc"):
        at = text.find(steers)
        assert at < 0, repr(text[max(at - 60, 0) : at + 60])
    if sequences:
        text = _SEQUENCES.sub("", text)
    for at, character in enumerate(text):
        if character in _JOINERS:
            continue
        kind = unicodedata.category(character)
        around = text[max(at - 40, 0) : at + 40]
        assert kind not in ("Cc", "Cf", "Cs", "Zl", "Zp"), (repr(character), repr(around))
