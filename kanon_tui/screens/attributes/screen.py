"""2 Attributes: role, kind and weight of every column, and how much they give away together."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from rich.text import Text
from textual import getters, on
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Static

from kanon_tui.core.analysis.minimal_uniques import Risk
from kanon_tui.core.editing.session import Session, settings_to_drop
from kanon_tui.core.errors import InputError, KanonError, in_screen_words
from kanon_tui.core.fields.declaration import Field, number, optional
from kanon_tui.core.pipeline.prepare import coded_column
from kanon_tui.core.project.guesses import guess_reason
from kanon_tui.core.project.project import Project
from kanon_tui.core.table.column import Column, Kind, Role
from kanon_tui.core.table.profile import RepeatedPeople
from kanon_tui.core.table.table import Table
from kanon_tui.core.table.value_formats import Format, Reading, readings
from kanon_tui.core.task.weights import Weighting, redundant
from kanon_tui.core.text import matching, short_list, shortened, visible
from kanon_tui.screens.attributes.dialogs import (
    AssociationDialog,
    Choice,
    KindDialog,
    PublishDialog,
    UniquesDialog,
    single_out,
)
from kanon_tui.screens.attributes.figures import (
    Associations,
    ColumnFigures,
    associations,
    attribute_rows,
    count_risk,
    figure_cells,
    gauge,
    kind_text,
    measure_column,
    role_text,
)
from kanon_tui.screens.base import FindingScreen
from kanon_tui.widgets.dialogs import ask_text
from kanon_tui.widgets.grid import Cell, Grid, GridSource

WEIGHT = Field("weight", optional(number(0, 1)), None, "A share from 0 to 1")
ROLES = {
    "i": Role.IDENTIFIER,
    "P": Role.PERSON,
    "q": Role.QUASI,
    "s": Role.SENSITIVE,
    "o": Role.OTHER,
}

_DROPPED = {"identifier": "pseudonyms", "publish": "what a class prints", "weight": "weight"}
"""Settings that another role drops, in words."""

_WEIGHTS_FROM = {"equal": "equal or typed", "auto": "from association", "ranking": "from a ranking"}


class AttributesScreen(FindingScreen):
    """The attributes, one per row; a key sets the role."""

    STEP = "attributes"
    grid = getters.query_one("#attributes", Grid)
    FIND = "Find an attribute by a part of its name"
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(key, f"role('{role}')", str(role), id=f"attributes.{role}")
            for key, role in ROLES.items()
        ),
        Binding("W", "role('weight')", "survey weight", show=False, id="attributes.survey"),
        Binding("k", "kind", "kind", id="attributes.kind"),
        Binding("v", "accept_all", "accept guesses", id="attributes.accept"),
        Binding("w", "weight", "weight", id="attributes.weight"),
        Binding("a", "auto_weights", "auto weights", id="attributes.auto"),
        Binding("p", "matrix", "pairs", id="attributes.matrix"),
        Binding("e", "publish", "published as", id="attributes.publish"),
        Binding("U", "uniques", "uniques", id="attributes.uniques"),
        Binding("space", "select", "mark", id="attributes.mark"),
        Binding("asterisk", "mark_by_pattern", "mark many", id="attributes.pattern"),
        Binding("slash", "find", "find", id="attributes.find"),
        Binding("n", "find_next(1)", "next", show=False, id="attributes.next"),
        Binding("N", "find_next(-1)", "previous", show=False, id="attributes.previous"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.marked: set[str] = set()
        self._columns: dict[tuple[str, object, object], ColumnFigures | None] = {}
        """The figures known so far; None for a column whose kind does not fit."""
        self._associations: Associations | None = None
        self._associated: Project | None = None
        """The project whose associations are known or being computed."""
        self._counted_for: object = None
        """The session, table, attributes and k that the gauge shows."""
        self._risk: tuple[Risk, RepeatedPeople | None] | None = None
        """The figures of the gauge, once they are counted."""
        self._shown: Session | None = None
        self._measured: Table | None = None
        """The table that was measured; a session gets another one when a large file is counted."""

    def body(self) -> Iterable[Widget]:
        with Vertical(id="attributes-pane", classes="pane"):
            yield Grid(id="attributes")
        with Vertical(id="gauge-pane", classes="pane") as pane:
            pane.border_title = "risk with these quasi-identifiers"
            yield Static(id="gauge")

    # -- showing

    def show(self, session: Session) -> None:
        """Fill the table at once and the figures as they are ready."""
        if session is not self._shown:
            self._shown = session
            self._associations = None
            self.marked.clear()
        if session.table is not self._measured:
            self._measured = session.table
            self._columns = {}
            self._associated = None
        self._fill()
        self._measure_columns(session)
        if session.project is not self._associated:
            self._associate(session)
        self._show_risk(session)

    def _show_risk(self, session: Session) -> None:
        """Count the records at risk, unless nothing has changed since the last count began."""
        k = session.project.privacy.k
        line = self.query_one("#gauge", Static)
        counted_state = session, session.table, session.project.attributes, k
        if self._counted_for == counted_state:
            if self._risk is not None:  # None: still being counted
                line.update(gauge(*self._risk, self))
            return
        self._counted_for = counted_state
        self._risk = None

        def counted(made: tuple[Risk, RepeatedPeople | None]) -> None:
            self._risk = made
            line.update(gauge(*made, self))

        def failed(error: Exception) -> None:
            self._counted_for = None
            line.update(Text(visible(in_screen_words(error))))

        line.update(Text("counting …", "dim"))
        if session.uncounted():
            self._counted_for = None  # called again when the values of the file are counted
            return
        self.compute(lambda: count_risk(session, k), counted, group="risk", failed=failed)

    def _measure_columns(self, session: Session) -> None:
        """Measure the columns one after the other, and show each as soon as it is known."""
        if session is not self.host.session:
            return
        specs = session.project.attributes
        unmeasured = (
            (n, s) for n, s in specs.items() if (n, s.kind, s.format) not in self._columns
        )
        name, spec = next(unmeasured, (None, None))
        if name is None or spec is None:
            return

        table = session.table

        def measured(figures: ColumnFigures | None) -> None:
            if table is not self._measured:
                return  # another table was counted meanwhile
            self._columns[name, spec.kind, spec.format] = figures
            self._fill()
            self.call_later(self._measure_columns, session)

        self.compute(lambda: measure_column(session, name, spec), measured, group="columns")

    def _associate(self, session: Session) -> None:
        """Compute weights and associations; the earlier ones are shown until they are known."""
        self._associated = session.project

        def associated(made: Associations | None) -> None:
            self._associations = made
            self._fill()

        self.compute(
            lambda: associations(session),
            associated,
            group="association",
            failed=lambda _: associated(None),
        )

    def show_counting(self, line: str) -> None:
        self._fill_title()

    def _fill_title(self) -> None:
        session = self.session
        mode = _WEIGHTS_FROM[session.project.weights]
        pane = self.query_one("#attributes-pane")
        guessed = len(session.guessed)
        waiting = f" · {guessed:,} guessed, v accepts all" if guessed else ""
        counting = self.host.counting.progress
        pane.border_title = Text(f"attributes · {counting or f'weights {mode}{waiting}'}")

    def _fill(self) -> None:
        session = self.session
        self._fill_title()
        rows = [self._row(name) for name in session.project.attributes]
        names = [
            ("●" if name in self.marked else " ") + ("?" if spec.guessed else " ")
            for name, spec in session.project.attributes.items()
        ]
        self.grid.show(attribute_rows(rows, names, self._wide), keep_cursor=True)
        self.show_reason()

    def _row(self, name: str) -> list[Cell]:
        spec = self.session.attribute(name)
        figures = self._columns.get((name, spec.kind, spec.format))
        quasi = spec.role is Role.QUASI
        made = self._associations
        weight = "–"
        if quasi and made and name in made.weights:
            typed = " typed" if self._wide else " t"
            weight = f"{made.weights[name]:.3f}" + ("" if spec.weight is None else typed)
        mark = {Role.IDENTIFIER: "suppressed", Role.QUASI: "changed", Role.SENSITIVE: "warn"}
        mark |= dict.fromkeys((Role.PERSON, Role.WEIGHT), "suppressed")
        cells = [
            Cell(name),
            Cell(role_text(spec), "" if spec.role is Role.OTHER else mark[spec.role]),  # type: ignore[index]
            Cell(kind_text(spec)),
            Cell(weight),
            *figure_cells(figures, self._wide),
            Cell("", ""),
        ]
        if quasi and made and name in made.strongest:
            partner, strength = made.strongest[name]
            close = strength >= 0.9
            text = f"{partner} {strength:.2f}" + (" ⚠ redundant" if close else "")
            cells[-1] = Cell(text, "warn" if close else "muted")
        return cells

    @property
    def _wide(self) -> bool:
        """Whether there is room for words and bars."""
        return self.size.width >= 100

    # -- editing

    def action_role(self, role: str) -> None:
        """Set the role of the marked attributes; the cursor stays where it is."""
        names = self.chosen
        if Role(role) is Role.PERSON:
            self._replace_person(names)
        dropped = [
            f"{name}: {_DROPPED[setting]}"
            for name in names
            for setting in settings_to_drop(self.session.attribute(name), Role(role))
        ]
        self.edit_attributes(names, f"{', '.join(names)}: {role}", role=Role(role))
        if dropped:
            self.host.notify(f"no longer set, as {role} has none: {short_list(dropped)}")
        self.marked.clear()
        self._fill()

    def _replace_person(self, names: list[str]) -> None:
        """Make the column that named the person an identifier; refuse several new ones."""
        if len(names) > 1:
            raise InputError("only one column can be the person; remove the marks first")
        before = [name for name in self.session.names(Role.PERSON) if name not in names]
        if before:
            self.edit_attributes(before, f"{before[0]}: identifier", role=Role.IDENTIFIER)

    def action_weight(self) -> None:
        """Ask for a weight; an empty answer makes it automatic again."""
        names = self.chosen
        spec = self.session.attribute(names[0])

        def take(weight: float | None) -> None:
            self.edit_attributes(names, f"weight of {', '.join(names)}", weight=weight)

        title = f"Weight of {', '.join(names)}"
        parse = partial(WEIGHT.parse, who=names[0])
        hint = "A share from 0 to 1; the others share what is left. Empty: computed."
        ask_text(self, title, take, parse, WEIGHT.text(spec.weight), hint)

    def action_auto_weights(self) -> None:
        """Go from equal weights to those from association, then to those from a ranking."""
        project = self.session.project
        modes: list[Weighting] = ["equal", "auto"]
        if self.session.names(Role.SENSITIVE):
            modes.append("ranking")
        current_mode = modes.index(project.weights) if project.weights in modes else -1
        mode = modes[(current_mode + 1) % len(modes)]
        self.edit(replace(project, weights=mode), f"weights {mode}")

    def action_matrix(self) -> None:
        made = self._associations
        if made is None:
            raise InputError("still being computed, or no attribute is a quasi-identifier")
        close = redundant(made.names, made.matrix)
        where = f" in {self.session.extent}" if self.session.source is not None else ""
        self.ask(AssociationDialog(made.names, made.matrix, close, where))

    def action_uniques(self) -> None:
        """Count which sets of quasi-identifiers single people out, then show them."""
        session = self.session
        self.load(
            lambda: single_out(session),
            lambda singling_sets: self.ask(UniquesDialog(singling_sets)),
        )

    @on(Grid.Chosen)
    def accept_or_look(self) -> None:
        """Accept a guess, or else show kind and format; enter never changes a role."""
        if any(self.session.attribute(name).guessed for name in self.chosen):
            self.accept_chosen()
        else:
            self.action_kind()

    # -- marking and finding

    @property
    def names(self) -> list[str]:
        """All attributes, in the order of the table."""
        return list(self.session.project.attributes)

    @property
    def current(self) -> str:
        return self.names[self.grid.row]

    @property
    def chosen(self) -> list[str]:
        """The marked attributes, or the one under the cursor."""
        return [name for name in self.names if name in self.marked] or [self.current]

    def action_select(self) -> None:
        """Mark the attribute under the cursor and go on to the next."""
        self.marked ^= {self.current}
        self.grid.action_move(1, 0)
        self._fill()

    def action_mark_by_pattern(self) -> None:
        """Ask for a pattern and mark the attributes that match; an empty one removes all marks."""

        def parse(pattern: str) -> list[str]:
            matches = matching(self.names, pattern) if pattern.strip() else []
            if pattern.strip() and not matches:
                raise InputError(
                    "no attribute matches; * marks all, an empty pattern removes all marks"
                )
            return matches

        def take(matches: list[str]) -> None:
            self.marked = self.marked | set(matches) if matches else set()
            self._fill()
            self.host.notify(
                f"{len(self.marked):,} of {len(self.names):,} marked: role keys act on all"
            )

        hint = (
            "A pattern such as *date* or zip?; * marks all, an empty pattern removes all marks. A "
            "word matches any part of a name."
        )
        ask_text(self, "Mark which attributes?", take, parse, "*", hint)

    def to_search(self) -> tuple[Grid, GridSource | None]:
        return self.grid, self.grid.source

    def rows_with(self, source: GridSource, text: str) -> list[int]:
        """Return the attributes with a text in their names."""
        folded_text = text.casefold()
        return [x for x, name in enumerate(self.names) if folded_text in name.casefold()]

    # -- guesses, kind and format

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Show the key that accepts guesses only while there are some."""
        if action == "accept_all":
            return self.host.session is not None and bool(self.host.session.guessed)
        return True

    def action_accept_all(self) -> None:
        """Confirm every guess in one undoable step."""
        count = len(self.session.guessed)
        self.edit(self.session.project.confirmed(), "all guesses accepted")
        self.refresh_bindings()
        self.host.notify(f"{count:,} guesses accepted (ctrl+z undoes)")

    def accept_chosen(self) -> None:
        """Confirm the guesses of the chosen rows."""
        names = [name for name in self.chosen if self.session.attribute(name).guessed]
        if names:
            self.edit(self.session.project.confirmed(names), f"accepted: {', '.join(names)}")
            self.refresh_bindings()

    @on(Grid.Moved)
    def show_reason(self) -> None:
        """Show below the table why the role of the column under the cursor was guessed."""
        session = self.session
        name = self.current
        pane = self.query_one("#attributes-pane")
        if not session.attribute(name).guessed:
            pane.border_subtitle = ""
            return
        width = max(pane.size.width - 6, 20)

        def show(reason: str) -> None:
            pane.border_subtitle = Text(shortened(visible(f"{name}: {reason}"), width))

        reason = partial(guess_reason, session.project, session.table, name)
        self.compute(reason, show, group="reason")

    def action_kind(self) -> None:
        """Choose kind and format from a list with a preview."""
        session = self.session
        name = self.current
        spec = session.attribute(name)

        texts = session.records.texts(name)
        tokens = session.table.missing_tokens

        def find() -> tuple[Sequence[Reading], Choice]:
            """Return the ways to read the column, and the one in use."""
            try:
                column = coded_column(session.table, name, spec)
            except KanonError:
                current: Choice = spec.kind or Kind.CATEGORICAL, spec.format
            else:  # the format may have been found in the data
                format: Format = column.date_format or column.number_format
                current = column.kind, format if column.kind.ordered else None
            return readings(texts, tokens), current

        def taken(choice: Choice) -> None:
            kind, format = choice
            self.edit_attributes([name], f"{name}: {kind}", kind=kind, format=format)

        self.load(
            find,
            lambda kind_and_readings: self.ask(
                KindDialog(name, texts, tokens, *kind_and_readings), taken
            ),
        )

    # -- publishing

    def action_publish(self) -> None:
        """Ask what a class prints of the attribute, or how an identifier is treated."""
        session = self.session
        name = self.current
        project = self.session.project
        spec = session.attribute(name)
        if spec.role is Role.WEIGHT:
            publishes = not spec.publish_unique
            what = f"{name}: {'published' if publishes else 'left out'}"
            self.edit_attributes([name], what, publish_unique=publishes)
            return
        if spec.role not in (Role.QUASI, Role.IDENTIFIER):
            raise InputError(f"{name} has the role {spec.role} and is published unchanged")

        def chosen(changes: dict[str, Any]) -> None:
            key = changes.pop("key_file", project.output.pseudonym_key)
            output = replace(project.output, pseudonym_key=key)
            self.edit(replace(project, output=output), "key file of the pseudonyms")
            changed = ", ".join(
                f"{key} {'as usual' if value is None else value}"
                for key, value in changes.items()
                if value != getattr(spec, key)
            )
            self.edit_attributes([name], f"{name}: {changed or 'published as before'}", **changes)

        def column() -> Column | None:
            """Return a column whose ends can be coded."""
            if spec.role is Role.QUASI and spec.kind is not None and spec.kind.ordered:
                with suppress(KanonError):  # of another kind: screen 3 says so
                    return coded_column(session.table, name, spec)
            return None

        key = project.output.pseudonym_key
        self.load(
            column,
            lambda published_column: self.ask(
                PublishDialog(name, spec, published_column, key), chosen
            ),
        )
