"""The form for one rule: a boundary with a histogram, or two sets of values to keep apart."""

from typing import Any

import numpy as np
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import SelectionList, Static
from textual.widgets.selection_list import Selection

from kanon_tui.core.errors import InputError, KanonError
from kanon_tui.core.fields.declaration import Field, text
from kanon_tui.core.table.column import Column
from kanon_tui.core.task.rules import Apart, Boundary, Rule, RuleTable
from kanon_tui.core.text import sparkline, visible
from kanon_tui.widgets.dialogs import FormDialog
from kanon_tui.widgets.lists import CheckList

LOW = Field("keep_up_to", text(), "")
HIGH = Field("apart_from_and_above", text(), "")
IMPORTANCE = Field("importance", text(), "10")


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

    def __init__(self, column: Column, rule: Rule | None) -> None:
        values: dict[str, Any] = {"importance": f"{rule.importance:g}"} if rule else {}
        if isinstance(rule, Boundary):
            values |= {LOW.name: rule.low, HIGH.name: rule.high}
        fields = [LOW, HIGH, IMPORTANCE] if column.kind.ordered else [IMPORTANCE]
        super().__init__(f"Rule for {column.name}", fields, values)
        self._column, self._rule = column, rule

    def content(self) -> ComposeResult:
        rule = self._rule
        first, second = (rule.first, rule.second) if isinstance(rule, Apart) else ((), ())
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
        picker: CheckList[str] = CheckList(*selections, id=name)
        picker.border_title = title
        return picker

    def answer(self, values: dict[str, Any]) -> Rule:
        typed = values["importance"]
        try:
            importance = float(typed)
        except ValueError:
            raise InputError(f"importance '{typed}' is not a number; write one above 0") from None
        if self._column.kind.ordered:
            low, high = values[LOW.name], values[HIGH.name]
            if not low or not high:
                raise InputError("write both sides of the boundary, for instance 64 and 65")
            rule: Rule = Boundary(low, high, importance)
        else:
            first, second = (self._picked(side) for side in ("first", "second"))
            if not first or not second:
                raise InputError("pick at least one value on either side")
            rule = Apart(first, second, importance)
        RuleTable(0.0, (rule,)).bind(self._column)
        return rule

    def _picked(self, side: str) -> tuple[str, ...]:
        picked = self.query_one(f"#{side}", SelectionList).selected
        return tuple(value for value in self._column.values if value in picked)

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
