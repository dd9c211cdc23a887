"""The dialog that applies an earlier release to new records."""

from pathlib import Path
from typing import Any

import polars as pl
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Input, Static

from kanon_tui.core.analysis.applying.apply import Choice, apply_mapping, summary
from kanon_tui.core.analysis.applying.mapping_file import ReleaseMapping, read_mapping
from kanon_tui.core.errors import InputError, KanonError
from kanon_tui.core.fields.declaration import Field, text
from kanon_tui.core.table.data_files import TABLE_ENDINGS
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import read_table
from kanon_tui.core.table.writing import check_target
from kanon_tui.core.text import visible
from kanon_tui.services.host import Hosted
from kanon_tui.widgets.dialogs import FormDialog

_WAYS: list[tuple[str, Choice]] = [("leave them out", "suppress"), ("write nothing", "refuse")]
WAYS = {"values_not_covered": _WAYS, "classes_below_k": _WAYS}
FIELDS = (
    Field("mapping", text("a path"), "", "The mapping of the earlier release", "mapping"),
    Field("new_records", text("a path"), "", "The file with the new records", "new records"),
    Field(
        "earlier_release", text("a path, optional"), "", "It is counted together with the new one"
    ),
    *(Field(name, text(), "suppress") for name in WAYS),
    Field("to_write", text("a path"), "", "The file of the new release", "file to write"),
)
"""The fields of the form; `required` is what a message calls a field that must not be empty."""


class ApplyDialog(Hosted, FormDialog):
    """A form for the mapping, the new records, the earlier release and the file to write."""

    ACCEPT, CANCEL = "Apply", "Close"

    def __init__(
        self,
        folder: Path,
        mapping: ReleaseMapping | None = None,
        earlier: pl.DataFrame | None = None,
    ) -> None:
        known = {"mapping": mapping, "earlier_release": earlier}
        fields = [field for field in FIELDS if known.get(field.name) is None]
        super().__init__("Apply a release to new records", fields, {}, WAYS)
        self._folder, self._mapping, self._earlier = folder, mapping, earlier
        self._working = False

    def below(self) -> ComposeResult:
        with VerticalScroll(id="outcome"):
            yield Static("", id="summary")

    @on(Input.Submitted)
    def to_the_next(self, event: Input.Submitted) -> None:
        """Go to the next field; the last one applies."""
        if event.input.id != f"p-{FIELDS[-1].name}":
            event.prevent_default()
            self.focus_next()

    # -- applying

    def action_accept(self) -> None:
        """Read, recode, verify and write in the background, one run at a time."""
        values = self.form.accept()
        if values is None or self._working:
            return
        self._working = True
        self._show(["working …"])
        self.compute(lambda: self._apply(values), self._done, group="apply", failed=self._failed)

    def _apply(self, values: dict[str, Any]) -> list[str]:
        """Write the new release and return what became of its records; in a thread."""
        paths = {
            field.name: self._folder / Path(values[field.name]).expanduser()
            for field in FIELDS
            if field.name not in WAYS and values.get(field.name)
        }
        for field in FIELDS:
            if field.required and field.name in values and field.name not in paths:
                raise InputError(f"name the {field.required}")
        out = paths.pop("to_write")
        check_target(out, TABLE_ENDINGS, inputs=list(paths.values()))
        mapping = self._mapping or read_mapping(paths["mapping"])
        options = ReadOptions(missing_tokens=mapping.missing_tokens)
        records, earlier = paths["new_records"], paths.get("earlier_release")
        applied = apply_mapping(
            mapping,
            read_table(records, options),
            uncovered=values["values_not_covered"],
            small=values["classes_below_k"],
            earlier=read_table(earlier, options).frame if earlier else self._earlier,
            table_name=records.name,
            earlier_name=earlier.name if earlier else "the release",
        )
        applied.result.write(out)
        return [*summary(applied, records.name, mapping.name), f"  wrote {out.name}"]

    def _done(self, lines: list[str]) -> None:
        self._working = False
        self._show(lines)
        self.host.notify(visible(lines[-1].strip()))

    def _failed(self, error: Exception) -> None:
        self._working = False
        expected = isinstance(error, KanonError)
        self._show([], str(error) if expected else "")
        if not expected:
            self.host.fail(error)

    def _show(self, lines: list[str], error: str = "") -> None:
        self.query_one("#summary", Static).update(Text("\n".join(map(visible, lines))))
        self.show_error(error)
