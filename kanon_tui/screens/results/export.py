"""Export a result: release, report, mapping, or the command line that makes it again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Literal

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Button, Label, Static

from kanon_tui.core.analysis.mapping import applied_mapping
from kanon_tui.core.data.writing import (
    TABLE_ENDINGS,
    check_target,
    write_table,
    write_text,
)
from kanon_tui.core.errors import KanonError
from kanon_tui.core.release.formulas import count_formulas
from kanon_tui.core.report.formats import REPORT_ENDINGS, report_text
from kanon_tui.core.report.reproduce import obstacle, reproduce
from kanon_tui.core.run.result import Result
from kanon_tui.core.task.output import Order
from kanon_tui.screens.base import StepScreen
from kanon_tui.screens.copying import send
from kanon_tui.screens.dialogs import Choose, Confirm, Dialog
from kanon_tui.screens.host import Hosted
from kanon_tui.screens.path_dialog import AskPath
from kanon_tui.widgets.grid import printable

__all__ = ["CommandDialog", "Exporter"]


@dataclass(frozen=True)
class Kind:
    """One thing that can be written."""

    title: str
    name: str
    """Ends the proposed file name."""
    endings: tuple[str, ...]
    write: Callable[[Result, Path], None]


def _release(order: Order, title: str) -> Kind:
    def write(result: Result, path: Path) -> None:
        task = replace(result.task, output=replace(result.task.output, order=order))
        release = replace(result.release, task=task)
        write_table(path, replace(result, task=task, release=release).written, force=True)

    return Kind(f"release, {title}", "release.csv", TABLE_ENDINGS, write)


ORDERS: dict[Order, str] = {
    "sorted": "records sorted",
    "shuffled": "records shuffled",
    "input": "! records in file order",
}
"""What the order of records is called; that of the file can give people away."""
KINDS = (
    *(_release(order, title) for order, title in ORDERS.items()),
    Kind(
        "report",
        "report.html",
        REPORT_ENDINGS,
        lambda result, path: write_text(path, report_text(result, path), force=True),
    ),
    Kind(
        "applied mapping",
        "mapping.csv",
        TABLE_ENDINGS,
        lambda result, path: write_table(path, applied_mapping(result), force=True),
    ),
)


class Exporter:
    """Asks what and where, then writes in the background."""

    def __init__(self, screen: StepScreen, result: Result) -> None:
        self.screen, self.result = screen, result

    def ask(self) -> None:
        order = self.result.task.output.order
        options = [f"{kind.title} ({', '.join(kind.endings)})" for kind in KINDS]
        options.append("command line that makes this release again")
        self.screen.ask(
            Choose(
                "Export",
                options,
                hint=f"the project says: {ORDERS[order]}; file order can give people away",
                current=list(ORDERS).index(order),
            ),
            self._chosen,
        )

    def _chosen(self, number: int | None) -> None:
        if number is None:
            return
        if number == len(KINDS):
            self._command()
        elif number < len(ORDERS):
            self._ask_formulas(KINDS[number])
        else:
            self._propose(KINDS[number])

    def _propose(self, kind: Kind) -> None:
        self._ask_path(kind, str(self._folder / f"{self._stem}-{kind.name}"))

    def _ask_formulas(self, kind: Kind) -> None:
        """Before a release: what becomes of cells that a spreadsheet would compute, if any."""

        def counted(count: int) -> None:
            if not count:
                self._propose(kind)
                return
            text = (
                f"{count:,} cells begin like a formula (=, +, -, @), which a spreadsheet would "
                f"compute. Escaped, they get an apostrophe in front."
            )
            self.screen.ask(Confirm("Formulas", text, "Escape them", "Keep them"), answered)

        def answered(escape: bool | None) -> None:
            if escape is not None:
                formulas: Literal["keep", "escape"] = "escape" if escape else "keep"
                output = replace(self.result.task.output, formulas=formulas)
                self.result = replace(self.result, task=replace(self.result.task, output=output))
                self._propose(kind)

        screen, result = self.screen, self.result
        screen.host.compute(screen, lambda: count_formulas(result.table), counted, group="export")

    @property
    def _folder(self) -> Path:
        project = self.screen.session.project
        return project.path.parent if project.path else project.data_path.parent

    @property
    def _stem(self) -> str:
        return Path(self.screen.session.project.name).stem

    # -- files

    def _ask_path(self, kind: Kind, proposed: str, problem: str = "") -> None:
        self.screen.ask(
            AskPath(
                f"Write the {kind.title} to",
                proposed,
                hint=f"{', '.join(kind.endings)}: the ending says the format; tab completes",
                endings=kind.endings,
                problem=problem,
            ),
            lambda path: self._check(kind, path) if path else None,
        )

    def _check(self, kind: Kind, path: Path) -> None:
        """Ask again for a path that will not do, and before a file is replaced."""
        project = self.screen.session.project
        try:
            check_target(path, kind.endings, force=True, inputs=project.inputs)
        except KanonError as error:
            self._ask_path(kind, str(path), str(error))
            return
        if path.exists():
            self.screen.ask(
                Confirm("Replace it?", f"{path.name} exists already.", "Replace", "Keep it"),
                lambda answer: self._write(kind, path) if answer else None,
            )
        else:
            self._write(kind, path)

    def _write(self, kind: Kind, path: Path) -> None:
        screen, result = self.screen, self.result

        def write() -> Path:
            kind.write(result, path)
            return path

        screen.host.compute(
            screen, write, lambda written: screen.host.say(f"wrote {written.name}"), group="export"
        )

    # -- the command line

    def _command(self) -> None:
        saved = self.screen.session.baseline
        problem = obstacle(self.result, saved)
        out = (self._folder / f"{self._stem}-release.csv").resolve()
        command = reproduce(self.result, saved, out)
        self.screen.ask(
            CommandDialog(command, problem), lambda save: self._save(command) if save else None
        )

    def _save(self, command: str) -> None:
        text = f"#!/bin/sh\n{command}\n"
        kind = Kind(
            "command line", "", (".sh", ".txt"), lambda _, path: write_text(path, text, force=True)
        )
        self._ask_path(kind, str(self._folder / f"{self._stem}-release.sh"))


class CommandDialog(Hosted, Dialog):
    """The command and whether it makes the same release; gives True to save it to a file."""

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
        """Command, what stands in the way, what can be done with it."""
        with Vertical():
            yield Label("Command line that makes this release again", classes="title")
            with VerticalScroll(can_focus=False):
                yield Static(Text(printable(self.command)), id="command")
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
