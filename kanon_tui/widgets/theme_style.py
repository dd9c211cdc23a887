"""Theme colours for Rich text, so that bars and marks follow the theme, also in 16 colours."""

from __future__ import annotations

from rich.style import Style
from textual.color import Color, ColorParseError
from textual.widget import Widget

__all__ = ["theme_style"]


def theme_style(widget: Widget, name: str, bold: bool = False) -> Style:
    """A style in one of the theme's colours: primary, success, warning, error, accent …"""
    variables = widget.app.theme_variables
    try:
        colour = Color.parse(variables[name]).rich_color
    except (KeyError, ColorParseError):  # such as `auto 60%`, which the style sheet alone knows
        return Style(bold=bold or None, dim=name == "text-muted" or None)
    return Style(color=colour, bold=bold or None)
