"""A pane with one table of figures and the meaning of the row under the cursor."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rich.text import Text
from textual import on
from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from kanon_tui.core.text import visible
from kanon_tui.screens.results.figure_tables import FigureTable
from kanon_tui.widgets.grid import GAP, Grid

__all__ = ["FigurePanel"]


class FigurePanel(Vertical):
    """Figures above, a sentence below."""

    DEFAULT_CSS = """
    FigurePanel Grid { height: 1fr; }
    FigurePanel .meaning { height: auto; max-height: 8; padding: 0 1; color: $text-muted; }
    """

    @dataclass
    class Chosen(Message):
        """Enter on a row."""

        panel: FigurePanel
        row: int

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id, classes="pane")
        self.grid = Grid()
        self._meaning = Static(classes="meaning")
        self._table: FigureTable | None = None
        self._title = ""

    def compose(self) -> Iterable[Widget]:
        yield self.grid
        yield self._meaning

    def show(self, title: str, table: FigureTable) -> None:
        """Show a table; the cursor stays where it was when it is the same one with new figures."""
        self.border_title = Text(title)
        self.grid.show(table, keep_cursor=title == self._title)
        self._table, self._title = table, title
        self._explain()

    @property
    def natural_width(self) -> int:
        """Cells in which the table is seen whole, with the border and a bar beside it."""
        columns = self._table.columns if self._table else ()
        return sum(max(column.width, column.wish) + GAP for column in columns) + 3

    @on(Grid.Moved)
    def moved(self, event: Grid.Moved) -> None:
        """Another figure is under the cursor."""
        event.stop()
        self._explain()

    @on(Grid.Chosen)
    def chosen(self, event: Grid.Chosen) -> None:
        """Enter on a row."""
        event.stop()
        self.post_message(self.Chosen(self, event.row))

    def _explain(self) -> None:
        meanings = self._table.meanings if self._table else ()
        row = self.grid.row
        self._meaning.update(Text(visible(meanings[row]) if row < len(meanings) else ""))
