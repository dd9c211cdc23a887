"""Two distributions side by side as inline SVG: the original hollow, the release filled.

They differ in form and not in colour alone, so that print and eyes of any kind keep them apart.
"""

from __future__ import annotations

import html as markup

from kanon_tui.core.report.sections import Distribution
from kanon_tui.core.text import shortened, visible

__all__ = ["distribution_svg"]

_WIDTH, _LEFT, _RIGHT = 420, 150, 52
_ROW, _BAR, _TOP = 26, 9, 22
_LONGEST = 22


def distribution_svg(drawn: Distribution) -> str:
    """A row per group: its name, two bars and their shares."""
    most = max([*drawn.original, *drawn.release], default=0.0) or 1.0
    room = _WIDTH - _LEFT - _RIGHT
    height = _TOP + _ROW * len(drawn.labels) + 4
    parts = [
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" xmlns="http://www.w3.org/2000/svg">',
        f"<title>{_text(drawn.title)}: original and release</title>",
        f'<text class="name" x="0" y="13">{_text(shortened(drawn.title, 40))}</text>',
    ]
    rows = zip(drawn.labels, drawn.original, drawn.release, strict=True)
    for number, (label, before, after) in enumerate(rows):
        y = _TOP + number * _ROW
        parts.append(
            f'<text class="label" x="{_LEFT - 8}" y="{y + 13}">'
            f"{_text(shortened(label, _LONGEST))}</text>"
        )
        for offset, share, kind in ((0, before, "before"), (_BAR + 2, after, "after")):
            width = max(1.0, share / most * room) if share > 0 else 0.0
            parts.append(
                f'<rect class="{kind}" x="{_LEFT}" y="{y + offset}" width="{width:.1f}" '
                f'height="{_BAR}"/>'
                f'<text class="share" x="{_LEFT + width + 5:.1f}" y="{y + offset + 8}">'
                f"{share:.1%}</text>"
            )
    return "".join([*parts, "</svg>"])


def _text(text: str) -> str:
    return markup.escape(visible(text))
