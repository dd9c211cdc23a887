"""The linking attack: look the people of an outsider's table up in the original and the release."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
from rich.text import Text
from textual import on
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.widget import Widget
from textual.widgets import Static

from kanon_tui.core.analysis.attack.linking import Attack, Linked, linking_attack
from kanon_tui.core.analysis.attack.matching import task_and_release
from kanon_tui.core.errors import InputError
from kanon_tui.core.table.file_kinds import DATA_ENDINGS
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.schema import Role
from kanon_tui.core.table.table import Table, read_table
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import visible
from kanon_tui.screens.analyses.attack_person import Person, PersonPane, look_up
from kanon_tui.screens.analyses.base import NO_RELEASE, AnalysisScreen
from kanon_tui.widgets.dialogs import ChooseSeveral
from kanon_tui.widgets.drawing import theme_style
from kanon_tui.widgets.grid import Cell, Grid, GridColumn
from kanon_tui.widgets.grid_sources import FrameSource, RowSource
from kanon_tui.widgets.path_dialog import AskPath

__all__ = ["AttackScreen", "PeopleRows"]

Tables = tuple[Table, Task, Table]
"""The external table, the task with the original, and the release."""


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

    LOOKS_AT_RELEASE = True
    HELP = """## Linking attack

Somebody has a table of people they know (voters, customers, neighbours) and looks each of them up
in what you publish. Every row whose cells cover what is known may be that person's.

`e` chooses such a table, `a` the attributes both tables have, `R` one of several releases. Counted
are, in the original and in the release, the people with **exactly one** row that fits (found),
with **fewer than k**, and those of whom a **sensitive value is certain** because all rows that fit
agree on it: that can happen however many they are.

The list shows every person by row number with the number of rows that fit: `✗` one, `!` fewer than
k. `enter` looks the person under the cursor up: what the records that fit tell of them in either
table, and these records; `v` goes from the published ones to those of the original and back. `s`
puts the people who are easiest to find first. The table of people is your own file: nothing of it
is written anywhere.

Example: the linking sample with `voters.csv`, joined on age, gender and zip. Row 3 has one record
in the original, which tells the disease, and two in the release.
"""
    DEFAULT_CSS = """
    AttackScreen #counts { height: auto; padding: 0 1; }
    AttackScreen #panes { layout: horizontal; height: 1fr; }
    AttackScreen.-wide #people-pane { width: 6fr; }
    AttackScreen.-wide #rows-pane { width: 5fr; }
    AttackScreen .pane { width: 1fr; height: 1fr; }
    AttackScreen.-narrow #panes { layout: vertical; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "external", "Outsider's table", id="attack.external"),
        Binding("a", "attributes", "Attributes", id="attack.attributes"),
        Binding("s", "sort", "Sort", id="attack.sort"),
        Binding("v", "side", "original", id="attack.side"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.tables: Tables | None = None
        self.joined: tuple[str, ...] = ()
        self.people: PeopleRows | None = None
        self.external_name = ""

    def body(self) -> Iterable[Widget]:
        yield Static(id="counts")
        with Container(id="panes"):
            with Vertical(classes="pane", id="people-pane"):
                yield Grid(id="people")
            yield PersonPane(id="rows-pane")

    def on_mount(self) -> None:
        self.query_one("#people-pane").border_title = "people"
        self.query_one(PersonPane).show(None)
        self.query_one("#people").focus()
        self.draw_status()
        self.action_external()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The footer shows only what works now."""
        if action == "external":
            return self.result is not None
        if action == "attributes":
            return self.tables is not None
        if action in ("sort", "side"):
            return self.people is not None
        return super().check_action(action, parameters)

    def status(self) -> Text:
        """Who is looked up, and by what."""
        text = Text.assemble(("linking attack", "bold"), visible(self.release_name))
        if self.result is None:
            text.append(f" · {NO_RELEASE}")
        elif self.tables is None:
            text.append(" · e chooses the table an outsider has")
        else:
            text.append(f" with {visible(self.external_name)}")
            if self.joined:
                text.append(f" on {', '.join(map(visible, self.joined))}")
        return text

    # -- what to join

    def action_external(self) -> None:
        if self.result is not None:
            self.ask(
                AskPath(
                    "A table of people an outsider has",
                    f"{self.session.data_path.parent}/",
                    endings=DATA_ENDINGS,
                ),
                lambda path: self._read(path) if path else None,
            )

    def released(self) -> None:
        """The same people and attributes, in the release of another run."""
        result, tables = self.result, self.tables
        if result is None or tables is None:
            return

        def opened(both: tuple[Task, Table]) -> None:
            task, release = both
            joined = tuple(name for name in self.joined if name in release.names)
            self.tables, self.joined, self.people = (tables[0], task, release), joined, None
            self._draw()
            if joined:
                self._link(joined)

        self.in_background(lambda: task_and_release(result), opened, "reading the release")

    def _read(self, path: Path) -> None:
        result = self.result
        assert result is not None

        def read() -> Tables:
            # A join goes by names, so the file has them on top, whatever the cells look like.
            tokens = result.task.table.missing_tokens
            external = read_table(path, ReadOptions(header=True, missing_tokens=tokens))
            return external, *task_and_release(result)

        def opened(tables: Tables) -> None:
            self.tables, self.external_name, self.joined, self.people = tables, path.name, (), None
            self._draw()
            self.action_attributes()

        self.in_background(read, opened, f"reading {visible(path.name)}")

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
        self.ask(
            ChooseSeveral("Join on which attributes?", shared, marked),
            lambda names: self._link(tuple(names)) if names else None,
        )

    # -- the attack

    def _link(self, joined: tuple[str, ...]) -> None:
        result, tables, session, name = self.result, self.tables, self.session, self.external_name
        assert result is not None
        assert tables is not None
        external, task, release = tables

        def link() -> PeopleRows:
            project = result.project or session.project
            attack = linking_attack(project, task, release, external, joined, external_name=name)
            return PeopleRows(external, attack)

        def linked(people: PeopleRows) -> None:
            self.joined, self.people = joined, people
            self._draw()

        self.in_background(link, linked, "looking everybody up")

    def _draw(self) -> None:
        people = self.people
        nobody = RowSource([GridColumn("", 1)], 0, lambda _: [], lambda _: "")
        width = len(f"{people.height:,}") + 1 if people else 0
        self.query_one("#people", Grid).show(people or nobody, name_width=width)
        self.query_one(PersonPane).show(None)
        self.query_one("#counts", Static).update(self._counts(people.attack) if people else "")
        self._draw_order()

    def _draw_order(self) -> None:
        order = "easiest to find first" if self.people and self.people.by_exposure else "by row"
        self.query_one("#people-pane").border_title = f"people, {order} (enter looks one up)"

    def _counts(self, attack: Attack) -> Text:
        both = (attack.original, attack.release)
        title = f"of {attack.people:,} people"
        text = Text.assemble((f"{title:<32}{'original':>18}{'release':>18}", "bold"))
        rows = {
            "have a record that fits": [side.found for side in both],
            "have exactly one, and are found": [side.unique for side in both],
            f"have at most {attack.release.k - 1:,}, below k": [side.below_k for side in both],
            "have a sensitive value revealed": [side.disclosed for side in both],
        }
        for words, counts in rows.items():
            shares = (f"{count:,} {count / max(attack.people, 1):>7.1%}" for count in counts)
            text.append(f"\n{words:<32}" + "".join(f"{share:>18}" for share in shares))
        notes = list(attack.notes)
        if not attack.release.disclosed_values:
            notes.append("no attribute is sensitive, so no value can be disclosed")
        for note in notes:
            text.append("\n! ", theme_style(self, "warning", bold=True)).append(visible(note))
        return text

    def action_sort(self) -> None:
        """By row, or the easiest to find first."""
        if self.people is not None:
            self.people.sort()
            self.query_one("#people", Grid).show(self.people)
            self._draw_order()

    # -- one person

    @on(Grid.Chosen, "#people")
    def show_person(self, event: Grid.Chosen) -> None:
        """The records that may be the person's, in both tables."""
        people, tables = self.people, self.tables
        if people is None or tables is None:
            return
        person, attack = int(people.order[event.row]), people.attack
        _, task, release = tables

        def find() -> Person:
            return Person(
                person + 1,
                look_up(attack.original, task.table, release.names, person),
                look_up(attack.release, release, release.names, person),
            )

        def found(looked_up: Person) -> None:
            self.query_one(PersonPane).show(looked_up)

        self.in_background(find, found, "looking")

    def action_side(self) -> None:
        """The records of the original, or of the release."""
        self.query_one(PersonPane).switch()
