"""Enlarging one pane of a screen."""

from __future__ import annotations

from typing import Any

from textual.screen import Screen
from textual.widget import Widget

__all__ = ["toggle_zoom"]


def toggle_zoom(screen: Screen[Any]) -> None:
    """The focused pane takes the whole screen, or goes back to its place."""
    if screen.maximized is not None:
        screen.minimize()
    elif screen.focused is not None:
        panes = [node for node in screen.focused.ancestors_with_self if node.has_class("pane")]
        if panes and isinstance(panes[-1], Widget):
            screen.maximized = panes[-1]  # `maximize` refuses what cannot have the focus
