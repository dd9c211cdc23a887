"""A table pane that paints only what is visible, so a million records scroll without delay.

Textual's `DataTable` measures every cell; this one asks its source for the rows on the screen and
nothing else. Cell values are data: they are drawn as they are, never parsed as markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from kanon_tui.core.text import visible

__all__ = ["Cell", "Grid", "GridColumn", "GridSource", "printable"]

printable = visible
"""Under the name that screens know it by."""

WIDEST = 40
"""Cells per column at most; longer values end in … and are shown whole where the cursor is."""


@dataclass(frozen=True)
class GridColumn:
    """Title, width in terminal cells and alignment of one column."""

    title: str
    width: int
    right: bool = False


@dataclass(frozen=True)
class Cell:
    """A text and what it means: the grid's component class `grid--MARK` colours it."""

    text: str
    mark: str = ""


class GridSource(Protocol):
    """What a grid shows. Rows are asked for in small slices."""

    columns: Sequence[GridColumn]
    height: int

    def rows(self, start: int, stop: int) -> Sequence[Sequence[Cell]]:
        """The cells of these rows."""
        ...

    def row_name(self, row: int) -> str:
        """What stands in the fixed column on the left, such as the record number."""
        ...


class Grid(ScrollView, can_focus=True):
    """A scrolling table with a fixed header, a fixed first column and a cell cursor."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "grid--header",
        "grid--row-name",
        "grid--odd",
        "grid--cursor",
        "grid--cursor-row",
        "grid--missing",
        "grid--changed",
        "grid--suppressed",
        "grid--match",
        "grid--muted",
        "grid--good",
        "grid--bad",
        "grid--warn",
    }
    DEFAULT_CSS = """
    Grid {
        height: 1fr;
        background: $surface;
        scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 1;
    }
    Grid > .grid--header { text-style: bold; background: $panel; color: $foreground; }
    Grid > .grid--row-name { color: $text-muted; background: $panel; }
    Grid > .grid--odd { background: $boost; }
    Grid > .grid--cursor-row { background: $primary 25%; }
    Grid > .grid--cursor { background: $primary 25%; text-style: bold; }
    Grid:focus > .grid--cursor { background: $primary; color: $text; text-style: bold; }
    Grid > .grid--missing { color: $text-warning; text-style: italic; }
    Grid > .grid--changed { color: $text-accent; }
    Grid > .grid--suppressed { color: $text-error; text-style: strike; }
    Grid > .grid--match { background: $warning 40%; }
    Grid > .grid--muted { color: $text-muted; }
    Grid > .grid--good { color: $text-success; }
    Grid > .grid--bad { color: $text-error; }
    Grid > .grid--warn { color: $text-warning; }
    Grid:ansi > .grid--cursor { text-style: reverse; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1,0)", "Up", show=False),
        Binding("down", "move(1,0)", "Down", show=False),
        Binding("left", "move(0,-1)", "Left", show=False),
        Binding("right", "move(0,1)", "Right", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home", "edge(-1)", "First column", show=False),
        Binding("end", "edge(1)", "Last column", show=False),
        Binding("ctrl+home", "top", "First row", show=False),
        Binding("ctrl+end", "bottom", "Last row", show=False),
        Binding("enter", "select", "Select", show=False),
    ]

    row = reactive(0, repaint=False)
    column = reactive(0, repaint=False)

    @dataclass
    class Moved(Message):
        """The cursor is on another cell."""

        grid: Grid
        row: int
        column: int

        @property
        def control(self) -> Grid:
            """The grid that sent it, for `@on` selectors."""
            return self.grid

    @dataclass
    class Chosen(Message):
        """Enter or a click on the cell under the cursor."""

        grid: Grid
        row: int
        column: int

        @property
        def control(self) -> Grid:
            """The grid that sent it, for `@on` selectors."""
            return self.grid

    def __init__(
        self,
        source: GridSource | None = None,
        *,
        name_width: int = 0,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self._name_width = name_width
        self.source: GridSource | None = None
        self._starts: list[int] = []
        if source is not None:
            self.show(source)

    # -- what is shown

    def show(
        self, source: GridSource, *, keep_cursor: bool = False, name_width: int | None = None
    ) -> None:
        """Show another table; the cursor goes to the first cell unless it is kept."""
        self.source = source
        if name_width is not None:
            self._name_width = name_width
        self._starts = [0]
        for column in source.columns:
            self._starts.append(self._starts[-1] + column.width + 2)
        width = max(self._starts[-1] - 2, 0) + self._name_width
        self.virtual_size = Size(width, source.height + 1)
        if not keep_cursor:
            self.row, self.column = 0, 0
            if self.is_mounted:
                self.scroll_to(0, 0, animate=False)
        self.row = min(self.row, max(source.height - 1, 0))
        self.column = min(self.column, max(len(source.columns) - 1, 0))
        self.refresh()

    def redraw(self) -> None:
        """Paint again after the source changed in place."""
        if self.source is not None:
            self.show(self.source, keep_cursor=True)

    def render_line(self, y: int) -> Strip:
        """One line of the screen: the header or a row."""
        source, width = self.source, self.size.width
        base = self.rich_style
        if source is None or width == 0:
            return Strip.blank(width, base)
        if y == 0:
            return self._header(source, width)
        row = y - 1 + self.scroll_offset.y
        if row >= source.height:
            return Strip.blank(width, base)
        return self._row(source, row, width)

    def _header(self, source: GridSource, width: int) -> Strip:
        style = self.get_component_rich_style("grid--header")
        pieces = [
            Segment(_fit(column.title, column.width, column.right) + "  ", style)
            for column in source.columns
        ]
        return self._join(Segment(" " * self._name_width, style), pieces, width, style)

    def _row(self, source: GridSource, row: int, width: int) -> Strip:
        on_cursor_row = row == self.row
        plain = self.rich_style
        if on_cursor_row:
            plain = plain + self.get_component_rich_style("grid--cursor-row")
        elif row % 2:
            plain = plain + self.get_component_rich_style("grid--odd")
        cells = source.rows(row, row + 1)[0]
        pieces = []
        for i, (column, cell) in enumerate(zip(source.columns, cells, strict=True)):
            style = plain
            if cell.mark:
                style = style + self._foreground(f"grid--{cell.mark}")
            if on_cursor_row and i == self.column:
                style = style + self.get_component_rich_style("grid--cursor")
            text = _fit(cell.text, column.width, column.right)
            pieces.append(Segment(text, style))
            pieces.append(Segment("  ", plain))
        name_style = self.get_component_rich_style("grid--row-name")
        name = Segment(_fit(source.row_name(row), self._name_width - 1, True) + " ", name_style)
        if not self._name_width:
            name = Segment("", name_style)
        return self._join(name, pieces, width, plain)

    def _foreground(self, component: str) -> Style:
        """A mark changes the colour of the text; only `match` also colours the ground."""
        style = self.get_component_rich_style(component)
        if component == "grid--match":
            return style
        return style.without_color + Style(color=style.color)

    def _join(self, name: Segment, pieces: list[Segment], width: int, fill: Style) -> Strip:
        left = self.scroll_offset.x
        room = max(width - self._name_width, 0)
        body = Strip(pieces).crop_extend(left, left + room, fill)
        return Strip([name, *body], width) if self._name_width else body

    # -- the cursor

    @property
    def visible_rows(self) -> int:
        """How many rows fit below the header."""
        return max(self.scrollable_size.height - 1, 1)

    def go_to(self, row: int, column: int | None = None) -> None:
        """Move the cursor and bring it into view."""
        if self.source is None or not self.source.height:
            return
        self.row = max(0, min(row, self.source.height - 1))
        if column is not None:
            self.column = max(0, min(column, len(self.source.columns) - 1))
        self._into_view()
        self.refresh()
        self.post_message(self.Moved(self, self.row, self.column))

    def _into_view(self) -> None:
        if len(self._starts) < 2:  # nothing to see, or no columns
            return
        top, left = self.scroll_offset.y, self.scroll_offset.x
        if self.row < top:
            top = self.row
        elif self.row >= top + self.visible_rows:
            top = self.row - self.visible_rows + 1
        room = max(self.scrollable_size.width - self._name_width, 1)
        start, end = self._starts[self.column], self._starts[self.column + 1] - 2
        if end > left + room:
            left = end - room
        if start < left:
            left = start
        self.scroll_to(left, top, animate=False)

    def action_move(self, rows: int, columns: int) -> None:
        self.go_to(self.row + rows, self.column + columns)

    def action_page(self, pages: int) -> None:
        self.go_to(self.row + pages * max(self.visible_rows - 1, 1))

    def action_edge(self, side: int) -> None:
        columns = len(self.source.columns) if self.source else 1
        self.go_to(self.row, 0 if side < 0 else columns - 1)

    def action_top(self) -> None:
        self.go_to(0)

    def action_bottom(self) -> None:
        self.go_to(self.source.height - 1 if self.source else 0)

    def action_select(self) -> None:
        """Choose the cell under the cursor."""
        if self.source is not None and self.source.height:
            self.post_message(self.Chosen(self, self.row, self.column))

    def on_click(self, event: events.Click) -> None:
        """A click moves the cursor; on the cell under the cursor it chooses."""
        if self.source is None or event.y == 0:
            return
        row = event.y - 1 + self.scroll_offset.y
        x = event.x - self._name_width + self.scroll_offset.x
        if row >= self.source.height or x < 0:
            return
        column = sum(start <= x for start in self._starts[1:-1])
        again = (row, column) == (self.row, self.column)
        self.go_to(row, column)
        if again:
            self.action_select()

    def on_resize(self) -> None:
        """Keep the cursor visible when the pane shrinks."""
        self._into_view()

    def cursor_region(self) -> Region:
        """Where the cursor is on the screen, for pop-ups beside it."""
        x = self._name_width + self._starts[self.column] - self.scroll_offset.x
        return Region(x, 1 + self.row - self.scroll_offset.y, 1, 1)


def _fit(text: str, width: int, right: bool) -> str:
    """The text in exactly this many terminal cells, with … where it was cut."""
    text = visible(text)
    length = cell_len(text)
    if length > width:
        return set_cell_size(text, max(width - 1, 0)) + "…"[: width or None] if width else ""
    return " " * (width - length) + text if right else text + " " * (width - length)
