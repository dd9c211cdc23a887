"""The dialogs of an export: how text is written, the texts of the report, the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Button, Input, Label, Select, Static, TextArea

from kanon_tui.core.fields.declaration import fields_of
from kanon_tui.core.project.sections import ReportTexts
from kanon_tui.core.table.csv_format import CsvChoice, CsvFormat
from kanon_tui.core.text import visible
from kanon_tui.screens.copying import send
from kanon_tui.services.host import Hosted
from kanon_tui.widgets.dialogs import Dialog, FormDialog
from kanon_tui.widgets.lists import Dropdown

__all__ = ["CommandDialog", "CsvDialog", "SigningDialog"]

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

    HELP = """## How text is written

A release looks like the file it was made from: the same delimiter, encoding, line ends and quotes.
Choose otherwise if somebody needs it so. The choice is kept in the project (`output`), and holds
for `kanon-tui run --out` as well. Files that end in .tsv always have tabs.

Example: *UTF-8 with a mark* opens in Excel with its accents right.
"""
    DEFAULT_CSS = """
    CsvDialog .field { height: 1; }
    CsvDialog .field Label { width: 12; }
    CsvDialog .field Select { width: 1fr; height: 1; }
    CsvDialog #result { margin-top: 1; height: auto; }
    """

    def __init__(self, choice: CsvChoice, source: CsvFormat | None) -> None:
        super().__init__()
        self._choice, self._source = choice, source

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Label("How is text written?", classes="title")
            for name, choices in CHOICES.items():
                value = getattr(self._choice, name)
                if value not in [choice for _, choice in choices]:
                    choices = [*choices, (repr(value), value)]
                options: list[tuple[Any, str]] = [(Text(title), each) for title, each in choices]
                with Horizontal(classes="field"):
                    yield Label(name.replace("_", " "))
                    yield Dropdown(options, value=value, allow_blank=False, compact=True, id=name)
            yield Static(id="result", classes="hint")
            yield from self.buttons()

    def on_mount(self) -> None:
        self.follow()

    def chosen(self) -> CsvChoice:
        """Return the choices of the form."""
        return CsvChoice(
            **{name: str(self.query_one(f"#{name}", Select).value) for name in CHOICES}
        )

    @on(Select.Changed)
    def follow(self) -> None:
        """Say what would be written."""
        if self.is_mounted:
            written = self.chosen().resolved(self._source, Path("release.csv"))
            self.query_one("#result", Static).update(
                Text(f"a .csv file is written with: {written}")
            )

    def action_accept(self) -> None:
        self.dismiss(self.chosen())


_SEVERAL = ("decisions", "signed_by")
"""Fields with several entries, one per line."""


class SigningDialog(FormDialog):
    """Asks for the texts of the report; gives `ReportTexts` or None."""

    HELP = """## The page to sign

A report begins with a page for those who answer for the release. It says what the release is for
and who gets it, and ends with what was decided and a line for every signature. These texts are
kept in the project (`report`), and stand in the report as they are written here.

*decisions* and *signed by* take a line each: `k = 5, by the data protection officer`.

`ctrl+r` accepts; `tab` goes to the next field. Example: type a purpose, accept, then export the
*report*: it stands under its title.
"""
    DEFAULT_CSS = """
    SigningDialog .field { height: 1; }
    SigningDialog .field Label { width: 12; }
    SigningDialog .tall, SigningDialog .tall TextArea { height: 4; }
    SigningDialog TextArea { border: none; padding: 0; width: 1fr; }
    SigningDialog Input { width: 1fr; }
    SigningDialog #meaning { margin-top: 1; height: 1; }
    """

    def __init__(self, texts: ReportTexts) -> None:
        super().__init__()
        self._texts = texts

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Label("What does the report say?", classes="title")
            for field in fields_of(ReportTexts):
                value = getattr(self._texts, field.name)
                several = field.name in _SEVERAL
                with Horizontal(classes="field tall" if several else "field"):
                    yield Label(field.name.replace("_", " "))
                    if several:
                        yield TextArea("\n".join(value), compact=True, id=field.name)
                    else:
                        yield Input(value, compact=True, id=field.name)
            yield Static(id="meaning", classes="hint")
            yield from self.buttons()

    def on_descendant_focus(self) -> None:
        """Say what the field is for."""
        helps = {field.name: field.help for field in fields_of(ReportTexts)}
        focused = self.focused.id if self.focused is not None else None
        text = helps.get(focused or "", "")
        if focused in _SEVERAL:
            text += "; one on each line"
        self.query_one("#meaning", Static).update(Text(text))

    def typed(self) -> ReportTexts:
        """Return the texts of the fields."""
        return ReportTexts(
            purpose=self._line("purpose"),
            recipients=self._line("recipients"),
            decisions=self._lines("decisions"),
            signed_by=self._lines("signed_by"),
        )

    def _line(self, name: str) -> str:
        return self.query_one(f"#{name}", Input).value.strip()

    def _lines(self, name: str) -> tuple[str, ...]:
        lines = self.query_one(f"#{name}", TextArea).text.splitlines()
        return tuple(line.strip() for line in lines if line.strip())

    def action_accept(self) -> None:
        self.dismiss(self.typed())


class CommandDialog(Hosted, Dialog):
    """Shows the command that makes the release again; gives True to save it to a file."""

    HELP = """## The command line

What makes this release again without the application, from the same project file. `y` sends it to
the terminal, `s` writes it to a file. What keeps it from being exact, such as unsaved changes,
stands below it.
"""

    DEFAULT_CSS = """
    CommandDialog > Vertical { width: 90; }
    CommandDialog VerticalScroll { height: auto; max-height: 12; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "copy", "Copy"),
        Binding("s", "save", "Save to a file"),
    ]

    def __init__(self, command: str, problem: str) -> None:
        super().__init__()
        self.command, self.problem = command, problem

    def compose(self) -> ComposeResult:
        """Lay out the command, what keeps it from being exact, and the buttons."""
        with Vertical():
            yield Label("Command line that makes this release again", classes="title")
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
        send(self.host, self, self.command, "the command line")

    def action_save(self) -> None:
        self.dismiss(True)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "copy":
            self.action_copy()
        else:
            self.dismiss(event.button.id == "save")
