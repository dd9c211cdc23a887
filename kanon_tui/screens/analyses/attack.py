"""The linking attack: the people of an outsider's table looked up in original and release."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from rich.text import Text
from textual import on
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.widget import Widget
from textual.widgets import Static

from kanon_tui.core.analysis.attack.linking import Attack, FittingRecords, Linked, linking_attack
from kanon_tui.core.analysis.published_cells import PublishedTable, released_tables
from kanon_tui.core.errors import InputError
from kanon_tui.core.table.column import Role
from kanon_tui.core.table.table import Table
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import count_of, short_list, visible
from kanon_tui.screens.panel import AnalysisScreen, sections_text
from kanon_tui.widgets.dialogs import ChooseSeveral
from kanon_tui.widgets.drawing import theme_style
from kanon_tui.widgets.grid import Cell, Grid, GridColumn, GridSource
from kanon_tui.widgets.grid_sources import CellTable, FrameSource

MOST_SHOWN = 10_000
"""Most records of one person that are listed."""


@dataclass(frozen=True)
class Lookup:
    """The records of one table that may be a person's."""

    found: FittingRecords
    cells: FrameSource
    """Their cells; of very many the first ones."""
    certain: frozenset[str]
    """The sensitive attributes on which these records agree."""

    @classmethod
    def of_person(cls, linked: Linked, table: Table, names: Sequence[str], person: int) -> Lookup:
        """Look a person up in a table, of which these columns may be shown; made in a thread."""
        found = linked.look_up(person)
        cells = table.rows_at(found.records[:MOST_SHOWN], names)
        disclosed = (name for name, flags in linked.disclosed_values.items() if flags[person])
        rows = FrameSource(
            cells,
            table.missing_tokens,
            name=lambda row: f"{found.records[row] + 1:,}",
            name_width=len(f"{found.records[:MOST_SHOWN].max(initial=0) + 1:,}") + 1,
        )
        return cls(found, rows, frozenset(disclosed))

    def summary(self) -> str:
        """Return `2 records, disease: Gastritis 50%, HIV 50%`."""
        if not len(self.found.records):
            return "no record fits"
        parts = [count_of(len(self.found.records), "record")]
        for name, values in self.found.values.items():
            shown = short_list([f"{value or 'missing'} {share:.0%}" for value, share in values])
            parts.append(f"{name}: {shown}")
            if name in self.certain:
                parts[-1] = f"{name}: certainly {values[0][0]}"
        return ", ".join(parts)


Person = tuple[int, Lookup, Lookup]
"""A person by row number, looked up in the original and in the release."""


class PersonPane(Vertical):
    """A summary of both tables, and the matching records of one of them."""

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

    def switch(self, in_original: bool) -> None:
        """Show the records of the original or of the release."""
        self.in_original = in_original
        self._draw()

    def _draw(self) -> None:
        person = self.person
        grid = self.query_one(Grid)
        summaries = self.query_one("#summaries", Static)
        summaries.display = person is not None
        if person is None:
            self.border_title = "records that fit (enter on a person)"
            grid.show(CellTable([], []))
            return
        text = Text()
        number, *sides = person
        side_shown = sides[not self.in_original]
        for name, side in zip(("original", "release"), sides, strict=True):
            shown = side is side_shown
            text.append(f"{'▸' if shown else ' '} {name:<8} ", "bold" if shown else "dim")
            style = theme_style(self, "error" if name == "release" else "warning")
            text.append(visible(side.summary()), style if side.certain else "")
            text.append("\n")
        text.rstrip()
        summaries.update(text)
        grid.show(side_shown.cells)
        where = "original" if self.in_original else "published"
        count = len(side_shown.found.records)
        title = count_of(count, f"{where} record fits", f"{where} records fit")
        if count > MOST_SHOWN:
            title += f", the first {MOST_SHOWN:,} are shown"
        self.border_title = Text(f"person {number:,}: {title}")


Tables = tuple[Table, Task, Table]
"""The external table, the task with the original, and the release."""


class PeopleRows(GridSource):
    """The people of the external table with their matches in both tables; made in a thread."""

    def __init__(self, external: Table, attack: Attack) -> None:
        self.attack = attack
        self.height = external.height
        self.name_width = len(f"{external.height:,}") + 1
        self._cells = FrameSource(external.frame, external.missing_tokens)
        self.columns: Sequence[GridColumn] = [
            GridColumn("original", 8, True),
            GridColumn("release", 8, True),
            GridColumn("certain in", 10),
            *self._cells.columns,
        ]
        sides = [side.matches for side in (attack.original, attack.release)]
        keys = [np.where(matches == 0, np.iinfo(np.int64).max, matches) for matches in sides]
        self._by_exposure = np.lexsort(keys)
        self._by_row = np.arange(self.height)
        self.order = self._by_row

    @property
    def by_exposure(self) -> bool:
        """Whether the easiest to find come first."""
        return self.order is self._by_exposure

    def sort(self) -> None:
        """Switch to the other order."""
        self.order = self._by_row if self.by_exposure else self._by_exposure

    def line(self, row: int) -> list[Cell]:
        """Return matches in both tables, what is certain, and the outsider's columns."""
        person = int(self.order[row])
        original = self.attack.original
        release = self.attack.release
        sure = [bool(side.disclosed_people[person]) for side in (original, release)]
        where = {(True, True): "both", (True, False): "original", (False, True): "release"}
        return [
            _matches(original, person),
            _matches(release, person),
            Cell(where.get((sure[0], sure[1]), "–"), "bad" if sure[1] else ""),
            *self._cells.line(person),
        ]

    def row_name(self, row: int) -> str:
        """Return the number of a person, counted from 1 in file order."""
        return f"{self.order[row] + 1:,}"


def _matches(side: Linked, person: int) -> Cell:
    """Return the number of matching records, marked if it is one or below k."""
    count = int(side.matches[person])
    if count == 1:
        return Cell("✗ 1", "bad")
    if 0 < count < side.k:
        return Cell(f"! {count:,}", "warn")
    return Cell(f"{count:,}", "" if count else "muted")


class AttackScreen(AnalysisScreen):
    """The panel of the linking attack: counts above, people and matching records below."""

    TITLE = "linking attack"
    PANES: ClassVar = {"#people-pane": "people"}
    LOOKS_AT_RELEASE = True
    TABLES: ClassVar = {"external": "A table of people an outsider has"}
    NEEDS: ClassVar = {
        "table": "result", "attributes": "tables", "sort": "people", "side": "people",
    }  # fmt: skip
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "table('external')", "Outsider's table", id="attack.external"),
        Binding("a", "attributes", "Attributes", id="attack.attributes"),
        Binding("s", "sort", "Sort", id="attack.sort"),
        Binding("v", "side(False)", "release", id="attack.side"),
        Binding("v", "side(True)", "original", id="attack.side"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.tables: Tables | None = None
        self.joined: tuple[str, ...] = ()
        self.people: PeopleRows | None = None
        self.external: Table | None = None
        self.external_name = ""

    def body(self) -> Iterable[Widget]:
        yield Static(id="counts")
        with Container(id="panes"):
            with Vertical(classes="pane", id="people-pane"):
                yield Grid(id="people")
            yield PersonPane(id="rows-pane")

    def begin(self) -> None:
        self.query_one(PersonPane).show(None)
        self.query_one("#people").focus()
        self.action_table("external")

    def details(self) -> str:
        if self.tables is None:
            return " · e chooses the table an outsider has"
        joined = f" on {', '.join(map(visible, self.joined))}" if self.joined else ""
        return f" with {visible(self.external_name)}{joined}"

    # -- what to join

    def released(self) -> None:
        """Look the people up in the release; of another table, ask on which attributes."""
        result = self.result
        external = self.external
        if result is None or external is None:
            return
        is_known = self.tables is not None and self.tables[0] is external

        def opened(both: tuple[Task, Table]) -> None:
            task, release = both
            joined = tuple(name for name in self.joined if is_known and name in release.names)
            self.tables = (external, task, release)
            self.joined = joined
            self.people = None
            self._draw()
            if joined:
                self._link(joined)
            else:
                self.action_attributes()

        self.in_background(lambda: released_tables(result), opened, "reading the release")

    def action_attributes(self) -> None:
        """Choose the attributes to join on among those both tables have."""
        if self.tables is None or self.result is None:
            return
        external, _, release = self.tables
        roles = self.result.task.roles
        shared = [n for n in roles if n in external.names and n in release.names]
        if not shared:
            self.host.fail(
                InputError(
                    f"{self.external_name} and the release have no column of the same name; "
                    f"call the columns of {self.external_name} as the data does"
                )
            )
            return
        marked = self.joined or [n for n in shared if roles[n] is Role.QUASI]
        dialog = ChooseSeveral("Join on which attributes?", shared, marked)
        self.ask(dialog, lambda names: self._link(tuple(names)))

    # -- the attack

    def _link(self, joined: tuple[str, ...]) -> None:
        tables = self.tables
        project = self.project
        name = self.external_name
        assert tables is not None
        external, task, release = tables

        def link() -> PeopleRows:
            attack = linking_attack(PublishedTable(project, task, release), external, joined, name)
            return PeopleRows(external, attack)

        def linked(people: PeopleRows) -> None:
            self.joined = joined
            self.people = people
            self._draw()

        self.in_background(link, linked, "looking everybody up")

    def _draw(self) -> None:
        people = self.people
        self.query_one("#people", Grid).show(people or CellTable([], []))
        self.query_one(PersonPane).show(None)
        self.query_one("#counts", Static).update(
            sections_text([people.attack.section()]) if people else ""
        )
        self._draw_order()

    def _draw_order(self) -> None:
        order = "easiest to find first" if self.people and self.people.by_exposure else "by row"
        self.query_one("#people-pane").border_title = f"people, {order} (enter looks one up)"

    def action_sort(self) -> None:
        """Switch between the order of rows and the easiest to find first."""
        if self.people is not None:
            self.people.sort()
            self.query_one("#people", Grid).show(self.people)
            self._draw_order()

    # -- one person

    @on(Grid.Chosen, "#people")
    def show_person(self, event: Grid.Chosen) -> None:
        """Show the records that may be the person's, in both tables."""
        people = self.people
        tables = self.tables
        if people is None or tables is None:
            return
        person = int(people.order[event.row])
        attack = people.attack
        _, task, release = tables

        def find() -> Person:
            return (
                person + 1,
                Lookup.of_person(attack.original, task.table, release.names, person),
                Lookup.of_person(attack.release, release, release.names, person),
            )

        def found(looked_up: Person) -> None:
            self.query_one(PersonPane).show(looked_up)

        self.in_background(find, found, "looking")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer the records of the table that is not shown."""
        shown = action == "side" and parameters == (self.query_one(PersonPane).in_original,)
        return False if shown else super().check_action(action, parameters)

    def action_side(self, in_original: bool) -> None:
        """Show the records of the original or of the release."""
        self.query_one(PersonPane).switch(in_original)
        self.refresh_bindings()
