"""Questions before a release is made: wait for counting, ask about columns that single people out.

The answer about a column is an edit of the project: it is saved, and undo takes it back. Changing
the role of the column asks again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Label, Static

from kanon_tui.core.table.profile import SinglingOut
from kanon_tui.core.table.schema import Role
from kanon_tui.screens.base import StepScreen
from kanon_tui.services.host import Hosted
from kanon_tui.widgets.dialogs import Choose, Dialog

__all__ = ["CountingWait", "SinglingOutDialog", "before_publishing", "once_counted"]


class SinglingOutDialog(Choose):
    """A choice of what to do with a column that singles people out."""

    HELP = """## A column that singles people out

Many of its values belong to one record only. Whoever knows such a value of somebody, an exact
income or a date, finds the record in the release, however large its class is.

Leave the column out, let it be generalised like the other quasi-identifiers, or publish it as it is
because you know that nobody else has these values. Example: a laboratory value that is in no other
table may be published; the exact wage, which the employer knows as well, hardly.
"""


def before_publishing(
    screen: StepScreen, go_on: Callable[[], object], of: Sequence[str] | None = None
) -> None:
    """Call `go_on` once each column that singles people out, among `of` or all, has an answer.

    All values must be counted to know these columns, so counting is waited for.
    """
    session = screen.session

    def ask(found: list[SinglingOut]) -> None:
        asked = [each for each in found if of is None or each.attribute in of]
        if asked:
            _ask(screen, asked, lambda: before_publishing(screen, go_on, of))
        else:
            go_on()

    def look() -> None:
        screen.compute(session.unanswered, ask, group="singling out", holds_keys=True)

    once_counted(screen, look)


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

    def answered(number: int | None) -> None:
        if number is None:
            return
        what, concerned, changes = options[number]
        screen.edit_attributes(concerned, f"{', '.join(concerned)}: {what}", **changes)
        again()

    screen.ask(
        SinglingOutDialog(
            f"{first.attribute} singles people out",
            [title for title, _, _ in options],
            hint=f"{first}. Whoever knows somebody's value finds the record. "
            f"ctrl+z takes an answer back; esc stops here.",
        ),
        answered,
    )


class CountingWait(Hosted, Dialog):
    """Shows the progress of counting and closes when it ends; returns whether it succeeded."""

    HELP = """## The values are being counted

The file is larger than the memory that is allowed. What is shown of it at first is a sample; a run
needs the values of all records, and they are counted behind the screens.

The run goes on by itself when they are counted. `esc` takes it back; the counting continues, and
screen 1 says how far it is. Example: fifty million records in a Parquet file take about a minute.
"""

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Label("One moment: all values are being counted", classes="title")
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


def once_counted(screen: StepScreen, go_on: Callable[[], object]) -> None:
    """Call `go_on` now, or when all values of a table beyond memory are counted."""
    if screen.session.uncounted() and screen.host.counting.is_counting:
        screen.ask(CountingWait(), lambda counted: go_on() if counted else None)
    else:
        go_on()
