"""The attributes as the rows of a grid."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from kanon_tui.core.project.attribute import AttributeSpec
from kanon_tui.core.table.schema import Role
from kanon_tui.core.text import visible
from kanon_tui.screens.attributes.figures import ColumnFigures
from kanon_tui.widgets.drawing import bar
from kanon_tui.widgets.grid import Cell, GridColumn

__all__ = ["AttributeRows", "figure_cells", "kind_text", "role_text"]

_SHORT = {"median": "med", "hierarchy": "hier", "range": "", "ancestor": ""}
"""What a class prints, in four letters; nothing for what is usual."""


def role_text(spec: AttributeSpec) -> str:
    """`quasi mean`: the role, and how it is published where that is not as usual."""
    if spec.role is Role.IDENTIFIER and spec.identifier == "pseudonym":
        return "pseudonym"
    prints = spec.publish if spec.role is Role.QUASI and spec.publish else ""
    return f"{spec.role} {_SHORT.get(prints, prints)}".rstrip()


def kind_text(spec: AttributeSpec) -> str:
    """`numeric ≤≥`: the kind, and the ends that are coded."""
    ends = ("≤" if spec.bottom is not None else "") + ("≥" if spec.top is not None else "")
    return f"{spec.kind} {ends}".rstrip()


class AttributeRows:
    """The attributes as a grid source; a narrow terminal gets narrower columns and no missing."""

    WIDE = (
        ("attribute", 24), ("role", 10), ("kind", 11), ("weight", 11), ("distinct", 9),
        ("missing", 7), ("alone identifies", 16), ("association", 30),
    )  # fmt: skip
    NARROW = (
        ("attribute", 14), ("role", 10), ("kind", 11), ("weight", 7), ("distinct", 8), ("", 0),
        ("alone", 6), ("association", 10),
    )  # fmt: skip

    def __init__(self, rows: list[list[Cell]], names: list[str], wide: bool) -> None:
        layout = self.WIDE if wide else self.NARROW
        shown = [x for x, (title, _) in enumerate(layout) if title]
        self._rows = [[row[x] for x in shown] for row in rows]
        self._names, self.height = names, len(rows)
        longest = [
            max([0, *(cell_len(visible(row[x].text)) for row in rows)]) for x in range(len(layout))
        ]
        longest[0] = max(10, longest[0])
        self.columns: Sequence[GridColumn] = [
            GridColumn(
                title,
                min(width, longest[x]) if x == 0 else width,
                title == "distinct",
                wish=longest[x],
            )
            for x, (title, width) in enumerate(layout)
            if title
        ]

    def rows(self, start: int, stop: int) -> list[list[Cell]]:
        return self._rows[start:stop]

    def row_name(self, row: int) -> str:
        """● for a marked row, ? for a guess."""
        return self._names[row]


def figure_cells(known: ColumnFigures | None, wide: bool) -> list[Cell]:
    """Distinct, missing, alone; a sample tells how many values there are at least, no more."""
    if known is None:
        return [Cell("…")] * 3
    if known.of_sample:
        return [Cell(f"≥{known.distinct:,}", "muted"), Cell("…", "muted"), Cell("…", "muted")]
    return [
        Cell(f"{known.distinct:,}"),
        Cell(f"{known.missing:,}", "warn" if known.missing else ""),
        Cell(f"{known.alone:6.1%}" + (f" {bar(known.alone, 8)}" if wide else "")),
    ]
