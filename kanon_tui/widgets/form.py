"""A form made from declared fields: entries, help, and a check as you type.

The form shows `Field`s, keeps what was typed, and posts `Form.Changed` with all values once they
are valid. It does not know what the values are for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import dedent
from typing import Any, ClassVar

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.message import Message
from textual.widgets import Input, Label, Select, Static, TextArea

from kanon_tui.core.errors import KanonError, in_screen_words
from kanon_tui.core.fields.declaration import Field
from kanon_tui.core.text import visible
from kanon_tui.widgets.lists import Dropdown

Options = Mapping[str, Sequence[tuple[str, Any]]]
"""Titles and values of a drop-down, by the name of its field."""
Entry = Input | Select[Any] | TextArea

AT_A_TIME = 4
"""Fields that are mounted at once: a long form would block the event loop."""


class Form(VerticalScroll, can_focus=False):
    """A line per field, with an explanation below the focused one.

    A field with `options` or choices is a drop-down, one of several lines a text area.
    """

    DEFAULT_CSS = """
    Form { height: auto; max-height: 100%; }
    Form .field { height: 1; }
    Form .tall, Form .tall TextArea { height: 4; }
    Form TextArea { border: none; padding: 0; width: 1fr; }
    Form .field Label { width: 18; }
    Form .field Input { width: 1fr; max-width: 24; }
    Form .field Select { width: 1fr; max-width: 24; height: 1; }
    Form .form-line { height: auto; display: none; }
    Form .form-line.-shown { display: block; }
    Form #form-help { color: $text-muted; }
    Form #form-error { color: $text-error; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "leave the field", id="form.leave")
    ]

    @dataclass
    class OfForm(Message):
        """A message about a form."""

        form: Form

    class Left(OfForm):
        """Escape was pressed in a field: the screen may take the focus."""

    class Checked(OfForm):
        """The typed text became valid, or invalid for another reason."""

    class Changed(OfForm):
        """A field was left with another value, and all values are valid."""

    def __init__(
        self,
        fields: Sequence[Field] = (),
        values: Mapping[str, Any] | None = None,
        options: Options | None = None,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id)
        self._fields = tuple(fields)
        self._values = _complete(fields, values or {})
        self._options = options or {}
        self._entries: dict[str, Entry] = {}
        """The entry of each field; while `_mounting`, those of the fields before."""
        self._rows: list[Horizontal] = []
        """The row of each field, once they are mounted."""
        self._mounting = False
        self.error = ""
        """What is wrong with the typed text; empty if nothing is."""

    def compose(self) -> ComposeResult:
        """Yield the fields that are known, and the lines of help and error."""
        self._entries = {field.name: self._entry(field) for field in self._fields}
        self._rows = _rows(self._entries)
        yield Static("", id="form-help", classes="form-line")
        yield from self._rows
        yield Static("", id="form-error", classes="form-line")

    def show(self, fields: Sequence[Field], values: Mapping[str, Any]) -> None:
        """Show these fields with these values (their defaults where none is given)."""
        wanted = _complete(fields, values)
        if tuple(fields) == self._fields:
            if wanted == self._values:
                return  # mounted again, it would lose what was typed
            if not self._mounting:
                self._values = wanted
                self._fill()
                return
        self._fields = tuple(fields)
        self._values = wanted
        self._mounting = True
        self.call_next(self._mount_entries)

    async def _mount_entries(self) -> None:
        """Replace the entries by those of the newest fields.

        It runs in the form's own message loop: no entry is removed before it is mounted, and it is
        never cancelled half-way.
        """
        if not self._mounting:
            return
        fields = self._fields
        values = self._values
        entries = {field.name: self._entry(field) for field in fields}
        rows = _rows(entries)
        with self.app.batch_update():
            await self.query(".field").remove()
            for start in range(0, len(rows), AT_A_TIME):
                await self.mount_all(rows[start : start + AT_A_TIME], before="#form-error")
        if not all(row.is_attached for row in rows):
            return  # the form was removed meanwhile
        self._entries = entries
        self._rows = rows
        self._mounting = fields is not self._fields or values is not self._values
        if not self._mounting:
            self._show_relevant_fields()
        self._help("")
        self.check()

    def action_leave(self) -> None:
        """Post `Left`, so that the screen moves the focus."""
        self.post_message(self.Left(self))

    def focus_field(self, name: str) -> None:
        """Focus a field, as soon as it is mounted."""

        def focus() -> None:
            if name in self._entries:
                self._entries[name].focus()

        self.call_next(focus)

    def _entry(self, field: Field) -> Entry:
        value = self._values[field.name]
        name = f"p-{field.name}"
        options = list(self._options.get(field.name, ()))
        if not options and field.type.name == "bool":
            options = [("no", False), ("yes", True)]  # a checkbox shows them by colour alone
        elif not options:
            options = [(choice, choice) for choice in field.type.choices]
        if options:
            if value not in [each for _, each in options]:
                options.append((repr(value), value))
            titled: list[tuple[Any, Any]] = [
                (Text(visible(title)), each) for title, each in options
            ]
            return Dropdown(titled, value=value, allow_blank=False, id=name, compact=True)
        if field.type.name == "lines":
            return TextArea(field.text(value), id=name, compact=True)
        placeholder = "not set" if field.type.optional else field.allowed
        return Input(field.text(value), placeholder=placeholder, id=name, compact=True)

    def _fill(self) -> None:
        for field in self._fields:
            entry = self._entries[field.name]
            value = self._values[field.name]
            with self.prevent(Input.Changed, Select.Changed, TextArea.Changed):
                if isinstance(entry, Select):
                    entry.value = value
                else:
                    _write(entry, field.text(value))
        self._show_relevant_fields()
        self.check()

    def _show_relevant_fields(self) -> None:
        """Show the fields that have a meaning now: some need a switch to be on."""
        for row, field in zip(self._rows, self._fields, strict=True):
            row.display = self._is_relevant(field)

    def _is_relevant(self, field: Field) -> bool:
        switch = self._entries.get(field.only_with)
        return not isinstance(switch, Select) or switch.value is True

    # -- reading

    def read(self) -> dict[str, Any]:
        """Return all values; raise `InputError` for the first that is not valid."""
        if self._mounting:
            return dict(self._values)
        return {field.name: self._read(field) for field in self._fields}

    def accept(self) -> dict[str, Any] | None:
        """Return all values as they are typed now, or None if one is not valid.

        That one gets the focus, and the error stands below.
        """
        invalid, _ = self._problem()
        if invalid:
            self.check()
            self._entries[invalid].focus()
            return None
        self._values = self.read()
        return dict(self._values)

    @property
    def values(self) -> dict[str, Any]:
        """The values that were last valid."""
        return dict(self._values)

    def _problem(self) -> tuple[str, str]:
        """Return the first field that is not valid and why; empty texts if all are."""
        for field in () if self._mounting else self._fields:
            try:
                self._read(field)
            except KanonError as error:
                return field.name, in_screen_words(error).removeprefix("this form: ")
        return "", ""

    def _read(self, field: Field) -> Any:
        if not self._is_relevant(field):
            return self._values[field.name]  # it is not shown
        entry = self._entries[field.name]
        if isinstance(entry, Select):
            return entry.value
        typed = entry.value if isinstance(entry, Input) else dedent(entry.text)
        return field.parse(typed, "this form")

    @on(Input.Changed)
    @on(TextArea.Changed)
    def check(self) -> None:
        """Show an error as soon as a value is not valid."""
        _, error = self._problem()
        if error != self.error:
            self.error = error
            self.post_message(self.Checked(self))
        self._show_line("#form-error", error)

    @on(Input.Submitted)
    @on(Input.Blurred)
    @on(Select.Changed)
    def commit(self, event: Message) -> None:
        """Post the values if they have changed and all are valid."""
        if not isinstance(event, Input.Submitted):
            event.stop()
        if self._mounting or event.control not in self._entries.values():
            return  # of a field that is being removed
        self._show_relevant_fields()
        if not self._problem()[0] and (values := self.read()) != self._values:
            self._values = values
            self.post_message(self.Changed(self))

    # -- help for the focused field

    def on_descendant_blur(self) -> None:
        """Remove the explanation."""
        self._help("")

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Explain the focused field."""
        self._help((event.widget.id or "").removeprefix("p-"))

    def _help(self, name: str) -> None:
        text = ""
        for row, field in zip(self._rows, self._fields, strict=False):
            if field.name == name and field.help:
                text = f"{field.help} ({field.allowed})."
                self.move_child(self.query_one("#form-help"), after=row)
        self._show_line("#form-help", text)

    def _show_line(self, selector: str, text: str) -> None:
        line = self.query_one(selector, Static)
        line.update(Text(visible(text)))
        line.set_class(bool(text), "-shown")
        if text:
            self.call_after_refresh(self._scroll_to_line, line)

    def _scroll_to_line(self, line: Static) -> None:
        """Scroll to a line, then to the focused field, which matters more in a short terminal."""
        if not self.is_attached:  # the screen was closed meanwhile
            return
        line.scroll_visible(animate=False)
        if self.screen.focused is not None and self in self.screen.focused.ancestors:
            self.screen.focused.scroll_visible(animate=False)


def _complete(fields: Sequence[Field], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a value for every field: the given one or its default."""
    return {field.name: values.get(field.name, field.default) for field in fields}


def _rows(entries: Mapping[str, Entry]) -> list[Horizontal]:
    """Return a line with label and entry for every field."""
    return [
        Horizontal(
            Label(Text(name.replace("_", " "))),
            entry,
            classes="field tall" if isinstance(entry, TextArea) else "field",
        )
        for name, entry in entries.items()
    ]


def _write(entry: Input | TextArea, text: str) -> None:
    if isinstance(entry, Input):
        entry.value = text
    else:
        entry.text = text
