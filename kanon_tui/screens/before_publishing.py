"""Questions before a release is made: guessed roles, counting, columns that single people out.

The answer about a column is an edit of the project: it is saved, and undo takes it back. Changing
the role of the column asks again.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from kanon_tui.core.project.guesses import planned_columns
from kanon_tui.core.table.column import Role
from kanon_tui.core.table.profile import SinglingOut
from kanon_tui.core.text import count_of
from kanon_tui.screens.base import StepScreen
from kanon_tui.services.host import Hosted, Loading
from kanon_tui.widgets.dialogs import Choose, Dialog, choose
from kanon_tui.widgets.grid import Cell, Grid, GridColumn, up_to
from kanon_tui.widgets.grid_sources import CellTable


class SinglingOutDialog(Choose):
    """A choice of what to do with a column that singles people out."""


class PlanDialog(Hosted, Dialog):
    """Lists what becomes of every column; gives True once the guessed roles are confirmed."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("y", "confirm", "These are right")]

    def content(self) -> ComposeResult:
        yield Static(id="guesses")
        yield Grid()
        yield Static("enter changes the role of a column · y these are right · esc back")

    def on_mount(self) -> None:
        self.refresh_session()

    def refresh_session(self) -> None:
        """Show the plan of the project as it is now."""
        plans = planned_columns(self.session.project)
        open_guesses = sum(plan.guessed for plan in plans)
        roles = count_of(open_guesses, "role is a guess", "roles are guesses")
        look = "it" if open_guesses == 1 else "them"
        text = f"Nothing has left this machine yet. {roles}; please look at {look} once."
        self.query_one("#guesses", Static).update(text)
        marks = {"published as it is": "warn", "left out": "muted"}
        cells = [
            [
                Cell(plan.treatment, marks.get(plan.treatment, "")),
                Cell(plan.name),
                Cell(f"{plan.role}{' ?' if plan.guessed else ''}"),
            ]
            for plan in plans
        ]
        columns = [GridColumn("what becomes of it", 24), up_to(24, "column", 40)]
        table = CellTable([*columns, GridColumn("role", 14)], cells)
        self.query_one(Grid).show(table, keep_cursor=True)

    @on(Grid.Chosen)
    def change_role(self, event: Grid.Chosen) -> None:
        """Ask for another role of a column."""
        name = planned_columns(self.session.project)[event.row].name

        def take(role: Role) -> None:
            self.edit_attributes([name], f"{name}: {role}", role=role)

        options = [
            (f"{role}: {ROLE_MEANINGS[role]}", partial(take, role)) for role in ROLE_MEANINGS
        ]
        choose(self, f"What is {name}?", options)

    def action_confirm(self) -> None:
        """Accept all guesses and go on."""
        self.edit(self.session.project.confirmed(), "all guesses accepted")
        self.dismiss(True)


ROLE_MEANINGS = {
    Role.IDENTIFIER: "names a person; left out",
    Role.PERSON: "says whose the record is, where people have several; left out",
    Role.QUASI: "others may know it; generalised",
    Role.SENSITIVE: "must not be tied to a person; published as it is",
    Role.OTHER: "harmless; published as it is",
    Role.WEIGHT: "a survey weight, for the risk in a population; left out",
}


def before_publishing(
    screen: StepScreen,
    proceed: Callable[[], object],
    of: Sequence[str] | None = None,
    asking: Callable[[], object] = lambda: None,
) -> None:
    """Call `proceed` once roles are confirmed and columns that single people out have an answer.

    These columns are those among `of`, or all. All values must be counted to know them, so counting
    is waited for. `asking` is called before a question about a column, or if nobody waits.
    """
    session = screen.session
    again = partial(before_publishing, screen, proceed, of, asking)
    if session.guessed:
        screen.ask(PlanDialog("Before the first release"), lambda _: again())
        return

    def ask(found: list[SinglingOut]) -> None:
        asked = [each for each in found if of is None or each.attribute in of]
        if asked:
            asking()
            _ask(screen, asked, again)
        else:
            proceed()

    looking = partial(screen.ask, Loading(session.unanswered), lambda found: ask(*found), asking)
    once_counted(screen, looking)


def _ask(screen: StepScreen, found: Sequence[SinglingOut], again: Callable[[], object]) -> None:
    first, names = found[0], [each.attribute for each in found]
    one = names[:1]
    options: list[tuple[str, list[str], dict[str, object]]] = [
        ("leave it out of the release", one, {"role": Role.IDENTIFIER}),
        ("generalise it: make it a quasi-identifier", one, {"role": Role.QUASI}),
        ("publish it as it is", one, {"publish_unique": True}),
    ]
    if len(names) > 1:
        more = f"it and the {len(names) - 1:,} others like it"
        options += [
            (f"leave {more} out", names, {"role": Role.IDENTIFIER}),
            (f"publish {more} as they are", names, {"publish_unique": True}),
        ]

    def answered(number: int) -> None:
        what, concerned, changes = options[number]
        screen.edit_attributes(concerned, f"{', '.join(concerned)}: {what}", **changes)
        again()

    hint = (
        f"{first}. Whoever knows somebody's value finds the record. ctrl+z takes an answer back; "
        "esc stops here."
    )
    title, titles = f"{first.attribute} singles people out", [title for title, _, _ in options]
    screen.ask(SinglingOutDialog(title, titles, hint), answered)


class CountingWait(Hosted, Dialog):
    """Shows the progress of counting and closes when it ends; returns whether it succeeded."""

    def content(self) -> ComposeResult:
        yield Static(id="progress", markup=False)
        yield Static("It goes on by itself. esc does not run.", classes="hint")

    def on_mount(self) -> None:
        self.show_counting(self.host.counting.progress)

    def show_counting(self, line: str) -> None:
        self.query_one("#progress", Static).update(line)
        self.refresh_session()

    @on(events.ScreenResume)
    def look_again(self) -> None:
        """Look again after a message, which may have said that the file cannot be counted."""
        self.refresh_session()

    def refresh_session(self) -> None:
        """Close when counting has ended."""
        if not self.session.uncounted():
            self.dismiss(True)
        elif not self.host.counting.is_counting:
            self.dismiss(None)


def once_counted(screen: StepScreen, proceed: Callable[[], object]) -> None:
    """Call `proceed` now, or when all values of a table beyond memory are counted."""
    if screen.session.uncounted() and screen.host.counting.is_counting:
        title = "One moment: all values are being counted"
        screen.ask(CountingWait(title), lambda _: proceed())
    else:
        proceed()
