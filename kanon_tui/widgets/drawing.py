"""Theme colours for Rich text."""

from rich.style import Style
from textual.color import Color, ColorParseError
from textual.widget import Widget


def theme_style(widget: Widget, name: str, bold: bool = False) -> Style:
    """Return a style in a colour of the theme: primary, success, warning, error, accent …"""
    variables = widget.app.theme_variables
    try:
        colour = Color.parse(variables[name]).rich_color
    except (KeyError, ColorParseError):  # such as `auto 60%`, which only a style sheet resolves
        return Style(bold=bold or None, dim=name == "text-muted" or None)
    return Style(color=colour, bold=bold or None)
