"""Two grids of the same records that scroll and move together."""

from collections.abc import Iterable

from rich.text import Text
from textual import on
from textual.containers import Horizontal, Vertical
from textual.widget import Widget

from kanon_tui.core.text import visible
from kanon_tui.widgets.grid import Grid, GridSource
from kanon_tui.widgets.grid_sources import RowSource


class TwinGrids(Horizontal):
    """Two grids with equal columns and rows, one cursor and one scroll position."""

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

    def _tie(self, grid: Grid, other: Grid) -> None:
        def follow() -> None:
            if (other.scroll_x, other.scroll_y) != (grid.scroll_x, grid.scroll_y):
                other.scroll_to(grid.scroll_x, grid.scroll_y, animate=False)

        self.watch(grid, "scroll_y", follow, init=False)
        self.watch(grid, "scroll_x", follow, init=False)

    # -- what is shown

    def title(self, left: str, right: str) -> None:
        """Write the titles of both sides; the texts are shown as they are."""
        for grid, text in ((self.left, left), (self.right, right)):
            assert isinstance(grid.parent, Widget)
            grid.parent.border_title = Text(visible(text))

    def show(self, left: GridSource | None, right: GridSource, row: int, names: int) -> None:
        """Show other records, with the cursor on this row and in the column where it was.

        `names` is the width of the numbers beside the rows, equal on both sides. Without a left
        side the right one has the whole width.
        """
        self.set_class(left is None, "-alone")
        for grid, source in ((self.left, left), (self.right, right)):
            if source is not None:
                grid.show(source, keep_cursor=True, name_width=names)
        self.go_to(row)

    def repaint(self) -> None:
        """Draw the rows again, which were read meanwhile."""
        self.left.refresh()
        self.right.refresh()

    def clear(self) -> None:
        """Show an empty right side alone."""
        self.show(None, RowSource([], 0, lambda row: [], str), 0, 0)

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
        """Move the cursor of the other side as well; only moves of the leading side are told on."""
        leader = self.leader
        if event.grid is not leader:
            event.stop()
            return
        other = self.left if leader is self.right else self.right
        if not self.alone and (other.row, other.column) != (leader.row, leader.column):
            other.go_to(leader.row, leader.column)
