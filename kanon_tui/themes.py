"""Colours. Two themes of our own; terminals with 16 colours get Textual's `ansi-dark`."""

from __future__ import annotations

import os

from textual.theme import Theme

__all__ = ["THEMES", "default_theme"]

THEMES = (
    Theme(
        name="kanon-dark",
        primary="#5fa8d3",
        secondary="#7d8fb3",
        accent="#e0a458",
        warning="#e0a458",
        error="#e06c75",
        success="#7fb685",
        foreground="#d8dee9",
        background="#14181f",
        surface="#191e27",
        panel="#232a36",
        dark=True,
        variables={"footer-key-foreground": "#5fa8d3"},
    ),
    Theme(
        name="kanon-light",
        primary="#1f6f9f",
        secondary="#5b6b8c",
        accent="#a65d03",
        warning="#a65d03",
        error="#b3261e",
        success="#2e7d32",
        foreground="#1b2430",
        background="#fafbfc",
        surface="#f3f5f8",
        panel="#e4e9f0",
        dark=False,
        variables={"footer-key-foreground": "#1f6f9f"},
    ),
)


def default_theme() -> str:
    """Dark, unless the terminal has only 16 colours."""
    terminal = os.environ.get("TERM", "")
    many = "256color" in terminal or os.environ.get("COLORTERM") or terminal == "xterm-kitty"
    return "kanon-dark" if many or not terminal else "ansi-dark"
