"""A form made from declared parameters: fields, help, and a check as you type.

The form knows nothing of what the values are for: it shows `Parameter`s, keeps what was typed,
and says `Form.Changed` with all values once they are valid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Label, Select, Static

from kanon_tui.core.errors import KanonError
from kanon_tui.core.fields.declaration import Parameter, parse_text

__all__ = ["Form"]


class Form(VerticalScroll, can_focus=False):
    """One line per parameter; what the focused one means stands below."""

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

    @dataclass
    class Changed(Message):
        """A field was left with another value, and all values are valid."""

        form: Form
        values: dict[str, Any]

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._parameters: Sequence[Parameter] = ()
        self._values: dict[str, Any] = {}

    def compose(self) -> ComposeResult:
        """Fields are mounted by `show`; help and error stay."""
        yield Static("", id="form-help", classes="form-line")
        yield Static("", id="form-error", classes="form-line")

    async def show(self, parameters: Sequence[Parameter], values: Mapping[str, Any]) -> None:
        """Show these parameters with these values (their defaults where none is given)."""
        wanted = {p.name: values.get(p.name, p.default) for p in parameters}
        if tuple(parameters) == tuple(self._parameters):
            if wanted != self._values:
                self._values = wanted
                self._fill()
            return
        self._parameters, self._values = tuple(parameters), wanted
        await self.query(".field").remove()
        await self.mount_all([self._field(p) for p in parameters], before="#form-help")
        self._help("")

    def _field(self, parameter: Parameter) -> Horizontal:
        value = self._values[parameter.name]
        title = Label(Text(parameter.name.replace("_", " ")))
        entry: Widget
        if parameter.type == "bool" or parameter.choices:
            # A checkbox would tell yes from no by its colour alone.
            options: list[tuple[str, Any]] = [("no", False), ("yes", True)]
            if parameter.choices:
                options = [(choice, choice) for choice in parameter.choices]
            entry = Select(
                options, value=value, allow_blank=False, id=f"p-{parameter.name}", compact=True
            )
        else:
            shown = (
                "" if value is None else f"{value:g}" if parameter.type == "float" else str(value)
            )
            placeholder = "not set" if parameter.optional else parameter.allowed
            entry = Input(shown, placeholder=placeholder, id=f"p-{parameter.name}", compact=True)
        return Horizontal(title, entry, classes="field")

    def _fill(self) -> None:
        for parameter in self._parameters:
            entry = self.query_one(f"#p-{parameter.name}")
            value = self._values[parameter.name]
            with self.prevent(Input.Changed, Select.Changed):
                if isinstance(entry, Input):
                    entry.value = (
                        ""
                        if value is None
                        else f"{value:g}"
                        if parameter.type == "float"
                        else str(value)
                    )
                elif isinstance(entry, Select):
                    entry.value = value

    # -- reading

    def read(self) -> dict[str, Any]:
        """All values; raises the first that does not fit."""
        return {parameter.name: self._read(parameter) for parameter in self._parameters}

    def _read(self, parameter: Parameter) -> Any:
        entry = self.query_one(f"#p-{parameter.name}")
        if isinstance(entry, Input):
            return parse_text(parameter, entry.value, "this form")
        assert isinstance(entry, Select)
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
        for parameter in self._parameters:
            if parameter.name == name:
                text = f"{parameter.help} ({parameter.allowed})."
        self._say("#form-help", text)

    def _say(self, line: str, text: str) -> None:
        said = self.query_one(line, Static)
        said.update(Text(text))
        said.set_class(bool(text), "-shown")
        if text:
            self.call_after_refresh(self._bring_into_view, said)

    def _bring_into_view(self, said: Static) -> None:
        """What is said, and then the field it is about, which matters more in a short terminal."""
        said.scroll_visible(animate=False)
        if self.screen.focused is not None and self in self.screen.focused.ancestors:
            self.screen.focused.scroll_visible(animate=False)
