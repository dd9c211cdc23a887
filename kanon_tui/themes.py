"""Colours. Two themes of our own; terminals with 16 colours get Textual's `ansi-dark`.

Every colour that texts have stands out from every ground by 4.5 : 1, lines by 3 : 1 (WCAG AA);
`tests/screens/test_contrast.py` measures it.
"""

from __future__ import annotations

import os

from textual.theme import Theme

__all__ = ["THEMES", "default_theme"]

THEMES = (
    Theme(
        name="kanon-dark",
        primary="#5fa8d3",
        secondary="#8797ba",
        accent="#b48ee0",
        warning="#e0a458",
        error="#e5757e",
        success="#7fb685",
        foreground="#d8dee9",
        background="#14181f",
        surface="#191e27",
        panel="#232a36",
        dark=True,
        variables={"footer-key-foreground": "#5fa8d3", "text-muted": "#9fabbd"},
    ),
    Theme(
        name="kanon-light",
        primary="#1d6a98",
        secondary="#566587",
        accent="#7b3fa0",
        warning="#965301",
        error="#b3261e",
        success="#29702d",
        foreground="#1b2430",
        background="#fafbfc",
        surface="#f3f5f8",
        panel="#e4e9f0",
        dark=False,
        variables={"footer-key-foreground": "#1d6a98", "text-muted": "#566274"},
    ),
)


def default_theme() -> str:
    """Return the dark theme, unless the terminal has only 16 colours."""
    terminal = os.environ.get("TERM", "")
    many = "256color" in terminal or os.environ.get("COLORTERM") or terminal == "xterm-kitty"
    return "kanon-dark" if many or not terminal else "ansi-dark"
