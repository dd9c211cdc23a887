"""A release applied to new records: which file, what becomes of what is new, and where to."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import polars as pl
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Button, Input, Label, Select, Static

from kanon_tui.core.analysis.applying.apply import Choice, apply_mapping, summary
from kanon_tui.core.analysis.applying.mapping_file import ReleaseMapping, read_mapping
from kanon_tui.core.errors import InputError, KanonError
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.table import read_table
from kanon_tui.core.table.writing import TABLE_ENDINGS, check_target
from kanon_tui.core.text import visible
from kanon_tui.services.host import Hosted
from kanon_tui.widgets.dialogs import Dialog
from kanon_tui.widgets.lists import Dropdown

__all__ = ["ApplyDialog"]

WAYS: list[tuple[str, Choice]] = [("leave them out", "suppress"), ("write nothing", "refuse")]

NEEDED = {"mapping": "mapping", "records": "new records", "out": "file to write"}
"""The fields that must be filled, and what they are called."""


class ApplyDialog(Hosted, Dialog):
    """Publishes a file of new records as an earlier release was published."""

    HELP = """## Apply a release to new records

New records are published as an earlier release published its own: by its levels, or by its classes.
Name the **mapping** (a `.json` that was exported from Results or by `run --mapping`), the file with
the **new records** and the file **to write**; an existing file is kept. The **earlier release** is
optional: it and the new one are then counted together.

- *values not covered*: the mapping says nothing about them;
- *classes below k*: too few new records look alike.

The new release reaches k by itself, which is proven before it is written. `ctrl+r` applies, and
what became of the records is told below.

Example: mapping `january.json`, new records `february.csv`, to write `february-release.csv`.
"""
    DEFAULT_CSS = """
    ApplyDialog .field { height: 1; }
    ApplyDialog .field Label { width: 20; }
    ApplyDialog .field Input, ApplyDialog .field Select { width: 1fr; height: 1; }
    ApplyDialog #told { height: auto; max-height: 8; margin-top: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+r", "apply", "Apply", priority=True)]

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
            with VerticalScroll(id="told"):
                yield Static("", id="said")
                yield Static("", id="error", classes="error")
            with Horizontal(id="buttons"):
                yield Button("Apply (ctrl+r)", variant="primary", id="accept", compact=True)
                yield Button("Close", id="cancel", compact=True)

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
        """Enter goes from field to field and applies from the last."""
        if self.focused is self.query_one("#out"):
            self.action_apply()
        else:
            self.focus_next()

    @on(Button.Pressed)
    def pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "accept":
            self.action_apply()
        else:
            self.dismiss(None)

    # -- applying

    def action_apply(self) -> None:
        """Read, recode, prove, write, in the background; once, however often it is asked."""
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
            said = summary(applied, paths["records"].name, mapping.name)
            return [*said, f"  wrote {paths['out'].name}"]

        self._working = True
        self._tell([], "")
        self.query_one("#said", Static).update("working …")
        self.compute(work, self._done, group="apply", failed=self._failed)

    def _done(self, lines: list[str]) -> None:
        self._working = False
        self._tell(lines, "")
        self.host.say(visible(lines[-1].strip()))

    def _failed(self, error: Exception) -> None:
        self._working = False
        self._tell([], "")
        if not isinstance(error, KanonError):
            self.host.fail(error)
            return
        self._tell([], str(error))

    def _tell(self, lines: list[str], error: str) -> None:
        self.query_one("#said", Static).update(Text("\n".join(map(visible, lines))))
        self.query_one("#error", Static).update(Text(visible(error)))
