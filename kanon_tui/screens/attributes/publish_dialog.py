"""How an attribute is published: what a class prints, or what becomes of an identifier."""

from __future__ import annotations

from typing import Any

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Label, Select, Static

from kanon_tui.core.errors import KanonError
from kanon_tui.core.fields.declaration import fields_of
from kanon_tui.core.project.attribute import AttributeSpec
from kanon_tui.core.table.column import Column
from kanon_tui.core.table.end_coding import CodedBounds, code_ends
from kanon_tui.core.table.schema import Role
from kanon_tui.core.text import visible
from kanon_tui.widgets.dialogs import FormDialog
from kanon_tui.widgets.form import Form
from kanon_tui.widgets.lists import Dropdown

__all__ = ["PublishDialog", "can_choose"]

_NUMBERS = [
    ("range: [20..35]", ""), ("mean of the class", "mean"), ("median of the class", "median"),
    ("label of the hierarchy", "hierarchy"),
]  # fmt: skip
_CATEGORIES = [
    ("label above the values, or their set", ""), ("set: {A|B}", "set"),
    ("most frequent value of the class", "mode"),
]  # fmt: skip
_IDENTIFIER = [("left out", "drop"), ("pseudonyms, by a key file", "pseudonym")]
_EXPLAINED = {
    "mean": "All members get the mean, with as many decimals as the data; figures measure the "
    "range. Where one record dominates a class the run warns.",
    "median": "All members get the median; figures measure the range of the class.",
    "mode": "All members get the most frequent value; figures measure the values of the class.",
    "hierarchy": "The label above the values of the class, as if they were categories.",
    "set": "The values of the class, also where there is a hierarchy.",
    "drop": "Never published.",
    "pseudonym": "! Who has the key file can undo pseudonyms: keep it apart from every release. "
    "A release is refused where pseudonyms join rows that give somebody away.",
}


_ENDS = tuple(field for field in fields_of(AttributeSpec) if field.name in ("top", "bottom"))


def can_choose(spec: AttributeSpec) -> bool:
    """Whether there is something to choose for the role of an attribute."""
    return spec.role in (Role.QUASI, Role.IDENTIFIER)


class PublishDialog(FormDialog):
    """Gives what changes in the attribute, or None."""

    HELP = """## How an attribute is published

**Quasi-identifiers**: what a class prints. Usual are the range of numbers and dates and the label
above categories. *mean*, *median* and *most frequent* give all members one value; NCP and research
value then measure the range (or the values) of the class, since one value hides it.

Numbers and dates can be **coded at their ends** before anything else: with *top* 90 all ages of 90
and more are published as `>=90`, with *bottom* 18 all up to 18 as `<=18`. An empty field codes
nothing. Figures count such a value as all that it hides.

**Identifiers** are left out, or published as pseudonyms: the same person gets the same code, which
only the key file can undo. The file is made when a release is, readable by you alone.

`ctrl+r` accepts. Example: on *age* type 85 as *top*, run, and look for `>=85` in Results.
"""
    DEFAULT_CSS = """
    PublishDialog .field { height: 1; }
    PublishDialog .field Label { width: 18; }
    PublishDialog .field Select { width: 1fr; height: 1; }
    PublishDialog #meaning { margin-top: 1; height: 3; }
    PublishDialog #ends { height: auto; }
    """

    def __init__(self, name: str, spec: AttributeSpec, column: Column | None = None) -> None:
        """With the column of a number or date its ends can be coded, too."""
        super().__init__()
        self._name_shown, self._spec, self._column = name, spec, column
        self._coded = spec.role is Role.IDENTIFIER

    def compose(self) -> ComposeResult:
        ordered = self._spec.kind is not None and self._spec.kind.ordered
        choices = _IDENTIFIER if self._coded else _NUMBERS if ordered else _CATEGORIES
        usual = {"range", "ancestor"}
        value = self._spec.identifier if self._coded else self._spec.publish or ""
        value = "" if value in usual or value not in [each for _, each in choices] else value
        options: list[tuple[Any, str]] = [(Text(title), each) for title, each in choices]
        with Vertical():
            yield Label(Text(f"How is {visible(self._name_shown)} published?"), classes="title")
            with Horizontal(classes="field"):
                yield Label("published" if self._coded else "a class has")
                yield Dropdown(options, value=value, allow_blank=False, compact=True, id="publish")
            if self._column is not None:
                yield Form(id="ends")
            yield Static("", id="meaning", classes="hint")
            yield Static("", id="problem", classes="error")
            yield from self.buttons()

    def on_mount(self) -> None:
        for form in self.query(Form):
            form.show(_ENDS, {field.name: getattr(self._spec, field.name) for field in _ENDS})

    @on(Select.Changed, "#publish")
    def follow(self, event: Select.Changed) -> None:
        """Say what the choice means."""
        self.query_one("#meaning", Static).update(Text(_EXPLAINED.get(str(event.value), "")))

    def action_accept(self) -> None:
        value = str(self.query_one("#publish", Select).value)
        if self._coded:
            self.dismiss({"identifier": value})
            return
        changes: dict[str, Any] = {"publish": value or None}
        for form in self.query(Form):
            typed = form.accept()
            if typed is None or self._column is None:
                return
            try:
                code_ends(self._column, CodedBounds(**typed))
            except KanonError as error:
                self.query_one("#problem", Static).update(Text(visible(str(error))))
                form.focus_field(_ENDS[0].name)
                return
            changes |= typed
        self.dismiss(changes)
