"""Questions before a release is made: guessed roles, counting, columns that single people out.

Before a release is published: columns that k does not cover and that together leave people unique.

The answer about a column is an edit of the project: it is saved, and undo takes it back. Changing
the role of the column asks again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.widgets import Static

from kanon_tui.core.editing.session import Session
from kanon_tui.core.metrics.cautions import ALL_COLUMNS, Caution
from kanon_tui.core.project.guesses import planned_columns
from kanon_tui.core.project.project import Project
from kanon_tui.core.release.all_columns import ColumnContribution
from kanon_tui.core.release.recode import Release
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.table.column import Role
from kanon_tui.core.table.profile import SinglingOut
from kanon_tui.core.text import count_of, visible
from kanon_tui.screens.base import StepScreen
from kanon_tui.services.host import Hosted, Loading
from kanon_tui.widgets.dialogs import Choose, ChooseSeveral, Dialog, choose
from kanon_tui.widgets.grid import Cell, Grid, GridColumn, up_to
from kanon_tui.widgets.grid_sources import CellTable
from kanon_tui.widgets.lists import CheckList


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
    first = found[0]
    names = [each.attribute for each in found]
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


@dataclass(frozen=True)
class UncoveredColumns:
    """Columns of a release that k does not cover and about which nobody has decided yet."""

    contributions: tuple[ColumnContribution, ...]
    """The undecided columns, the most helpful to leave out first."""
    unique: int
    """Records, or people, that they leave unique."""
    noun: str
    release: Release
    left_out: tuple[str, ...]
    """Columns of the release that will not be published."""

    def unique_without(self, names: Sequence[str]) -> int | None:
        """Return how many are unique without further columns; None where that is not known."""
        at_risk = self.release.risk_without((*self.left_out, *names))
        return None if at_risk is None else at_risk.unique


@dataclass(frozen=True)
class ColumnsDecided:
    """A decision about columns that k does not cover."""

    names: tuple[str, ...]
    what: str
    changes: Mapping[str, object]


def is_undecided(session: Session, name: str) -> bool:
    """Return whether a column is to be published as it is without anybody having said so."""
    spec = session.project.attributes.get(name)
    return spec is not None and spec.role is Role.OTHER and not spec.publish_unique


def uncovered_columns(session: Session, result: FinishedRun) -> UncoveredColumns | None:
    """Return the columns to decide about before a release is published; None where none are left.

    Columns that the project does not publish any more are taken to be left out.
    """
    raised = [caution for caution in result.cautions if caution.about == ALL_COLUMNS]
    names = [name for caution in raised if caution.is_amber for name in caution.columns]
    undecided = [name for name in names if is_undecided(session, name)]
    if not undecided:
        return None
    known = session.project.attributes
    left_out = [name for name in names if name in known and known[name].role is not Role.OTHER]
    at_risk = result.release.risk_without(left_out)
    if at_risk is not None and not at_risk.unique:
        return None
    unique = result.release.all_columns.but_sensitive.unique if at_risk is None else at_risk.unique
    contributions = result.release.contributions(left_out)
    return UncoveredColumns(
        tuple(contribution for contribution in contributions if contribution.name in undecided),
        unique,
        "people" if result.release.all_columns.in_people else "records",
        result.release,
        tuple(left_out),
    )


class LeaveOutDialog(Hosted, ChooseSeveral):
    """Asks which columns that k does not cover are left out; gives `ColumnsDecided` or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "generalise", "Make the marked quasi-identifiers"),
        Binding("p", "publish", "Publish all as they are"),
    ]

    def __init__(self, uncovered: UncoveredColumns) -> None:
        names = tuple(each.name for each in uncovered.contributions)
        super().__init__("Which columns are left out?", names, ())
        self._uncovered = uncovered
        self._contributions = {
            contribution.name: contribution for contribution in uncovered.contributions
        }
        self._width = min(max(map(len, names)), 40)

    def content(self) -> ComposeResult:
        unique = self._uncovered.unique
        noun = self._uncovered.noun
        yield Static(
            f"With these columns {unique:,} {noun} are unique in the release, whatever k is. "
            "Whoever knows their values finds them.",
            id="why",
        )
        yield from super().content()
        yield Static(id="left")
        yield Static(
            "q makes the marked quasi-identifiers · p publishes all as they are", classes="hint"
        )

    def line(self, name: str) -> Text:
        """Return the name of a column and what it contributes."""
        contribution = self._contributions[name]
        what = f"  alone {contribution.alone:,} unique, without it {contribution.spared:,} fewer"
        return Text.assemble((f"{visible(name):<{self._width}}", "bold"), (what, "dim"))

    @on(CheckList.SelectedChanged)
    def count_what_is_left(self) -> None:
        """Count who would be unique without the marked columns."""
        marked = self.query_one(CheckList).selected
        self.compute(partial(self._uncovered.unique_without, marked), self._show_left, group="left")

    def _show_left(self, unique: int | None) -> None:
        text = ""
        if unique is not None:
            text = f"Without the marked columns {unique:,} {self._uncovered.noun} are unique."
        self.query_one("#left", Static).update(text)

    def dismiss(self, result: Any = None) -> AwaitComplete:
        """Close with what was decided; marked names of the list are columns to leave out."""
        if isinstance(result, list):
            result = self._decided(result, "left out", role=Role.IDENTIFIER)
        return super().dismiss(result)

    def action_generalise(self) -> None:
        """Make the marked columns quasi-identifiers."""
        marked = self.query_one(CheckList).selected
        if marked:
            self.dismiss(self._decided(marked, "quasi", role=Role.QUASI))

    def action_publish(self) -> None:
        """Publish all columns as they are."""
        names = [contribution.name for contribution in self._uncovered.contributions]
        self.dismiss(self._decided(names, "published as it is", publish_unique=True))

    @staticmethod
    def _decided(names: Sequence[str], what: str, **changes: object) -> ColumnsDecided:
        return ColumnsDecided(tuple(names), f"{', '.join(names)}: {what}", changes)


class UncoveredQuestion:
    """Asks about the columns that leave people unique; goes on at once where there are none."""

    def __init__(
        self, screen: StepScreen, result: FinishedRun, decided: Callable[[], object]
    ) -> None:
        self._screen = screen
        self._result = result
        self._decided = decided

    def ask(self) -> None:
        """Find the columns that nobody has decided about, and ask."""
        find = partial(uncovered_columns, self._screen.session, self._result)
        self._screen.load(find, self._ask_about)

    def _ask_about(self, uncovered: UncoveredColumns | None) -> None:
        if uncovered is None:
            self._decided()
        else:
            self._screen.ask(LeaveOutDialog(uncovered), self._take)

    def _take(self, decision: ColumnsDecided) -> None:
        self._screen.edit_attributes(decision.names, decision.what, **decision.changes)
        self._decided()


def offer_to_leave_out(screen: StepScreen, result: FinishedRun) -> None:
    """Ask about the columns that leave people unique, and say how to go on."""
    going_on = partial(_say_how_to_go_on, screen, screen.session.project)
    UncoveredQuestion(screen, result, going_on).ask()


def _say_how_to_go_on(screen: StepScreen, before: Project) -> None:
    unchanged = screen.session.project is before
    text = "nothing is left to decide" if unchanged else "r on Run (5) runs again"
    screen.host.notify(text)


def caution_sentence(caution: Caution) -> str:
    """Return the sentence of a caution with the key that does something about it."""
    key = " (O: leave columns out)" if caution.about == ALL_COLUMNS and caution.is_amber else ""
    return f"{visible(caution.sentence)}{key}"
