"""The dialog that applies an earlier release to new records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Input, Label, Select, Static

from kanon_tui.core.analysis.applying.apply import Choice, apply_mapping, summary
from kanon_tui.core.analysis.applying.mapping_file import ReleaseMapping, read_mapping
from kanon_tui.core.errors import InputError, KanonError
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import read_table
from kanon_tui.core.table.writing import TABLE_ENDINGS, check_target
from kanon_tui.core.text import visible
from kanon_tui.services.host import Hosted
from kanon_tui.widgets.dialogs import FormDialog
from kanon_tui.widgets.lists import Dropdown

__all__ = ["ApplyDialog"]

WAYS: list[tuple[str, Choice]] = [("leave them out", "suppress"), ("write nothing", "refuse")]

NEEDED = {"mapping": "mapping", "records": "new records", "out": "file to write"}
"""The required fields and their names in messages."""


class ApplyDialog(Hosted, FormDialog):
    """A form for the mapping, the new records, the earlier release and the file to write."""

    HELP = """## Apply a release to new records

New records are published as an earlier release published its own: by its levels, or by its classes.
Name the **mapping** (a `.json` that was exported from Results or by `run --mapping`), the file with
the **new records** and the file **to write**; an existing file is kept. The **earlier release** is
optional: it and the new one are then counted together.

- *values not covered*: the mapping says nothing about them;
- *classes below k*: too few new records look alike.

The new release reaches k by itself, which is proven before it is written. `ctrl+r` applies, and
what became of the records is shown below.

Example: mapping `january.json`, new records `february.csv`, to write `february-release.csv`.
"""
    DEFAULT_CSS = """
    ApplyDialog .field { height: 1; }
    ApplyDialog .field Label { width: 20; }
    ApplyDialog .field Input, ApplyDialog .field Select { width: 1fr; height: 1; }
    ApplyDialog #outcome { height: auto; max-height: 8; margin-top: 1; }
    """

    def __init__(
        self,
        folder: Path,
        mapping: ReleaseMapping | None = None,
        earlier: pl.DataFrame | None = None,
    ) -> None:
        super().__init__()
        self._folder, self._mapping, self._earlier = folder, mapping, earlier
        self._working = False

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Label("Apply a release to new records", classes="title")
            if self._mapping is None:
                yield self._path("mapping", "mapping (.json)")
            yield self._path("records", "new records")
            if self._earlier is None:
                yield self._path("earlier", "earlier release")
            yield self._way("uncovered", "values not covered")
            yield self._way("small", "classes below k")
            yield self._path("out", "to write")
            with VerticalScroll(id="outcome"):
                yield Static("", id="summary")
                yield Static("", id="error", classes="error")
            yield from self.buttons("Apply", "Close")

    def _path(self, name: str, title: str) -> Horizontal:
        optional = "optional" if name == "earlier" else "a path"
        entry = Input(placeholder=optional, id=name, compact=True)
        return Horizontal(Label(title), entry, classes="field")

    def _way(self, name: str, title: str) -> Horizontal:
        options: list[tuple[Any, str]] = [(Text(words), way) for words, way in WAYS]
        choice = Dropdown(options, value="suppress", allow_blank=False, compact=True, id=name)
        return Horizontal(Label(title), choice, classes="field")

    def on_mount(self) -> None:
        self.query(Input).first().focus()

    @on(Input.Submitted)
    def to_the_next(self) -> None:
        """Go to the next field, or apply when the last one is left."""
        if self.focused is self.query_one("#out"):
            self.action_accept()
        else:
            self.focus_next()

    # -- applying

    def action_accept(self) -> None:
        """Read, recode, verify and write in the background, one run at a time."""
        if self._working:
            return
        typed = {entry.id or "": entry.value.strip() for entry in self.query(Input)}
        ways: dict[str, Any] = {each.id or "": each.value for each in self.query(Select)}
        folder, known, earlier = self._folder, self._mapping, self._earlier

        def work() -> list[str]:
            paths = {name: folder / Path(text).expanduser() for name, text in typed.items() if text}
            for name, title in NEEDED.items():
                if name in typed and name not in paths:
                    raise InputError(f"name the {title}")
            inputs = [path for name, path in paths.items() if name != "out"]
            check_target(paths["out"], TABLE_ENDINGS, inputs=inputs)
            mapping = known or read_mapping(paths["mapping"])
            options = ReadOptions(missing_tokens=mapping.missing_tokens)
            before = earlier
            if "earlier" in paths:
                before = read_table(paths["earlier"], options).frame
            applied = apply_mapping(
                mapping,
                read_table(paths["records"], options),
                uncovered=ways["uncovered"],
                small=ways["small"],
                earlier=before,
                table_name=paths["records"].name,
                earlier_name=paths["earlier"].name if "earlier" in paths else "the release",
            )
            applied.result.write(paths["out"])
            lines = summary(applied, paths["records"].name, mapping.name)
            return [*lines, f"  wrote {paths['out'].name}"]

        self._working = True
        self._show(["working …"], "")
        self.compute(work, self._done, group="apply", failed=self._failed)

    def _done(self, lines: list[str]) -> None:
        self._working = False
        self._show(lines, "")
        self.host.say(visible(lines[-1].strip()))

    def _failed(self, error: Exception) -> None:
        self._working = False
        expected = isinstance(error, KanonError)
        self._show([], str(error) if expected else "")
        if not expected:
            self.host.fail(error)

    def _show(self, lines: list[str], error: str) -> None:
        self.query_one("#summary", Static).update(Text("\n".join(map(visible, lines))))
        self.query_one("#error", Static).update(Text(visible(error)))
