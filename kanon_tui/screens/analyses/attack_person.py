"""One person of the outsider's table: the records that fit, and what they tell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rich.text import Text
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Static

from kanon_tui.core.analysis.attack.linking import Linked
from kanon_tui.core.numeric import Int64s
from kanon_tui.core.table.table import Table
from kanon_tui.core.text import count_of, short_list, visible
from kanon_tui.widgets.drawing import theme_style
from kanon_tui.widgets.grid import Grid, GridColumn
from kanon_tui.widgets.grid_sources import FrameSource, RowSource

__all__ = ["Lookup", "Person", "PersonPane", "look_up"]


MOST_SHOWN = 10_000
"""Records of one person that are listed."""


@dataclass(frozen=True)
class Lookup:
    """What one table tells of a person."""

    records: Int64s
    """Their numbers; of very many the first ones."""
    count: int
    cells: FrameSource
    values: Mapping[str, Sequence[tuple[str, float]]]
    """Per sensitive attribute the values of the records that fit, and their shares."""
    certain: frozenset[str]
    """The sensitive attributes on which these records agree."""

    def summary(self) -> str:
        """`2 records, disease: Gastritis 50%, HIV 50%`."""
        if not len(self.records):
            return "no record fits"
        parts = [count_of(self.count, "record")]
        for name, values in self.values.items():
            if name in self.certain:
                parts.append(f"{name}: certainly {values[0][0]}")
            else:
                shown = short_list([f"{value or 'missing'} {share:.0%}" for value, share in values])
                parts.append(f"{name}: {shown}")
        return ", ".join(parts)


@dataclass(frozen=True)
class Person:
    """A person by row number, and what either table tells."""

    number: int
    original: Lookup
    release: Lookup


def look_up(linked: Linked, table: Table, names: Sequence[str], person: int) -> Lookup:
    """Look one person up in a table, of which these columns may be shown; made in a thread."""
    found = linked.look_up(person)
    shown = found.records[:MOST_SHOWN]
    return Lookup(
        shown,
        len(found.records),
        FrameSource(table.rows_at(shown, names), table.missing_tokens),
        found.values,
        frozenset(name for name, flags in linked.disclosed_values.items() if flags[person]),
    )


class PersonPane(Vertical):
    """What both tables tell, and the records that fit in one of them."""

    DEFAULT_CSS = """
    PersonPane #summaries { height: auto; max-height: 4; padding: 0 1; }
    PersonPane Grid { height: 1fr; }
    """

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id, classes="pane")
        self.person: Person | None = None
        self.in_original = False
        """Whether the records shown are those of the original."""

    def compose(self) -> Iterable[Widget]:
        yield Static(id="summaries")
        yield Grid(id="rows")

    def show(self, person: Person | None) -> None:
        """Show another person, or nobody."""
        self.person = person
        self._draw()

    def switch(self) -> None:
        """The records of the other table."""
        self.in_original = not self.in_original
        self._draw()

    def _draw(self) -> None:
        person, grid = self.person, self.query_one(Grid)
        summaries = self.query_one("#summaries", Static)
        summaries.display = person is not None
        if person is None:
            self.border_title = "records that fit (enter on a person)"
            grid.show(RowSource([GridColumn("", 1)], 0, lambda _: [], lambda _: ""), name_width=0)
            return
        text = Text()
        for name, side in (("original", person.original), ("release", person.release)):
            shown = side is (person.original if self.in_original else person.release)
            text.append(f"{'▸' if shown else ' '} {name:<8} ", "bold" if shown else "dim")
            style = theme_style(self, "error" if name == "release" else "warning")
            text.append(visible(side.summary()), style if side.certain else "")
            text.append("\n")
        text.rstrip()
        summaries.update(text)
        self._draw_records(person.original if self.in_original else person.release, grid)
        where = "original" if self.in_original else "published"
        count = self._side(person).count
        title = count_of(count, f"{where} record fits", f"{where} records fit")
        if count > MOST_SHOWN:
            title += f", the first {MOST_SHOWN:,} are shown"
        self.border_title = Text(f"person {person.number:,}: {title}")

    def _side(self, person: Person) -> Lookup:
        return person.original if self.in_original else person.release

    def _draw_records(self, side: Lookup, grid: Grid) -> None:
        records, cells = side.records, side.cells
        source = RowSource(
            cells.columns,
            len(records),
            lambda row: cells.rows(row, row + 1)[0],
            lambda row: f"{records[row] + 1:,}",
        )
        widest = int(records.max()) + 1 if len(records) else 1
        grid.show(source, name_width=len(f"{widest:,}") + 1)
