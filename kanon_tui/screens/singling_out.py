"""Columns that single people out: asked about before they are published.

The answer is an edit of the project like any other: it is kept, and undo takes it back. Another
role asks again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kanon_tui.core.table.schema import Role
from kanon_tui.core.table.singling_out import SinglingOut
from kanon_tui.screens.base import StepScreen
from kanon_tui.screens.counting_wait import once_counted
from kanon_tui.screens.dialogs import Choose

__all__ = ["SinglingOutDialog", "before_publishing"]


class SinglingOutDialog(Choose):
    """What becomes of a column that singles people out; gives the number of an option."""

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
    """Go on once every column that singles people out has an answer; of these columns, or all.

    Which these are is known when all values are counted.
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
