"""3 Hierarchies: how every quasi-identifier is generalised, level by level, and its edits.

Edits are worked out aside, then taken or refused as a whole.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from textual import on
from textual.binding import Binding, BindingType

from kanon_tui.core.editing.hierarchy import (
    HierarchyState,
    check_still_usable,
    edited,
    hierarchy_state,
    imported,
    replaced,
    with_mark_toggled,
)
from kanon_tui.core.errors import InputError
from kanon_tui.core.hierarchy.edit import (
    add_level,
    add_rows,
    check_movable,
    check_rename,
    closest,
    group,
    nearest_rows,
    own_rows,
    remove_level,
    rename,
    rows_like,
    split,
)
from kanon_tui.core.hierarchy.level_table import Hierarchy
from kanon_tui.core.hierarchy.specification import HIERARCHY_ENDINGS, write_hierarchy_file
from kanon_tui.core.table.writing import check_target
from kanon_tui.core.text import matching, quoted_list, visible
from kanon_tui.screens.hierarchies.level_rows import Node
from kanon_tui.screens.hierarchies.view import BuilderDialog, HierarchyView
from kanon_tui.widgets.dialogs import Pick, ask_text, choose
from kanon_tui.widgets.grid import Grid, GridSource
from kanon_tui.widgets.path_dialog import AskPath, ask_target

Fields = dict[str, Any]


def few_labels(labels: Sequence[str]) -> str:
    """Return a few of the labels, for a title or the undo message."""
    return visible(quoted_list(labels, most=3))


class HierarchiesScreen(HierarchyView):
    """The hierarchies screen: builders, files, and values without a row."""

    STEP = "hierarchies"
    FIND = "Find a value or label"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "show_tree(False)", "table", id="hierarchies.tree"),
        Binding("t", "show_tree(True)", "tree", id="hierarchies.tree"),
        Binding("b", "build", "builder", id="hierarchies.build"),
        Binding("u", "uncovered", "uncovered", id="hierarchies.uncovered"),
        Binding("I", "import", "import", id="hierarchies.import"),
        Binding("E", "export", "export", id="hierarchies.export"),
        Binding("x", "clear", "default", id="hierarchies.clear"),
        Binding("slash", "find", "find", id="hierarchies.find"),
        Binding("n", "find_next(1)", "next", show=False, id="hierarchies.next"),
        Binding("N", "find_next(-1)", "previous", show=False, id="hierarchies.previous"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._last_selected = 0
        """The row in which a label was selected last."""

    # -- how an edit is made

    def change(self, what: str, level: int, edit: Callable[[Hierarchy], Hierarchy]) -> None:
        """Edit the level table at a level, or refuse with the reason."""

        def fields(state: HierarchyState) -> Fields:
            assert state.hierarchy is not None
            made = edit(state.hierarchy)
            check_still_usable(state, made)
            return edited(state, made, level)

        written = (self.session.attribute(self.attribute).hierarchy or {}).get("file")
        note = f"the edited hierarchy is kept in the project; {written} stays as it is"
        self.change_fields(what, fields, note if written else "")

    def change_fields(
        self, what: str, fields: Callable[[HierarchyState], Fields], note: str = ""
    ) -> None:
        """Work out new fields of the attribute from its hierarchy as it then is, and take them."""
        session = self.session
        name = self.attribute

        def work() -> Fields:
            known = self.state
            if known is None or known.spec is not session.attribute(name):
                known = hierarchy_state(session, name)
            if known.hierarchy is None:
                raise InputError(f"{name}: there is no hierarchy to change; build or import one")
            return fields(known)

        def done(made: Fields) -> None:
            self.selected.clear()
            self.edit_attributes([name], f"{name}: {what}", **made)
            if note:
                self.host.notify(note)

        self.work_out(work, done)

    def work_out(self, work: Callable[[], Any], done: Callable[[Any], None]) -> None:
        """Work an edit out and take it, or show why nothing is changed; keys wait meanwhile."""

        session = self.session

        def take(made: Any) -> None:
            if session is self.session:
                done(made)

        def refused(error: Exception) -> None:
            self.host.show_error("Not changed", error)

        self.host.background.write(work, take, refused, covers=self.levels)

    # -- what is selected

    def action_select(self) -> None:
        """Select the label under the cursor and go on to the next one."""
        grid = self.levels
        if grid.shown is None:
            return
        value = grid.shown.uncovered(grid.row)
        node: Node = (0, value) if value is not None else self.node()
        if any(level != node[0] for level, _ in self.selected):
            self.selected.clear()
            self.host.notify(f"selecting labels of level {node[0]} now")
        self.selected ^= {node}
        self._last_selected = grid.row
        row = grid.row + 1
        while row < grid.shown.height - 1 and self._same(row, node):
            row += 1
        grid.go_to(row)
        grid.redraw()

    def action_select_range(self) -> None:
        """Select the labels from the last one that was selected to the one under the cursor."""
        grid = self.levels
        level = self.node()[0]
        assert grid.shown is not None
        first, last = sorted((min(self._last_selected, grid.shown.height - 1), grid.row))
        nodes = set()
        for row in range(first, last + 1):
            with suppress(InputError):  # a value without a row, or the missing one
                nodes.add(grid.shown.node(row, grid.column))
        self._select(level, {node for node in nodes if node[0] == level})
        self._last_selected = grid.row

    def action_select_matching(self) -> None:
        """Select the labels of the level under the cursor that match a pattern."""
        level = self.node()[0]
        labels = self.hierarchy.labels(level)

        def parse(pattern: str) -> set[Node]:
            found = matching(labels, pattern) if pattern.strip() else []
            if pattern.strip() and not found:
                raise InputError(f"no label of level {level} matches")
            return {(level, label) for label in found}

        hint = "A pattern such as 46* or *berg; a word matches any part. Empty: no marks."
        title = f"Mark which labels of level {level}?"
        ask_text(self, title, partial(self._select, level), parse, "*", hint)

    def _select(self, level: int, nodes: set[Node]) -> None:
        """Add labels of a level to the selected ones; without any, nothing is selected."""
        kept = {node for node in self.selected if node[0] == level and nodes} | nodes
        self.selected.clear()
        self.selected |= kept
        self.levels.redraw()
        self.host.notify(f"{len(kept):,} labels of level {level} marked")

    def _same(self, row: int, node: Node) -> bool:
        grid = self.levels
        assert grid.shown is not None
        try:
            return grid.shown.node(row, grid.column) == node
        except InputError:
            return False

    def chosen(self) -> tuple[int, list[str]]:
        """Return level and labels to work on: the selected ones, else the one under the cursor."""
        nodes = sorted(self.selected) or [self.node()]
        assert self.state is not None
        uncovered = [
            label for level, label in nodes if level == 0 and label in self.state.uncovered
        ]
        if uncovered:
            raise InputError(f"{few_labels(uncovered)} has no row yet; press u to give it one")
        return nodes[0][0], [label for _, label in nodes]

    # -- the edits

    @on(Grid.Chosen, "#levels")
    async def rename_chosen(self) -> None:
        await self.run_action("rename")

    def action_rename(self) -> None:
        """Rename the label under the cursor, or give a value a row."""
        grid = self.levels
        if grid.shown is None:
            return
        value = grid.shown.uncovered(grid.row)
        if value is not None:
            self.fix_uncovered([value])
            return
        level, old = self.node()
        hierarchy = self.hierarchy
        check_rename(hierarchy, level, old, old)  # a value cannot be renamed at all

        def parse(new: str) -> str:
            check_rename(hierarchy, level, old, new)
            return new

        def take(new: str) -> None:
            if new != old:
                what = f"{few_labels([old])} is now {few_labels([new])}"
                self.change(what, level, lambda h: rename(h, level, old, new))

        hint = "The same values stay in it; a MAGVal on it stays too."
        ask_text(self, f"Rename {few_labels([old])} of level {level}", take, parse, old, hint)

    def action_group(self) -> None:
        """Give all selected labels one label at the level above."""
        level, labels = self.chosen()

        def parse(name: str) -> str:
            if not name.strip():
                raise InputError(f"write the name that they get at level {level + 1}")
            return name

        def take(name: str) -> None:
            what = f"{len(labels)} labels of level {level} in {few_labels([name])}"
            self.change(what, level, lambda h: group(h, level, labels, name))

        hint = (
            f"Their label at level {level + 1}. A label that is there already takes them in; a new "
            f"one makes a group of its own."
        )
        ask_text(self, f"Group {few_labels(labels)} of level {level}", take, parse, hint=hint)

    def action_move(self) -> None:
        """Move the chosen labels below another label of the level above."""
        level, labels = self.chosen()
        hierarchy = self.hierarchy
        check_movable(hierarchy, level)

        def picked(parent: str) -> None:  # joining a group that is there is moving into it
            what = f"{few_labels(labels)} below {few_labels([parent])}"
            self.change(what, level, lambda h: group(h, level, labels, parent))

        title = f"Move {few_labels(labels)} below which label of level {level + 1}?"
        self.ask(Pick(title, hierarchy.labels(level + 1)), picked)

    def action_split(self) -> None:
        """Split a group into its members."""
        level, labels = self.chosen()

        def apart(made: Hierarchy) -> Hierarchy:
            for label in labels:
                made = split(made, level, label)
            return made

        self.change(f"{few_labels(labels)} of level {level} split", level, apart)

    def action_add_level(self) -> None:
        level, _ = self.node()
        self.change(f"a level above level {level}", level, lambda h: add_level(h, level))

    def action_remove_level(self) -> None:
        level, _ = self.node()
        self.change(f"level {level} removed", level, lambda h: remove_level(h, level))

    def action_magval(self) -> None:
        """Set MAGVals on what is selected, or take them off."""
        level, labels = self.chosen()
        nodes = [(level, label) for label in labels]
        self.change_fields(
            f"MAGVal {few_labels(labels)}", lambda state: with_mark_toggled(state, nodes)
        )

    # -- another hierarchy

    def _take(self, make: Callable[[], Mapping[str, Any] | None], what: str) -> None:
        """Replace the hierarchy of the attribute; MAGVals and typed research values follow."""
        name = self.attribute
        folder = self.session.project.folder
        state = self._known()

        def done(made: tuple[dict[str, Any], str]) -> None:
            fields, removed = made
            self.selected.clear()
            self.edit_attributes([name], f"{name}: {what}", **fields)
            if removed:
                self.host.notify(f"{name}: removed with the old levels: {removed} (ctrl+z undoes)")

        self.work_out(lambda: replaced(state, make(), folder), done)

    def _known(self) -> HierarchyState:
        """Return the state of the attribute; raises InputError if its values are not known."""
        if self.state is None or self.state.name != self.attribute:
            raise InputError("the attribute is still being computed; try again in a moment")
        if self.state.column is None:
            raise InputError(self.state.problem)
        return replace(self.state, spec=self.session.attribute(self.attribute))

    def action_build(self) -> None:

        def built(spec: dict[str, Any]) -> None:
            self._take(lambda: spec, f"builder {spec['builder']}")

        self.ask(BuilderDialog(self.session, self._known()), built)

    def action_clear(self) -> None:
        """Go back to the hierarchy that is built by default."""
        if self._known().spec.hierarchy is None:
            raise InputError(f"{self.attribute}: this is the default hierarchy already")
        self._take(lambda: None, "back to the default hierarchy")

    # -- files

    @property
    def _folder(self) -> Path:
        """The folder that file dialogs begin with."""
        project = self.session.project
        return (project.path or self.session.data_path).parent

    def action_import(self) -> None:
        name = self.attribute
        project = self.session.project
        column = self._known().column
        assert column is not None

        def read(path: Path, attribute: str) -> None:
            self._take(lambda: imported(path, attribute, column, project), f"from {path.name}")

        def asked(path: Path) -> None:
            if path.suffix.lower() != ".xml":
                read(path, name)
                return
            title = f"Which attribute of {path.name}?"
            hint = "Its name or index there."
            ask_text(self, title, lambda attribute: read(path, attribute), str, name, hint)

        hint = ".csv (ARX), .yaml (levels) or .xml (UTD); tab completes, enter accepts"
        title = f"Import a hierarchy for {name}"
        self.ask(AskPath(title, f"{self._folder}/", hint, endings=HIERARCHY_ENDINGS), asked)

    def action_export(self) -> None:
        name = self.attribute
        hierarchy = self.hierarchy
        project = self.session.project
        inputs = [project.data_path, *([project.path] if project.path else [])]

        def check(path: Path) -> None:
            check_target(path, HIERARCHY_ENDINGS, force=True, inputs=inputs)

        def write(path: Path) -> None:
            size = f"{len(hierarchy.values):,} values, {hierarchy.height + 1} levels"
            self.host.background.write(
                lambda: write_hierarchy_file(hierarchy, path, name, force=True),
                lambda _: self.host.notify(f"wrote {path.name}: {size}"),
            )

        safe = "".join(c if c.isalnum() or c in " .-_" else "_" for c in name)
        hint = ".csv (ARX), .yaml (levels) or .xml (UTD) by its ending"
        title = f"Export the hierarchy of {name}"
        ask_target(self, AskPath(title, str(self._folder / f"{safe}.csv"), hint), write, check)

    # -- values without a row

    def action_uncovered(self) -> None:
        """Ask for the labels of values without a row: the selected values, else all."""
        uncovered = self._known().uncovered
        selected = [value for value in uncovered if (0, value) in self.selected]
        self.fix_uncovered(selected or uncovered)

    def fix_uncovered(self, values: Sequence[str]) -> None:
        """Ask where values without a row belong."""
        state = self._known()
        hierarchy = self.hierarchy
        column = state.column
        assert column is not None
        if not values:
            raise InputError(f"{self.attribute}: every value has a row")

        def cover(rows: Callable[[Hierarchy], Mapping[str, Sequence[str]]]) -> None:
            what = f"rows for {few_labels(values)}"
            self.change(what, 0, lambda h: add_rows(h, rows(h)))

        def beside(h: Hierarchy) -> Mapping[str, Sequence[str]]:
            return nearest_rows(h, column, values)

        def like(example: str) -> None:
            cover(lambda h: rows_like(h, values, example))

        def pick() -> None:
            title = f"Put {few_labels(values)} where which value is?"
            near = closest(values[0], hierarchy.values)
            self.ask(Pick(title, near), like)

        options: list[tuple[str, Callable[[], object]]] = [
            ("where another value is (the same labels) …", pick),
            ("each by itself, below the root", lambda: cover(lambda h: own_rows(h, values))),
            (
                "build all levels anew with a builder …",
                partial(self.call_later, self.run_action, "build"),
            ),
        ]
        if column.kind.ordered:
            near = ("each where the nearest value is", lambda: cover(beside))
            options.insert(0, near)

        choose(self, f"Where to put {few_labels(values)}?", options)

    # -- finding

    def to_search(self) -> tuple[Grid, GridSource | None]:
        return self.levels, self.levels.source

    def show_match(self, place: int) -> None:
        super().show_match(place)
        self.levels.focus()
