"""4 Rules: what a group must not mix, how much it matters, and what that does to every level."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import SelectionList, Static
from textual.widgets.selection_list import Selection

from kanon_tui.core.analysis.rule_overview import RuleOverview, never_kept, rule_overviews
from kanon_tui.core.editing.hierarchy import attribute_levels
from kanon_tui.core.editing.session import Session
from kanon_tui.core.errors import InputError, KanonError, in_screen_words
from kanon_tui.core.fields.declaration import Field, number, optional, text
from kanon_tui.core.metrics.measure import LevelMeasures
from kanon_tui.core.pipeline.prepare import emphasis_of
from kanon_tui.core.table.column import Column, Role
from kanon_tui.core.table.writing import check_target, write_text
from kanon_tui.core.task.rule_files import COLUMNS, RULE_ENDINGS, read_rules, rules_text
from kanon_tui.core.task.rule_presets import PRESETS, RulePreset, preset_rules
from kanon_tui.core.task.rules import Apart, Boundary, Rule, RuleTable
from kanon_tui.core.task.task import EVEN_EMPHASIS, QuasiIdentifier
from kanon_tui.core.text import bar, count_of, sparkline, visible
from kanon_tui.screens.base import StepScreen
from kanon_tui.widgets.dialogs import Confirm, FormDialog, choose, confirm
from kanon_tui.widgets.grid import Cell, Grid, GridColumn, fitted
from kanon_tui.widgets.grid_sources import CellTable
from kanon_tui.widgets.lists import CheckList
from kanon_tui.widgets.path_dialog import AskPath, ask_target

_EMPHASIS = "From 0 (granularity alone) over 0.5 (both alike) to 1 (rules alone)"
SETTINGS = (
    Field(
        "base", number(low=0), 0.0,
        "What is left, beside the importances, even when every rule is broken; 0 lets a level that "
        "breaks all rules count for nothing",
    ),
    Field("emphasis", optional(number(0, 1)), None, f"{_EMPHASIS}. Empty: that of all"),
    Field("emphasis_of_all", number(0, 1), EVEN_EMPHASIS, f"{_EMPHASIS}, where none is typed"),
)  # fmt: skip
RESEARCH_VALUE = Field(
    "level", optional(number(low=0)), None, "Used as it is, not weighted. Empty: computed"
)


class RuleSettings(FormDialog):
    """Asks how the rules of an attribute count."""


class ResearchValues(FormDialog):
    """Asks for the research value of every level."""


LOW = Field("keep_up_to", text(), "")
HIGH = Field("apart_from_and_above", text(), "")
IMPORTANCE = Field("importance", text(), "10")


def boundary_histogram(column: Column, rule: Boundary, width: int) -> str:
    """Return a histogram of the column with a │ at the boundary."""
    numbers = column.value_numbers
    present = ~np.isnan(numbers)
    first = rule.sides(column).first
    heights, edges = np.histogram(numbers[present], bins=width, weights=column.counts[present])
    below = numbers[present & first]
    cut = int(np.searchsorted(edges, below.max() if len(below) else edges[0], side="right"))
    line = sparkline(heights.tolist())
    return line[:cut] + "│" + line[cut:]


class RuleDialog(FormDialog):
    """Asks for a rule; gives one that fits the column or None."""

    def __init__(self, attribute: QuasiIdentifier, rule: Rule | None) -> None:
        column = attribute.column
        values: dict[str, Any] = {"importance": f"{rule.importance:g}"} if rule else {}
        if isinstance(rule, Boundary):
            values |= {LOW.name: rule.low, HIGH.name: rule.high}
        elif rule and column.kind.ordered and len(rule.first) == len(rule.second) == 1:
            values |= {LOW.name: rule.first[0], HIGH.name: rule.second[0]}
        fields = [LOW, HIGH, IMPORTANCE] if column.kind.ordered else [IMPORTANCE]
        super().__init__(f"Rule for {column.name}", fields, values)
        self._attribute = attribute
        self._column = column
        self._rule = rule

    def content(self) -> ComposeResult:
        rule = self._rule
        first: tuple[str, ...] = ()
        second: tuple[str, ...] = ()
        if isinstance(rule, Apart):
            first = rule.first
            second = rule.second
        if not self._column.kind.ordered:
            with Horizontal(classes="sets"):
                yield self._values("first", "keep these", first)
                yield self._values("second", "apart from these", second)
        yield from super().content()

    def below(self) -> ComposeResult:
        yield Static("", id="picture")
        picks = (
            "space picks values, tab goes on" if not self._column.kind.ordered else "tab goes on"
        )
        yield Static(f"{picks}, enter or ctrl+r accepts", classes="hint")

    def _values(self, name: str, title: str, chosen: tuple[str, ...]) -> CheckList[str]:
        counts = self._column.counts
        selections = [
            Selection(Text(f"{visible(value)}  {counts[code]:,}"), value, value in chosen)
            for code, value in enumerate(self._column.values)
        ]
        for label, level in self._labels.items():
            text = Text(f"{visible(label)}  label of level {level}")
            selections.append(Selection(text, label, label in chosen))
        for unknown in self._missing_names:
            text = Text(f"{visible(unknown)}  not in the data")
            selections.append(Selection(text, unknown, unknown in chosen))
        picker: CheckList[str] = CheckList(*selections, id=name)
        picker.border_title = title
        return picker

    @cached_property
    def _labels(self) -> dict[str, int]:
        """The labels of the hierarchy below the root that are no values, with their level."""
        labels: dict[str, int] = {}
        for level, names in enumerate(self._attribute.hierarchy.labels[1:-1], start=1):
            for label in names:
                if label not in self._column.code_of:
                    labels.setdefault(label, level)
        return labels

    @property
    def _missing_names(self) -> tuple[str, ...]:
        """The names of the edited rule that the data does not have."""
        if not isinstance(self._rule, Apart):
            return ()
        return self._rule.sides(self._column, self._attribute.hierarchy).missing_names

    def answer(self, values: dict[str, Any]) -> Rule:
        typed = values["importance"]
        try:
            importance = float(typed)
        except ValueError:
            raise InputError(f"importance '{typed}' is not a number; write one above 0") from None
        if self._column.kind.ordered:
            low = values[LOW.name]
            high = values[HIGH.name]
            if not low or not high:
                near = " and ".join(self._column.values[len(self._column.values) // 2 :][:2])
                raise InputError(f"write both sides of the boundary, for instance {near}")
            rule = self._between(low, high, importance)
        else:
            first, second = (self._picked(side) for side in ("first", "second"))
            if not first or not second:
                raise InputError("pick at least one value on either side")
            rule = Apart(first, second, importance)
        RuleTable(0.0, (rule,)).bind(self._column, self._attribute.hierarchy)
        return rule

    def _between(self, low: str, high: str, importance: float) -> Rule:
        """Return the rule of two ends of a boundary, or of two labels of ranges: 20-29 | 30-39."""
        if low in self._labels and high in self._labels:
            return Apart((low,), (high,), importance)
        return Boundary(low, high, importance)

    def _picked(self, side: str) -> tuple[str, ...]:
        picked = self.query_one(f"#{side}", SelectionList).selected
        listed = (*self._column.values, *self._labels, *self._missing_names)
        return tuple(name for name in listed if name in picked)

    @on(SelectionList.SelectedChanged)
    def follow_sets(self) -> None:
        self.follow_form()

    def follow(self, values: dict[str, Any]) -> None:
        """Say what is wrong while the form is filled in, and draw the boundary."""
        error = ""
        try:
            rule = self.answer(values)
        except KanonError as problem:
            error = str(problem)
        else:
            if isinstance(rule, Boundary):
                picture = boundary_histogram(self._column, rule, 60)
                self.query_one("#picture", Static).update(Text(picture))
        self.show_error(error)


@dataclass(frozen=True)
class Line:
    """One line of the table: an attribute's heading (rule None) or one of its rules."""

    attribute: str
    rule: int | None


class RulesScreen(StepScreen):
    """All rules in one table; the pane beside shows what they do to the levels."""

    STEP = "rules"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "new", "add a rule", id="rules.new"),
        Binding("enter", "change", "edit", id="rules.edit"),
        Binding("d,delete", "delete", "delete", id="rules.delete"),
        Binding("B,F", "settings", "base, emphasis", id="rules.settings"),
        Binding("V", "research_values", "RV by hand", id="rules.rv"),
        Binding("P", "presets", "presets", id="rules.presets"),
        Binding("I", "import", "import", id="rules.import"),
        Binding("X", "export", "export", id="rules.export"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[Line] = []
        self._overviews: dict[str, tuple[RuleOverview, ...]] = {}

    def body(self) -> Iterable[Widget]:
        with Container(id="panes"):
            with Vertical(id="rules-pane", classes="pane") as pane:
                pane.border_title = "rules"
                yield Grid(id="rules")
            with Vertical(id="levels-pane", classes="pane"):
                yield Static(id="levels")

    def show(self, session: Session) -> None:
        """Show the rules at once, then what has to be counted."""
        self.lines = []
        for name in session.names(Role.QUASI):
            self.lines.append(Line(name, None))
            rules = session.attribute(name).rules.rules
            self.lines += [Line(name, number) for number in range(len(rules))]
        self._fill()

        def measure() -> dict[str, tuple[RuleOverview, ...]]:
            made = {}
            for name in session.names(Role.QUASI):
                try:
                    made[name] = rule_overviews(session.quasi_identifier(name))
                except KanonError:
                    continue  # the hierarchies screen says what is wrong
            return made

        def measured(made: dict[str, tuple[RuleOverview, ...]]) -> None:
            self._overviews = made
            self._fill()
            self._show_levels()

        self.compute(measure, measured, group="overviews")

    def _fill(self) -> None:
        rows = _rows(self.session, self.lines, self._overviews)
        self.query_one(Grid).show(rows, keep_cursor=True)

    @property
    def line(self) -> Line | None:
        row = self.query_one(Grid).row
        return self.lines[row] if row < len(self.lines) else None

    # -- the levels of the attribute under the cursor

    @on(Grid.Moved)
    def _show_levels(self) -> None:
        line = self.line
        session = self.session
        levels = self.query_one("#levels", Static)
        pane = self.query_one("#levels-pane")
        if line is None:
            pane.border_title = "levels"
            levels.update("No attribute is a quasi-identifier yet: press q on one on screen 2.")
            return
        name = line.attribute
        mark = session.sample_mark(name)
        pane.border_title = Text(f"{visible(name)}: research value per level{mark}")
        self.compute(
            lambda: attribute_levels(session, name),
            lambda made: self._fill_levels(line, *made),
            group="levels",
            failed=lambda error: levels.update(Text(visible(in_screen_words(error)))),
        )

    def _fill_levels(
        self, line: Line, attribute: QuasiIdentifier, levels: tuple[LevelMeasures, ...]
    ) -> None:
        text = Text.assemble(("level  groups  alone     RV\n", "dim"))
        most = max((level.rv for level in levels), default=0) or 1
        for level in levels:
            typed = level.level < len(attribute.typed_research_values) and (
                attribute.typed_research_values[level.level] is not None
            )
            text.append(f"{level.level:>5} {level.labels:>7,}  {'✓' if level.passes else '✗':^5} ")
            text.append(f"{level.rv:>7.4f} ", "bold" if typed else "")
            text.append(bar(level.rv / most, 10), "dim")
            text.append(" typed\n" if typed else "\n")
        rules = attribute.rules.rules
        if line.rule is not None and line.rule < len(rules):
            rule = rules[line.rule]
            if isinstance(rule, Boundary):
                text.append(boundary_histogram(attribute.column, rule, 36) + "\n")
                text.append(
                    visible(f"{attribute.column.values[0]} … │ is the boundary {rule}"), "dim"
                )
        self.query_one("#levels", Static).update(text)

    # -- editing

    def _set_rules(self, name: str, rules: Sequence[Rule], what: str) -> None:
        table = replace(self.session.attribute(name).rules, rules=tuple(rules))
        self.edit_attributes([name], what, rules=table)

    def action_new(self) -> None:
        if self.line is None:
            self.host.notify("no attribute is a quasi-identifier yet; press q on one on screen 2")
            return
        name = self.line.attribute

        def made(rule: Rule) -> None:
            rules = self.session.attribute(name).rules.rules
            self._set_rules(name, (*rules, rule), f"{name}: new rule {rule}")

        self._ask(name, None, made)

    @on(Grid.Chosen)
    def action_change(self) -> None:
        """Edit the rule under the cursor; on a heading, make one."""
        line = self.line
        if line is None or line.rule is None:
            self.action_new()
            return
        name = line.attribute
        number = line.rule
        rules = list(self.session.attribute(name).rules.rules)

        def changed(rule: Rule) -> None:
            rules[number] = rule
            self._set_rules(name, rules, f"{name}: rule {rule}")

        self._ask(name, rules[number], changed)

    def _ask(self, name: str, rule: Rule | None, then: Callable[[Rule], object]) -> None:
        def opened(attribute: QuasiIdentifier) -> None:
            def made(new: Rule) -> None:
                then(new)
                broken = never_kept(attribute, new)
                if broken:
                    self.host.notify(broken, "warning")

            self.ask(RuleDialog(attribute, rule), made)

        self._with_attribute(name, opened)

    def action_delete(self) -> None:
        """Remove the rule under the cursor (ctrl+z brings it back)."""
        line = self.line
        if line is None or line.rule is None:
            return
        rules = list(self.session.attribute(line.attribute).rules.rules)
        deleted = rules.pop(line.rule)
        self._set_rules(line.attribute, rules, f"{line.attribute}: rule {deleted} deleted")

    # -- several rules at once

    def _add(self, name: str, rules: Sequence[Rule], what: str) -> None:
        """Add those rules that the attribute does not have yet."""
        before = self.session.attribute(name).rules.rules
        added = [rule for rule in rules if rule not in before]
        if not added:
            self.host.notify(f"{name} has these rules already")
            return
        self._set_rules(name, (*before, *added), f"{name}: {what}")

    def action_presets(self) -> None:
        """Ask for boundaries of laws, schools, pensions or taxes, show them, and add them."""
        if self.line is not None:
            self._with_attribute(self.line.attribute, self._offer_presets)

    def _offer_presets(self, attribute: QuasiIdentifier) -> None:
        options = []
        for preset in PRESETS:
            rules = preset_rules(preset, attribute.column)
            if rules:
                show = partial(self._show_preset, attribute.name, preset, rules)
                options.append((preset.title, show))
        if not options:
            self.host.notify(f"no preset has a boundary within the values of {attribute.name}")
            return
        choose(
            self, f"Boundaries for {attribute.name}", options, "they are shown before they count"
        )

    def _show_preset(self, name: str, preset: RulePreset, rules: Sequence[Rule]) -> None:
        text = "\n".join(f"boundary {rule}, importance {rule.importance:g}" for rule in rules)
        question = Confirm(preset.title, text, "Add them", "Leave them")
        confirm(self, question, partial(self._add, name, rules, f"rules of {preset.title}"))

    def action_import(self) -> None:
        """Ask for a file of rules, and add them."""
        if self.line is None:
            return
        name = self.line.attribute
        hint = f"a .csv with the columns {', '.join(COLUMNS)}"
        folder = self.session.project.folder
        dialog = AskPath(f"Import rules for {name}", f"{folder}/", hint, endings=RULE_ENDINGS)
        self.ask(dialog, partial(self._import, name))

    def _import(self, name: str, path: Path) -> None:
        session = self.session
        self.load(
            lambda: _rules_that_fit(read_rules(path), session.quasi_identifier(name)),
            lambda rules: self._add(name, rules, f"rules from {path.name}"),
        )

    def action_export(self) -> None:
        """Ask for a file, and write the rules of the attribute to it."""
        if self.line is None:
            return
        name = self.line.attribute
        project = self.session.project
        inputs = [project.data_path, *([project.path] if project.path else [])]
        check = partial(check_target, endings=RULE_ENDINGS, force=True, inputs=inputs)
        safe = "".join(c if c.isalnum() or c in " .-_" else "_" for c in name)
        dialog = AskPath(
            f"Export the rules of {name}", str(project.folder / f"{safe}-rules.csv"),
            f"a .csv with the columns {', '.join(COLUMNS)}", ending=".csv",
        )  # fmt: skip
        rules = self.session.attribute(name).rules.rules
        ask_target(self, dialog, partial(self._export, rules), check)

    def _export(self, rules: Sequence[Rule], path: Path) -> None:
        self.host.background.write(
            lambda: write_text(path, rules_text(rules), force=True),
            lambda _: self.host.notify(f"wrote {path.name}: {count_of(len(rules), 'rule')}"),
        )

    def action_settings(self) -> None:
        """Ask for the base value of the attribute's rules, and how much rules count."""
        if self.line is None:
            return
        name = self.line.attribute
        session = self.session
        spec = session.attribute(name)
        values = {
            "base": spec.rules.base,
            "emphasis": spec.rule_emphasis,
            "emphasis_of_all": session.project.rule_emphasis,
        }

        def take(values: dict[str, Any]) -> None:
            rules = replace(spec.rules, base=values["base"])
            changed = replace(spec, rules=rules, rule_emphasis=values["emphasis"])
            attributes = {**session.project.attributes, name: changed}
            emphasis = values["emphasis_of_all"]
            project = replace(session.project, attributes=attributes, rule_emphasis=emphasis)
            self.edit(project, f"{name}: how rules count")

        self.ask(RuleSettings(f"How the rules of {name} count", SETTINGS, values), take)

    def action_research_values(self) -> None:
        """Ask for the research values of levels; empty answers restore the computed ones."""
        if self.line is None:
            return
        name = self.line.attribute

        def ask(attribute: QuasiIdentifier) -> None:
            typed = attribute.typed_research_values or (None,) * (attribute.hierarchy.height + 1)
            fields = [replace(RESEARCH_VALUE, name=f"level_{x}") for x in range(len(typed))]
            values = {field.name: value for field, value in zip(fields, typed, strict=True)}
            self.ask(ResearchValues(f"Research values of {name}", fields, values), take)

        def take(values: dict[str, float | None]) -> None:
            rv = tuple(values.values()) if set(values.values()) != {None} else None
            self.edit_attributes([name], f"{name}: research values", rv=rv)

        self._with_attribute(name, ask)

    def _with_attribute(self, name: str, open_dialog: Callable[[QuasiIdentifier], object]) -> None:
        """Open a dialog about a quasi-identifier, which takes a moment to make."""
        session = self.session
        self.load(lambda: session.quasi_identifier(name), open_dialog)


def _rules_that_fit(rules: tuple[Rule, ...], attribute: QuasiIdentifier) -> tuple[Rule, ...]:
    """Return the rules; raise `InputError` if one does not fit the attribute."""
    RuleTable(0.0, rules).bind(attribute.column, attribute.hierarchy)
    return rules


TITLES = ("attribute", "rule", "weight", "levels", "records")


def _rows(
    session: Session, lines: Sequence[Line], overviews: dict[str, tuple[RuleOverview, ...]]
) -> CellTable:
    """Return headings and rules as a grid source."""
    cells = [_cells(session, line, overviews.get(line.attribute, ())) for line in lines]
    columns = [GridColumn(title, 28, title in ("weight", "records")) for title in TITLES]
    return CellTable(fitted(columns, cells), cells)


def _cells(session: Session, line: Line, known: Sequence[RuleOverview]) -> list[Cell]:
    table = session.attribute(line.attribute).rules
    if line.rule is None:
        base = f"base {table.base:g}" if table.rules or table.base else "no rules: press a"
        emphasis = emphasis_of(session.project, session.attribute(line.attribute))
        base += "" if emphasis == EVEN_EMPHASIS else f", emphasis {emphasis:g}"
        return [Cell(line.attribute), Cell(base, "muted"), Cell(""), Cell(""), Cell("")]
    rule = table.rules[line.rule]
    kind = "  boundary" if isinstance(rule, Boundary) else "  apart"
    kept = "…"
    concerned = "…"
    if line.rule < len(known) and known[line.rule].rule == rule:
        overview = known[line.rule]
        kept = " ".join("✓" if fine else "·" for fine in overview.kept)
        concerned = f"{overview.concerned:,}"
    return [
        Cell(kind, "muted"), Cell(str(rule)), Cell(f"{rule.importance:g}"), Cell(kept),
        Cell(concerned),
    ]  # fmt: skip
