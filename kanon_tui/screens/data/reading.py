"""How the file is read: delimiter, encoding, header, quotes, missing; with a preview."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Grid as FormGrid
from textual.containers import Vertical
from textual.widgets import Input, Label, Select, Static

from kanon_tui.core.editing.session import Session
from kanon_tui.core.project.project import DataSource
from kanon_tui.core.table.dates import DATE_FORMATS, date_text
from kanon_tui.core.table.numbers import DECIMAL_MARKS
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.table import Table
from kanon_tui.core.text import visible
from kanon_tui.services.host import Hosted
from kanon_tui.widgets.dialogs import FormDialog
from kanon_tui.widgets.grid import Grid
from kanon_tui.widgets.grid_sources import FrameSource
from kanon_tui.widgets.lists import Dropdown

__all__ = ["ReadingDialog"]

DELIMITERS = [
    ("detect", "auto"), ("comma", ","), ("semicolon", ";"), ("tab", "\t"), ("bar |", "|"),
    ("space", " "),
]  # fmt: skip
ENCODINGS = [(name, name) for name in ("auto", "utf-8", "latin-1", "cp1252", "utf-16")]
HEADERS: list[tuple[str, Any]] = [("detect", "auto"), ("first row", True), ("none", False)]
QUOTES = [("detect", "auto"), ('double "', '"'), ("single '", "'"), ("none", "none")]
DECIMALS = [("detect", "auto"), *((f"{mark} as in 1{mark}5", mark) for mark in DECIMAL_MARKS)]
THOUSANDS = [
    ("detect", "auto"), ("none", "none"), (". as in 1.000", "."), (", as in 1,000", ","),
    ("space as in 1 000", " "), ("' as in 1'000", "'"),
]  # fmt: skip
_DAY = 10_956
DATES = [("detect", "auto"), *((date_text(_DAY, each), each) for each in DATE_FORMATS)]
POLICIES = [("a value of its own", "value"), ("drop the record", "drop")]


class ReadingDialog(Hosted, FormDialog):
    """Asks how the file is read, with a preview; gives a `DataSource` or None."""

    HELP = """## How the file is read

`tab` goes from field to field, `enter` opens a list, the preview follows. *detect* looks at the
file. Missing tokens are words that stand for nothing (`?`, `NA`), with commas between; a record
without a value is kept with *missing* as a value of its own, or dropped. Of a workbook choose the
sheet, of a database the table, or type a query. `ctrl+r` reads the file so; roles and hierarchies
of columns that are still there stay.
"""

    DEFAULT_CSS = """
    ReadingDialog > Vertical { width: 90; height: 90%; }
    ReadingDialog FormGrid, ReadingDialog #form {
        grid-size: 4; grid-columns: 10 1fr 10 1fr; grid-rows: 1; height: auto; grid-gutter: 0 1;
    }
    ReadingDialog Select { width: 1fr; height: 1; }
    ReadingDialog Input { height: 1; }
    ReadingDialog #preview { height: 1fr; margin-top: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+r", "accept", "Read so")]

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._data = session.project.data

    def compose(self) -> ComposeResult:
        options = self._data.read_options
        with Vertical():
            yield Label("How is this file read?", classes="title")
            with FormGrid(id="form"):
                for title, name, choices, value in self._selects():
                    yield Label(title)
                    yield _select(name, choices, value)
                yield Label("tokens")
                yield Input(", ".join(options.missing_tokens), id="tokens", compact=True)
                if self._of_database:
                    yield Label("query")
                    yield Input(
                        options.query, id="query", compact=True, placeholder="SELECT … FROM …"
                    )
            yield Static(
                "tokens: what stands for a missing cell, with commas between; an empty one comes "
                "first in “, ?, NA”",
                classes="hint",
            )
            yield Static("", id="error", classes="error")
            yield Grid(name_width=5, id="preview")
            yield from self.buttons("Read so")

    @property
    def _of_database(self) -> bool:
        facts = self._session.table.facts
        return facts is not None and facts.format in ("sqlite", "duckdb", "database")

    def _selects(self) -> list[tuple[str, str, list[tuple[str, Any]], Any]]:
        """Return title, name, choices and value of the options for this kind of file."""
        options, facts = self._data.read_options, self._session.table.facts
        found: list[tuple[str, str, list[tuple[str, Any]], Any]] = []
        if facts is None or facts.csv is not None:
            found += [
                ("delimiter", "delimiter", DELIMITERS, options.delimiter),
                ("encoding", "encoding", ENCODINGS, options.encoding),
                ("header", "header", HEADERS, options.header),
                ("quotes", "quote", QUOTES, options.quote),
            ]
        elif facts.format == "excel":
            found.append(("header", "header", HEADERS, options.header))
        if facts is not None and facts.parts:
            title = "sheet" if facts.format == "excel" else "table"
            parts = [(visible(part), part) for part in facts.parts]
            found.append((title, "sheet", [("the first", "auto"), *parts], options.sheet))
        return [
            *found,
            ("decimals", "decimal", DECIMALS, options.formats.decimal),
            ("thousands", "thousands", THOUSANDS, options.formats.thousands),
            ("dates", "dates", DATES, options.formats.dates),
            ("missing", "policy", POLICIES, self._data.missing_policy),
        ]

    def on_mount(self) -> None:
        self.follow()

    def chosen(self) -> DataSource:
        tokens = tuple(token.strip() for token in self.query_one("#tokens", Input).value.split(","))
        values: dict[str, Any] = {
            name: self.query_one(f"#{name}", Select).value for _, name, _, _ in self._selects()
        }
        if self._of_database:
            values["query"] = self.query_one("#query", Input).value.strip()
        policy = values.pop("policy")
        before = self._data.read_options
        marks = {name: values.pop(name) for name in ("decimal", "thousands", "dates")}
        formats = replace(before.formats, **marks)
        options = replace(before, missing_tokens=tokens, formats=formats, **values)
        return replace(self._data, read_options=options, missing_policy=policy)

    @on(Select.Changed)
    @on(Input.Changed)
    def follow(self) -> None:
        """Read the beginning of the file in the way that is chosen now."""
        if not self.is_mounted:
            return
        project = replace(self._session.project, data=self.chosen())
        options = project.data.read_options
        self.compute(
            lambda: project.read_data(preview=True),
            lambda table: self._show(table, options),
            group="preview",
            failed=lambda error: self.query_one("#error", Static).update(Text(visible(str(error)))),
        )

    def _show(self, table: Table, options: ReadOptions) -> None:
        self.query_one("#error", Static).update("")
        self.query_one("#preview", Grid).show(FrameSource(table.frame, options.missing_tokens))

    def action_accept(self) -> None:
        self.dismiss(self.chosen())


def _select(name: str, choices: list[tuple[str, Any]], value: Any) -> Select[Any]:
    """Return a drop-down; the project's value is added to the choices if it is unusual."""
    if value not in [choice for _, choice in choices]:
        shown = "names in the project" if isinstance(value, tuple) else repr(value)
        choices = [*choices, (shown, value)]
    options = [(Text(title), choice) for title, choice in choices]
    return Dropdown(options, value=value, allow_blank=False, id=name, compact=True)
