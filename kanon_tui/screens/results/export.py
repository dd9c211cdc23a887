"""Export a result: release, report, mapping, or the command line that makes it again."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Button, Static

from kanon_tui.core.analysis.applying.mapping_file import (
    MAPPING_ENDINGS,
    applied_mapping,
    mapping_of,
    mapping_text,
)
from kanon_tui.core.analysis.evidence import evidence
from kanon_tui.core.fields.declaration import fields_of, lines
from kanon_tui.core.pipeline.run import Result
from kanon_tui.core.privacy.k_anonymity import small_k_warning
from kanon_tui.core.project.project import Project
from kanon_tui.core.project.sections import ReportTexts
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.report.formats import DOCUMENT_ENDINGS, REPORT_ENDINGS, report_bytes
from kanon_tui.core.report.reproduce import obstacle, reproduce
from kanon_tui.core.table.csv_format import CsvChoice, CsvFormat, EncodingError
from kanon_tui.core.table.formats import TABLE_ENDINGS
from kanon_tui.core.table.formulas import count_formulas
from kanon_tui.core.table.writing import (
    check_target,
    write_bytes,
    write_private,
    write_table,
    write_text,
)
from kanon_tui.core.task.output import Order
from kanon_tui.core.text import first_few, visible
from kanon_tui.screens.base import StepScreen, send
from kanon_tui.screens.before_publishing import UncoveredQuestion, before_publishing
from kanon_tui.screens.opening import ApplyDialog
from kanon_tui.screens.results.figures import disclosures
from kanon_tui.services.host import Hosted
from kanon_tui.widgets.dialogs import Confirm, Dialog, FormDialog, choose, confirm
from kanon_tui.widgets.path_dialog import AskPath, ask_target

Action = tuple[str, Callable[[], object]]
"""The title of a choice, and what it does."""


@dataclass(frozen=True)
class Kind:
    """A kind of file that can be exported."""

    title: str
    name: str
    """The end of the proposed file name."""
    endings: tuple[str, ...]
    write: Callable[[FinishedRun, Path], object]
    published: bool = False
    """Whether it contains columns that are published unchanged."""
    folder: bool = False
    """Whether it is a folder of parts."""


def _release(order: Order, title: str) -> Kind:
    def write(result: FinishedRun, path: Path) -> None:
        task = replace(result.task, output=replace(result.task.output, order=order))
        release = replace(result.release, task=task)
        table = replace(result, task=task, release=release).written
        write_table(path, table, force=True, csv=task.csv_format(path))

    return Kind(f"release, {title}", "release.csv", TABLE_ENDINGS, write, published=True)


def _write_mapping(result: FinishedRun, path: Path) -> None:
    csv = result.task.csv_format(path)
    write_table(path, applied_mapping(result), force=True, csv=csv, private=True)


def _write_dossier(result: FinishedRun, path: Path) -> None:
    assert isinstance(result, Result)
    result.write_report(path, force=True, utility=evidence(result), public=False)


def _write_annex(result: FinishedRun, path: Path) -> None:
    assert isinstance(result, Result)
    write_private(path, result.annex(path), force=True)


ORDERS: dict[Order, str] = {
    "sorted": "records sorted",
    "shuffled": "records shuffled",
    "input": "! records in file order",
}
"""Titles of the orders of records; file order can identify people."""
REPORT = Kind(
    "public report",
    "report.html",
    REPORT_ENDINGS,
    lambda result, path: write_bytes(path, report_bytes(result, path, public=True), force=True),
)
DOSSIER = Kind("dossier to sign, internal", "dossier.pdf", REPORT_ENDINGS, _write_dossier)
ANNEX = Kind("annex of the dossier, internal", "annex.pdf", DOCUMENT_ENDINGS, _write_annex)
MAPPING = Kind("applied mapping", "mapping.csv", TABLE_ENDINGS, _write_mapping)
FOR_NEW_RECORDS = Kind(
    "mapping for new records",
    "mapping.json",
    MAPPING_ENDINGS,
    lambda result, path: write_text(path, mapping_text(result), force=True),
)


class Exporter:
    """Asks what to export and where to, then writes it in the background."""

    def __init__(self, screen: StepScreen, result: FinishedRun) -> None:
        self.screen = screen
        self.result = result

    def ask(self) -> None:
        """Ask what to write or do."""
        csv = self._csv_format(Path("release.csv"))
        order = self.result.task.output.order
        text = f"change how text is written: {csv} …"
        changing: list[Action] = [(text, self._choose_text_format)]
        applying: list[Action] = [("apply this release to new records …", self._apply)]
        releases = [
            self._written(_release(order_name, title)) for order_name, title in ORDERS.items()
        ]
        hint = f"the project says: {ORDERS[order]}; file order can give people away"
        current = list(ORDERS).index(order)
        warnings = [*small_k_warning(self.result.task.k), *disclosures(self.result)]
        hint = "\n".join([hint, *(f"! {warning}" for warning in warnings[:2])])
        choices = [
            *releases,
            self._written(REPORT),
            self._written(MAPPING),
            ("command line that makes this release again", self._command),
            *changing,
            self._written(FOR_NEW_RECORDS),
            *applying,
            ("texts of the report: purpose, recipients, decisions, who signs …", self._sign),
            self._written(DOSSIER),
            self._written(ANNEX),
        ]
        choose(self.screen, "Export", choices, hint, current)

    def _written(self, kind: Kind) -> Action:
        """Return title and action of a kind; unchanged columns have to be agreed to first."""

        def write() -> None:
            if kind.published:
                self._agreed(lambda: self._ask_formulas(kind))
            else:
                self._propose(kind)

        return f"{kind.title} ({first_few(kind.endings, 2)})", write

    @property
    def _project(self) -> Project:
        """The project as it is now, which may be newer than the run."""
        return self.screen.session.project

    def _choose_text_format(self) -> None:
        """Ask how text is written, then show the list again."""

        def chosen(choice: CsvChoice) -> None:
            self._set_csv(choice)
            self.ask()

        self.screen.ask(CsvDialog(self._project.output.csv, self._source), chosen, self.ask)

    def _apply(self) -> None:
        """Ask for another file and publish it as this release is."""
        mapping = mapping_of(self.result, "this release")
        self.screen.ask(ApplyDialog(self._proposed_path("").parent, mapping, self.result.table))

    def _sign(self) -> None:
        """Ask for the texts of the report, then show the list again."""

        def typed(texts: ReportTexts) -> None:
            self.screen.edit(replace(self._project, report=texts), "texts of the report")
            self.ask()

        self.screen.ask(SigningDialog(self._project.report), typed, self.ask)

    def _ask_formulas(self, kind: Kind) -> None:
        """Ask whether to escape cells that a spreadsheet would compute, if there are any."""

        def counted(count: int) -> None:
            if not count:
                self._propose(kind)
                return
            text = (
                f"{count:,} cells begin like a formula (=, +, -, @), which a spreadsheet would "
                f"compute. For a spreadsheet they can be escaped: an apostrophe goes in front of "
                f"each, which changes the values for every other program."
            )
            question = Confirm("Formulas", text, "Leave them alone", "For a spreadsheet")
            self.screen.ask(question, answered)

        def answered(keep: bool) -> None:
            formulas: Literal["keep", "escape"] = "keep" if keep else "escape"
            output = replace(self.result.task.output, formulas=formulas)
            self.result = replace(self.result, task=replace(self.result.task, output=output))
            self._propose(kind)

        coded = self.result.release.coded
        self.screen.load(lambda: count_formulas(coded), counted)

    def _agreed(self, proceed: Callable[[], object]) -> None:
        """Go on when the columns that single people out are agreed to as this run has them."""
        screen = self.screen
        task = self.result.task
        session = screen.session
        names = [name for name in task.published_as_they_are if name in session.table.names]

        def check() -> list[str]:
            attributes = session.project.attributes
            names = [singled_out.attribute for singled_out in task.singling_out]
            names += [name for caution in self.result.cautions for name in caution.columns]
            untouched = task.published_as_they_are
            unconfirmed = [name for name in untouched if name in names and name in attributes]
            return [name for name in unconfirmed if attributes[name].role is not task.roles[name]]

        def checked(changed: list[str]) -> None:
            if not changed:
                proceed()
                return
            question = Confirm(
                "Export this run all the same?",
                f"It publishes {', '.join(changed)} as they are, though they single people out and "
                f"have another role by now. A new run would leave that out.",
                yes="Export",
                no="Do not export",
            )
            confirm(screen, question, proceed)

        columns = UncoveredQuestion(screen, self.result, lambda: screen.load(check, checked))
        before_publishing(screen, columns.ask, of=names)

    # -- how text is written

    @property
    def _source(self) -> CsvFormat | None:
        facts = self.result.task.table.facts
        return facts.csv if facts else None

    def _csv_format(self, path: Path) -> CsvFormat:
        return self._project.output.csv.resolved(self._source, path)

    def _set_csv(self, choice: CsvChoice) -> None:
        output = replace(self._project.output, csv=choice)
        self.screen.edit(replace(self._project, output=output), "how the release is written")

    # -- files

    def _proposed_path(self, name: str) -> Path:
        """Return the path of a file beside the project whose name begins like the project's."""
        folder = (self._project.path or self._project.data_path).parent
        return folder / f"{Path(self._project.name).stem}-{name}"

    def _propose(self, kind: Kind) -> None:
        """Ask where a kind of file is to be written, and write it."""
        proposed = self._proposed_path(kind.name)
        hint = f"{', '.join(kind.endings)}: the ending says the format; tab completes"
        if kind.endings == TABLE_ENDINGS:
            hint += f"\nas text: {self._csv_format(proposed)}"
        dialog = AskPath(f"Write the {kind.title} to", str(proposed), hint, endings=kind.endings)
        ask_target(self.screen, dialog, partial(self._write, kind), partial(self._check, kind))

    def _check(self, kind: Kind, path: Path) -> None:
        """Refuse a path that cannot or must not be written."""
        check_target(path, kind.endings, force=True, inputs=self._project.inputs)

    def _write(self, kind: Kind, path: Path) -> None:
        screen = self.screen
        result = self.result
        output = replace(result.task.output, csv=self._project.output.csv)
        made_from = result.project and replace(result.project, report=self._project.report)
        result = replace(result, task=replace(result.task, output=output), project=made_from)
        screen.host.background.write(
            lambda: kind.write(result, path),
            lambda _: screen.host.notify(f"wrote {path.name}"),
            lambda error: self._failed(kind, path, error),
        )

    def _failed(self, kind: Kind, path: Path, error: Exception) -> None:
        """Offer UTF-8 if the encoding lacks a character; else show the error."""
        if not isinstance(error, EncodingError):
            self.screen.host.fail(error)
            return

        def write_utf_8() -> None:
            self._set_csv(replace(self._project.output.csv, encoding="utf-8"))
            self._write(kind, path)

        question = Confirm("Write it as UTF-8?", str(error), "Write UTF-8", "Write nothing")
        confirm(self.screen, question, write_utf_8)

    # -- the command line

    def _command(self) -> None:
        """Show the command that makes the release again, and write it where that is wanted."""
        saved = self.screen.session.baseline
        out = f"{self._proposed_path('release.csv').resolve()}"
        command = reproduce(self.result, saved, out)

        def write(_: object, path: Path) -> None:
            write_text(path, f"#!/bin/sh\n{command}\n", force=True)

        kind = Kind("command line", "release.sh", (".sh", ".txt"), write)
        dialog = CommandDialog(command, obstacle(self.result, saved))
        self.screen.ask(dialog, lambda save: self._propose(kind) if save else None)


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
        self.command = command
        self.problem = problem

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
