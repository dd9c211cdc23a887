"""The dialogs of an export: how text is written, the texts of the report, the command line."""

from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Button, Static

from kanon_tui.core.fields.declaration import fields_of, lines
from kanon_tui.core.project.sections import ReportTexts
from kanon_tui.core.table.csv_format import CsvChoice, CsvFormat
from kanon_tui.core.text import visible
from kanon_tui.screens.copying import send
from kanon_tui.services.host import Hosted
from kanon_tui.widgets.dialogs import Dialog, FormDialog

CHOICES: dict[str, list[tuple[str, str]]] = {
    "delimiter": [
        ("as in the data", "auto"), ("comma", ","), ("semicolon", ";"), ("tab", "\t"),
        ("bar |", "|"),
    ],
    "encoding": [
        ("as in the data", "auto"), ("UTF-8", "utf-8"), ("UTF-8 with a mark (Excel)", "utf-8-sig"),
        ("Latin-1", "latin-1"), ("Windows (cp1252)", "cp1252"), ("UTF-16", "utf-16"),
    ],
    "line_ends": [
        ("as in the data", "auto"), ("LF (Unix)", "lf"), ("CR LF (Windows)", "crlf"), ("CR", "cr"),
    ],
    "quoting": [
        ("as in the data", "auto"), ("where needed", "necessary"), ("texts", "texts"),
        ("all cells", "always"),
    ],
}  # fmt: skip
"""The choices of each option, with their titles."""


class CsvDialog(FormDialog):
    """Asks how text is written; gives a `CsvChoice` or None."""

    def __init__(self, choice: CsvChoice, source: CsvFormat | None) -> None:
        values = {name: getattr(choice, name) for name in CHOICES}
        super().__init__("How is text written?", fields_of(CsvChoice), values, CHOICES)
        self._source = source

    def below(self) -> ComposeResult:
        yield Static(id="result", classes="hint")

    def follow(self, values: dict[str, Any]) -> None:
        """Say what would be written."""
        written = CsvChoice(**values).resolved(self._source, Path("release.csv"))
        self.query_one("#result", Static).update(Text(f"a .csv file is written with: {written}"))

    def answer(self, values: dict[str, Any]) -> CsvChoice:
        return CsvChoice(**values)


SIGNED = tuple(
    replace(field, type=lines()) if isinstance(field.default, tuple) else field
    for field in fields_of(ReportTexts)
)
"""The fields of the report's texts; those with several entries have one per line."""


class SigningDialog(FormDialog):
    """Asks for the texts of the report; gives `ReportTexts` or None."""

    def __init__(self, texts: ReportTexts) -> None:
        super().__init__("What does the report say?", SIGNED, vars(texts))

    def answer(self, values: dict[str, Any]) -> ReportTexts:
        return ReportTexts(**values)


class CommandDialog(Hosted, Dialog):
    """Shows the command that makes the release again; gives True to save it to a file."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "copy", "Copy"),
        Binding("s", "save", "Save to a file"),
    ]

    def __init__(self, command: str, problem: str) -> None:
        super().__init__("Command line that makes this release again")
        self.command, self.problem = command, problem

    def content(self) -> ComposeResult:
        """Yield the command, what keeps it from being exact, and the buttons."""
        with VerticalScroll(can_focus=False):
            yield Static(Text(visible(self.command)), id="command")
        if self.problem:
            yield Static(Text(f"! Not yet exact: {self.problem}."), classes="error")
        else:
            yield Static(Text("✓ It makes the same release."), classes="good")
        with Horizontal(id="buttons"):
            yield Button("Copy (y)", id="copy", compact=True)
            yield Button("Save to a file (s)", id="save", compact=True)
            yield Button("Close", id="close", variant="primary", compact=True)

    def action_copy(self) -> None:
        send(self.host, self, lambda: self.command, "the command line")

    def action_save(self) -> None:
        self.dismiss(True)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "copy":
            self.action_copy()
        else:
            self.dismiss(event.button.id == "save")
