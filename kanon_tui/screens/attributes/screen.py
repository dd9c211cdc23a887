"""2 Attributes: role, kind and weight of every column, and how much they give away together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar, Literal

from rich.text import Text
from textual import on
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Static

from kanon_tui.core.analysis.risk import Risk
from kanon_tui.core.editing.session import Session
from kanon_tui.core.errors import InputError
from kanon_tui.core.project.project import Project
from kanon_tui.core.table.profile import RepeatedPeople
from kanon_tui.core.table.schema import Role
from kanon_tui.core.table.table import Table
from kanon_tui.core.task.weights import redundant
from kanon_tui.core.text import visible
from kanon_tui.screens.attributes.association import AssociationDialog
from kanon_tui.screens.attributes.attribute_rows import (
    AttributeRows,
    figure_cells,
    kind_text,
    role_text,
)
from kanon_tui.screens.attributes.figures import (
    Associations,
    ColumnFigures,
    associations,
    measure_column,
    weights_in_use,
)
from kanon_tui.screens.attributes.gauge import count_risk, gauge
from kanon_tui.screens.attributes.publishing import PublishingScreen
from kanon_tui.screens.attributes.uniques_dialog import UniquesDialog, given_away
from kanon_tui.widgets.dialogs import AskText
from kanon_tui.widgets.grid import Cell, Grid

__all__ = ["AttributesScreen"]

ROLES = {
    "i": Role.IDENTIFIER,
    "P": Role.PERSON,
    "q": Role.QUASI,
    "s": Role.SENSITIVE,
    "o": Role.OTHER,
}


class AttributesScreen(PublishingScreen):
    """One row per attribute; roles by one key."""

    STEP = "attributes"
    HELP = """## 2 Attributes

Say what each column is:

- **identifier** (`i`): names, numbers of persons. Never published.
- **person** (`P`): whose record it is, where a person has several, like a patient with five visits
  (or a household). Never published; k and all the rest count people instead of records.
- **quasi-identifier** (`q`): what an outsider may also know, such as age, sex or zip code.
  Generalised until every record looks like at least k−1 others.
- **sensitive** (`s`): what must not be tied to a person, such as a diagnosis. Published as it
  is.
- **other** (`o`): harmless. Published as it is.

On a new file these are guesses, marked `?`: `v` accepts them all, `enter` the one under the cursor,
and so does setting it. Below the table stands why it was guessed. `k` chooses what the values are
(numbers, dates, texts) and how they are written, with a preview; `e` how it is published. A word
beside *quasi* (`mean`, `set`) is what a class prints, `≤` and `≥` beside the kind are coded ends.

The gauge below counts the records (people, with a *person*) that the quasi-identifiers, taken
together, give away now. It warns of a column that numbers people and repeats.

*alone identifies*: the share of records whose value nobody else has. *association*: the
quasi-identifier it goes with most; ⚠ marks pairs so close that one could be left out. `U` lists the
sets of attributes that single people out.

Example: move to *zip*, press `q`, and watch the gauge. Mark several rows with `space` and press
a role key to change them all; `*` marks by a pattern such as `*date*`, or all. `/` finds a name.
"""
    DEFAULT_CSS = """
    AttributesScreen #attributes-pane { height: 1fr; }
    AttributesScreen #gauge-pane { height: auto; max-height: 9; padding: 0 1; }
    AttributesScreen #gauge { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(key, f"role('{role}')", str(role), id=f"attributes.{role}")
            for key, role in ROLES.items()
        ),
        Binding("k", "kind", "kind", id="attributes.kind"),
        Binding("v", "accept_all", "accept guesses", id="attributes.accept"),
        Binding("w", "weight", "weight", id="attributes.weight"),
        Binding("a", "auto_weights", "auto weights", id="attributes.auto"),
        Binding("p", "matrix", "pairs", id="attributes.matrix"),
        Binding("e", "publish", "published as", id="attributes.publish"),
        Binding("U", "uniques", "give away", id="attributes.uniques"),
        Binding("space", "select", "mark", id="attributes.mark"),
        Binding(
            "asterisk", "mark_by_pattern", "mark many", key_display="*", id="attributes.pattern"
        ),
        Binding("slash", "find", "find", key_display="/", id="attributes.find"),
        Binding("n", "find_next(1)", "next", show=False, id="attributes.next"),
        Binding("N", "find_next(-1)", "previous", show=False, id="attributes.previous"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._columns: dict[tuple[str, object, object], ColumnFigures | None] = {}
        """What is known so far; None of a column whose kind does not fit."""
        self._associations: Associations | None = None
        self._associated: Project | None = None
        """The project that they are of, once all are known."""
        self._counted_for: object = None
        """The session, attributes and k that the gauge is of."""
        self._risk: tuple[Risk, RepeatedPeople | None] | None = None
        """What it tells, once that is counted."""
        self._shown: Session | None = None
        self._measured: Table | None = None
        """The table that the figures are of: a session gets another one when it is counted."""

    def body(self) -> Iterable[Widget]:
        with Vertical(id="attributes-pane", classes="pane"):
            yield Grid(name_width=3, id="attributes")
        with Vertical(id="gauge-pane", classes="pane"):
            yield Static(id="gauge")

    def on_mount(self) -> None:
        self.query_one("#gauge-pane").border_title = "risk with these quasi-identifiers"
        self.query_one(Grid).focus()

    # -- showing

    def show(self, session: Session) -> None:
        """Fill the table at once and the figures as they are ready."""
        if session is not self._shown:
            self._shown, self._associations = session, None
            self.marked.clear()
        if session.table is not self._measured:
            self._measured, self._columns, self._associated = session.table, {}, None
        self._fill()
        self._measure_columns(session)
        if session.project is not self._associated:
            self._associated = None
            self.compute(
                lambda: weights_in_use(session),
                self._show_weights,
                group="association",
                failed=lambda _: self._show_associations(None),
            )
        self._show_risk(session)

    def _show_risk(self, session: Session) -> None:
        """Count who is given away, unless nothing has changed since that was begun."""
        k, line = session.project.privacy.k, self.query_one("#gauge", Static)
        wanted = session, session.table, session.project.attributes, k
        if self._counted_for == wanted:
            if self._risk is not None:  # else it is under way
                line.update(gauge(*self._risk, self))
            return
        self._counted_for, self._risk = wanted, None

        def counted(made: tuple[Risk, RepeatedPeople | None]) -> None:
            self._risk = made
            line.update(gauge(*made, self))

        def failed(error: Exception) -> None:
            self._counted_for = None
            line.update(Text(visible(str(error))))

        line.update(Text("counting …", "dim"))
        if session.uncounted():
            self._counted_for = None  # the values of the file come first, then this is called again
            return
        self.compute(lambda: count_risk(session, k), counted, group="risk", failed=failed)

    def _measure_columns(self, session: Session) -> None:
        """Measure the columns one after the other, and show each as soon as it is known."""
        if session is not self.host.session:
            return
        specs = session.project.attributes
        left = ((n, s) for n, s in specs.items() if (n, s.kind, s.format) not in self._columns)
        name, spec = next(left, (None, None))
        if name is None or spec is None:
            return

        table = session.table

        def measured(found: ColumnFigures | None) -> None:
            if table is not self._measured:
                return  # it was counted meanwhile, which begins anew
            self._columns[name, spec.kind, spec.format] = found
            self._fill()
            self.call_later(self._measure_columns, session)

        self.compute(lambda: measure_column(session, name, spec), measured, group="columns")

    def _show_weights(self, made: Associations) -> None:
        """Weights are known long before the associations; those of before stay meanwhile."""
        known = self._associations
        self._show_associations(made if known is None else replace(known, weights=made.weights))
        self.call_later(self._associate, self.session)

    def _associate(self, session: Session) -> None:
        if session is not self.host.session:
            return
        project = session.project

        def associated(made: Associations) -> None:
            self._associated = project
            self._show_associations(made)

        self.compute(
            lambda: associations(session),
            associated,
            group="association",
            failed=lambda _: self._show_associations(None),
        )

    def _show_associations(self, made: Associations | None) -> None:
        self._associations = made
        self._fill()

    def show_counting(self, line: str) -> None:
        self._fill_title()

    def _fill_title(self) -> None:
        session = self.session
        mode = "from association" if session.project.weights == "auto" else "equal or typed"
        pane = self.query_one("#attributes-pane")
        guessed = len(session.guessed)
        waiting = f" · {guessed:,} guessed, v accepts all" if guessed else ""
        counting = self.host.counting.progress
        pane.border_title = Text(f"attributes · {counting or f'weights {mode}{waiting}'}")

    def _fill(self) -> None:
        session = self.session
        self._fill_title()
        grid = self.query_one("#attributes", Grid)
        rows = [self._row(name) for name in session.project.attributes]
        names = [
            ("●" if name in self.marked else " ") + ("?" if spec.guessed else " ")
            for name, spec in session.project.attributes.items()
        ]
        grid.show(AttributeRows(rows, names, wide=self._wide), keep_cursor=True)
        self.show_reason()

    def _row(self, name: str) -> list[Cell]:
        spec = self.session.attribute(name)
        known = self._columns.get((name, spec.kind, spec.format))
        quasi = spec.role is Role.QUASI
        made = self._associations
        weight = "–"
        if quasi and made and name in made.weights:
            weight = f"{made.weights[name]:.3f}" + ("" if spec.weight is None else self._typed)
        mark = {Role.IDENTIFIER: "suppressed", Role.QUASI: "changed", Role.SENSITIVE: "warn"}
        mark[Role.PERSON] = "suppressed"
        cells = [
            Cell(name),
            Cell(role_text(spec), "" if spec.role is Role.OTHER else mark[spec.role]),  # type: ignore[index]
            Cell(kind_text(spec)),
            Cell(weight),
            *figure_cells(known, self._wide),
            Cell("", ""),
        ]
        if quasi and made and name in made.strongest:
            other, strength = made.strongest[name]
            close = strength >= 0.9
            text = f"{other} {strength:.2f}" + (" ⚠ redundant" if close else "")
            cells[-1] = Cell(text, "warn" if close else "muted")
        return cells

    @property
    def _wide(self) -> bool:
        """Whether there is room for words and bars."""
        return self.size.width >= 100

    @property
    def _typed(self) -> str:
        return " typed" if self._wide else " t"

    # -- editing

    def show_marks(self) -> None:
        self._fill()

    def action_role(self, role: str) -> None:
        """The role of all that are marked; the cursor stays where it is."""
        names = self.chosen
        if Role(role) is Role.PERSON and not self._one_person(names):
            return
        self.edit_attributes(names, f"{', '.join(names)}: {role}", role=Role(role))
        self.marked.clear()
        self._fill()

    def _one_person(self, names: list[str]) -> bool:
        """Whether one column will say whose a record is; the one that did so becomes identifier."""
        if len(names) > 1:
            self.host.say("one column alone says whose a record is: take the marks away (*, enter)")
            return False
        before = [name for name in self.session.names(Role.PERSON) if name not in names]
        if before:
            self.edit_attributes(before, f"{before[0]}: identifier", role=Role.IDENTIFIER)
        return True

    def action_weight(self) -> None:
        """Type a weight; nothing gives it back to the automatic share."""
        names = self.chosen
        spec = self.session.attribute(names[0])

        def check(text: str) -> float | None:
            if not text.strip():
                return None
            try:
                weight = float(text)
            except ValueError:
                weight = -1
            if not 0 <= weight <= 1:
                raise InputError("write a share from 0 to 1, or nothing")
            return weight

        def typed(text: str | None) -> None:
            if text is not None:
                self.edit_attributes(names, f"weight of {', '.join(names)}", weight=check(text))

        self.ask(
            AskText(
                f"Weight of {', '.join(names)}",
                "" if spec.weight is None else f"{spec.weight:g}",
                hint="A share from 0 to 1; the others share what is left. Empty: not typed.",
                check=check,
            ),
            typed,
        )

    def action_auto_weights(self) -> None:
        """Weights from association, or equal ones."""
        project = self.session.project
        mode: Literal["equal", "auto"] = "equal" if project.weights == "auto" else "auto"
        self.edit(replace(project, weights=mode), f"weights {mode}")

    def action_matrix(self) -> None:
        made = self._associations
        if made is None:
            self.host.say("tag at least one quasi-identifier first")
            return
        if made.matrix is None:
            self.host.say("the pairs are still being counted")
            return
        close = redundant(made.names, made.matrix)
        where = f" in {self.session.extent}" if self.session.source is not None else ""
        self.ask(AssociationDialog(made.names, made.matrix, close, where))

    def action_uniques(self) -> None:
        """Count which sets of quasi-identifiers single people out, then show them."""
        session = self.session
        self.host.say("counting sets of quasi-identifiers …")
        self.compute(
            lambda: given_away(session),
            lambda made: self.ask(UniquesDialog(made)),
            group="uniques",
            holds_keys=True,
        )

    @on(Grid.Chosen)
    def accept_or_look(self) -> None:
        """Enter: agree to a guess, else look at kind and format; it never changes a role."""
        if any(self.session.attribute(name).guessed for name in self.chosen):
            self.accept_chosen()
        else:
            self.action_kind()

    @on(Grid.Moved)
    def moved(self) -> None:
        self.show_reason()
