"""The two grids in which a hierarchy is edited; their keys are actions of the screen."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from kanon_tui.screens.hierarchies.level_rows import LevelRows, TreeRows
from kanon_tui.widgets.grid import Grid

__all__ = ["HierarchyTable", "HierarchyTree"]

EDITING: list[BindingType] = [
    Binding("enter", "select", "rename", id="hierarchies.rename"),
    Binding("space", "screen.select", "mark", id="hierarchies.select"),
    Binding("g", "screen.group", "group", id="hierarchies.group"),
    Binding("M", "screen.move", "move", id="hierarchies.move"),
    Binding("S", "screen.split", "split", id="hierarchies.split"),
    Binding("plus", "screen.add_level", "level", key_display="+/-", id="hierarchies.add"),
    Binding("minus", "screen.remove_level", "remove level", show=False, id="hierarchies.remove"),
    Binding("m", "screen.magval", "MAGVal", id="hierarchies.magval"),
]


class HierarchyTable(Grid):
    """One row per value, one column per level."""

    HELP = """## The level table

One row per value, one column per level: 0 is the value itself, the last level the root. The
keys work on the label under the cursor, that is on all rows that have it at that level.

- `space` marks labels of one level (●), `g` gives them one label at the level above. Labels
  right below the root get a new level between, in which all others stay themselves.
- `M` moves a label below another one, `S` lets a group fall apart into its members.
- `+` adds a level above the one under the cursor, `-` removes it.
- `m` marks a MAGVal (◆): values below it may be generalised up to this label and no further.

Example: with the cursor in column 0 press `space` on *Italy* and on *France*, then `g`, and
type *Europe*.
"""
    BINDINGS: ClassVar[list[BindingType]] = EDITING

    @property
    def shown(self) -> LevelRows | None:
        return self.source if isinstance(self.source, LevelRows) else None


class HierarchyTree(Grid):
    """One line per label; left and right fold."""

    HELP = """## The tree

Every label with what lies below it: from the root down to the values, with the number of values and
of records. `right` unfolds a line, `left` folds it or goes to the line above. All other keys work
as in the level table (`t` goes back to it): `enter` renames, `space` marks, `g` groups, `m` marks
a MAGVal (◆).
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        *EDITING,
        Binding("right", "fold(False)", "Unfold", show=False, id="move.right"),
        Binding("left", "fold(True)", "Fold", show=False, id="move.left"),
    ]

    @property
    def shown(self) -> TreeRows | None:
        return self.source if isinstance(self.source, TreeRows) else None

    def action_fold(self, closing: bool) -> None:
        """Fold or unfold the line under the cursor; a folded one goes to the line above."""
        tree = self.shown
        if tree is None:
            return
        if tree.fold(self.row, closing):
            self.redraw()
        elif closing:
            self.go_to(tree.parent(self.row))
        else:
            self.go_to(self.row + 1)
