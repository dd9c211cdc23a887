"""The panes of screen 3: attributes, level table or tree, and the figures of each level."""

from collections.abc import Iterable, Sequence

from rich.cells import cell_len
from rich.text import Text
from textual import on
from textual.containers import Container, Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import Static

from kanon_tui.core.editing.hierarchy import (
    AttributeLine,
    HierarchyState,
    attribute_lines,
    hierarchy_state,
)
from kanon_tui.core.editing.session import Session
from kanon_tui.core.errors import InputError
from kanon_tui.core.hierarchy.level_table import Hierarchy
from kanon_tui.core.metrics.measure import LevelMeasures
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import Project
from kanon_tui.core.table.column import Role
from kanon_tui.core.table.table import Table
from kanon_tui.core.text import count_of, quoted_list, visible
from kanon_tui.screens.finding import FindingScreen
from kanon_tui.screens.hierarchies.level_rows import LevelRows, LevelsGrid, Node, TreeRows
from kanon_tui.widgets.grid import GAP, Cell, Grid, GridColumn, up_to
from kanon_tui.widgets.grid_sources import CellTable
from kanon_tui.widgets.lists import ScrollPane


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
    text.append(f"alone: every group has k={privacy.k} records or more", "dim")
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
                with Vertical(id="attributes-pane", classes="pane"):
                    yield Grid(id="attributes")
                with Vertical(id="levels-pane", classes="pane"):
                    yield LevelsGrid(id="levels")
                    yield Static(id="reason")
            with ScrollPane(id="measures-pane", classes="pane"):
                yield Static(id="measures")
                yield Static(id="origin")

    def on_mount(self) -> None:
        """Focus the list of attributes."""
        self.query_one("#attributes-pane").border_title = "attributes"
        self.query_one("#measures-pane").border_title = "per level"
        self.attributes.focus()

    @property
    def attributes(self) -> Grid:
        return self.query_one("#attributes", Grid)

    @property
    def levels(self) -> LevelsGrid:
        """The hierarchy, as a table or a tree."""
        return self.query_one(LevelsGrid)

    # -- filling

    def show(self, session: Session) -> None:
        """Show the list at once, and the attribute under the cursor when its state is known."""
        if session is not self._shown:
            self._shown, self._listed, self._lines, self._folds = session, None, {}, {}
            self.attribute, self.state = "", None
            self.selected.clear()
        if session.table is not self._table_shown:
            self._table_shown, self._listed = session.table, None
        names = session.names(Role.QUASI)
        if self.attribute not in names:
            self.attribute = names[0] if names else ""
        self._fill_attributes(names)
        if not names:
            self._fill_empty("No attribute is a quasi-identifier yet: tag one on screen 2.")
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
        session, project = self.session, self.session.project

        def listed(lines: tuple[AttributeLine, ...]) -> None:
            self._listed, self._lines = project, {line.name: line for line in lines}
            self._fill_attributes(session.names(Role.QUASI))

        if self._listed is not project:
            self.compute(lambda: attribute_lines(session), listed, group="attributes")

    def _load(self) -> None:
        """Work out the attribute under the cursor and show it."""
        session, name = self.session, self.attribute
        folds, as_tree = self._folds.setdefault(name, set()), self.as_tree
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
        before, self.state = self.state, state
        again, grid = before is not None and before.name == state.name, self.levels
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
            self._fill_reason(state)
        self._fill_titles(state)
        self._fill_measures()
        self._list()

    def _fill_empty(self, why: str) -> None:
        self.levels.display = False
        reason = self.query_one("#reason", Static)
        reason.display = True
        reason.set_classes("bad")
        reason.update(Text(visible(why)))
        for name in ("#origin", "#measures"):
            self.query_one(name, Static).update("")

    def _fill_reason(self, state: HierarchyState) -> None:
        """Show below the table why a run cannot use it, or that it is a default."""
        reason, text = self.query_one("#reason", Static), reason_text(state)
        reason.display = bool(text)
        reason.set_classes("bad" if state.problem else "muted")
        reason.update(Text(text))

    def _fill_titles(self, state: HierarchyState) -> None:
        values = f", {len(state.hierarchy.rows):,} values" if state.hierarchy else ""
        kind = f" ({state.spec.kind}{values}{self.session.sample_mark(state.name)})"
        pane = self.query_one("#levels-pane")
        pane.border_title = Text(visible(state.name) + kind)
        origin, other = visible(state.origin), "t table" if self.as_tree else "t tree"
        pane.border_subtitle = Text(
            f"{origin if len(origin) < 36 else origin[:35] + '…'} · {other}"
        )
        self.query_one("#origin", Static).update(
            Text(f"{origin}\n\nb builder · I import · E export")
        )

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
        grid, _ = self.levels, self.hierarchy
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

    @on(Grid.Moved, "#levels")
    def level_moved(self) -> None:
        self._fill_measures()

    def action_tree(self) -> None:
        """Switch between tree and table; the cursor stays on its label if it is shown."""
        self.as_tree = not self.as_tree
        if self.attribute:
            self._load()


def _cursor_node(grid: LevelsGrid, column: int = 0) -> Node | None:
    """Return the label in the line of the cursor: of a column of the table, or of the tree."""
    try:
        return grid.shown.node(grid.row, column) if grid.shown is not None else None
    except InputError:
        return None
