"""Two tables beside each other with one cursor: original and release, or two releases."""

from collections.abc import Iterable

from rich.text import Text
from textual import on
from textual.containers import Horizontal, Vertical
from textual.widget import Widget

from kanon_tui.widgets.grid import Grid, GridSource
from kanon_tui.widgets.grid_sources import CellTable

LEAST_SHARE = 2 / 3
"""The width of the narrower of two tables, as a share of that of the wider."""


class TwinGrids(Horizontal):
    """Two grids with equal rows, one cursor and one scroll position.

    Columns are equal as well, or one side has some of those of the other and both have names.
    """

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.left = Grid(id="left")
        self.right = Grid(id="right")

    def compose(self) -> Iterable[Widget]:
        with Vertical(id="left-pane", classes="pane"):
            yield self.left
        with Vertical(classes="pane"):
            yield self.right

    def on_mount(self) -> None:
        """Let one grid follow when the other scrolls, by wheel, bar or cursor."""
        self._tie(self.left, self.right)
        self._tie(self.right, self.left)

    def _tie(self, grid: Grid, follower: Grid) -> None:
        def follow() -> None:
            x = grid.scroll_x if self._has_equal_columns else follower.scroll_x
            if (follower.scroll_x, follower.scroll_y) != (x, grid.scroll_y):
                follower.scroll_to(x, grid.scroll_y, animate=False)

        self.watch(grid, "scroll_y", follow, init=False)
        self.watch(grid, "scroll_x", follow, init=False)

    @property
    def _has_equal_columns(self) -> bool:
        return self.left.column_names == self.right.column_names

    # -- what is shown

    def title(self, left: Text, right: Text) -> None:
        """Write the titles of both sides."""
        for grid, text in ((self.left, left), (self.right, right)):
            write_title(grid, text)

    def show(self, left: GridSource | None, right: GridSource, row: int) -> None:
        """Show other records, with the cursor on this row and in the column where it was.

        Without a left side the right one has the whole width; otherwise they share it as their
        columns need it.
        """
        self.set_class(left is None, "-alone")
        if left is not None:
            needed = natural_width(left), natural_width(right)
            least = max(needed) * LEAST_SHARE
            for grid, width in zip((self.left, self.right), needed, strict=True):
                assert isinstance(grid.parent, Widget)
                grid.parent.styles.width = f"{max(width, least):.0f}fr"
        for grid, source in ((self.left, left), (self.right, right)):
            if source is not None:
                grid.show(source, keep_cursor=True)
        self.go_to(row)

    def repaint(self) -> None:
        """Draw the rows again, which were read meanwhile."""
        self.left.refresh()
        self.right.refresh()

    def clear(self) -> None:
        """Show an empty right side alone."""
        self.show(None, CellTable([], []), 0)

    @property
    def alone(self) -> bool:
        """Whether only the right side is shown."""
        return self.has_class("-alone")

    # -- the cursor

    @property
    def row(self) -> int:
        return self.leader.row

    @property
    def column(self) -> int:
        return self.leader.column

    @property
    def leader(self) -> Grid:
        """The side whose cursor the other follows."""
        return self.right if self.right.has_focus or self.alone else self.left

    def go_to(self, row: int, column: int | None = None) -> None:
        self.leader.go_to(row, column)

    @on(Grid.Moved)
    def moved(self, event: Grid.Moved) -> None:
        """Move the cursor of the other side as well; moves that this causes are not passed on."""
        leader = self.leader
        if event.grid is not leader:
            event.stop()
            return
        follower = self.left if leader is self.right else self.right
        column = self._column_beside(leader, follower)
        if not self.alone and (follower.row, follower.column) != (leader.row, column):
            follower.go_to(leader.row, column)

    def _column_beside(self, leader: Grid, follower: Grid) -> int:
        """Return the column of the other side under its cursor: the same, if it is there."""
        if self._has_equal_columns:
            return leader.column
        name = leader.column_name
        names = follower.column_names
        return names.index(name) if name in names else follower.column


def write_title(grid: Grid, title: Text) -> None:
    """Write the title of the pane around a grid."""
    assert isinstance(grid.parent, Widget)
    grid.parent.border_title = title


def natural_width(source: GridSource) -> int:
    """Return the cells that the columns and names of a table wish to have."""
    columns = sum(max(c.width, c.wish) + len(c.lead) for c in source.columns)
    return source.name_width + columns + 1
