"""What every column has kept and lost, in three lines below the names and in sum on the title.

Research value has the colour of success, NCP that of errors.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text
from textual.widget import Widget

from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.report.kept_and_lost import (
    KEPT_SIGNS,
    LOST_SIGNS,
    WIDEST_BAR,
    KeptAndLost,
    gauge,
    kept_text,
    lost_text,
    release_shares,
)
from kanon_tui.widgets.drawing import theme_style
from kanon_tui.widgets.grid import Cell

WITH_BAR = len("100% ") + WIDEST_BAR
WITHOUT_BAR = 0
AS_IS = "as is"


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
            return Cell(gauge(kept_text(figures.kept), figures.kept, KEPT_SIGNS, width), "good")
        return Cell(gauge(lost_text(figures.lost), figures.lost, LOST_SIGNS, width), "bad")

    def sum(self, widget: Widget, room: int) -> Text:
        """Return `RV kept 41% ██░░░░ · NCP lost .29 ▒▒····` for the whole release.

        `room` is that of each figure with its bar.
        """
        kept_bar = gauge(kept_text(self.kept), self.kept, KEPT_SIGNS, room).rstrip()
        lost = gauge(lost_text(self.lost), self.lost, LOST_SIGNS, room).rstrip()
        return Text.assemble(
            "RV kept ", (kept_bar, theme_style(widget, "success")),
            " · NCP lost ", (lost, theme_style(widget, "error")),
        )  # fmt: skip


def headings_of(result: FinishedRun) -> Headings:
    """Return the figures of all columns of a result; takes as long as measuring all levels."""
    shares = release_shares(result)
    names = (shares.level_title, "RV kept", "NCP lost")
    return Headings(names, shares.attributes, shares.kept, shares.lost)
