"""The panes of screen 3: attributes, level table or tree, and the figures of each level.

The dialog of the builders fills in the keys of one, and shows at once what would come out.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual import getters, on
from textual.app import ComposeResult
from textual.containers import Container, Horizontal, Vertical, VerticalScroll
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Label, Select, Static

from kanon_tui.core.editing.hierarchy import (
    AttributeLine,
    HierarchyState,
    attribute_lines,
    hierarchy_state,
    level_preview,
)
from kanon_tui.core.editing.session import Session
from kanon_tui.core.errors import InputError
from kanon_tui.core.fields.declaration import Field, text
from kanon_tui.core.hierarchy.builders.builder import Builder
from kanon_tui.core.hierarchy.level_table import Hierarchy
from kanon_tui.core.hierarchy.proposals import Proposal, proposals
from kanon_tui.core.hierarchy.specification import (
    BUILDERS,
    default_specification,
    groups_spec,
    spec_from_texts,
    texts_of_spec,
)
from kanon_tui.core.metrics.measure import LevelMeasures
from kanon_tui.core.pipeline.prepare import coded_column
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import Project
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.table import Table
from kanon_tui.core.task.task import QuasiIdentifier
from kanon_tui.core.text import count_of, quoted_list, shortened, visible
from kanon_tui.screens.base import FindingScreen
from kanon_tui.screens.hierarchies.level_rows import LevelRows, LevelsGrid, Node, TreeRows
from kanon_tui.services.host import PreviewDialog
from kanon_tui.widgets.dialogs import FormDialog
from kanon_tui.widgets.grid import GAP, Cell, Grid, GridColumn, up_to
from kanon_tui.widgets.grid_sources import CellTable
from kanon_tui.widgets.lists import Dropdown, ScrollPane


def level_figures(levels: Iterable[LevelMeasures], current: int | None, privacy: Privacy) -> Text:
    """Return groups, smallest group, passes alone, RV and NCP of every level, one per line."""
    text = Text()
    text.append("level  groups smallest alone     RV   NCP\n", "dim")
    for level in levels:
        style = "bold" if level.level == current else ""
        text.append(f"{'▸' if style else ' '}{level.level:>4} {level.labels:>7,} ", style)
        text.append(f"{level.smallest:>8,} ", style)
        text.append("  ✓   " if level.passes else "  ✗   ", "green" if level.passes else "red")
        text.append(f"{level.rv:>6.4f} {level.ncp:>5.3f}\n", style)
    text.append(f"alone: every group has k={privacy.k} or more", "dim")
    if privacy.max_suppression:
        text.append(f", but for {privacy.max_suppression:.3g} of all", "dim")
    return text


def reason_text(state: HierarchyState) -> str:
    """Return why a hierarchy cannot be used, or that it is a default; else ""."""
    if state.uncovered:
        have = count_of(len(state.uncovered), "value has", "values have")
        values = quoted_list(state.uncovered)
        text = f"✗ {have} no row: {values}; press u to give them one"
    elif state.problem:
        text = f"✗ {state.problem}"
    elif state.bound is not None and state.bound.one_step:
        text = (
            "~ from a value straight to *: a release has all values or none; b builds steps "
            "between (groups, masks), g groups marked values"
        )
    elif not state.given:
        text = "built by default; b chooses a builder, any edit keeps it in the project"
    else:
        text = ""
    return visible(text)


MARKS = {"✓": "good", "!": "bad", "~": "warn"}


def attribute_rows(lines: Sequence[AttributeLine]) -> tuple[CellTable, int]:
    """Return mark, name and height of the quasi-identifiers, and the width that shows all."""
    longest = max([9, *(2 + cell_len(visible(line.name)) for line in lines)])
    cells = [
        [
            Cell(f"{line.mark} {line.name}", MARKS.get(line.mark, "")),
            Cell("–" if line.height is None else str(line.height), "muted"),
        ]
        for line in lines
    ]
    columns = [up_to(11, "", longest), GridColumn("h", 2, True)]
    return CellTable(columns, cells), longest + GAP + 2


Made = tuple[HierarchyState, LevelRows | TreeRows | None]


class HierarchyView(FindingScreen):
    """The panes, the cursor and the selection; subclasses add the edits."""

    attributes = getters.query_one("#attributes", Grid)
    levels = getters.query_one(LevelsGrid)
    """The hierarchy, as a table or a tree."""

    def __init__(self) -> None:
        super().__init__()
        self.attribute = ""
        """The name of the attribute that is shown."""
        self.state: HierarchyState | None = None
        self.selected: set[Node] = set()
        self.as_tree = False
        self._lines: dict[str, AttributeLine] = {}
        self._folds: dict[str, set[Node]] = {}
        self._shown: Session | None = None
        self._listed: Project | None = None
        self._table_shown: Table | None = None
        """The table that is shown; a session gets another one when a large file is counted."""

    def body(self) -> Iterable[Widget]:
        with Container(id="panes"):
            with Horizontal(id="work"):
                with Vertical(id="attributes-pane", classes="pane") as pane:
                    pane.border_title = "attributes"
                    yield Grid(id="attributes")
                with Vertical(id="levels-pane", classes="pane"):
                    yield LevelsGrid(id="levels")
                    yield Static(id="reason")
            with ScrollPane(id="measures-pane", classes="pane") as measures:
                measures.border_title = "per level"
                yield Static(id="measures")
                yield Static(id="origin")

    # -- filling

    def show(self, session: Session) -> None:
        """Show the list at once, and the attribute under the cursor when its state is known."""
        if session is not self._shown:
            self._shown = session
            self._listed = None
            self._lines = {}
            self._folds = {}
            self.attribute = ""
            self.state = None
            self.selected.clear()
        if session.table is not self._table_shown:
            self._table_shown = session.table
            self._listed = None
        names = session.names(Role.QUASI)
        if self.attribute not in names:
            self.attribute = names[0] if names else ""
        self._fill_attributes(names)
        if not names:
            self._fill_empty("No attribute is a quasi-identifier yet: press q on one on screen 2.")
            return
        self._load()

    def _fill_attributes(self, names: Sequence[str]) -> None:
        lines = [self._lines.get(name, AttributeLine(name, "…", None)) for name in names]
        grid = self.attributes
        rows, width = attribute_rows(lines)
        most = max(19, self.size.width * 3 // 10)
        self.query_one("#attributes-pane").styles.width = min(width + 3, most)
        grid.show(rows, keep_cursor=True)
        if self.attribute in names and grid.row != names.index(self.attribute):
            grid.go_to(names.index(self.attribute))

    def _list(self) -> None:
        """List marks and heights of all attributes, after the one that is shown."""
        session = self.session
        project = self.session.project

        def listed(lines: tuple[AttributeLine, ...]) -> None:
            self._listed = project
            self._lines = {line.name: line for line in lines}
            self._fill_attributes(session.names(Role.QUASI))

        if self._listed is not project:
            self.compute(lambda: attribute_lines(session), listed, group="attributes")

    def _load(self) -> None:
        """Work out the attribute under the cursor and show it."""
        session = self.session
        name = self.attribute
        folds = self._folds.setdefault(name, set())
        as_tree = self.as_tree
        pane = self.query_one("#levels-pane")
        pane.border_title = Text(visible(name))

        def work() -> Made:
            state = hierarchy_state(session, name)
            if state.hierarchy is None:
                return state, None
            if as_tree:
                return state, TreeRows(state, self.selected, folds)
            return state, LevelRows(state, self.selected)

        # Keys that come after an edit are for the levels that it makes.
        covers = self.levels if self.levels.has_focus else None
        self.compute(work, self._fill, group="state", covers=covers)

    def _fill(self, made: Made) -> None:
        state, source = made
        before = self.state
        self.state = state
        again = before is not None and before.name == state.name
        grid = self.levels
        if source is None:
            self._fill_empty(state.problem)
        else:
            switched = type(source) is not type(grid.source)
            node = _cursor_node(grid, grid.column if switched else 0) if again else None
            grid.show(source, keep_cursor=again)
            place = source.place(node) if node is not None else None
            if switched and again:
                grid.go_to(place or 0, node[0] if node is not None and not self.as_tree else 0)
                grid.call_after_refresh(grid.action_move, 0, 0)  # it may have no scroll bar yet
            elif place is not None and place != grid.row:
                grid.go_to(place)
            grid.display = True
            self._fill_reason(reason_text(state), "bad" if state.problem else "muted")
        self._fill_titles(state)
        self._fill_measures()
        self._list()

    def _fill_empty(self, why: str) -> None:
        self.levels.display = False
        self._fill_reason(visible(why), "bad")
        for name in ("#origin", "#measures"):
            self.query_one(name, Static).update("")

    def _fill_reason(self, text: str, classes: str) -> None:
        """Show below the table why a run cannot use it, or that it is a default."""
        reason = self.query_one("#reason", Static)
        reason.display = bool(text)
        reason.set_classes(classes)
        reason.update(Text(text))

    def _fill_titles(self, state: HierarchyState) -> None:
        values = f", {len(state.hierarchy.values):,} values" if state.hierarchy else ""
        kind = f" ({state.spec.kind}{values}{self.session.sample_mark(state.name)})"
        pane = self.query_one("#levels-pane")
        pane.border_title = Text(visible(state.name) + kind)
        origin = visible(state.origin)
        other = "t table" if self.as_tree else "t tree"
        pane.border_subtitle = Text(f"{shortened(origin, 36)} · {other}")
        keys = "b builder · I import · E export"
        self.query_one("#origin", Static).update(Text(f"{origin}\n\n{keys}"))

    @on(Grid.Moved, "#levels")
    def _fill_measures(self) -> None:
        """Show the figures of every level; ▸ marks the level under the cursor."""
        state = self.state
        if state is None or not state.levels:
            self.query_one("#measures", Static).update(
                Text("No figures: the hierarchy cannot be used yet." if state else "", "dim")
            )
            return
        text = level_figures(state.levels, self._cursor_level(), self.session.project.privacy)
        self.query_one("#measures", Static).update(text)

    # -- the cursor

    def _cursor_level(self) -> int | None:
        grid = self.levels
        if isinstance(grid.shown, LevelRows):
            return grid.column
        node = _cursor_node(grid)
        return None if node is None else node[0]

    def node(self) -> Node:
        """Return the label under the cursor; raises InputError if there is none."""
        grid = self.levels
        _ = self.hierarchy
        assert grid.shown is not None
        return grid.shown.node(grid.row, grid.column)

    @property
    def hierarchy(self) -> Hierarchy:
        """The level table that is shown; raises InputError if there is none."""
        if self.state is None or self.state.name != self.attribute:
            raise InputError("the attribute is still being computed; try again in a moment")
        if self.state.hierarchy is None:
            raise InputError(
                "there is no hierarchy to change; press b to build one or I to import one"
            )
        return self.state.hierarchy

    @on(Grid.Moved, "#attributes")
    def attribute_moved(self, event: Grid.Moved) -> None:
        names = self.session.names(Role.QUASI)
        if event.row < len(names) and names[event.row] != self.attribute:
            self.attribute = names[event.row]
            self.selected.clear()
            self._load()

    @on(Grid.Chosen, "#attributes")
    def attribute_chosen(self) -> None:
        """Go to the levels of the attribute."""
        self.levels.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer the tree in place of the table, and the table in place of the tree."""
        return action != "show_tree" or parameters != (self.as_tree,)

    def action_show_tree(self, as_tree: bool) -> None:
        """Show the tree or the table; the cursor stays on its label if it is shown."""
        self.as_tree = as_tree
        self.refresh_bindings()
        if self.attribute:
            self._load()


def _cursor_node(grid: LevelsGrid, column: int = 0) -> Node | None:
    """Return the label in the line of the cursor: of a column of the table, or of the tree."""
    try:
        return grid.shown.node(grid.row, column) if grid.shown is not None else None
    except InputError:
        return None


PAUSE = 0.15
"""Seconds without typing before the preview is computed."""
MOST_GROUPED = 100
"""Most values for which a form of all groups can be read."""

Preview = tuple[QuasiIdentifier, tuple[LevelMeasures, ...]]


class BuilderDialog(FormDialog, PreviewDialog):
    """Asks for a builder; gives its entry in the project (`{builder: mask, …}`) or None."""

    def __init__(self, session: Session, state: HierarchyState) -> None:
        self._session = session
        self._state = state
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
        spec = self._state.spec.hierarchy or {}
        kind = self._state.spec.kind
        written = spec.get("builder")
        if spec and not written and kind is Kind.CATEGORICAL and self._few:
            written = "groups"
        if not spec and self._state.column is not None:
            written = default_specification(self._state.column)["builder"]
        return next((b for b in self._builders if b.name == written), self._builders[0])

    def _groupings(self) -> dict[str, Proposal]:
        """Return the groupings that can be proposed for the column, by title."""
        column = self._state.column
        session = self._session
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
        return hierarchy is not None and len(hierarchy.values) <= MOST_GROUPED

    def content(self) -> ComposeResult:
        with Horizontal(classes="field"):
            yield Label("builder")
            yield Dropdown(
                [
                    *((builder.name, builder.name) for builder in self._builders),
                    *((Text(visible(f"✦ {title}")), title) for title in self._proposals),
                ],
                value=self._builder.name, allow_blank=False, compact=True, id="builder",
            )  # fmt: skip
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
            choices = key.type.choices
            name = "lines" if tall else "str"
            kind = replace(text(key.allowed), choices=choices, name=name)
            fields.append(replace(key, type=kind, default=""))
        return fields, texts_of_spec(self._builder, self._beginning())

    def _beginning(self) -> Mapping[str, Any] | None:
        """Return the first values of the form: the project's builder, or the present groups."""
        if self._proposed is not None:
            return self._proposed
        spec = self._state.spec.hierarchy
        hierarchy = self._state.hierarchy
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
                self.query_one("#preview", Static).update("")
                self.show_error(f"{self._state.name}: its values cannot be grouped this way")
                return
            self._proposed = spec
            self._fill_in(BUILDERS["groups"])

        self.preview(self._proposals[title].make, done, covers=True)

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
        self._timer = self.set_timer(PAUSE, self._build)

    # -- the preview

    def _build(self, *, closes: bool = False) -> None:
        """Build what the form says in the background; what does not fit is shown as an error."""
        session = self._session
        name = self._state.name
        builder = self._builder
        texts = self.form.read()

        def build() -> tuple[dict[str, Any], Preview]:
            spec = spec_from_texts(builder, texts, name)
            return spec, level_preview(session, name, spec)

        def built(made: tuple[dict[str, Any], Preview]) -> None:
            spec, preview = made
            self.query_one("#preview", Static).update(preview_text(*preview))
            self.show_error()
            if closes:
                self.dismiss(spec)

        self.preview(build, built, covers=closes)

    def action_accept(self) -> None:
        self._build(closes=True)


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
