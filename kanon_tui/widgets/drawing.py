"""Theme colours for Rich text, and bars and histograms in block characters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from rich.style import Style
from textual.color import Color, ColorParseError
from textual.widget import Widget

__all__ = ["bar", "sparkline", "theme_style"]


def theme_style(widget: Widget, name: str, bold: bool = False) -> Style:
    """Return a style in a colour of the theme: primary, success, warning, error, accent …"""
    variables = widget.app.theme_variables
    try:
        colour = Color.parse(variables[name]).rich_color
    except (KeyError, ColorParseError):  # such as `auto 60%`, which only a style sheet resolves
        return Style(bold=bold or None, dim=name == "text-muted" or None)
    return Style(color=colour, bold=bold or None)


_ACROSS = " ▏▎▍▌▋▊▉█"
_UP = " ▁▂▃▄▅▆▇█"


def bar(share: float, width: int) -> str:
    """Return a bar for a share from 0 to 1, padded to `width` cells.

    >>> bar(0.5, 4)
    '██  '
    """
    eighths = round(max(0.0, min(share, 1.0)) * width * 8)
    if share > 0 and eighths == 0:
        eighths = 1  # a share above 0 is never shown as nothing
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_ACROSS[rest] if rest else "")).ljust(width)


def sparkline(heights: Sequence[float], width: int | None = None, top: float | None = None) -> str:
    """Return a histogram one line high, scaled to `top` or to its highest bar.

    >>> sparkline([1, 4, 8])
    '▁▄█'
    """
    values = list(heights)
    if width is not None and len(values) > width:
        edges = [round(i * len(values) / width) for i in range(width + 1)]
        values = [sum(values[a:b]) for a, b in pairwise(edges)]
    top = max(values, default=0) if top is None else top
    if top <= 0:
        return " " * len(values)
    return "".join(_UP[max(1, round(v / top * 8))] if v > 0 else " " for v in values)
