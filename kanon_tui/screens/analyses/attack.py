"""Attacks on a release: people looked up in both tables, the suite, and an earlier release.

The last tells whom a release and an earlier one of the same people expose together.
"""

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
from kanon_tui.core.analysis.attack.suite import (
    KINDS,
    AttackedAgain,
    attack_again,
    attack_sections,
    find_kinds,
    offered,
    run_attacks,
    seen_by_attackers,
    side_by_side,
)
from kanon_tui.core.analysis.attack.two_releases import TwoReleases, repaired, two_releases
from kanon_tui.core.analysis.attack.weak_spots import remedies, weak_spot_sections
from kanon_tui.core.analysis.published_cells import PublishedTable, released_tables
from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.run import Result
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.table.column import Role
from kanon_tui.core.table.table import Table
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import count_of, plural, short_list, visible
from kanon_tui.screens.panel import AnalysisScreen, sections_text
from kanon_tui.services.background import cancellation_check
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
        person, grid = self.person, self.query_one(Grid)
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
        self.height, self.name_width = external.height, len(f"{external.height:,}") + 1
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
        person, original, release = int(self.order[row]), self.attack.original, self.attack.release
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
        result, external = self.result, self.external
        if result is None or external is None:
            return
        is_known = self.tables is not None and self.tables[0] is external

        def opened(both: tuple[Task, Table]) -> None:
            task, release = both
            joined = tuple(name for name in self.joined if is_known and name in release.names)
            self.tables, self.joined, self.people = (external, task, release), joined, None
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
        tables, project, name = self.tables, self.project, self.external_name
        assert tables is not None
        external, task, release = tables

        def link() -> PeopleRows:
            attack = linking_attack(PublishedTable(project, task, release), external, joined, name)
            return PeopleRows(external, attack)

        def linked(people: PeopleRows) -> None:
            self.joined, self.people = joined, people
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
        people, tables = self.people, self.tables
        if people is None or tables is None:
            return
        person, attack = int(people.order[event.row]), people.attack
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


class AttacksScreen(AnalysisScreen):
    """The panel of the attack suite: a line per attack, then what each of them found."""

    TITLE = "attacks"
    PANES: ClassVar = {"#found": "success rates in people"}
    LOOKS_AT_RELEASE = True
    NEEDS: ClassVar = {
        "kind": "result", "table": "result", "counter": "result", "remedies": "result",
    }  # fmt: skip
    TABLES: ClassVar = {"control": "People who were not in the data"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "kind", "Kind", id="attacks.kind"),
        Binding("e", "table('control')", "Control", id="attacks.control"),
        Binding("c", "counter", "Counter-measures", id="attacks.counter"),
        Binding("r", "remedies", "Remedies", id="attacks.remedies"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.kind = "all"
        self.control: Table | None = None
        self.counters: tuple[str, ...] = ()
        """The counter-measures to try beside the release as it is."""
        self.found: list[AttackedAgain] = []

    def details(self) -> str:
        beside = "" if self.control is None else f" · beside {self.control.height:,} others"
        return f" · {self.kind}{beside}{''.join(f' · {each}' for each in self.counters)}"

    def action_kind(self) -> None:
        """Choose one kind of attack, or all."""
        listed = {f"{k.name}: {k.summary}": k.name for k in KINDS if k.name != "composition"}
        self.choose_option("kind", "Which attack?", {"all": "all", **listed})

    def action_counter(self) -> None:
        """Choose counter-measures, to see the attacks on releases with them."""
        if self.result is not None:
            choices = offered(self.result.task, self.project)
            title = "Release again with which counter-measures?"
            self.choose_several("counters", title, choices, self.counters)

    def released(self) -> None:
        """Attack the release that is looked at, and one more for every counter-measure."""
        result, kind, control, counters = self.result, self.kind, self.control, self.counters
        if not isinstance(result, Result):
            return

        def attack() -> list[AttackedAgain]:
            stop = cancellation_check()
            frame = None if control is None else control.frame
            attacked = seen_by_attackers(result, frame, watch=lambda done, total: not stop())
            kinds, measures = find_kinds(kind), result.measures
            found = run_attacks(attacked, kinds)
            own = AttackedAgain("", found, measures.ncp, measures.suppressed_records)
            return [own, *(attack_again(attacked, each, kinds) for each in counters)]

        self.in_background(attack, self._show, "attacking")

    def action_remedies(self) -> None:
        """Show whom k does not protect and why, and try what helps."""
        result = self.result
        if not isinstance(result, Result):
            return

        def tried() -> Text:
            stop = cancellation_check()
            found = remedies(result, watch=lambda done, total: not stop())
            return sections_text(weak_spot_sections(result, found))

        self.in_background(tried, self.show_figures, "trying what helps")

    def _show(self, found: list[AttackedAgain]) -> None:
        self.found = found
        compared = [side_by_side(found)] if len(found) > 1 else []
        self.show_figures(sections_text([*compared, *attack_sections(found[0].attacks)[1:]]))


class RereleaseScreen(AnalysisScreen):
    """The panel of two releases: counts, verdict, and the cost of a repair."""

    TITLE = "earlier release"
    PANES: ClassVar = {"#found": "both releases together"}
    LOOKS_AT_RELEASE = True
    NEEDS: ClassVar = {"table": "result"}
    TABLES: ClassVar = {"earlier": "What was published before"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "table('earlier')", "Earlier file", id="rerelease.earlier"),
        Binding("g", "repair", "Generalise further", id="rerelease.repair"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.earlier: Table | None = None
        self.earlier_name = ""
        self.found: TwoReleases | None = None

    def begin(self) -> None:
        self.action_table("earlier")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Show in the footer only the keys that work now."""
        if action == "repair":
            exposed = self.found is not None and self.found.below_k > 0
            return self.result is not None and exposed and not self.working
        return super().check_action(action, parameters)

    def details(self) -> str:
        if self.earlier is None:
            return " · e chooses the file that was published before"
        return f" beside {visible(self.earlier_name)}"

    # -- checking

    def released(self) -> None:
        """Compare the release of another run with the same file."""
        result, earlier, name = self.result, self.earlier, self.earlier_name
        if result is None or earlier is None:
            return
        project, self.found = self.project, None
        self._draw()

        def compared(found: TwoReleases) -> None:
            self.found = found
            self._draw()

        def compare() -> TwoReleases:
            release = PublishedTable.from_result(result, project)
            return two_releases(release, earlier, name)

        self.in_background(compare, compared, "comparing")

    # -- repairing

    def action_repair(self) -> None:
        """Generalise further, as a run of its own."""
        result, earlier, name, session = self.result, self.earlier, self.earlier_name, self.session
        if not isinstance(result, Result) or earlier is None:
            return
        project = self.project

        def repair() -> tuple[Result, TwoReleases]:
            made = repaired(result, project, earlier, name)
            found = two_releases(PublishedTable.from_result(made, project), earlier, name)
            found.refuse(name, tried=True)
            return made, found

        def done(made: tuple[Result, TwoReleases]) -> None:
            self.result, self.found = made
            self.host.add_result(session, made[0])
            self.host.session_changed()
            self._draw()

        self.in_background(repair, done, "generalising further")

    # -- showing

    def _draw(self) -> None:
        text = Text()
        if self.found is not None and self.result is not None:
            mark, style, verdict = self._verdict(self.found)
            text = sections_text([self.found.section()])
            text.append(f"\n\n{mark} ", theme_style(self, style, bold=True))
            text.append(verdict + _repair_cost(self.result))
        self.show_figures(text)
        self.refresh_bindings()

    def _verdict(self, found: TwoReleases) -> tuple[str, str, str]:
        """Return a mark, its colour, and whether both releases may stand beside each other."""
        name = visible(self.earlier_name)
        if not found.people:
            return "!", "warning", f"Nobody is in both. Is {name} a release of the same people?"
        if not found.below_k:
            kept = f"Together with {name} everybody keeps k = {found.k:,} candidates."
            return "✓", "success", kept
        are = f"{plural(found.below_k, 'is', 'are')} left fewer than k = {found.k:,} candidates"
        advice = "g generalises further where that is needed"
        exposed = f"Together with {name} {found.below_k:,} {are}."
        return "✗", "error", f"{exposed} Do not publish this beside it: {advice}."


def _repair_cost(result: FinishedRun) -> str:
    """Return the cost of a repaired release, in words; empty for another one."""
    repair = result.grouping.search.get("repaired")
    if not isinstance(repair, dict):
        return ""
    if "merges" in repair:
        how = f"{repair['merges']:,} {plural(repair['merges'], 'merge')} of classes"
    else:
        levels = (f"{visible(n)} {level}" for n, level in repair["least_levels"].items())
        how = f"levels at least {', '.join(levels)}"
    return (
        f"\n\nGeneralised further: NCP {repair['ncp']:.4f} instead of {repair['ncp_before']:.4f}, "
        f"{how}.\nesc and x exports it; run --earlier FILE --repair does the same."
    )
