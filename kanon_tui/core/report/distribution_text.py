"""Two distributions side by side in characters: the original shaded, the release filled."""

from __future__ import annotations

from kanon_tui.core.report.sections import Distribution
from kanon_tui.core.text import shortened, visible

__all__ = ["distribution_lines"]

_LABEL, _FIGURE = 22, 8


def distribution_lines(drawn: Distribution, width: int = 76) -> list[str]:
    """A title and two lines for every group; none is wider than `width`."""
    most = max([*drawn.original, *drawn.release], default=0.0) or 1.0
    room = max(width - _LABEL - _FIGURE - 1, 4)
    lines = [f"{shortened(visible(drawn.title), width - 26)}   ▒ original  █ release"]
    for label, before, after in zip(drawn.labels, drawn.original, drawn.release, strict=True):
        name = f"{shortened(visible(label), _LABEL):<{_LABEL}}"
        for share, block in ((before, "▒"), (after, "█")):
            cells = max(1, round(share / most * room)) if share > 0 else 0
            lines.append(f"{name} {block * cells:<{room}} {share:{_FIGURE - 1}.1%}")
            name = " " * _LABEL
    return lines
