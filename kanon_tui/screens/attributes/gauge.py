"""The gauge of screen 2: how many the quasi-identifiers give away now, and what would help most."""

from __future__ import annotations

from rich.text import Text
from textual.widget import Widget

from kanon_tui.core.analysis.risk import Risk, risk
from kanon_tui.core.editing.session import Session
from kanon_tui.core.errors import InputError
from kanon_tui.core.table.distinct_values import by_value
from kanon_tui.core.table.profile import RepeatedPeople, repeated_people
from kanon_tui.core.table.schema import Kind, Role
from kanon_tui.core.text import visible
from kanon_tui.widgets.drawing import bar, theme_style

__all__ = ["count_risk", "gauge"]


def count_risk(session: Session, k: int) -> tuple[Risk, RepeatedPeople | None]:
    """The risk in people where a column says whose a record is, or who repeats without it.

    A sample would tell of far too many that are unique: of a table beyond memory all records are
    counted.
    """
    quasi = [session.quasi_identifier(name) for name in session.names(Role.QUASI)]
    if not quasi:
        raise InputError("no quasi-identifier is tagged: press q on what an outsider may know")
    people = session.names(Role.PERSON)
    if session.source is not None:
        task = session.quasi_rows()
        return risk(task.quasi, task.n, k), None
    if not people:
        others = [*session.names(Role.IDENTIFIER), *session.names(Role.OTHER)]
        return risk(quasi, session.table.height, k), repeated_people(session.table, others)
    texts = session.table.column(people[0], Kind.CATEGORICAL)
    person = by_value(texts, session.table.missing_tokens)
    return risk(quasi, session.table.height, k, person), None


def gauge(made: Risk, repeats: RepeatedPeople | None, widget: Widget) -> Text:
    """The gauge: two bars, and the single change that helps most."""
    size = 24 if widget.size.width >= 100 else 12
    text = Text()
    if repeats is not None:
        said = f"! {visible(repeats.warning)} (P on it: people)\n"
        text.append(said, theme_style(widget, "warning"))
    for label, count in (
        (f"unique {'people' if made.in_people else 'records'}", made.unique),
        (f"in classes below k={made.k}", made.below_k),
    ):
        share = count / made.records
        colour = "error" if share > 0.2 else "warning" if share > 0 else "success"
        text.append(f"{label:<24}{count:>9,} ({share:4.0%}) ")
        text.append(bar(share, size) + "\n", theme_style(widget, colour))
    if not made.below_k:
        text.append(
            f"every {'person' if made.in_people else 'record'} already looks like at least "
            f"{made.k - 1} others",
            theme_style(widget, "success"),
        )
        return text
    best = made.without[0]
    text.append(
        f'dropping "{visible(best.name)}" would leave {best.unique:,} unique and '
        f"{best.below_k:,} below k"
    )
    if made.unique_at_levels:
        levels = ", ".join(f"level {r.level}: {r.unique:,}" for r in made.unique_at_levels[:4])
        text.append(f"\ngeneralising it instead, unique at {levels}", "dim")
    return text
