"""Choose a builder, fill in its keys, and see at once what would come out."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.timer import Timer
from textual.widgets import Label, Select, Static

from kanon_tui.core.editing.hierarchy import HierarchyState, level_preview
from kanon_tui.core.editing.session import Session
from kanon_tui.core.errors import InputError, KanonError
from kanon_tui.core.fields.declaration import Field, text
from kanon_tui.core.hierarchy.build import default_specification
from kanon_tui.core.hierarchy.builders.builder import Builder
from kanon_tui.core.hierarchy.builders.contents import BUILDERS
from kanon_tui.core.hierarchy.proposals import Proposal, proposals
from kanon_tui.core.hierarchy.specification import groups_spec, spec_from_texts, texts_of_spec
from kanon_tui.core.metrics.measure import LevelMeasures
from kanon_tui.core.pipeline.prepare import coded_column
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.task.task import QuasiIdentifier
from kanon_tui.core.text import visible
from kanon_tui.services.host import Hosted
from kanon_tui.widgets.dialogs import FormDialog
from kanon_tui.widgets.lists import Dropdown

PAUSE = 0.15
"""Seconds without typing before the preview is computed."""
ACCEPT = "accept"
"""The group of the work that closes the dialog; keys typed meanwhile are for the screen below."""
MOST_GROUPED = 100
"""Most values for which a form of all groups can be read."""

Preview = tuple[QuasiIdentifier, tuple[LevelMeasures, ...]]


class BuilderDialog(Hosted, FormDialog):
    """Asks for a builder; gives its entry in the project (`{builder: mask, …}`) or None."""

    def __init__(self, session: Session, state: HierarchyState) -> None:
        self._session, self._state = session, state
        kind = state.spec.kind
        self._builders = [b for b in BUILDERS.values() if kind in b.kinds]
        self._builder: Builder = self._first_builder()
        self._proposals = self._groupings()
        self._proposed: Mapping[str, Any] | None = None
        """A proposed grouping, until another builder is chosen."""
        self._timer: Timer | None = None
        super().__init__(f"Build the levels of {state.name}", *self._fields())

    def _first_builder(self) -> Builder:
        """Return the builder in use; `groups` for a level table of categories, which keeps all.

        Where none is given, the one that fits the column: what is shown is what it builds.
        """
        spec, kind = self._state.spec.hierarchy or {}, self._state.spec.kind
        written = spec.get("builder")
        if spec and not written and kind is Kind.CATEGORICAL and self._few:
            written = "groups"
        if not spec and self._state.column is not None:
            written = default_specification(self._state.column)["builder"]
        return next((b for b in self._builders if b.name == written), self._builders[0])

    def _groupings(self) -> dict[str, Proposal]:
        """Return the groupings that can be proposed for the column, by title."""
        column, session = self._state.column, self._session
        if column is None:
            return {}
        sensitive = {
            name: partial(coded_column, session.table, name, session.attribute(name))
            for name in session.names(Role.SENSITIVE)
        }
        found = proposals(column, session.project.privacy.k, sensitive)
        return {proposal.title: proposal for proposal in found}

    @property
    def _few(self) -> bool:
        """Whether the groups there are make a form one can read."""
        hierarchy = self._state.hierarchy
        return hierarchy is not None and len(hierarchy.rows) <= MOST_GROUPED

    def content(self) -> ComposeResult:
        with Horizontal(classes="field"):
            yield Label("builder")
            yield Dropdown(
                [
                    *((builder.name, builder.name) for builder in self._builders),
                    *((Text(visible(f"✦ {title}")), title) for title in self._proposals),
                ],
                value=self._builder.name,
                allow_blank=False,
                compact=True,
                id="builder",
            )
        yield from super().content()

    def below(self) -> ComposeResult:
        yield Static(Text(self._builder.help), id="about")
        with VerticalScroll(id="preview-scroll", can_focus=False):
            yield Static(id="preview")

    def _fields(self) -> tuple[list[Field], dict[str, str]]:
        """Return the keys of the builder as fields of texts, and the texts to begin with."""
        fields = []
        for key in self._builder.keys:
            tall = self._builder.name == "groups" and key.name == "levels"
            choices, name = key.type.choices, "lines" if tall else "str"
            kind = replace(text(key.allowed), choices=choices, name=name)
            fields.append(replace(key, type=kind, default=""))
        return fields, texts_of_spec(self._builder, self._beginning())

    def _beginning(self) -> Mapping[str, Any] | None:
        """Return the first values of the form: the project's builder, or the present groups."""
        if self._proposed is not None:
            return self._proposed
        spec, hierarchy = self._state.spec.hierarchy, self._state.hierarchy
        if spec is None and self._builder.name == "date" and self._state.column is not None:
            return default_specification(self._state.column)
        other = spec is None or spec.get("builder") != "groups"
        if self._builder.name == "groups" and other and self._few and hierarchy is not None:
            return groups_spec(hierarchy)
        return spec

    def on_mount(self) -> None:
        """Focus the first field."""
        for key in self._builder.keys[:1]:
            self.form.focus_field(key.name)

    # -- filling in

    @on(Select.Changed, "#builder")
    def builder_chosen(self, event: Select.Changed) -> None:
        title = str(event.value)
        if title in self._proposals:
            self._propose(title)
        elif title != self._builder.name or self._proposed is not None:
            self._proposed = None
            self._fill_in(BUILDERS[title])

    def _propose(self, title: str) -> None:
        """Work a grouping out and put it into the form, to be changed like any other."""

        def done(spec: Mapping[str, Any] | None) -> None:
            if self.query_one("#builder", Select).value != title:
                return
            if spec is None:
                self._failed(
                    InputError(f"{self._state.name}: its values cannot be grouped this way")
                )
                return
            self._proposed = spec
            self._fill_in(BUILDERS["groups"])

        self.compute(self._proposals[title].make, done, group="proposal", failed=self._failed)

    def _fill_in(self, builder: Builder) -> None:
        """Show the fields of another builder."""
        self._builder = builder
        self.form.show(*self._fields())
        self.query_one("#about", Static).update(Text(builder.help))
        self.follow({})

    def follow(self, values: dict[str, Any]) -> None:
        """Show what would come out when the typing pauses."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(PAUSE, self._preview)

    def answer(self, values: dict[str, Any]) -> dict[str, Any]:
        """Return the builder of the form; raises InputError for a field that does not fit."""
        return spec_from_texts(self._builder, values, self._state.name)

    # -- the preview

    def _preview(self) -> None:
        self._build(lambda _, preview: self._show(preview), group="preview")

    def _build(self, done: Callable[[dict[str, Any], Preview], object], group: str) -> None:
        """Build what the form says in the background; what does not fit is shown as an error."""
        session, name = self._session, self._state.name
        try:
            spec = self.answer(self.form.read())
        except KanonError as error:
            self._failed(error)
            return
        self.compute(
            lambda: level_preview(session, name, spec),
            lambda preview: done(spec, preview),
            group=group,
            failed=self._failed,
            covers=self if group == ACCEPT else None,
        )

    def _show(self, preview: Preview) -> None:
        self.query_one("#preview", Static).update(preview_text(*preview))
        self.show_error()

    def _failed(self, error: Exception) -> None:
        if not isinstance(error, KanonError):
            self.host.fail(error)
            return
        self.query_one("#preview", Static).update("")
        self.show_error(error)

    def action_accept(self) -> None:
        # A group of its own: the preview of what was typed last must not replace it.
        self._build(lambda spec, _: self.dismiss(spec), group=ACCEPT)


def preview_text(attribute: QuasiIdentifier, levels: tuple[LevelMeasures, ...]) -> Text:
    """Return one line per level: groups, smallest group, passes alone, labels of two values."""
    paths = attribute.hierarchy.paths
    present = len(paths) - (attribute.column.missing is not None)
    examples = [list(map(visible, paths[code])) for code in (0, present * 2 // 3)]
    width = min(24, max(cell_len(label) for label in examples[0]))
    text = Text(no_wrap=True, overflow="ellipsis")
    text.append("level  groups smallest alone  for example\n", "dim")
    for level in levels:
        text.append(f"{level.level:>5} {level.labels:>7,} {level.smallest:>8,} ")
        text.append("  ✓    " if level.passes else "  ✗    ", "green" if level.passes else "red")
        first, second = (labels[level.level] for labels in examples)
        text.append(f"{set_cell_size(first, width)}   {second}\n")
    return text
