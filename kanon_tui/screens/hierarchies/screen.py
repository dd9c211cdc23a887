"""3 Hierarchies: how every quasi-identifier is generalised, level by level."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from textual.binding import Binding, BindingType

from kanon_tui.core.editing.hierarchy.change import imported, replaced
from kanon_tui.core.editing.hierarchy.state import HierarchyState
from kanon_tui.core.errors import InputError
from kanon_tui.core.hierarchy.edit import add_rows, closest, nearest_rows, own_rows, rows_like
from kanon_tui.core.hierarchy.files import HIERARCHY_ENDINGS, write_hierarchy_file
from kanon_tui.core.hierarchy.level_table import Hierarchy
from kanon_tui.core.table.writing import check_target
from kanon_tui.screens.hierarchies.builder import BuilderDialog
from kanon_tui.screens.hierarchies.editing import HierarchyEditing, says_why, some
from kanon_tui.widgets.dialogs import Pick, ask_text, choose
from kanon_tui.widgets.path_dialog import AskPath, ask_target


class HierarchiesScreen(HierarchyEditing):
    """The hierarchies screen: builders, files, and values without a row."""

    STEP = "hierarchies"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "tree", "tree", id="hierarchies.tree"),
        Binding("b", "build", "builder", id="hierarchies.build"),
        Binding("u", "uncovered", "uncovered", id="hierarchies.uncovered"),
        Binding("I", "import", "import", id="hierarchies.import"),
        Binding("E", "export", "export", id="hierarchies.export"),
        Binding("x", "clear", "default", id="hierarchies.clear"),
        Binding("slash", "find", "find", key_display="/", id="hierarchies.find"),
        Binding("n", "find_next(1)", "next", show=False, id="hierarchies.next"),
        Binding("N", "find_next(-1)", "previous", show=False, id="hierarchies.previous"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._wanted = ""

    # -- another hierarchy

    def _take(self, make: Callable[[], Mapping[str, Any] | None], what: str) -> None:
        """Give the attribute another hierarchy; MAGVals and typed research values follow."""
        name, folder, state = self.attribute, self.session.project.folder, self._known()

        def done(made: tuple[dict[str, Any], str]) -> None:
            fields, lost = made
            self.selected.clear()
            self.edit_attributes([name], f"{name}: {what}", **fields)
            if lost:
                self.host.say(f"{name}: removed with the old levels: {lost} (ctrl+z undoes)")

        self.work_out(lambda: replaced(state, make(), folder), done)

    def _known(self) -> HierarchyState:
        """Return the state of the attribute; raises InputError if its values are not known."""
        if self.state is None or self.state.name != self.attribute:
            raise InputError("the attribute is still being computed; try again in a moment")
        if self.state.column is None:
            raise InputError(self.state.problem)
        return replace(self.state, spec=self.session.attribute(self.attribute))

    @says_why
    def action_build(self) -> None:

        def built(spec: dict[str, Any] | None) -> None:
            if spec is not None:
                self._take(lambda: spec, f"builder {spec['builder']}")

        self.ask(BuilderDialog(self.session, self._known()), built)

    @says_why
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

    @says_why
    def action_import(self) -> None:
        name, project, column = self.attribute, self.session.project, self._known().column
        assert column is not None

        def read(path: Path, attribute: str) -> None:
            self._take(lambda: imported(path, attribute, column, project), f"from {path.name}")

        def asked(path: Path | None) -> None:
            if path is None or path.suffix.lower() != ".xml":
                if path is not None:
                    read(path, name)
                return
            title, hint = f"Which attribute of {path.name}?", "Its name or index there."
            ask_text(self, title, lambda attribute: read(path, attribute), str, name, hint)

        hint = ".csv (ARX), .yaml (levels) or .xml (UTD); tab completes, enter accepts"
        title = f"Import a hierarchy for {name}"
        self.ask(AskPath(title, f"{self._folder}/", hint, endings=HIERARCHY_ENDINGS), asked)

    @says_why
    def action_export(self) -> None:
        name, hierarchy, project = self.attribute, self.hierarchy, self.session.project
        inputs = [project.data_path, *([project.path] if project.path else [])]

        def check(path: Path) -> None:
            check_target(path, HIERARCHY_ENDINGS, force=True, inputs=inputs)

        def write(path: Path) -> None:
            size = f"{len(hierarchy.rows):,} values, {hierarchy.height + 1} levels"
            self.compute(
                lambda: write_hierarchy_file(hierarchy, path, name, force=True),
                lambda _: self.host.say(f"wrote {path.name}: {size}"),
                group="export",
            )

        safe = "".join(c if c.isalnum() or c in " .-_" else "_" for c in name)
        hint = ".csv (ARX), .yaml (levels) or .xml (UTD) by its ending"
        title = f"Export the hierarchy of {name}"
        ask_target(self, AskPath(title, str(self._folder / f"{safe}.csv"), hint), write, check)

    # -- values without a row

    @says_why
    def action_uncovered(self) -> None:
        """Give the values without a row one: the selected ones, else all."""
        uncovered = self._known().uncovered
        selected = [value for value in uncovered if (0, value) in self.selected]
        self.fix_uncovered(selected or uncovered)

    def fix_uncovered(self, values: Sequence[str]) -> None:
        """Ask where values without a row belong."""
        state, hierarchy = self._known(), self.hierarchy
        column = state.column
        assert column is not None
        if not values:
            raise InputError(f"{self.attribute}: every value has a row")

        def cover(rows: Callable[[Hierarchy], Mapping[str, Sequence[str]]]) -> None:
            what = f"rows for {some(values)}"
            self.change(what, 0, lambda h: add_rows(h, rows(h)))

        def beside(h: Hierarchy) -> Mapping[str, Sequence[str]]:
            return nearest_rows(h, column, values)

        def like(example: str | None) -> None:
            if example is not None:
                cover(lambda h: rows_like(h, values, example))

        def pick() -> None:
            title = f"Put {some(values)} where which value is?"
            near = closest(values[0], hierarchy.values)
            self.ask(Pick(title, near), like)

        options: list[tuple[str, Callable[[], object]]] = [
            ("where another value is (the same labels) …", pick),
            ("each by itself, below the root", lambda: cover(lambda h: own_rows(h, values))),
            ("build all levels anew with a builder …", self.action_build),
        ]
        if column.kind.ordered:
            near = ("each where the nearest value is", lambda: cover(beside))
            options.insert(0, near)

        choose(self, f"Where to put {some(values)}?", options)

    # -- finding

    def action_find(self) -> None:
        """Ask for a text and go to the next line that has it."""

        def take(text: str) -> None:
            self._wanted = text
            if text:
                self.action_find_next(1)

        ask_text(self, "Find a value or label", take, str, self._wanted)

    def action_find_next(self, step: int) -> None:
        """Go to the next line below or above with the text that was looked for."""
        grid = self.levels
        source, wanted, after = grid.shown, self._wanted, grid.row
        if not wanted:
            self.action_find()
            return
        if source is None:
            return

        def found(row: int | None) -> None:
            if row is None:
                self.host.say(f"'{wanted}' is not in the hierarchy of {self.attribute}")
            else:
                grid.go_to(row)
                grid.focus()

        self.compute(lambda: source.find(wanted, after, step), found, group="find")
