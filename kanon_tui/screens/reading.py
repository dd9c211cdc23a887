"""How the file is read: delimiter, encoding, header, quotes, missing; with a preview."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import polars as pl
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from kanon_tui.core.fields.declaration import Field, fields_of, text
from kanon_tui.core.project.project import DataSource, Project
from kanon_tui.core.table.dates import DATE_FORMATS, date_text
from kanon_tui.core.table.numbers import DECIMAL_MARKS
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.table import FileFacts, Table
from kanon_tui.services.host import Hosted
from kanon_tui.widgets.dialogs import FormDialog
from kanon_tui.widgets.grid import Grid
from kanon_tui.widgets.grid_sources import FrameSource

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

    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+r", "accept", "Read so")]
    ACCEPT = "Read so"

    def __init__(self, project: Project, facts: FileFacts | None, note: str = "") -> None:
        """Take what is known of the file as it is read now; `note` is shown with the preview."""
        self._project, self._data, self._note = project, project.data, note
        options = reading_options(project.data, facts)
        is_database = facts is not None and facts.format in ("sqlite", "duckdb", "database")
        more = [TOKENS, QUERY] if is_database else [TOKENS, *SKIPS]
        fields = [*(Field(name, text()) for name in options), *more]
        super().__init__("How is this file read?", fields, reading_values(project.data), options)

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
        project = replace(self._project, data=self.answer(dict(values)))
        tokens = project.data.read_options.missing_tokens

        def show(table: Table) -> None:
            self.show_error(self._note)
            self.query_one("#preview", Grid).show(FrameSource(table.frame, tokens))

        def failed(error: Exception) -> None:
            self.show_error(error)
            self.query_one("#preview", Grid).show(FrameSource(first_lines(project.data_path)))

        self.compute(lambda: project.read_data(preview=True), show, group="preview", failed=failed)


TOKENS = Field(
    "tokens", text("words with commas between; an empty one comes first in “, ?, NA”"), "",
    "What stands for a missing cell",
)  # fmt: skip
SKIPS = [field for field in fields_of(ReadOptions) if field.name in ("skip_first", "skip_last")]
QUERY = Field("query", text("SELECT … FROM …"), "", "What is read of the database")
MARKS = {"decimals": "decimal", "thousands": "thousands", "dates": "dates"}
"""Fields of the form that say how numbers and dates are written, with their names in a project."""
READ_AS = {"quotes": "quote", "table": "sheet"}
"""Other fields of the form whose name in a project is another one."""


def first_lines(path: Path, most: int = 50) -> pl.DataFrame:
    """Return the first lines of a file as they are, for one that cannot be read."""
    with suppress(OSError), path.open("rb") as file:
        lines = file.read(20_000).decode("utf-8", "replace").splitlines()
        return pl.DataFrame({"the first lines of the file": lines[:most]})
    return pl.DataFrame({"the first lines of the file": []})


def reading_options(data: DataSource, facts: FileFacts | None) -> dict[str, list[tuple[str, Any]]]:
    """Return the choices of every field that this kind of file has."""
    found = dict[str, list[tuple[str, Any]]]()
    header = data.read_options.header
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
