"""A hierarchy as a level table and as a tree: the rows, and the grids in which they are edited."""

from collections.abc import Sequence, Set
from typing import ClassVar

import numpy as np
from rich.cells import cell_len
from textual.binding import Binding, BindingType

from kanon_tui.core.editing.hierarchy import HierarchyState
from kanon_tui.core.errors import InputError
from kanon_tui.core.hierarchy.level_table import Hierarchy, Mark
from kanon_tui.core.text import visible
from kanon_tui.widgets.grid import Cell, Grid, GridColumn, GridSource, up_to

Node = tuple[int, str]
"""A level and a label of it."""

NOT_COVERED = "— no row: not covered —"
SELECTED = "●"
MAGVAL = "◆"
SAMPLE = 300
"""Rows that decide how wide a column is."""
WIDEST = 28
ALL_OPEN = 200
"""Most values for which a tree starts unfolded."""


class _Rows(GridSource):
    """The base of level table and tree: labels with their marks, and search."""

    def __init__(self, state: HierarchyState, selected: Set[Node]) -> None:
        assert state.hierarchy is not None
        self.state = state
        self.selected = selected
        self.hierarchy: Hierarchy = state.hierarchy
        self.missing = state.missing
        self.without_row = state.uncovered

    def uncovered(self, row: int) -> str | None:
        """Return the value of this line if it has no row in the hierarchy, else None."""
        return self.without_row[row] if row < len(self.without_row) else None

    def cell(self, node: Node, before: str = "", muted: bool = False) -> Cell:
        """Return a label with its marks: ● selected, ◆ a MAGVal."""
        chosen = node in self.selected
        marked = Mark(*node) in self.hierarchy.marks
        text = before + (SELECTED if chosen else "") + (f"{MAGVAL} " if marked else "") + node[1]
        mark = "match" if chosen else "changed" if marked else "muted" if muted else ""
        return Cell(text or "·", mark)

    def _uncovered_cell(self, value: str) -> Cell:
        chosen = (0, value) in self.selected
        return Cell(f"{SELECTED if chosen else ''}✗ {value}", "match" if chosen else "bad")

    def _refuse(self, row: int) -> None:
        value = self.uncovered(row)
        if value is not None:
            raise InputError(f"'{value}' has no row yet; press u to give it one")
        raise InputError(
            "the missing value has no row of its own: it stays itself and meets the others at the "
            "top; to group it, give it a row in a file and import that"
        )


class LevelRows(_Rows):
    """One line per value, one column per level, and the records of the value."""

    def __init__(self, state: HierarchyState, selected: Set[Node]) -> None:
        super().__init__(state, selected)
        values = len(self.hierarchy.values)
        self.height = len(self.without_row) + values + (self.missing is not None)
        bound = state.bound
        self.top = max(bound.height, self.hierarchy.height) if bound else self.hierarchy.height
        self.columns: Sequence[GridColumn] = self._columns()

    def _columns(self) -> list[GridColumn]:
        sample = self.rows(0, min(self.height, SAMPLE))
        widths = [
            max(cell_len(visible(c.text)) for c in column) for column in zip(*sample, strict=True)
        ]
        titles = [*(str(level) for level in range(self.top + 1)), "records"]
        return [
            up_to(WIDEST, title, max(len(title), width + 1), title == "records")
            for title, width in zip(titles, widths, strict=True)
        ]

    def line(self, row: int) -> list[Cell]:
        if row < len(self.without_row):
            value = self.without_row[row]
            note = [Cell(NOT_COVERED, "bad"), *[Cell("")] * (self.top - 1)][: self.top]
            return [
                self._uncovered_cell(value),
                *note,
                Cell(f"{int(self.state.uncovered_records[row]):,}", "bad"),
            ]
        number = row - len(self.without_row)
        if number == len(self.hierarchy.values):
            return self._missing_line()
        place = int(self.state.order[number])
        path = self.hierarchy.rows[place]
        records = int(self.state.records[place])
        cells = [self.cell((level, label), muted=not records) for level, label in enumerate(path)]
        cells += [Cell("*", "muted")] * (self.top + 1 - len(path))
        column = self.state.column
        missing = None if column is None else column.missing
        if column is not None and missing is not None and path[0] == column.values[missing]:
            cells[0] = Cell(f"{cells[0].text} (missing)", "missing")  # with a row of its own
        return [*cells, Cell(f"{records:,}", "" if records else "muted")]

    def _missing_line(self) -> list[Cell]:
        assert self.missing is not None
        bound = self.state.bound
        path = [""] * (self.top + 1)
        if bound is not None and bound.column.missing is not None:
            path = list(bound.paths[bound.column.missing])
        shown = [Cell(label or "·", "missing") for label in path]
        shown[0] = Cell(f"{self.missing or '·'} (missing)", "missing")
        return [*shown, Cell(f"{self.state.missing_records:,}", "missing")]

    def node(self, row: int, column: int) -> Node:
        """Return the label of a cell; raises InputError if there is none."""
        number = row - len(self.without_row)
        if not 0 <= number < len(self.hierarchy.values):
            self._refuse(row)
        if column > self.hierarchy.height:
            raise InputError(
                "put the cursor on a level of the hierarchy"
                if column > self.top
                else f"level {column} is there for the missing value only and cannot be changed"
            )
        return column, self.hierarchy.rows[int(self.state.order[number])][column]

    def place(self, node: Node) -> int | None:
        """Return the line of a value, or the first line of a label."""
        level, label = node
        if level > self.hierarchy.height:
            return None
        for number, row in enumerate(self.state.order.tolist()):
            if self.hierarchy.rows[row][level] == label:
                return number + len(self.without_row)
        return None


class TreeRows(_Rows):
    """One line per label from the root down, with the values and records below it; lines fold."""

    def __init__(self, state: HierarchyState, selected: Set[Node], toggled: set[Node]) -> None:
        super().__init__(state, selected)
        self.toggled = toggled
        """Nodes whose folding differs from the default."""
        order = state.order
        self._below = np.concatenate([[0], np.cumsum(state.records[order])])
        self._starts = [
            _starts(self.hierarchy, order, level) for level in range(self.hierarchy.height + 1)
        ]
        self._lines: list[tuple[int, int, int]] = []
        self._unfold()
        sample = self.rows(0, min(self.height, SAMPLE))
        width = max([10, *(cell_len(visible(line[0].text)) for line in sample)])
        self.columns: Sequence[GridColumn] = [
            up_to(2 * WIDEST, "label", width),
            GridColumn("level", 5, True),
            GridColumn("values", 7, True),
            GridColumn("records", 9, True),
        ]

    def _unfold(self) -> None:
        """List the visible nodes, each with the range of rows it stands for."""
        todo = [(self.hierarchy.height, 0, len(self.hierarchy.values))]
        self._lines = []
        while todo:
            level, start, stop = line = todo.pop()
            self._lines.append(line)
            if level and self.is_open(self._node(line)):
                todo += [(level - 1, a, b) for a, b in reversed(self._children(level, start, stop))]
        self.height = len(self.without_row) + len(self._lines) + (self.missing is not None)

    def _children(self, level: int, start: int, stop: int) -> list[tuple[int, int]]:
        starts = self._starts[level - 1]
        inside = starts[np.searchsorted(starts, start) : np.searchsorted(starts, stop)].tolist()
        return list(zip(inside, [*inside[1:], stop], strict=True))

    def _node(self, line: tuple[int, int, int]) -> Node:
        return line[0], self.hierarchy.rows[int(self.state.order[line[1]])][line[0]]

    def is_open(self, node: Node) -> bool:
        """Return whether a node is unfolded."""
        small = len(self.hierarchy.values) <= ALL_OPEN
        usually = small or node[0] == self.hierarchy.height > 1
        return usually != (node in self.toggled)

    def line(self, row: int) -> list[Cell]:
        if row < len(self.without_row):
            value = self.without_row[row]
            count = f"{int(self.state.uncovered_records[row]):,}"
            note = self._uncovered_cell(value)
            text = f"{note.text} {NOT_COVERED}"
            return [Cell(text, note.mark), Cell(""), Cell("1", "bad"), Cell(count, "bad")]
        number = row - len(self.without_row)
        if number == len(self._lines):
            assert self.missing is not None
            count = f"{self.state.missing_records:,}"
            name = f"    {self.missing or '·'} (missing)"
            return [Cell(name, "missing"), Cell(""), Cell("1"), Cell(count, "missing")]
        level, start, stop = line = self._lines[number]
        node = self._node(line)
        fold = "▾ " if level and self.is_open(node) else "▸ " if level else "· "
        records = int(self._below[stop] - self._below[start])
        indent = "  " * (self.hierarchy.height - level)
        return [
            self.cell(node, indent + fold, muted=not records),
            Cell(str(level), "muted"), Cell(f"{stop - start:,}"), Cell(f"{records:,}"),
        ]  # fmt: skip

    def node(self, row: int, column: int = 0) -> Node:
        """Return the label of a line; raises InputError if there is none."""
        number = row - len(self.without_row)
        if not 0 <= number < len(self._lines):
            self._refuse(row)
        return self._node(self._lines[number])

    def place(self, node: Node) -> int | None:
        """Return the line of a node, or None if it is folded away."""
        for number, line in enumerate(self._lines):
            if line[0] == node[0] and self._node(line) == node:
                return number + len(self.without_row)
        return None

    def fold(self, row: int, closing: bool) -> bool:
        """Fold or unfold a line; False where there is nothing to."""
        number = row - len(self.without_row)
        if not 0 <= number < len(self._lines) or self._lines[number][0] == 0:
            return False
        node = self._node(self._lines[number])
        if self.is_open(node) != closing:
            return False
        self.toggled ^= {node}
        self._unfold()
        return True

    def parent(self, row: int) -> int:
        """Return the line of the node above."""
        number = row - len(self.without_row)
        if not 0 <= number < len(self._lines):
            return row
        level = self._lines[number][0]
        while number and self._lines[number][0] <= level:
            number -= 1
        return number + len(self.without_row)


def _starts(hierarchy: Hierarchy, order: np.ndarray, level: int) -> np.ndarray:
    """Return the rows at which another label of this level begins, in the order of the tree."""
    if level == 0:
        return np.arange(len(order))
    return np.flatnonzero(np.diff(hierarchy.levels[level].codes[order], prepend=-1))


class LevelsGrid(Grid):
    """A hierarchy as a table with a row per value, or as a tree whose lines left and right fold."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "rename", id="hierarchies.rename"),
        Binding("space", "screen.select", "mark", id="hierarchies.select"),
        Binding("r", "screen.select_range", "mark to here", id="hierarchies.range"),
        Binding("asterisk", "screen.select_matching", "mark many", id="hierarchies.pattern"),
        Binding("g", "screen.group", "group", id="hierarchies.group"),
        Binding("M", "screen.move", "move", id="hierarchies.move"),
        Binding("S", "screen.split", "split", id="hierarchies.split"),
        Binding("plus", "screen.add_level", "level", key_display="+/-", id="hierarchies.add"),
        Binding(
            "minus", "screen.remove_level", "remove level", show=False, id="hierarchies.remove"
        ),
        Binding("m", "screen.magval", "MAGVal", id="hierarchies.magval"),
        Binding("right", "fold(False)", "Right, or unfold", show=False, id="move.right"),
        Binding("left", "fold(True)", "Left, or fold", show=False, id="move.left"),
    ]

    @property
    def shown(self) -> LevelRows | TreeRows | None:
        """The table or the tree."""
        return self.source if isinstance(self.source, LevelRows | TreeRows) else None

    def action_fold(self, closing: bool) -> None:
        """Fold or unfold the line under the cursor; a folded one goes to the line above."""
        tree = self.source
        if not isinstance(tree, TreeRows):
            self.action_move(0, -1 if closing else 1)
        elif tree.fold(self.row, closing):
            self.redraw()
        elif closing:
            self.go_to(tree.parent(self.row))
        else:
            self.go_to(self.row + 1)
