"""How the text of a release is written: delimiter, encoding, line ends, quotes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Label, Select, Static

from kanon_tui.core.table.csv_format import CsvChoice, CsvFormat
from kanon_tui.widgets.dialogs import FormDialog
from kanon_tui.widgets.lists import Dropdown

__all__ = ["CsvDialog"]

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
"""Per key the choices with their titles."""


class CsvDialog(FormDialog):
    """Gives a `CsvChoice`, or None."""

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
        """What the form says."""
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
