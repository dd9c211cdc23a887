"""A form made from declared fields: entries, help, and a check as you type.

The form knows nothing of what the values are for: it shows `Field`s, keeps what was typed, and
says `Form.Changed` with all values once they are valid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.message import Message
from textual.widgets import Input, Label, Select, Static

from kanon_tui.core.errors import KanonError
from kanon_tui.core.fields.declaration import Field
from kanon_tui.core.text import visible
from kanon_tui.widgets.lists import Dropdown

__all__ = ["Form"]

AT_A_TIME = 4
"""Fields that are mounted together: a long form at once would hold the event loop."""


class Form(VerticalScroll, can_focus=False):
    """One line per field; what the focused one means stands below it."""

    DEFAULT_CSS = """
    Form { height: auto; max-height: 100%; }
    Form .field { height: 1; }
    Form .field Label { width: 18; }
    Form .field Input { width: 1fr; max-width: 24; }
    Form .field Select { width: 1fr; max-width: 24; height: 1; }
    Form .form-line { height: auto; display: none; }
    Form .form-line.-shown { display: block; }
    Form #form-help { color: $text-muted; }
    Form #form-error { color: $text-error; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "leave the field", key_display="esc", id="form.leave")
    ]

    @dataclass
    class Left(Message):
        """Escape in a field: typing is over, other keys work again."""

        form: Form

    @dataclass
    class Changed(Message):
        """A field was left with another value, and all values are valid."""

        form: Form
        values: dict[str, Any]

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._fields: tuple[Field, ...] = ()
        self._values: dict[str, Any] = {}
        self._entries: dict[str, Input | Select[Any]] = {}
        """What is typed into; while `_mounting`, those of the fields before."""
        self._rows: list[Horizontal] = []
        """A row for every field, once they are mounted."""
        self._mounting = False

    def compose(self) -> ComposeResult:
        """Fields are mounted by `show`; help and error stay."""
        yield Static("", id="form-help", classes="form-line")
        yield Static("", id="form-error", classes="form-line")

    def show(self, fields: Sequence[Field], values: Mapping[str, Any]) -> None:
        """Show these fields with these values (their defaults where none is given)."""
        wanted = {field.name: values.get(field.name, field.default) for field in fields}
        if tuple(fields) == self._fields:
            if wanted == self._values:
                return  # shown, or about to be: mounted twice, it would lose what is typed already
            if not self._mounting:
                self._values = wanted
                self._fill()
                return
        self._fields, self._values, self._mounting = tuple(fields), wanted, True
        self.call_next(self._mount_entries)

    async def _mount_entries(self) -> None:
        """Put the newest fields in the place of the others.

        The form's own messages come one after the other: no entry is removed before it is mounted,
        and nobody can cancel this half-way.
        """
        if not self._mounting:
            return
        fields, values = self._fields, self._values
        entries = {field.name: self._entry(field) for field in fields}
        rows = [
            Horizontal(Label(Text(name.replace("_", " "))), entry, classes="field")
            for name, entry in entries.items()
        ]
        with self.app.batch_update():
            await self.query(".field").remove()
            for start in range(0, len(rows), AT_A_TIME):
                await self.mount_all(rows[start : start + AT_A_TIME], before="#form-error")
        if not all(row.is_attached for row in rows):
            return  # whoever looked at the form has gone, and it with them
        self._entries, self._rows = entries, rows
        self._mounting = fields is not self._fields or values is not self._values
        if not self._mounting:
            self._show_meaningful()
        self._help("")

    def action_leave(self) -> None:
        """Tell the screen, which knows where the focus belongs."""
        self.post_message(self.Left(self))

    def focus_field(self, name: str) -> None:
        """Let somebody type into a field, if it is there, or as soon as it is."""

        def focus() -> None:
            if name in self._entries:
                self._entries[name].focus()

        self.call_next(focus)

    def _entry(self, field: Field) -> Input | Select[Any]:
        value, name = self._values[field.name], f"p-{field.name}"
        if field.type.name == "bool" or field.type.choices:
            # A checkbox would tell yes from no by its colour alone.
            options: list[tuple[str, Any]] = [("no", False), ("yes", True)]
            if field.type.choices:
                options = [(choice, choice) for choice in field.type.choices]
            return Dropdown(options, value=value, allow_blank=False, id=name, compact=True)
        placeholder = "not set" if field.type.optional else field.allowed
        return Input(field.text(value), placeholder=placeholder, id=name, compact=True)

    def _fill(self) -> None:
        for field in self._fields:
            entry, value = self._entries[field.name], self._values[field.name]
            with self.prevent(Input.Changed, Select.Changed):
                entry.value = field.text(value) if isinstance(entry, Input) else value
        self._show_meaningful()

    def _show_meaningful(self) -> None:
        """Fields that say something only with a switch are there while it is on."""
        for row, field in zip(self._rows, self._fields, strict=True):
            row.display = self._says_something(field)

    def _says_something(self, field: Field) -> bool:
        switch = self._entries.get(field.only_with)
        return switch is None or switch.value is True

    # -- reading

    def read(self) -> dict[str, Any]:
        """All values; raises the first that does not fit."""
        if self._mounting:
            return dict(self._values)
        return {field.name: self._read(field) for field in self._fields}

    def accept(self) -> dict[str, Any] | None:
        """All values as they are typed now, for whoever starts something with them.

        None when one does not fit: it then has the focus, and what is wrong stands below.
        """
        try:
            self._values = self.read()
        except KanonError:
            self.check()
            wrong = next(field.name for field in self._fields if not self._fits(field))
            self._entries[wrong].focus()
            return None
        return dict(self._values)

    @property
    def values(self) -> dict[str, Any]:
        """The values that were last valid."""
        return dict(self._values)

    def _fits(self, field: Field) -> bool:
        try:
            self._read(field)
        except KanonError:
            return False
        return True

    def _read(self, field: Field) -> Any:
        if not self._says_something(field):
            return self._values[field.name]  # nobody sees what stands there
        entry = self._entries[field.name]
        if isinstance(entry, Input):
            return field.parse(entry.value, "this form")
        return entry.value

    @on(Input.Changed)
    def check(self) -> None:
        """Say at once what does not fit."""
        error = ""
        try:
            self.read()
        except KanonError as problem:
            error = str(problem).removeprefix("this form: ")
        self._say("#form-error", error)

    @on(Input.Submitted)
    @on(Input.Blurred)
    @on(Select.Changed)
    def commit(self, event: Message) -> None:
        """Tell what changed, if all of it is valid."""
        event.stop()
        if self._mounting or event.control not in self._entries.values():
            return  # of a field that is on its way out
        self._show_meaningful()
        try:
            values = self.read()
        except KanonError:
            return
        if values != self._values:
            self._values = values
            self.post_message(self.Changed(self, values))

    # -- help for the focused field

    def on_descendant_blur(self) -> None:
        """Nothing to explain any more."""
        self._help("")

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Explain the field that has the focus."""
        self._help((event.widget.id or "").removeprefix("p-"))

    def _help(self, name: str) -> None:
        text = ""
        for row, field in zip(self._rows, self._fields, strict=False):
            if field.name == name:
                text = f"{field.help} ({field.allowed})."
                self.move_child(self.query_one("#form-help"), after=row)
        self._say("#form-help", text)

    def _say(self, line: str, text: str) -> None:
        said = self.query_one(line, Static)
        said.update(Text(visible(text)))
        said.set_class(bool(text), "-shown")
        if text:
            self.call_after_refresh(self._bring_into_view, said)

    def _bring_into_view(self, said: Static) -> None:
        """What is said, and then the field it is about, which matters more in a short terminal."""
        if not self.is_attached:  # the screen was closed before it was drawn
            return
        said.scroll_visible(animate=False)
        if self.screen.focused is not None and self in self.screen.focused.ancestors:
            self.screen.focused.scroll_visible(animate=False)
