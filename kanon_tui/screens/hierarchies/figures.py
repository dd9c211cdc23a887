"""Beside a hierarchy: the list of attributes and the figures of every level."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.cells import cell_len
from rich.text import Text

from kanon_tui.core.editing.hierarchy.state import AttributeLine, HierarchyState
from kanon_tui.core.metrics.measure import LevelMeasures
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.text import count_of, quoted_list, visible
from kanon_tui.widgets.grid import GAP, Cell, GridColumn, up_to

__all__ = ["AttributeRows", "level_figures", "reason_text"]


def level_figures(levels: Iterable[LevelMeasures], here: int | None, privacy: Privacy) -> Text:
    """One line per level: groups, smallest group, passes alone or not, RV and NCP; ▸ is here."""
    text = Text()
    text.append("level  groups smallest alone     RV   NCP\n", "dim")
    for level in levels:
        style = "bold" if level.level == here else ""
        text.append(f"{'▸' if style else ' '}{level.level:>4} {level.labels:>7,} ", style)
        text.append(f"{level.smallest:>8,} ", style)
        text.append("  ✓   " if level.passes else "  ✗   ", "green" if level.passes else "red")
        text.append(f"{level.rv:>6.4f} {level.ncp:>5.3f}\n", style)
    text.append(f"alone: every group has k={privacy.k} records or more", "dim")
    if privacy.max_suppression:
        text.append(f", but for {privacy.max_suppression:.3g} of all", "dim")
    return text


def reason_text(state: HierarchyState) -> str:
    """What stands in the way of using a hierarchy, or that it is a default; else nothing."""
    if state.uncovered:
        have = count_of(len(state.uncovered), "value has", "values have")
        values = quoted_list(state.uncovered)
        text = f"✗ {have} no row: {values}; press u to give them one"
    elif state.problem:
        text = f"✗ {state.problem}"
    elif not state.given:
        text = "built by default; b chooses a builder, any edit keeps it in the project"
    else:
        text = ""
    return visible(text)


class AttributeRows:
    """Mark, name and height of every quasi-identifier."""

    MARKS = {"✓": "good", "!": "bad"}  # noqa: RUF012

    def __init__(self, lines: Sequence[AttributeLine]) -> None:
        self._lines, self.height = lines, len(lines)
        longest = max([9, *(2 + cell_len(visible(line.name)) for line in lines)])
        self.columns: Sequence[GridColumn] = [up_to(11, "", longest), GridColumn("h", 2, True)]
        self.width = longest + GAP + 2
        """Cells in which everything is seen."""

    def rows(self, start: int, stop: int) -> list[list[Cell]]:
        return [
            [
                Cell(f"{line.mark} {line.name}", self.MARKS.get(line.mark, "")),
                Cell("–" if line.height is None else str(line.height), "muted"),
            ]
            for line in self._lines[start:stop]
        ]

    def row_name(self, row: int) -> str:
        return ""
