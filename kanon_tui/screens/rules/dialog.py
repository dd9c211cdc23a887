"""The form for one rule: a boundary with a histogram, or two sets of values to keep apart."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Label, SelectionList, Static
from textual.widgets.selection_list import Selection

from kanon_tui.core.errors import InputError, KanonError
from kanon_tui.core.table.column import Column
from kanon_tui.core.task.rules import Apart, Boundary, Rule, RuleTable
from kanon_tui.core.text import visible
from kanon_tui.widgets.dialogs import FormDialog
from kanon_tui.widgets.drawing import sparkline
from kanon_tui.widgets.lists import CheckList

__all__ = ["RuleDialog", "boundary_histogram"]


def boundary_histogram(column: Column, rule: Boundary, width: int) -> str:
    """Return a histogram of the column with a │ at the boundary."""
    numbers = column.numbers
    assert numbers is not None
    present = ~np.isnan(numbers)
    first, _ = rule.sides(column)
    heights, edges = np.histogram(numbers[present], bins=width, weights=column.counts[present])
    below = numbers[present & first]
    cut = int(np.searchsorted(edges, below.max() if len(below) else edges[0], side="right"))
    line = sparkline(heights.tolist())
    return line[:cut] + "│" + line[cut:]


class RuleDialog(FormDialog):
    """Asks for a rule; gives one that fits the column or None."""

    HELP = """## A rule

For numbers and dates a *boundary*: the last value of the one side and the first of the other, such
as `64` and `65`. For categories two sets to keep *apart*: `space` picks values, `tab` goes to the
other set. *Importance* is its weight beside the other rules of the attribute. `ctrl+r` or `enter`
in a field takes the rule over.
"""

    DEFAULT_CSS = """
    RuleDialog > Vertical { width: 76; height: auto; max-height: 96%; }
    RuleDialog .line { height: 1; }
    RuleDialog .line Label { width: 22; }
    RuleDialog .line Input { width: 1fr; }
    RuleDialog .sets { height: 12; }
    RuleDialog SelectionList { width: 1fr; height: 1fr; border: round $foreground 55%; }
    RuleDialog SelectionList { border-title-color: $text-muted; }
    RuleDialog SelectionList:focus { border: round $primary; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+r", "accept", "Accept")]

    def __init__(self, column: Column, rule: Rule | None) -> None:
        super().__init__()
        self._column, self._rule = column, rule

    def compose(self) -> ComposeResult:
        rule = self._rule
        importance = f"{rule.importance:g}" if rule else "10"
        with Vertical():
            yield Label(Text(f"Rule for {visible(self._column.name)}"), classes="title")
            if self._column.kind.ordered:
                low, high = (rule.low, rule.high) if isinstance(rule, Boundary) else ("", "")
                with Horizontal(classes="line"):
                    yield Label("keep up to")
                    yield Input(low, id="low", compact=True)
                with Horizontal(classes="line"):
                    yield Label("apart from, and above")
                    yield Input(high, id="high", compact=True)
            else:
                first, second = (rule.first, rule.second) if isinstance(rule, Apart) else ((), ())
                with Horizontal(classes="sets"):
                    yield self._values("first", "keep these", first)
                    yield self._values("second", "apart from these", second)
            with Horizontal(classes="line"):
                yield Label("importance")
                yield Input(importance, id="importance", compact=True)
            yield Static("", id="picture")
            yield Static("", id="error", classes="error")
            yield Static(Text(self._hint()), classes="hint")
            yield from self.buttons()

    def _hint(self) -> str:
        if self._column.kind.ordered:
            return "tab goes to the next field, enter or ctrl+r accepts"
        return "space picks values, tab goes on, ctrl+r accepts"

    def _values(self, name: str, title: str, chosen: tuple[str, ...]) -> CheckList[str]:
        counts = self._column.counts
        selections = [
            Selection(Text(f"{visible(value)}  {counts[code]:,}"), value, value in chosen)
            for code, value in enumerate(self._column.values)
        ]
        picker: CheckList[str] = CheckList(*selections, id=name)
        picker.border_title = title
        return picker

    def on_mount(self) -> None:
        self.check()

    def rule_of_form(self) -> Rule:
        """Return the rule of the form; raises InputError if it does not fit."""
        text = self.query_one("#importance", Input).value
        try:
            importance = float(text)
        except ValueError:
            raise InputError(f"importance '{text}' is not a number; write one above 0") from None
        if self._column.kind.ordered:
            low, high = (self.query_one(f"#{end}", Input).value.strip() for end in ("low", "high"))
            if not low or not high:
                raise InputError("write both sides of the boundary, for instance 64 and 65")
            rule: Rule = Boundary(low, high, importance)
        else:
            first, second = (
                tuple(
                    value
                    for value in self._column.values
                    if value in self.query_one(f"#{side}", SelectionList).selected
                )
                for side in ("first", "second")
            )
            if not first or not second:
                raise InputError("pick at least one value on either side")
            rule = Apart(first, second, importance)
        RuleTable(0.0, (rule,)).bind(self._column)
        return rule

    @on(Input.Changed)
    @on(SelectionList.SelectedChanged)
    def check(self) -> Rule | None:
        """Say what is wrong while the form is filled in, and draw the boundary."""
        error, rule = "", None
        try:
            rule = self.rule_of_form()
        except KanonError as problem:
            error = str(problem)
        self.query_one("#error", Static).update(Text(error))
        if isinstance(rule, Boundary):
            self.query_one("#picture", Static).update(
                Text(boundary_histogram(self._column, rule, 60))
            )
        return rule

    @on(Input.Submitted)
    def action_accept(self) -> None:
        rule = self.check()
        if rule is not None:
            self.dismiss(rule)
