"""What every quasi-identifier of a release has kept and lost, in figures and as one line of signs.

Research value is good: its bar has full blocks. NCP is bad: its bar is hatched. The signs tell them
apart where there are no colours.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from kanon_tui.core.metrics.research_value import original_research_value
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.report.sections import figure

KEPT_SIGNS = "█░"
LOST_SIGNS = "▒·"
WIDEST_BAR = 6
NARROWEST_BAR = 2
UNKNOWN = "–"
_FIGURE = len("100%")


@dataclass(frozen=True)
class KeptAndLost:
    """The shares that one published column has kept and lost."""

    level: str
    kept: float | None = None
    """The share of the research value that the attribute had; None where it had none."""
    lost: float | None = None
    """NCP; None for a column that is published as it was."""


@dataclass(frozen=True)
class ReleaseShares:
    """The shares that a release has kept and lost, by attribute and in sum."""

    level_title: str
    """`level`, or for a clustering, whose classes have none, `span`."""
    attributes: Mapping[str, KeptAndLost]
    """By quasi-identifier."""
    kept: float | None
    lost: float


def release_shares(result: FinishedRun) -> ReleaseShares:
    """Return what a release has kept and lost; takes as long as measuring all levels."""
    attributes = {}
    originals = []
    clustering = result.grouping.levels is None
    for attribute in result.task.quasi:
        measured = result.measures.attributes[attribute.name]
        by_level = not clustering and not attribute.publishes_one_value
        original = original_research_value(attribute, by_level)
        originals.append(original)
        level = figure(measured.mean_span)
        if not clustering:
            level = f"{measured.level}/{attribute.hierarchy.height}"
        rv_share = _share(measured.rv, original)
        attributes[attribute.name] = KeptAndLost(level, rv_share, measured.ncp)
    title = "span" if clustering else "level"
    rv_share = _share(result.measures.rv, sum(originals))
    return ReleaseShares(title, attributes, rv_share, result.measures.ncp)


def _share(part: float, total: float) -> float | None:
    return min(part / total, 1.0) if total > 0 else None


def kept_text(share: float | None) -> str:
    """Return a share in per cent; only what is whole is 100%, only what is nothing 0%."""
    if share is None:
        return UNKNOWN
    if 0 < share < 0.01:
        return "<1%"
    return f"{share:.0%}" if share >= 1 else f"{min(share, 0.99):.0%}"


def lost_text(share: float | None) -> str:
    """Return a loss with two decimals and no leading zero: `.32`; `0` and `1` are exact."""
    if share is None:
        return UNKNOWN
    if share <= 0 or share >= 1:
        return f"{share:.0f}"
    return f"{min(max(share, 0.01), 0.99):.2f}".removeprefix("0")


def gauge(text: str, share: float | None, signs: str, room: int) -> str:
    """Return a figure, and a bar behind it if there is room for one."""
    width = min(room - max(len(text), 3) - 1, WIDEST_BAR)
    if share is None or width < NARROWEST_BAR:
        return text
    filled = round(share * width)
    if share > 0:
        filled = max(filled, 1)
    if share < 1:
        filled = min(filled, width - 1)
    return f"{text:<3} {signs[0] * filled}{signs[1] * (width - filled)}"


def table_lines(shares: ReleaseShares, bars: bool) -> list[str]:
    """Return a table of the attributes in lines of text, with or without bars."""
    room = _FIGURE + 1 + WIDEST_BAR if bars else 0
    rows = [("attribute", shares.level_title, "RV kept", "NCP lost")]
    for name, share in shares.attributes.items():
        kept_bar = gauge(kept_text(share.kept), share.kept, KEPT_SIGNS, room)
        lost_bar = gauge(lost_text(share.lost), share.lost, LOST_SIGNS, room)
        rows.append((name, share.level, kept_bar, lost_bar))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return [
        "   ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]])
        for row in rows
    ]
