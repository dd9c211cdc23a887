"""The linking attack: look the people of an outsider's table up in the original and the release."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from rich.text import Text
from textual import on
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.widget import Widget
from textual.widgets import Static

from kanon_tui.core.analysis.attack import Attack, Linked, linking_attack
from kanon_tui.core.errors import InputError
from kanon_tui.core.schema import Role
from kanon_tui.core.table import ReadOptions, Table, as_table, read_table
from kanon_tui.screens.analysis import NO_RELEASE, AnalysisScreen, PickNames
from kanon_tui.screens.dialogs import AskPath
from kanon_tui.widgets.grid import Cell, Grid, GridColumn, printable
from kanon_tui.widgets.result_rows import RowSource
from kanon_tui.widgets.table_source import FrameSource
from kanon_tui.widgets.tint import tint

__all__ = ["AttackScreen", "PeopleRows"]

Ints = npt.NDArray[np.int64]
Tables = tuple[Table, Table]
"""The external table and the release."""


class PeopleRows:
    """The people of the external table with what either table tells of them; made in a thread."""

    def __init__(self, external: Table, attack: Attack) -> None:
        self.attack = attack
        self.height = external.height
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
        """The other order."""
        self.order = self._by_row if self.by_exposure else self._by_exposure

    def rows(self, start: int, stop: int) -> list[list[Cell]]:
        """Matches in both tables, what is certain, and what the outsider has."""
        return [self._row(int(person)) for person in self.order[start:stop]]

    def _row(self, person: int) -> list[Cell]:
        original, release = self.attack.original, self.attack.release
        sure = [bool(side.disclosed_people[person]) for side in (original, release)]
        where = {(True, True): "both", (True, False): "original", (False, True): "release"}
        return [
            _matches(original, person),
            _matches(release, person),
            Cell(where.get((sure[0], sure[1]), "–"), "bad" if sure[1] else ""),
            *self._cells.rows(person, person + 1)[0],
        ]

    def row_name(self, row: int) -> str:
        """People are counted from 1, in file order."""
        return f"{self.order[row] + 1:,}"


def _matches(side: Linked, person: int) -> Cell:
    """How many records fit, marked where they are one or fewer than k."""
    count = int(side.matches[person])
    if count == 1:
        return Cell("✗ 1", "bad")
    if 0 < count < side.k:
        return Cell(f"! {count:,}", "warn")
    return Cell(f"{count:,}", "" if count else "muted")


class AttackScreen(AnalysisScreen):
    """Counts above; people and the published rows that fit them below."""

    HELP = """## Linking attack

Somebody has a table of people they know (voters, customers, neighbours) and looks each of them up
in what you publish. Every row whose cells cover what is known may be that person's.

`e` chooses such a table, `a` the attributes both tables have. Counted are, in the original and in
the latest release, the people with **exactly one** row that fits (found), with **fewer than k**,
and those of whom a **sensitive value is certain** because all rows that fit agree on it: that can
happen however many they are.

The list shows every person by row number with the number of rows that fit: `✗` one, `!` fewer than
k. `enter` shows the published rows that fit the person under the cursor; `s` puts the people who
are easiest to find first. The table of people is your own file: nothing of it is written anywhere.

Example: the linking sample with `voters.csv`, joined on age, gender and zip. Row 3 has one record
in the original, which tells the disease, and two in the release.
"""
    DEFAULT_CSS = """
    AttackScreen #counts { height: auto; padding: 0 1; }
    AttackScreen #panes { layout: horizontal; height: 1fr; }
    AttackScreen .pane { width: 1fr; height: 1fr; }
    AttackScreen.-narrow #panes { layout: vertical; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "external", "External table", id="attack.external"),
        Binding("a", "attributes", "Attributes", id="attack.attributes"),
        Binding("s", "sort", "Sort", id="attack.sort"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.tables: Tables | None = None
        self.joined: tuple[str, ...] = ()
        self.people: PeopleRows | None = None
        self.external_name = ""

    def body(self) -> Iterable[Widget]:
        """Counts, people, rows."""
        yield Static(id="counts")
        with Container(id="panes"):
            with Vertical(classes="pane", id="people-pane"):
                yield Grid(id="people")
            with Vertical(classes="pane", id="rows-pane"):
                yield Grid(id="rows")

    def on_mount(self) -> None:
        """Ask for the table at once."""
        self.query_one("#people-pane").border_title = "people"
        self.query_one("#rows-pane").border_title = "published rows that fit"
        self.query_one("#people").focus()
        self.draw_status()
        self.action_external()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The footer shows only what works now."""
        if action == "external":
            return self.result is not None
        if action == "attributes":
            return self.tables is not None
        if action == "sort":
            return self.people is not None
        return True

    def status(self) -> Text:
        """Who is looked up, and by what."""
        text = Text.assemble(("linking attack", "bold"))
        if self.result is None:
            text.append(f" · {NO_RELEASE}")
        elif self.tables is None:
            text.append(" · e chooses the table an outsider has")
        else:
            text.append(f" with {printable(self.external_name)}")
            if self.joined:
                text.append(f" on {', '.join(map(printable, self.joined))}")
        return text

    # -- what to join

    def action_external(self) -> None:
        """Choose the outsider's table."""
        if self.result is not None:
            self.app.push_screen(
                AskPath("A table of people an outsider has", f"{self.session.data_path.parent}/"),
                lambda path: self._read(path) if path else None,
            )

    def _read(self, path: Path) -> None:
        result = self.result
        assert result is not None

        def read() -> Tables:
            # A join goes by names, so the file has them on top, whatever the cells look like.
            tokens = result.task.table.missing_tokens
            external = read_table(path, ReadOptions(header=True, missing_tokens=tokens))
            return external, as_table(result.table, tokens)

        def opened(tables: Tables) -> None:
            self.tables, self.external_name, self.joined, self.people = tables, path.name, (), None
            self._draw()
            self.action_attributes()

        self.compute(read, opened, f"reading {printable(path.name)}")

    def action_attributes(self) -> None:
        """Choose the attributes to join on among those both tables have."""
        if self.tables is None or self.result is None:
            return
        external, release = self.tables
        roles = self.result.task.roles
        shared = [n for n in roles if n in external.names and n in release.names]
        if not shared:
            self.kanon.fail(
                InputError(
                    f"{self.external_name} and the release have no column of the same name; "
                    f"call the columns of {self.external_name} as the data does"
                )
            )
            return
        marked = self.joined or [n for n in shared if roles[n] is Role.QUASI]
        self.app.push_screen(
            PickNames("Join on which attributes?", shared, marked),
            lambda names: self._link(tuple(names)) if names else None,
        )

    # -- the attack

    def _link(self, joined: tuple[str, ...]) -> None:
        result, tables, session, name = self.result, self.tables, self.session, self.external_name
        assert result is not None
        assert tables is not None
        external, release = tables

        def link() -> PeopleRows:
            project = result.project or session.project
            attack = linking_attack(
                project, result.task, release, external, joined, external_name=name
            )
            return PeopleRows(external, attack)

        def linked(people: PeopleRows) -> None:
            self.joined, self.people = joined, people
            self._draw()

        self.compute(link, linked, "looking everybody up")

    def _draw(self) -> None:
        people = self.people
        nobody = RowSource([GridColumn("", 1)], 0, lambda _: [], lambda _: "")
        width = len(f"{people.height:,}") + 1 if people else 0
        self.query_one("#people", Grid).show(people or nobody, name_width=width)
        self.query_one("#rows", Grid).show(nobody, name_width=0)
        self.query_one("#rows-pane").border_title = "published rows that fit"
        self.query_one("#counts", Static).update(self._counts(people.attack) if people else "")
        self._draw_order()

    def _draw_order(self) -> None:
        order = "easiest to find first" if self.people and self.people.by_exposure else "by row"
        self.query_one("#people-pane").border_title = f"people, {order} (enter: rows that fit)"

    def _counts(self, attack: Attack) -> Text:
        both = (attack.original, attack.release)
        title = f"of {attack.people:,} people"
        text = Text.assemble((f"{title:<32}{'original':>12}{'release':>12}", "bold"))
        for words, original, release in (
            ("have a record that fits", *(side.found for side in both)),
            ("have exactly one: found", *(side.unique for side in both)),
            (f"have at most {attack.release.k - 1:,}, below k", *(side.below_k for side in both)),
            ("a sensitive value is certain", *(side.disclosed for side in both)),
        ):
            text.append(f"\n{words:<32}{original:>12,}{release:>12,}")
        notes = list(attack.notes)
        if not attack.release.disclosed_values:
            notes.append("no attribute is sensitive, so no value can be disclosed")
        for note in notes:
            text.append("\n! ", tint(self, "warning", bold=True)).append(printable(note))
        return text

    def action_sort(self) -> None:
        """By row, or the easiest to find first."""
        if self.people is not None:
            self.people.sort()
            self.query_one("#people", Grid).show(self.people)
            self._draw_order()

    # -- one person

    @on(Grid.Chosen, "#people")
    def show_rows(self, event: Grid.Chosen) -> None:
        """The published rows that may be the person's."""
        people, tables = self.people, self.tables
        if people is None or tables is None:
            return
        person, linked, release = int(people.order[event.row]), people.attack.release, tables[1]

        def find() -> tuple[Ints, FrameSource]:
            records = linked.records_of(person)
            return records, FrameSource(release.frame[records], release.missing_tokens)

        def show(found: tuple[Ints, FrameSource]) -> None:
            records, cells = found
            source = RowSource(
                cells.columns,
                len(records),
                lambda row: cells.rows(row, row + 1)[0],
                lambda row: f"{records[row] + 1:,}",
            )
            width = len(f"{release.height:,}") + 1
            self.query_one("#rows", Grid).show(source, name_width=width)
            sure = [n for n, flags in linked.disclosed_values.items() if flags[person]]
            certain = f" · certain: {', '.join(map(printable, sure))}" if sure else ""
            rows = "1 published row fits" if len(records) == 1 else f"{len(records):,} rows fit"
            self.query_one("#rows-pane").border_title = Text(
                f"person {person + 1:,}: {rows}{certain}"
            )

        self.compute(find, show, "looking")
