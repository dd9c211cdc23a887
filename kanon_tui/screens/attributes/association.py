"""The association matrix of the quasi-identifiers, and which of them could be left out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Label, Static

from kanon_tui.core.text import visible
from kanon_tui.widgets.dialogs import Dialog
from kanon_tui.widgets.grid import Cell, Grid, GridColumn

__all__ = ["AssociationDialog"]

EXPLANATION = (
    "0 means the two have nothing to do with each other, 1 that one follows from the other. "
    "Numbers: |Pearson r|; categories: Cramér's V; mixed: correlation ratio. "
    "Weights from association give an independent attribute more."
)


class AssociationDialog(Dialog):
    """Shows the matrix; escape closes."""

    HELP = """## Association

How much every quasi-identifier tells about every other. Where two tell nearly the same (0.90 and
more), one of them may be left out or dropped: it costs detail and adds little. Move with the arrow
keys, `esc` closes.
"""

    DEFAULT_CSS = """
    AssociationDialog > Vertical { width: 96%; height: 80%; }
    AssociationDialog Grid { height: 1fr; }
    """

    def __init__(
        self,
        names: Sequence[str],
        matrix: np.ndarray,
        close: Sequence[tuple[str, str, float]],
        where: str = "",
    ) -> None:
        super().__init__()
        self._where = where
        self._names, self._matrix, self._close = names, matrix, close

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Label(f"Association of the quasi-identifiers{self._where}", classes="title")
            yield Grid(_Matrix(self._names, self._matrix), name_width=18)
            if self._close:
                pairs = "; ".join(f"{a} and {b} ({s:.2f})" for a, b, s in self._close)
                verdict = f"nearly the same, one of each could be left out: {pairs}"
            else:
                verdict = "no two attributes say nearly the same"
            yield Static(Text(visible(verdict)), classes="warn" if self._close else "good")
            yield Static(Text(EXPLANATION), classes="hint")


class _Matrix:
    """The matrix as a grid source."""

    def __init__(self, names: Sequence[str], matrix: np.ndarray) -> None:
        self._names, self._matrix = names, matrix
        self.height = len(names)
        self.columns: Sequence[GridColumn] = [
            GridColumn(visible(n), max(4, min(12, len(n))), True) for n in names
        ]

    def rows(self, start: int, stop: int) -> list[list[Cell]]:
        """Two decimals; strong ones are marked."""
        return [
            [
                Cell("·" if x == y else f"{v:.2f}", "bad" if x != y and v >= 0.9 else "")
                for y, v in enumerate(self._matrix[x])
            ]
            for x in range(start, stop)
        ]

    def row_name(self, row: int) -> str:
        return visible(self._names[row])
