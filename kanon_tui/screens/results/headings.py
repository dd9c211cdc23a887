"""What every column has kept and lost, in three lines below the names and in sum on the title.

Research value is good: it has full blocks in the colour of success. NCP is bad: it has hatched ones
in the colour of errors. The signs tell them apart where there are no colours.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text
from textual.widget import Widget

from kanon_tui.core.metrics.research_value import original_research_value
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.report.sections import figure
from kanon_tui.widgets.drawing import theme_style
from kanon_tui.widgets.grid import Cell

KEPT_SIGNS = "█░"
LOST_SIGNS = "▒·"
WIDEST_BAR = 6
NARROWEST_BAR = 2
WITH_BAR = len("100% ") + WIDEST_BAR
WITHOUT_BAR = 0
UNKNOWN = "–"
AS_IS = "as is"


@dataclass(frozen=True)
class KeptAndLost:
    """What one published column has kept and lost."""

    level: str
    kept: float | None = None
    """The share of the research value that the attribute had; None where it had none."""
    lost: float | None = None
    """NCP; None for a column that is published as it was."""


@dataclass(frozen=True)
class Headings:
    """The lines below the names of columns."""

    names: tuple[str, str, str]
    columns: Mapping[str, KeptAndLost]
    """By quasi-identifier; other columns are published as they are."""
    kept: float | None
    lost: float

    @property
    def name_width(self) -> int:
        """Return the cells that the names of the lines need, and one behind them."""
        return 1 + max(cell_len(name) for name in self.names)

    def cells(self, names: Sequence[str], line: int, widths: Sequence[int]) -> list[Cell]:
        """Return the cells of a line for columns of these names and widths."""
        return [self._cell(name, line, width) for name, width in zip(names, widths, strict=True)]

    def _cell(self, name: str, line: int, width: int) -> Cell:
        figures = self.columns.get(name, KeptAndLost(AS_IS))
        if line == 0:
            return Cell(figures.level, "" if name in self.columns else "muted")
        if name not in self.columns:
            return Cell("")
        if line == 1:
            return Cell(_gauge(kept_text(figures.kept), figures.kept, KEPT_SIGNS, width), "good")
        return Cell(_gauge(lost_text(figures.lost), figures.lost, LOST_SIGNS, width), "bad")

    def sum(self, widget: Widget, room: int) -> Text:
        """Return `RV kept 41% ██░░░░ · NCP lost .29 ▒▒····` for the whole release.

        `room` is that of each figure with its bar.
        """
        kept = _gauge(kept_text(self.kept), self.kept, KEPT_SIGNS, room).rstrip()
        lost = _gauge(lost_text(self.lost), self.lost, LOST_SIGNS, room).rstrip()
        return Text.assemble(
            "RV kept ", (kept, theme_style(widget, "success")),
            " · NCP lost ", (lost, theme_style(widget, "error")),
        )  # fmt: skip


def headings_of(result: FinishedRun) -> Headings:
    """Return the figures of all columns of a result; takes as long as measuring all levels."""
    columns = {}
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
        columns[attribute.name] = KeptAndLost(level, _share(measured.rv, original), measured.ncp)
    first = "span" if clustering else "level"
    kept = _share(result.measures.rv, sum(originals))
    return Headings((first, "RV kept", "NCP lost"), columns, kept, result.measures.ncp)


def _share(part: float, whole: float) -> float | None:
    return min(part / whole, 1.0) if whole > 0 else None


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


def _gauge(text: str, share: float | None, signs: str, room: int) -> str:
    """Return a figure, and a bar behind it if there is room for one."""
    width = min(room - max(cell_len(text), 3) - 1, WIDEST_BAR)
    if share is None or width < NARROWEST_BAR:
        return text
    filled = round(share * width)
    if share > 0:
        filled = max(filled, 1)
    if share < 1:
        filled = min(filled, width - 1)
    return f"{text:<3} {signs[0] * filled}{signs[1] * (width - filled)}"
