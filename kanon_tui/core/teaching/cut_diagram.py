"""Cuts in two dimensions: records as points, the part at work lit, the cut as a line.

The tree of cuts: what was cut where, and how many records each side has.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from kanon_tui.core.clustering.features import places, ranks
from kanon_tui.core.numeric import Floats, Int64s
from kanon_tui.core.table.column import counted
from kanon_tui.core.task.task import QuasiIdentifier
from kanon_tui.core.teaching.clustering_state import ClusteringState
from kanon_tui.core.teaching.picture import Drawing, Picture, Scene, Tone
from kanon_tui.core.text import shortened, visible

__all__ = ["CutDiagram", "CutTree"]


_DENSITY = "·∙•●"
_MOST_LINES = 300
_AXIS = 9
"""Columns of the labels at the left."""


class CutDiagram(Drawing):
    """Two attributes as axes; arrow keys choose others."""

    name: ClassVar[str] = "cuts"

    def __init__(self) -> None:
        self._across: int | None = None
        self._down: int | None = None
        """The attributes on the axes; None follows the cuts."""

    def draw(self, scene: Scene, width: int, height: int) -> Picture:
        """Return the picture of a scene."""
        picture = Picture(width, height)
        state = scene.state
        if not isinstance(state, ClusteringState) or state.groups is None:
            picture.line("The records are drawn with the first decision.", "dim")
            return picture
        x, y = self._axes(scene, state)
        quasi = scene.task.quasi
        columns, rows = max(width - _AXIS - 1, 10), max(height - 4, 4)
        across, up = _positions(quasi[x]), _positions(quasi[y]) if y is not None else None
        column = np.minimum((across[quasi[x].column.codes] * columns).astype(int), columns - 1)
        row = np.zeros(len(column), dtype=int)
        if up is not None and y is not None:
            row = np.minimum((up[quasi[y].column.codes] * rows).astype(int), rows - 1)
        flat, copies = row * columns + column, scene.task.copies
        cells = _Cells(columns, rows if up is not None else 1, flat, state.rows, copies)
        cut = None if scene.step is None else scene.step.facts.get("cut")
        if cut is not None and cut.sides[1]:
            cells.mark_second(state.rows[state.groups[state.rows] == cut.upper])
        elif y is not None:
            cells.draw_regions(_regions(scene, state, x, y, columns, rows))
        line = self._line(scene, state, x, y, columns, rows)
        title = quasi[x].name if y is None else f"{quasi[x].name} × {quasi[y].name}"
        entries: list[tuple[str, Tone]] = [(visible(title), "strong"), *cells.legend]
        picture.entries(entries)
        for at in range(cells.rows - 1, -1, -1):
            picture.write(_tick(quasi[y], at, rows) if y is not None else " " * _AXIS, "dim")
            picture.write("┤" if y is not None else "│", "dim")
            for place in range(columns):
                picture.write(*cells.cell(place, at, line))
            picture.end()
        picture.line(" " * _AXIS + "└" + "─" * columns, "dim")
        picture.line(" " * (_AXIS + 1) + _ends(quasi[x], columns), "dim")
        return picture

    def move(self, scene: Scene, across: int, down: int) -> bool:
        """Choose the attribute across by left and right, the other by up and down."""
        state = scene.state
        if not isinstance(state, ClusteringState) or len(scene.task.quasi) < 2:
            return False
        count = len(scene.task.quasi)
        x, y = self._axes(scene, state)
        assert y is not None
        if across:
            x = (x + across) % count
            x = (x + across) % count if x == y else x
        if down:
            y = (y + down) % count
            y = (y + down) % count if y == x else y
        self._across, self._down = x, y
        return True

    def _axes(self, scene: Scene, state: ClusteringState) -> tuple[int, int | None]:
        """Return the attribute of the last cut, and the widest of the others."""
        count = len(scene.task.quasi)
        cut = state.cuts[-1][1] if state.cuts else None
        x = self._across if self._across is not None else cut.attribute if cut else 0
        if count == 1:
            return x, None
        if self._down is not None and self._down != x:
            return x, self._down
        widths = cut.widths if cut and cut.widths else (0.0,) * count
        return x, max((a for a in range(count) if a != x), key=lambda a: widths[a])

    def _line(
        self, scene: Scene, state: ClusteringState, x: int, y: int | None, columns: int, rows: int
    ) -> tuple[str, int] | None:
        """Return the column or row of the picture at which the cut of this step lies."""
        step = scene.step
        if step is None or "cut" not in step.facts:
            return None
        cut = step.facts["cut"]
        if cut.attribute not in (x, y) or cut.sides[1]:
            return None
        attribute = scene.task.quasi[cut.attribute]
        spots, values = _positions(attribute), attribute.column.values
        middle = (spots[values.index(cut.below)] + spots[values.index(cut.above)]) / 2
        if cut.attribute == x:
            return "column", min(int(middle * columns), columns - 1)
        return "row", min(int(middle * rows), rows - 1)


class _Cells:
    """The records, and those of the decision, that fall into every cell of the picture."""

    def __init__(
        self, columns: int, rows: int, flat: Int64s, lit: Int64s, copies: Int64s | None
    ) -> None:
        """Count the rows.

        `flat` has the cell of every row, `copies` how many records it stands for.
        """
        self.rows = rows
        self._columns, self._copies = columns, copies
        self._all = counted(flat, copies, least=columns * rows)
        self._lit = counted(flat[lit], self._copies_of(lit), least=columns * rows)
        self._most = max(int(self._all.max()), 1)
        self._second = np.zeros_like(self._lit)
        self._flat = flat
        self._lines: dict[int, str] = {}
        inside = np.flatnonzero(self._lit)
        self._box = (0, -1, 0, -1)
        if len(inside):
            across, down = inside % columns, inside // columns
            self._box = int(across.min()), int(across.max()), int(down.min()), int(down.max())

    def mark_second(self, rows: Int64s) -> None:
        """Mark these records of the decision as its second side."""
        self._second = counted(self._flat[rows], self._copies_of(rows), least=len(self._lit))

    def _copies_of(self, rows: Int64s) -> Int64s | None:
        return None if self._copies is None else self._copies[rows]

    def draw_regions(self, lines: dict[int, str]) -> None:
        """Draw the lines of earlier cuts, by cell."""
        self._lines = lines

    @property
    def legend(self) -> list[tuple[str, Tone]]:
        """The meaning of the marks."""
        if self._second.any():
            return [("● first side", "best"), ("○ second", "warn"), ("· others", "dim")]
        return [("● of this decision", "best"), ("· others", "dim")]

    def cell(self, column: int, row: int, line: tuple[str, int] | None) -> tuple[str, Tone]:
        """Return the character of a cell and what it means."""
        at = row * self._columns + column
        left, right, low, high = self._box
        inside = left <= column <= right and low <= row <= high
        if self._second[at]:
            both = self._second[at] < self._lit[at]
            return ("◐" if both else "○"), "warn"
        if self._lit[at]:
            return self._dot(int(self._lit[at])), "best"
        if line is not None and inside:
            if line == ("column", column):
                return "│", "warn"
            if line == ("row", row):
                return "─", "warn"
        if self._all[at]:
            return self._dot(int(self._all[at])), "dim"
        if at in self._lines:
            return self._lines[at], "dim"
        return " ", "here" if inside and line is None else ""

    def _dot(self, count: int) -> str:
        if self._most == 1:
            return "●"
        share = np.log(count + 1) / np.log(self._most + 1)
        return _DENSITY[min(int(share * len(_DENSITY)), len(_DENSITY) - 1)]


def _regions(
    scene: Scene, state: ClusteringState, x: int, y: int, columns: int, rows: int
) -> dict[int, str]:
    """Return the lines of earlier cuts along the two axes, each as long as its part was wide."""
    spots = [
        dict(zip(scene.task.quasi[a].column.values, _positions(scene.task.quasi[a]), strict=True))
        for a in (x, y)
    ]
    lines: dict[int, str] = {}
    earlier = [cut for number, cut in state.cuts if number != scene.number]
    for cut in [cut for cut in earlier if cut.attribute in (x, y) and cut.box][-_MOST_LINES:]:
        along = 0 if cut.attribute == x else 1
        middle = (spots[along][cut.below] + spots[along][cut.above]) / 2
        ends = [spots[1 - along][value] for value in cut.box[y if along == 0 else x]]
        if along == 0:
            column = min(int(middle * columns), columns - 1)
            low, high = (min(int(end * rows), rows - 1) for end in ends)
            places, mark = [at * columns + column for at in range(low, high + 1)], "│"
        else:
            row = min(int(middle * rows), rows - 1)
            low, high = (min(int(end * columns), columns - 1) for end in ends)
            places, mark = [row * columns + at for at in range(low, high + 1)], "─"
        for place in places:
            lines[place] = "┼" if lines.get(place, mark) != mark else mark
    return lines


def _positions(attribute: QuasiIdentifier) -> Floats:
    """Return per value code its place on the axis, 0 to 1; a missing number stands at the end."""
    if attribute.ordered:
        found = np.asarray(places(attribute), dtype=np.float64)
        return np.where(np.isnan(found), 1.0, found)
    rank = ranks(attribute).astype(np.float64)
    return np.asarray((rank + 0.5) / (rank.max() + 1), dtype=np.float64)


def _tick(attribute: QuasiIdentifier, row: int, rows: int) -> str:
    """Return the value at the top and at the bottom of the axis."""
    values = _in_order(attribute)
    text = values[-1] if row == rows - 1 else values[0] if row == 0 else ""
    return f"{_short(text):>{_AXIS - 1}} "


def _ends(attribute: QuasiIdentifier, columns: int) -> str:
    values = _in_order(attribute)
    low, high = _short(values[0]), _short(values[-1])
    return low + high.rjust(max(columns - len(low), len(high) + 1))


def _in_order(attribute: QuasiIdentifier) -> list[str]:
    order = np.argsort(_positions(attribute), kind="stable")
    return [attribute.column.values[code] for code in order.tolist()]


def _short(text: str) -> str:
    text = visible(text)
    return text if len(text) < _AXIS else text[: _AXIS - 2] + "…"


@dataclass
class _Node:
    group: int
    size: int
    text: str
    sides: list[_Node] = field(default_factory=list)


class CutTree(Drawing):
    """One row per part; the part at work is lit and always in view."""

    name: ClassVar[str] = "tree of cuts"

    def __init__(self) -> None:
        self._moved = 0

    def draw(self, scene: Scene, width: int, height: int) -> Picture:
        """Return the picture of a scene."""
        picture = Picture(width, height)
        state = scene.state
        if not isinstance(state, ClusteringState) or state.groups is None:
            picture.line("The tree begins with the first cut.", "dim")
            return picture
        here = int(state.groups[state.rows].min(initial=np.iinfo(np.int32).max))
        rows: list[tuple[str, Tone, bool]] = []
        _rows(_tree(scene, state), "", "", state, here, rows)
        at = next((i for i, (_, _, lit) in enumerate(rows) if lit), 0) + self._moved
        begin = min(max(at - height // 2, 0), max(len(rows) - height + 1, 0))
        for text, tone, _ in rows[begin : begin + height - 1]:
            picture.line(shortened(text, width), tone)
        picture.line("✓ closed   ◂ this decision   … open", "dim")
        return picture

    def move(self, scene: Scene, across: int, down: int) -> bool:
        """Scroll up and down the tree."""
        self._moved += down
        return bool(down)


def _tree(scene: Scene, state: ClusteringState) -> _Node:
    """Return the cuts so far as nodes; a lower side keeps its part's number."""
    names = [attribute.name for attribute in scene.task.quasi]
    root = _Node(0, scene.task.n, "all")
    leaves = {0: root}
    for _, cut in state.cuts:
        if cut.group not in leaves:
            continue  # cut while one step stood for many decisions
        above = leaves[cut.group]
        name = names[cut.attribute]
        lower = _Node(cut.group, cut.left, cut.sides[0] or f"{name} ≤ {cut.below}")
        upper = _Node(cut.upper, cut.right, cut.sides[1] or f"{name} > {cut.below}")
        above.sides = [lower, upper]
        leaves[cut.group], leaves[cut.upper] = lower, upper
    return root


def _rows(
    node: _Node,
    first: str,
    rest: str,
    state: ClusteringState,
    here: int,
    rows: list[tuple[str, Tone, bool]],
) -> None:
    leaf = not node.sides
    closed = leaf and node.group in state.closed
    lit = leaf and node.group == here
    end = " ◂" if lit else ""
    mark = " ✓" if closed else " …" if leaf else ""
    tone: Tone = "here" if lit else "good" if closed else ""
    rows.append((f"{first}{node.text}   {node.size:,}{mark}{end}", tone, lit))
    for number, side in enumerate(node.sides):
        last = number == len(node.sides) - 1
        _rows(
            side,
            rest + ("└ " if last else "├ "),
            rest + ("  " if last else "│ "),
            state,
            here,
            rows,
        )
