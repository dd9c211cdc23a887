"""The figures of screen 2: of each column, as rows of a grid, and the gauge of risk below it."""

from dataclasses import dataclass

import numpy as np
from rich.cells import cell_len
from rich.text import Text
from textual.widget import Widget

from kanon_tui.core.analysis.minimal_uniques import Risk, alone_identifies, risk
from kanon_tui.core.editing.session import Session
from kanon_tui.core.errors import InputError, KanonError
from kanon_tui.core.pipeline.prepare import coded_column
from kanon_tui.core.project.sections import AttributeSpec
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.column_coding import by_value
from kanon_tui.core.table.profile import RepeatedPeople, repeated_people
from kanon_tui.core.task.weights import association_matrix
from kanon_tui.core.text import bar, visible
from kanon_tui.widgets.drawing import theme_style
from kanon_tui.widgets.grid import Cell, GridColumn
from kanon_tui.widgets.grid_sources import CellTable


@dataclass(frozen=True)
class ColumnFigures:
    """The counted figures of a column."""

    distinct: int
    missing: int
    alone: float
    of_sample: bool = False
    """Whether these are the figures of a sample of the records."""


@dataclass(frozen=True)
class Associations:
    """The weights in use and, per quasi-identifier, the one most associated with it."""

    weights: dict[str, float]
    strongest: dict[str, tuple[str, float]]
    names: tuple[str, ...]
    matrix: np.ndarray


def measure_column(session: Session, name: str, spec: AttributeSpec) -> ColumnFigures | None:
    """Return the figures of one column; None where its kind does not fit, as screen 3 says."""
    try:
        column = coded_column(session.table, name, spec)
    except KanonError:
        return None
    missing = 0 if column.missing is None else int(column.counts[column.missing])
    of_sample = session.is_sampled(name)
    return ColumnFigures(len(column.values), missing, alone_identifies(column), of_sample)


def associations(session: Session) -> Associations:
    """Return weights and associations of the current quasi-identifiers."""
    task = session.task()
    names = tuple(attribute.name for attribute in task.quasi)
    matrix = association_matrix([attribute.column for attribute in task.quasi])
    strongest = {}
    for x, name in enumerate(names):
        partners = [(float(matrix[x, y]), names[y]) for y in range(len(names)) if y != x]
        if partners:
            strength, partner = max(partners)
            strongest[name] = (partner, strength)
    weights = {attribute.name: attribute.weight for attribute in task.quasi}
    return Associations(weights, strongest, names, matrix)


_SHORT = {"rounded": "~", "median": "med", "hierarchy": "hier", "range": "", "ancestor": ""}
"""Short names of what a class prints; "" for the default."""


def role_text(spec: AttributeSpec) -> str:
    """Return the role, and how it is published if that is not the default: `quasi mean`."""
    if spec.role is Role.IDENTIFIER and spec.identifier == "pseudonym":
        return "pseudonym"
    if spec.role is Role.WEIGHT and spec.publish_unique:
        return "weight out"
    prints = spec.publish if spec.role is Role.QUASI and spec.publish else ""
    return f"{spec.role} {_SHORT.get(prints, prints)}".rstrip()


def kind_text(spec: AttributeSpec) -> str:
    """Return the kind, and marks for coded ends: `numeric ≤≥`."""
    ends = ("≤" if spec.bottom is not None else "") + ("≥" if spec.top is not None else "")
    return f"{spec.kind} {ends}".rstrip()


WIDE = (
    ("attribute", 24), ("role", 10), ("kind", 11), ("weight", 11), ("distinct", 9),
    ("missing", 7), ("alone identifies", 16), ("association", 30),
)  # fmt: skip
NARROW = (
    ("attribute", 14), ("role", 10), ("kind", 11), ("weight", 7), ("distinct", 8), ("", 0),
    ("alone", 6), ("association", 10),
)  # fmt: skip
"""Titles and widths of the columns; an empty title hides one."""


def attribute_rows(rows: list[list[Cell]], names: list[str], wide: bool) -> CellTable:
    """Return the attributes as a grid source; a narrow one has narrower columns and no missing."""
    shown = [(x, *column) for x, column in enumerate(WIDE if wide else NARROW) if column[0]]
    columns = []
    for x, title, width in shown:
        longest = max([0, *(cell_len(visible(row[x].text)) for row in rows)])
        if x == 0:
            longest = max(10, longest)
            width = min(width, longest)
        columns.append(GridColumn(title, width, title == "distinct", wish=longest))
    return CellTable(columns, [[row[x] for x, _, _ in shown] for row in rows], names, 3)


def figure_cells(figures: ColumnFigures | None, wide: bool) -> list[Cell]:
    """Return the cells distinct, missing, alone; a sample gives a lower bound of the first only."""
    if figures is None:
        return [Cell("…")] * 3
    if figures.of_sample:
        return [Cell(f"≥{figures.distinct:,}", "muted"), Cell("…", "muted"), Cell("…", "muted")]
    return [
        Cell(f"{figures.distinct:,}"),
        Cell(f"{figures.missing:,}", "warn" if figures.missing else ""),
        Cell(f"{figures.alone:6.1%}" + (f" {bar(figures.alone, 8)}" if wide else "")),
    ]


def count_risk(session: Session, k: int) -> tuple[Risk, RepeatedPeople | None]:
    """Return the risk, in people if a column has the role person, else with columns that repeat.

    A sample would show far too many unique records: of a table beyond memory all records are
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
        other_names = [*session.names(Role.IDENTIFIER), *session.names(Role.OTHER)]
        return risk(quasi, session.table.height, k), repeated_people(session.table, other_names)
    texts = session.table.column(people[0], Kind.CATEGORICAL)
    person = by_value(texts, session.table.missing_tokens)
    return risk(quasi, session.table.height, k, person), None


def gauge(made: Risk, repeats: RepeatedPeople | None, widget: Widget) -> Text:
    """Return the gauge: two bars, and the single change that helps most."""
    size = 24 if widget.size.width >= 100 else 12
    text = Text()
    if repeats is not None:
        warning = f"! {visible(repeats.warning)} (P on it: people)\n"
        text.append(warning, theme_style(widget, "warning"))
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
        first_levels = list(made.unique_at_levels.items())[:4]
        levels = ", ".join(f"level {level}: {unique:,}" for level, unique in first_levels)
        text.append(f"\ngeneralising it instead, unique at {levels}", "dim")
    return text
