"""Colours. Three themes of our own; terminals with 16 colours get Textual's `ansi-dark`.

Every colour that texts have stands out from every ground by 4.5 : 1, lines by 3 : 1 (WCAG AA);
`tests/screens/test_contrast.py` measures it.
"""

import os
from typing import Any

from textual.theme import Theme

_NAMES = (
    "primary", "secondary", "accent", "warning", "error", "success", "foreground", "background",
    "surface", "panel", "text-muted",
)  # fmt: skip
_COLOURS = {
    "dark": "5fa8d3 8797ba b48ee0 e0a458 e5757e 7fb685 d8dee9 14181f 191e27 232a36 9fabbd",
    "light": "1d6a98 566587 7b3fa0 965301 b3261e 29702d 1b2430 fafbfc f3f5f8 e4e9f0 566274",
    "projector": "003fb3 3b4252 7a00a8 7a3b00 b00000 005f1f 000000 ffffff fefefe e8e8e8 333333",
}
"""Red, green and blue of every colour; the projector's stand out as far as they can."""


def _theme(name: str, colours: str) -> Theme:
    made: dict[str, Any] = {
        key: f"#{colour}" for key, colour in zip(_NAMES, colours.split(), strict=True)
    }
    muted = made.pop("text-muted")
    key = made["primary"]
    variables = {"footer-key-foreground": key, "text-muted": muted}
    return Theme(name=f"kanon-{name}", dark=name == "dark", variables=variables, **made)


THEMES = tuple(_theme(name, colours) for name, colours in _COLOURS.items())


def default_theme() -> str:
    """Return the dark theme, unless the terminal has only 16 colours."""
    terminal = os.environ.get("TERM", "")
    has_many_colours = (
        "256color" in terminal or os.environ.get("COLORTERM") or terminal == "xterm-kitty"
    )
    return "kanon-dark" if has_many_colours or not terminal else "ansi-dark"
