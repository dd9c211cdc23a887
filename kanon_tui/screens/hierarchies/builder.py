"""Choose a builder, fill in its keys, and see at once what would come out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input, Label, Select, Static, TextArea

from kanon_tui.core.editing.hierarchy.state import HierarchyState, level_preview
from kanon_tui.core.editing.session import Session
from kanon_tui.core.errors import InputError, KanonError
from kanon_tui.core.fields.declaration import Field
from kanon_tui.core.hierarchy.builders.builder import Builder
from kanon_tui.core.hierarchy.builders.contents import BUILDERS
from kanon_tui.core.hierarchy.builders.dates import default_date_levels
from kanon_tui.core.hierarchy.proposals import Proposal, fitting_builder, proposals
from kanon_tui.core.hierarchy.specification import groups_spec, spec_from_texts, texts_of_spec
from kanon_tui.core.metrics.measure import LevelMeasures
from kanon_tui.core.pipeline.attributes import coded_column
from kanon_tui.core.table.schema import Kind, Role
from kanon_tui.core.task.task import QuasiIdentifier
from kanon_tui.core.text import visible
from kanon_tui.services.host import Hosted
from kanon_tui.widgets.dialogs import FormDialog
from kanon_tui.widgets.lists import Dropdown

__all__ = ["BuilderDialog"]

PAUSE = 0.15
"""Seconds without typing before the preview is computed."""
ACCEPT = "accept"
"""The group of the work that closes the dialog; keys typed meanwhile are for the screen below."""
MOST_GROUPED = 100
"""Most values for which a form of all groups can be read."""

Preview = tuple[QuasiIdentifier, tuple[LevelMeasures, ...]]
Entry = Input | Select[str] | TextArea


class BuilderDialog(Hosted, FormDialog):
    """Asks for a builder; gives its entry in the project (`{builder: mask, …}`) or None."""

    HELP = """## Builders

Pick a builder and fill in its keys; what a key means stands below the fields. The preview shows
every level that would come out: how many groups, the smallest one, whether it has k records or
more, and what becomes of two values. Lists are typed with commas (`5, 10, 20`), cut points
of several levels with semicolons between (`18, 40, 65; 65`), groups as YAML:

    - {Europe: [France, Italy], Asia: [Japan]}
    - {World: [Europe, Asia]}

For plain categories the list also has groupings (✦) that are worked out from the data: rare values
together, by prefix, by alphabet, or values that are alike in a sensitive attribute. They fill in
the form of `groups`, where they can be changed.
"""
    DEFAULT_CSS = """
    BuilderDialog > Vertical { width: 84; height: 96%; max-height: 34; }
    BuilderDialog .title { margin-bottom: 0; }
    BuilderDialog .field { height: 1; }
    BuilderDialog .field Label { width: 10; }
    BuilderDialog .field Input, BuilderDialog .field Select { width: 1fr; height: 1; }
    BuilderDialog .tall, BuilderDialog .tall TextArea { height: 6; }
    BuilderDialog TextArea { border: none; padding: 0; width: 1fr; }
    BuilderDialog #fields { height: auto; }
    BuilderDialog #about { height: auto; min-height: 2; color: $text-muted; }
    BuilderDialog #preview-scroll { height: 1fr; }
    BuilderDialog #error { max-height: 4; }
    BuilderDialog #buttons { margin-top: 0; }
    """

    def __init__(self, session: Session, state: HierarchyState) -> None:
        super().__init__()
        self._session, self._state = session, state
        kind = state.spec.kind
        self._builders = [b for b in BUILDERS.values() if kind in b.kinds]
        self._builder: Builder = self._first_builder()
        self._proposals = self._groupings()
        self._proposed: Mapping[str, Any] | None = None
        """A proposed grouping, until another builder is chosen."""
        self._entries: dict[str, Entry] = {}
        """The fields of this builder; those of another may still be mounted."""
        self._timer: Timer | None = None

    def _first_builder(self) -> Builder:
        """Return the builder in use; `groups` for a level table of categories, which keeps all.

        Where none is given, the one that fits the column: what is shown is what it builds.
        """
        spec, kind = self._state.spec.hierarchy or {}, self._state.spec.kind
        written = spec.get("builder")
        if spec and not written and kind is Kind.CATEGORICAL and self._few:
            written = "groups"
        if not spec and self._state.column is not None:
            written = fitting_builder(self._state.column)
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

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Label(Text(f"Build the levels of {visible(self._state.name)}"), classes="title")
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
            with Vertical(id="fields"):
                yield from self._fields()
            yield Static(Text(self._builder.help), id="about")
            with VerticalScroll(id="preview-scroll", can_focus=False):
                yield Static(id="preview")
            yield Static("", id="error", classes="error")
            yield from self.buttons()

    def _fields(self) -> Iterator[Widget]:
        texts = texts_of_spec(self._builder, self._beginning())
        self._entries = {key.name: self._entry(key, texts[key.name]) for key in self._builder.keys}
        for name, entry in self._entries.items():
            size = "field tall" if isinstance(entry, TextArea) else "field"
            yield Horizontal(Label(Text(name)), entry, classes=size)

    def _entry(self, key: Field, text: str) -> Entry:
        name = f"key-{key.name}"
        if key.type.choices:
            options = [(choice, choice) for choice in key.type.choices]
            return Dropdown(options, value=text, allow_blank=False, compact=True, id=name)
        if self._builder.name == "groups" and key.name == "levels":
            return TextArea(text, compact=True, id=name)
        return Input(text, placeholder=key.allowed, compact=True, id=name)

    def _beginning(self) -> Mapping[str, Any] | None:
        """Return the first values of the form: the project's builder, or the present groups."""
        if self._proposed is not None:
            return self._proposed
        spec, hierarchy = self._state.spec.hierarchy, self._state.hierarchy
        if spec is None and self._builder.name == "date" and self._state.column is not None:
            return {"builder": "date", "levels": default_date_levels(self._state.column)}
        other = spec is None or spec.get("builder") != "groups"
        if self._builder.name == "groups" and other and self._few and hierarchy is not None:
            return groups_spec(hierarchy)
        return spec

    def on_mount(self) -> None:
        """Show a preview of the present values and focus the first field."""
        for entry in [*self._entries.values(), self.query_one("#builder")][:1]:
            entry.focus()
        self._preview()

    # -- filling in

    @on(Select.Changed, "#builder")
    async def builder_chosen(self, event: Select.Changed) -> None:
        title = str(event.value)
        if title in self._proposals:
            self._propose(title)
        elif title != self._builder.name or self._proposed is not None:
            self._proposed = None
            await self._fill_in(BUILDERS[title])

    def _propose(self, title: str) -> None:
        """Work a grouping out and put it into the form, to be changed like any other."""

        async def done(spec: Mapping[str, Any] | None) -> None:
            if self.query_one("#builder", Select).value != title:
                return
            if spec is None:
                self._failed(
                    InputError(f"{self._state.name}: its values cannot be grouped this way")
                )
                return
            self._proposed = spec
            await self._fill_in(BUILDERS["groups"])

        self.compute(
            self._proposals[title].make,
            lambda spec: self.call_next(done, spec),
            group="proposal",
            failed=self._failed,
        )

    async def _fill_in(self, builder: Builder) -> None:
        """Show the fields of another builder."""
        self._builder = builder
        fields = self.query_one("#fields")
        removed, mounted = fields.remove_children(), fields.mount_all(list(self._fields()))
        self.query_one("#about", Static).update(Text(self._builder.help))
        await removed
        await mounted
        self._preview()

    @on(Input.Changed)
    @on(TextArea.Changed)
    @on(Select.Changed)
    def changed(self) -> None:
        """Look again when the typing pauses."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(PAUSE, self._preview)

    def spec(self) -> dict[str, Any]:
        """Return the builder of the form; raises InputError for a field that does not fit."""
        texts = {}
        for name, entry in self._entries.items():
            texts[name] = entry.text if isinstance(entry, TextArea) else str(entry.value)
        return spec_from_texts(self._builder, texts, self._state.name)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Say what the focused key means."""
        name = (event.widget.id or "").removeprefix("key-")
        about = self._builder.help
        for key in self._builder.keys:
            if key.name == name:
                about = f"{key.help}: {key.allowed}."
        self.query_one("#about", Static).update(Text(about))

    # -- the preview

    def _preview(self) -> None:
        self._build(lambda _, preview: self._show(preview), group="preview")

    def _build(self, done: Callable[[dict[str, Any], Preview], object], group: str) -> None:
        """Build what the form says in the background; what does not fit is shown as an error."""
        session, name = self._session, self._state.name
        try:
            spec = self.spec()
        except KanonError as error:
            self._failed(error)
            return
        self.compute(
            lambda: level_preview(session, name, spec),
            lambda preview: done(spec, preview),
            group=group,
            failed=self._failed,
            holds_keys=group == ACCEPT,
        )

    def _show(self, preview: Preview) -> None:
        self.query_one("#preview", Static).update(preview_text(*preview))
        self.query_one("#error", Static).update("")

    def _failed(self, error: Exception) -> None:
        if not isinstance(error, KanonError):
            self.host.fail(error)
            return
        self.query_one("#preview", Static).update("")
        self.query_one("#error", Static).update(Text(visible(str(error))))

    @on(Input.Submitted)
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
