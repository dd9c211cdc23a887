"""How the file is read: delimiter, encoding, header, quotes, missing; with a preview."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from kanon_tui.core.editing.session import Session
from kanon_tui.core.fields.declaration import Field
from kanon_tui.core.fields.types import text
from kanon_tui.core.project.project import DataSource
from kanon_tui.core.table.dates import DATE_FORMATS, date_text
from kanon_tui.core.table.numbers import DECIMAL_MARKS
from kanon_tui.core.table.table import Table
from kanon_tui.services.host import Hosted
from kanon_tui.widgets.dialogs import FormDialog
from kanon_tui.widgets.grid import Grid
from kanon_tui.widgets.grid_sources import FrameSource

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
    ReadingDialog Form { layout: grid; grid-size: 2; grid-rows: 1; grid-gutter: 0 1; }
    ReadingDialog Form .field Label { width: 11; }
    ReadingDialog Form .form-line { column-span: 2; }
    ReadingDialog #preview { height: 1fr; margin-top: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+r", "accept", "Read so")]
    ACCEPT = "Read so"

    def __init__(self, session: Session) -> None:
        self._session, self._data = session, session.project.data
        options, values = reading_options(session), reading_values(session.project.data)
        texts = [TOKENS, *([QUERY] if is_database(session) else [])]
        fields = [*(Field(name, text()) for name in options), *texts]
        super().__init__("How is this file read?", fields, values, options)

    def below(self) -> ComposeResult:
        yield Grid(name_width=5, id="preview")

    def answer(self, values: dict[str, Any]) -> DataSource:
        before = self._data.read_options
        values["missing_tokens"] = tuple(part.strip() for part in values.pop("tokens").split(","))
        policy = values.pop("missing")
        marks = {name: values.pop(name) for name in MARKS}
        formats = replace(before.formats, **{MARKS[name]: mark for name, mark in marks.items()})
        read = {READ_AS.get(name, name): value for name, value in values.items()}
        options = replace(before, formats=formats, **read)
        return replace(self._data, read_options=options, missing_policy=policy)

    def follow(self, values: dict[str, Any]) -> None:
        """Read the beginning of the file in the way that is chosen now."""
        project = replace(self._session.project, data=self.answer(dict(values)))
        tokens = project.data.read_options.missing_tokens

        def show(table: Table) -> None:
            self.show_error()
            self.query_one("#preview", Grid).show(FrameSource(table.frame, tokens))

        self.compute(
            lambda: project.read_data(preview=True), show, group="preview", failed=self.show_error
        )


TOKENS = Field(
    "tokens", text("words with commas between; an empty one comes first in “, ?, NA”"), "",
    "What stands for a missing cell",
)  # fmt: skip
QUERY = Field("query", text("SELECT … FROM …"), "", "What is read of the database")
MARKS = {"decimals": "decimal", "thousands": "thousands", "dates": "dates"}
"""Fields of the form that say how numbers and dates are written, with their names in a project."""
READ_AS = {"quotes": "quote", "table": "sheet"}
"""Other fields of the form whose name in a project is another one."""


def is_database(session: Session) -> bool:
    """Return whether the table comes from a database."""
    facts = session.table.facts
    return facts is not None and facts.format in ("sqlite", "duckdb", "database")


def reading_options(session: Session) -> dict[str, list[tuple[str, Any]]]:
    """Return the choices of every field that this kind of file has."""
    facts, found = session.table.facts, dict[str, list[tuple[str, Any]]]()
    header = session.project.data.read_options.header
    named = [("names in the project", header)] if isinstance(header, tuple) else []
    if facts is None or facts.csv is not None:
        found = {"delimiter": DELIMITERS, "encoding": ENCODINGS}
    if facts is None or facts.csv is not None or facts.format == "excel":
        found["header"] = [*HEADERS, *named]
    if facts is None or facts.csv is not None:
        found["quotes"] = QUOTES
    if facts is not None and facts.parts:
        parts = [("the first", "auto"), *((part, part) for part in facts.parts)]
        found["sheet" if facts.format == "excel" else "table"] = parts
    rest = {"decimals": DECIMALS, "thousands": THOUSANDS, "dates": DATES, "missing": POLICIES}
    return found | rest


def reading_values(data: DataSource) -> dict[str, Any]:
    """Return how the data is read now, by the names of the fields."""
    options = data.read_options
    formats = options.formats
    return {
        **vars(options),
        "quotes": options.quote,
        "table": options.sheet,
        **{name: getattr(formats, key) for name, key in MARKS.items()},
        "missing": data.missing_policy,
        "tokens": ", ".join(options.missing_tokens),
    }
