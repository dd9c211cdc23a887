"""A table pane that draws only visible rows, so that a million records scroll without delay.

Textual's `DataTable` measures every cell; this one asks its source for the rows on the screen only.
Cell values are data: they are drawn as they are, never parsed as markup. The grid scrolls sideways
by whole columns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from kanon_tui.core.text import visible

GAP = 2
"""Cells between two columns."""
DIVIDER = "│"
"""The sign between the halves of a pair."""
FEWEST_ROWS = 3
"""Rows that a grid has room for at least before it shows lines below its titles."""


@dataclass(frozen=True)
class GridColumn:
    """Title, width in terminal cells and alignment of one column."""

    title: str
    width: int
    right: bool = False
    wish: int = 0
    """Width that it gets if there is room; 0: no more than `width`."""
    lead: str = " " * GAP
    """What is drawn between the column before and this one."""
    halves: tuple[int, int] = (0, 0)
    """The widths that its values need before and behind a divider; the first is 0 without one."""

    usual: tuple[int, int] = (0, 0)
    """The widths that nearly all of its values need."""

    def half_widths(self, width: int) -> tuple[int, int]:
        """Return the widths of both halves; the wider one gives way where there is no room."""
        room = max(width - len(DIVIDER), 0)
        before, after = self.usual
        if before + after < room:
            before = min(self.halves[0], room - after)
        elif before > room // 2:
            before = max(room // 2, room - after)
        return before, room - before


def up_to(most: int, title: str, width: int, right: bool = False) -> GridColumn:
    """Return a column of this width, which shrinks to `most` where there is no room."""
    return GridColumn(title, min(width, most), right, wish=width)


def fitted(columns: Sequence[GridColumn], rows: Sequence[Sequence[Cell]]) -> list[GridColumn]:
    """Return columns as wide as their titles and cells, and at least as wide as their wish.

    Where there is no room a column shrinks to its `width`.
    """
    found = []
    for x, column in enumerate(columns):
        cells = (cell_len(visible(row[x].text)) for row in rows)
        widest = max([column.wish, cell_len(column.title), *cells])
        found.append(up_to(column.width, column.title, widest, column.right))
    return found


def shared_widths(columns: Sequence[GridColumn], room: int) -> list[int]:
    """Return the width of every column: its own, and more towards its wish if there is room."""
    widths = [column.width for column in columns]
    left = room - sum(widths) - sum(len(column.lead) for column in columns[1:])
    while left > 0:
        short = [x for x, column in enumerate(columns) if column.wish > widths[x]]
        if not short:
            break
        share = max(left // len(short), 1)
        for x in short:
            more = min(share, columns[x].wish - widths[x], left)
            widths[x] += more
            left -= more
    return widths


def column_starts(columns: Sequence[GridColumn], widths: Sequence[int]) -> list[int]:
    """Return the cell at which every column begins, and the one where another would begin."""
    gaps = [len(column.lead) for column in columns[1:]]
    steps = (width + gap for width, gap in zip(widths, [*gaps, GAP], strict=False))
    return list(accumulate(steps, initial=0))


def first_in_view(starts: Sequence[int], scrolled: int) -> int:
    """Return the first column that is seen whole when the grid is scrolled this far."""
    return min(bisect_left(starts, scrolled), max(len(starts) - 2, 0))


def start_for(
    starts: Sequence[int], widths: Sequence[int], column: int, scrolled: int, room: int
) -> int:
    """Return the smallest scrolling that shows a column."""
    end = starts[column] + widths[column]
    left = starts[first_in_view(starts, scrolled)]
    if starts[column] < left:
        return starts[column]
    if end <= left + room:
        return left
    return next((start for start in starts[:column] if end - start <= room), starts[column])


WIDEST = 40
"""Cells per column at most, unless there is room; longer values end in …"""


@dataclass(frozen=True)
class Cell:
    """A text and its mark, which the component class `grid--MARK` colours."""

    text: str
    mark: str = ""


@dataclass(frozen=True)
class PairCell(Cell):
    """A cell in two halves: `before`, a divider, and the text with its mark."""

    before: Cell = Cell("")
    divider: str = DIVIDER


GROUNDS = ("match", "heat-1", "heat-2", "heat-3", "heat-4")
"""The marks that colour the ground of a cell, too."""
MARKS = ("missing", "changed", "suppressed", "muted", "good", "bad", "warn", *GROUNDS)
"""The marks of cells, each with a colour."""


class GridSource(ABC):
    """Rows of a grid, made one by one when they are drawn."""

    columns: Sequence[GridColumn]
    height: int
    name_title = ""
    """Title of the fixed column on the left."""
    name_width = 0
    """Cells of the fixed column; 0 for none."""
    frozen = 0
    """Columns that stay in view as well, while they leave half of the width to the others."""
    names: Sequence[str] = ()
    """The names of the columns where titles are made of them; empty where titles are names."""
    headings = 0
    """Lines below the titles that stay in view with them."""

    @abstractmethod
    def line(self, row: int) -> Sequence[Cell]:
        """Return the cells of a row."""

    def rows(self, start: int, stop: int) -> list[Sequence[Cell]]:
        """Return the cells of the rows from `start` to `stop`."""
        return [self.line(row) for row in range(start, stop)]

    def row_name(self, row: int) -> str:
        """Return the text of the fixed column on the left, such as the record number."""
        return ""

    def row_shade(self, row: int) -> str:
        """Return which ground a row has: `odd`, `class` or none."""
        return "odd" if row % 2 else ""

    def widths(self, room: int) -> list[int]:
        """Return the width of every column where there is this much room."""
        return shared_widths(self.columns, room)

    def heading(self, line: int, widths: Sequence[int]) -> Sequence[Cell]:
        """Return the cells of a line below the titles, for columns of these widths."""
        return ()

    def heading_name(self, line: int) -> str:
        """Return what a line below the titles says, in the fixed column on the left."""
        return ""


class Grid(ScrollView, can_focus=True):
    """A scrolling table with a fixed header, a fixed first column and a cell cursor."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"grid--{part}"
        for part in (
            "header",
            "row-name",
            "odd",
            "class",
            "divider",
            "cursor",
            "cursor-row",
            *MARKS,
        )
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
    Grid > .grid--class { background: $panel; text-style: bold; }
    Grid > .grid--cursor-row { background: $primary 25%; }
    Grid > .grid--cursor { background: $primary 25%; text-style: bold; }
    Grid:focus > .grid--cursor { background: $primary; color: $text; text-style: bold; }
    Grid > .grid--missing { color: $text-warning; text-style: italic; }
    Grid > .grid--changed { color: $text-accent; }
    Grid > .grid--suppressed { color: $text-error; text-style: strike; }
    Grid > .grid--match { background: $warning 40%; }
    Grid > .grid--heat-1 { background: $warning 14%; }
    Grid > .grid--heat-2 { background: $warning 30%; }
    Grid > .grid--heat-3 { background: $error 28%; }
    Grid > .grid--heat-4 { background: $error 45%; }
    Grid > .grid--muted { color: $text-muted; }
    Grid > .grid--divider { color: $text-error; }
    Grid > .grid--good { color: $text-success; }
    Grid > .grid--bad { color: $text-error; }
    Grid > .grid--warn { color: $text-warning; }
    Grid:ansi > .grid--cursor-row { background: ansi_default; text-style: bold; }
    Grid:ansi > .grid--cursor { text-style: reverse; }
    Grid:ansi > .grid--class { background: ansi_default; text-style: bold; }
    Grid:ansi > .grid--heat-1 { background: ansi_default; }
    Grid:ansi > .grid--heat-2 { background: ansi_default; color: ansi_yellow; }
    Grid:ansi > .grid--heat-3 { background: ansi_default; color: ansi_red; }
    Grid:ansi > .grid--heat-4 { background: ansi_default; color: ansi_red; text-style: bold; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1,0)", "Up", show=False, id="move.up"),
        Binding("down", "move(1,0)", "Down", show=False, id="move.down"),
        Binding("left", "move(0,-1)", "Left", show=False, id="move.left"),
        Binding("right", "move(0,1)", "Right", show=False, id="move.right"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="move.page-up"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="move.page-down"),
        Binding("home", "edge(-1)", "First column", show=False, id="move.first-column"),
        Binding("end", "edge(1)", "Last column", show=False, id="move.last-column"),
        Binding("ctrl+home", "top", "First row", show=False, id="move.top"),
        Binding("ctrl+end", "bottom", "Last row", show=False, id="move.bottom"),
        Binding("enter", "select", "Select", show=False),
    ]

    row = reactive(0, repaint=False)
    column = reactive(0, repaint=False)

    @dataclass
    class CellMessage(Message):
        """A message about a cell."""

        grid: Grid
        row: int
        column: int

        @property
        def control(self) -> Grid:
            """The grid that posted it, for `@on` selectors."""
            return self.grid

    class Moved(CellMessage):
        """The cursor has moved to another cell."""

    class Chosen(CellMessage):
        """Enter was pressed, or the cell under the cursor clicked."""

    def __init__(self, source: GridSource | None = None, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.source: GridSource | None = None
        self._widths: list[int] = []
        self._starts: list[int] = [0]
        """The cell at which every column that scrolls begins, and the one after the last."""
        self._frozen = self._fixed_width = 0
        """Number of columns that do not scroll, and the width of all that is fixed on the left."""
        if source is not None:
            self.show(source)

    # -- drawing

    def show(self, source: GridSource, *, keep_cursor: bool = False) -> None:
        """Show another table; the cursor goes to the first cell unless it is kept."""
        self.source = source
        self._lay_out_columns()
        if not keep_cursor:
            self.row = 0
            self.column = 0
            if self.is_mounted:
                self.scroll_to(0, 0, animate=False)
        self.row = min(self.row, max(source.height - 1, 0))
        self.column = min(self.column, max(len(source.columns) - 1, 0))
        self.refresh()

    @property
    def _name_width(self) -> int:
        return self.source.name_width if self.source is not None else 0

    def _lay_out_columns(self) -> None:
        """Share the width among the columns; a scroll bar takes a cell of it."""
        if self.source is None:
            return
        rows = self.source.height
        size = self.outer_size
        bar = self.styles.scrollbar_size_vertical if rows + self.head > size.height else 0
        room = size.width - bar - self._name_width
        columns = self.source.columns
        self._widths = self.source.widths(room)
        frozen = min(self.source.frozen, max(len(self._widths) - 1, 0))
        fixed = self._name_width + column_starts(columns, self._widths)[frozen]
        fits = 2 * fixed <= size.width
        self._frozen, self._fixed_width = (frozen, fixed) if fits else (0, self._name_width)
        self._starts = column_starts(columns[self._frozen :], self._widths[self._frozen :])
        width = max(self._starts[-1] - GAP, 0) + self._fixed_width
        self.virtual_size = Size(width, rows + self.head)

    @property
    def head(self) -> int:
        """The number of lines on top that do not scroll: titles, and headings if there is room."""
        lines = 1 + (self.source.headings if self.source is not None else 0)
        return lines if self.outer_size.height >= lines + FEWEST_ROWS else 1

    @property
    def _first(self) -> int:
        """The first column in view that scrolls."""
        return self._frozen + first_in_view(self._starts, self.scroll_offset.x)

    def redraw(self) -> None:
        """Draw again after the source has changed in place."""
        if self.source is not None:
            self.show(self.source, keep_cursor=True)

    def render_line(self, y: int) -> Strip:
        """Return a line of the screen: the header or a row."""
        source = self.source
        width = self.scrollable_content_region.width
        base = self.rich_style
        if source is None or width == 0:
            return Strip.blank(width, base)
        if y == 0:
            return self._header(source, width)
        if y < self.head:
            return self._heading(source, y - 1, width)
        row = y - self.head + self.scroll_offset.y
        if row >= source.height:
            return Strip.blank(width, base)
        return self._row(source, row, width)

    def _header(self, source: GridSource, width: int) -> Strip:
        style = self.get_component_rich_style("grid--header")
        cells = [[(column.title, style)] for column in source.columns]
        return self._join(self._fixed_cell(source.name_title, style), cells, width, style)

    def _heading(self, source: GridSource, line: int, width: int) -> Strip:
        """Return a line below the titles."""
        style = self.get_component_rich_style("grid--header")
        plain = style + Style(bold=False)
        cells = [self._cell_parts(cell, plain) for cell in source.heading(line, self._widths)]
        name_style = plain + self._foreground("grid--muted")
        return self._join(
            self._fixed_cell(source.heading_name(line), name_style), cells, width, plain
        )

    def _row(self, source: GridSource, row: int, width: int) -> Strip:
        on_cursor_row = row == self.row
        plain = self.rich_style
        shade = source.row_shade(row)
        if on_cursor_row:
            plain = plain + self.get_component_rich_style("grid--cursor-row")
        elif shade:
            plain = plain + self.get_component_rich_style(f"grid--{shade}")
        cells = []
        for i, cell in enumerate(source.line(row)):
            parts = self._cell_parts(cell, plain)
            if on_cursor_row and i == self.column:
                cursor = self.get_component_rich_style("grid--cursor")
                parts = [(text, style + cursor) for text, style in parts]
            cells.append(parts)
        name = self._fixed_cell(
            source.row_name(row), self.get_component_rich_style("grid--row-name")
        )
        return self._join(name, cells, width, plain)

    def _fixed_cell(self, text: str, style: Style) -> Segment:
        """Return a text in the fixed column on the left."""
        if not self._name_width:
            return Segment("", style)
        return Segment(_fit(text, self._name_width - 1, True) + " ", style)

    def _cell_parts(self, cell: Cell, plain: Style) -> list[tuple[str, Style]]:
        """Return the texts of a cell with their styles: one, or both halves and their divider."""
        style = self._marked(cell.mark, plain)
        if not isinstance(cell, PairCell):
            return [(cell.text, style)]
        divider = self._marked("muted", plain)
        if cell.mark in GROUNDS:
            divider = style + self._foreground("grid--divider")
        before = self._marked(cell.before.mark, plain)
        return [(cell.before.text, before), (cell.divider, divider), (cell.text, style)]

    def _marked(self, mark: str, plain: Style) -> Style:
        return plain + self._foreground(f"grid--{mark}") if mark else plain

    def _foreground(self, component: str) -> Style:
        """Return the style of a mark: a colour of the text, and of its ground for `GROUNDS`."""
        style = self.get_component_rich_style(component)
        if component.removeprefix("grid--") in GROUNDS:
            return style
        return style.without_color + Style(color=style.color)

    def _join(
        self, name: Segment, cells: Sequence[Sequence[tuple[str, Style]]], width: int, fill: Style
    ) -> Strip:
        """Return the columns in view; a last one without room for its width ends in …"""
        assert self.source is not None
        pieces = [name] if self._name_width else []
        left = max(width - self._name_width, 0)
        is_first = True
        for x in (*range(self._frozen), *range(self._first, len(cells))):
            column = self.source.columns[x]
            if not is_first:
                pieces.append(Segment(column.lead[:left], fill))
                left -= len(column.lead)
            if left <= 0:
                break
            room = min(self._widths[x], left)
            pieces += self._column_segments(column, cells[x], room, self._widths[x])
            left -= room
            is_first = False
        return Strip(pieces).simplify().adjust_cell_length(width, fill)

    @staticmethod
    def _column_segments(
        column: GridColumn, parts: Sequence[tuple[str, Style]], room: int, width: int
    ) -> list[Segment]:
        """Return a cell in the room that is left of the width of its column."""
        if len(parts) == 1:
            ((text, style),) = parts
            return [Segment(_fit(text, room, column.right and room == width), style)]
        (before, muted), (divider, line), (after, style) = parts
        first, _ = column.half_widths(width)
        first = min(first, room)
        rest = max(room - first - len(divider), 0)
        return [
            Segment(_fit(before, first, False), muted),
            Segment(divider[: room - first], line),
            Segment(_fit(after, rest, False), style),
        ]

    # -- the cursor

    @property
    def column_names(self) -> Sequence[str]:
        """The names of the columns."""
        if self.source is None:
            return ()
        return self.source.names or [column.title for column in self.source.columns]

    @property
    def column_name(self) -> str:
        """The name of the column under the cursor; empty without columns."""
        names = self.column_names
        return names[min(self.column, len(names) - 1)] if names else ""

    @property
    def visible_rows(self) -> int:
        """Number of rows that fit below the lines on top."""
        return max(self.scrollable_size.height - self.head, 1)

    def go_to(self, row: int, column: int | None = None) -> None:
        """Move the cursor and bring it into view."""
        if self.source is None or not self.source.height:
            return
        before = self.row
        offset = self.scroll_offset
        self.row = max(0, min(row, self.source.height - 1))
        if column is not None:
            self.column = max(0, min(column, len(self.source.columns) - 1))
        self._into_view()
        if self.scroll_offset == offset:  # otherwise everything is drawn again
            self._paint_rows(before, self.row)
        self.post_message(self.Moved(self, self.row, self.column))

    def _paint_rows(self, *rows: int) -> None:
        """Draw only these rows again: a slow line has to carry every byte."""
        for row in set(rows):
            self.refresh_line(self.head + row)

    def _into_view(self) -> None:
        if len(self._starts) < 2:  # nothing to see, or no columns
            return
        top = self.scroll_offset.y
        left = self.scroll_offset.x
        if self.row < top:
            top = self.row
        elif self.row >= top + self.visible_rows:
            top = self.row - self.visible_rows + 1
        room = max(self.scrollable_content_region.width - self._fixed_width, 1)
        if self.column >= self._frozen:
            widths = self._widths[self._frozen :]
            left = start_for(self._starts, widths, self.column - self._frozen, left, room)
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
        """Move the cursor to the clicked cell; choose it if the cursor is there already."""
        if self.source is None or event.y < self.head:
            return
        row = event.y - self.head + self.scroll_offset.y
        x = event.x - self._name_width
        if row >= self.source.height or x < 0:
            return
        starts = column_starts(self.source.columns, self._widths)
        if event.x >= self._fixed_width:
            x += starts[self._first] - starts[self._frozen]
        column = sum(start <= x for start in starts[1:-1])
        again = (row, column) == (self.row, self.column)
        self.go_to(row, column)
        if again:
            self.action_select()

    def on_resize(self) -> None:
        """Lay the columns out again and keep the cursor visible."""
        self._lay_out_columns()
        self._into_view()
        self.refresh()


def _fit(text: str, width: int, right: bool) -> str:
    """Return the text in exactly this many terminal cells, with … where it was cut."""
    text = visible(text)
    length = cell_len(text)
    if length > width:
        return set_cell_size(text, max(width - 1, 0)) + "…"[: width or None] if width else ""
    return " " * (width - length) + text if right else text + " " * (width - length)
