"""Opening data files and projects: how a file is read, and an offer to continue unsaved work.

The start screen lists unsaved work, recent files and samples. An earlier release is opened to be
applied to new records.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import polars as pl
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from kanon_tui.core.analysis.applying.apply import Choice, summary
from kanon_tui.core.analysis.applying.mapping_file import ReleaseMapping, read_mapping
from kanon_tui.core.api.functions import apply
from kanon_tui.core.editing.session import Session, open_session
from kanon_tui.core.editing.state_folder import UnsavedWork
from kanon_tui.core.errors import InputError, KanonError, in_screen_words
from kanon_tui.core.fields.declaration import Field, fields_of, text
from kanon_tui.core.pipeline.prepare import PROJECT_ENDINGS
from kanon_tui.core.project.project import DataSource, Project
from kanon_tui.core.project.samples import list_samples
from kanon_tui.core.table.formats import DATA_ENDINGS, TABLE_ENDINGS
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.stray_rows import StrayRows, find_stray_rows
from kanon_tui.core.table.table import FileFacts, Table
from kanon_tui.core.table.typed_columns import ColumnNamesError
from kanon_tui.core.table.value_formats import DATE_FORMATS, DECIMAL_MARKS, date_text
from kanon_tui.core.table.writing import check_target
from kanon_tui.core.text import count_of, joined, shortened, visible
from kanon_tui.services.host import Host, Hosted, error_sentence
from kanon_tui.widgets.bars import KeyBar
from kanon_tui.widgets.dialogs import Confirm, FormDialog, SizedByTerminal, confirm
from kanon_tui.widgets.grid import Grid
from kanon_tui.widgets.grid_sources import FrameSource
from kanon_tui.widgets.lists import ChoiceList
from kanon_tui.widgets.path_dialog import AskPath, typed_path

ENDINGS = (*DATA_ENDINGS, *PROJECT_ENDINGS)
"""Types of files that are listed; any other can be typed."""

NOT_OPENED = "This file could not be opened"
Failed = Callable[[Exception], object]


def ask_for_file(host: Host, path: str | None = None, problem: str = "") -> None:
    """Ask for a file and open it; ask again, with the reason, if it cannot be opened."""
    if path is None:
        path = f"{host.session.data_path.parent}/" if host.session else ""

    def answered(chosen: Path) -> None:
        def failed(error: Exception) -> None:
            ask_for_file(host, str(chosen), error_sentence(error))

        open_file(host, chosen, failed=failed)

    dialog = AskPath("Open a data file or a project", path, endings=ENDINGS, problem=problem)
    host.ask(dialog, answered)


def open_file(
    host: Host, path: Path, *,
    failed: Failed | None = None, then: Callable[[], object] = lambda: None,
) -> None:  # fmt: skip
    """Read a data file or a project in the background, show it and call `then`.

    A data file that cannot be read leads to the dialog of reading, with its first lines in view.
    """
    if (text := os.path.realpath(path)) != text.encode("utf-8", "replace").decode():
        error = InputError(f"{visible(path.name)}: its path is not UTF-8; rename it and try again")
        (failed or partial(host.show_error, NOT_OPENED))(error)
        return
    unsaved = host.recovery.unsaved_work(path)
    if unsaved is None:
        _read(host, path, None, lambda: open_session(path), failed, then)
        return

    def answered(continues: bool) -> None:
        read = unsaved.session if continues else lambda: open_session(path)
        _read(host, path, unsaved, read, failed, then)

    question = Confirm(
        "Continue where you were?",
        f"{path.name} has unsaved changes from {unsaved.when:%Y-%m-%d %H:%M}, which were never "
        f"written to its file.",
        yes="Continue",
        no="Discard them",
    )
    host.ask(question, answered)


def _read(
    host: Host, path: Path, unsaved: UnsavedWork | None, read: Callable[[], Session],
    failed: Failed | None = None, then: Callable[[], object] = lambda: None,
) -> None:  # fmt: skip
    def opened(session: Session) -> None:
        host.recent.add(path)
        host.replace_session(session)
        if unsaved is not None:
            # Only now may its file go: the session has the changes, and they are kept again.
            host.recovery.keep(session)
            host.recovery.discard(unsaved)
        host.app.switch_mode("data")
        then()
        if session.project.path is None:
            offer_to_skip(host, session)

    def not_opened(error: Exception) -> None:
        is_data = os.path.isfile(path) and path.suffix.lower() in DATA_ENDINGS
        if is_data and isinstance(error, KanonError):
            ask_how_to_read(host, path, error)
        elif failed is not None:
            failed(error)
        else:
            host.show_error(NOT_OPENED, error)

    host.background.compute(
        host.app, read, opened, group="open", failed=not_opened, covers=host.app.screen
    )


def ask_how_to_read(host: Host, path: Path, error: KanonError) -> None:
    """Ask how a file is to be read that could not be; propose what to skip and how to name columns.

    `ReadingDialog` shows the first lines of the file and what is wrong until it can be read.
    """

    def proposed() -> tuple[DataSource, str]:
        data = DataSource(path=os.path.realpath(path))
        problem = error
        notes = list[str]()
        stray = find_stray_rows(path)
        if stray:
            data = replace(data, read_options=stray.apply(data.read_options))
            notes = [f"left out: {joined(stray.reasons)}"]
            try:
                open_session(path, data)
                return data, "; ".join(notes)
            except KanonError as another:
                problem = another
        if isinstance(problem, ColumnNamesError):
            names = joined(list(problem.rename.values()))
            notes.append(f"{str(problem).partition('; ')[0]}; here called {names}")
            options = replace(data.read_options, rename=problem.rename)
            data = replace(data, read_options=options)
        return data, "; ".join(notes)

    def ask(found: tuple[DataSource, str]) -> None:
        dialog = ReadingDialog(Project(data=found[0]), None, found[1])
        host.ask(dialog, lambda data: _read(host, path, None, lambda: open_session(path, data)))

    host.background.compute(host.app, proposed, ask, group="open", covers=host.app.screen)


def offer_to_skip(host: Host, session: Session) -> None:
    """Ask whether rows of a new file that seem to be no records are to be left out."""

    def found(stray: StrayRows) -> None:
        if not stray or session is not host.session:
            return
        text = "; ".join(stray.reasons)
        question = Confirm(
            "Rows that are no records?",
            f"{text[0].upper()}{text[1:]}. Published as a person, such a row spoils every figure.",
            yes="Leave out",
            no="Keep",
        )
        data = session.project.data
        skipping = replace(data, read_options=stray.apply(data.read_options))
        confirm(host, question, lambda: reread(host, session, skipping))

    def find() -> StrayRows:
        return find_stray_rows(session.data_path, session.project.data.read_options)

    host.background.compute(host.app, find, found, group="stray rows")


def reread(host: Host, session: Session, data: DataSource) -> None:
    """Read the file of a session by other options; ask first if that ends runs of the session."""

    def begin() -> None:
        host.background.compute(
            host.app, lambda: session.reread(data), host.replace_session, group="reread",
            covers=host.app.screen, edits=True,
        )  # fmt: skip

    if not session.results:
        begin()
        return
    runs = count_of(len(session.results), "run is", "runs are")
    text = f"{runs} of the table as it is read now. Export (x on Results) what is to be kept."
    confirm(host, Confirm("Read the file anew, and drop its runs?", text, "Read anew"), begin)


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
        self._project = project
        self._data = project.data
        self._note = note
        options = reading_options(project.data, facts)
        is_database = facts is not None and facts.format in ("sqlite", "duckdb", "database")
        more = [TOKENS, QUERY] if is_database else [TOKENS, *SKIPS]
        fields = [*(Field(name, text()) for name in options), *more]
        super().__init__("How is this file read?", fields, reading_values(project.data), options)

    def below(self) -> ComposeResult:
        yield Grid(id="preview")

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

        def preview(frame: pl.DataFrame) -> None:
            self.query_one("#preview", Grid).show(FrameSource(frame, tokens, name_width=5))

        def show(table: Table) -> None:
            self.show_error(self._note)
            preview(table.frame)

        def failed(error: Exception) -> None:
            self.show_error(error)
            preview(first_lines(project.data_path))

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
    lines: list[str] = []
    with suppress(OSError), path.open("rb") as file:
        lines = file.read(20_000).decode("utf-8", "replace").splitlines()[:most]
    return pl.DataFrame({"the first lines of the file": pl.Series(lines, dtype=pl.String)})


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

    ACCEPT = "Apply"
    CANCEL = "Close"

    def __init__(
        self,
        folder: Path,
        mapping: ReleaseMapping | None = None,
        earlier: pl.DataFrame | None = None,
    ) -> None:
        known = {"mapping": mapping, "earlier_release": earlier}
        fields = [field for field in FIELDS if known.get(field.name) is None]
        super().__init__("Apply a release to new records", fields, {}, WAYS)
        self._folder = folder
        self._mapping = mapping
        self._earlier = earlier
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
        self.host.background.write(lambda: self._apply(values), self._done, self._failed)

    def _apply(self, values: dict[str, Any]) -> list[str]:
        """Write the new release and return what became of its records; in a thread."""
        paths = {
            field.name: self._folder / typed_path(values[field.name])
            for field in FIELDS
            if field.name not in WAYS and values.get(field.name)
        }
        for field in FIELDS:
            if field.required and field.name in values and field.name not in paths:
                raise InputError(f"name the {field.required}")
        out = paths.pop("to_write")
        check_target(out, TABLE_ENDINGS, inputs=list(paths.values()))
        mapping = self._mapping or read_mapping(paths["mapping"])
        records = paths["new_records"]
        applied = apply(
            mapping, records, earlier=paths.get("earlier_release", self._earlier),
            uncovered=values["values_not_covered"], below_k=values["classes_below_k"],
        )  # fmt: skip
        applied.result.write(out)
        return [*summary(applied, records.name, mapping.name), f"  wrote {out.name}"]

    def _done(self, lines: list[str]) -> None:
        self._working = False
        self._show(lines)
        self.host.notify(visible(lines[-1].strip()))

    def _failed(self, error: Exception) -> None:
        self._working = False
        expected = isinstance(error, KanonError) and self.host.background.is_live(self)
        self._show([], in_screen_words(error) if expected else "")
        if not expected:
            self.host.fail(error)

    def _show(self, lines: list[str], error: str = "") -> None:
        if self.host.background.is_live(self):
            self.query_one("#summary", Static).update(Text("\n".join(map(visible, lines))))
            self.show_error(error)


_FIRST_FILE = 2  # after "open a file" and a heading
_ABOVE = 7
"""Lines of the preview above its records, at most."""
TAGLINE = "Make a table of people safe to share: every record like at least k−1 others."


class StartScreen(Hosted, SizedByTerminal):
    """A list of files to open."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Open"),
        Binding("o", "app.open", "Open a file"),
        Binding("a", "apply", "Apply a release"),
        Binding("q", "app.quit", "Quit"),
    ]

    def compose(self) -> ComposeResult:
        with Vertical(id="start"):
            yield Static(Text.assemble(("kanon", "bold"), "  k-anonymity in the terminal"))
            yield Static(Text(TAGLINE), id="tagline")
            with Horizontal():
                yield ChoiceList(id="choices")
                yield Static(id="preview", classes="pane")
        yield KeyBar()

    def on_screen_resume(self) -> None:
        """Fill the list, each time the screen appears."""
        self.paths: dict[str, Path] = {}
        choices = self.query_one("#choices", OptionList)
        choices.clear_options()
        choices.add_option(Option(Text("open a file …"), id="open"))
        listed: dict[str, list[tuple[Path, str, str]]] = {}
        drafts = {draft.file: draft for draft in self.host.recovery.drafts()}
        for path in (*drafts, *(each for each in self.host.recent.paths() if each not in drafts)):
            # Many files are called project.yaml: their folders tell them apart.
            name = path.parent.name if path.stem == "project" else path.name
            note = f"changed {drafts[path].when:%Y-%m-%d %H:%M} · " if path in drafts else ""
            title = "unsaved work" if path in drafts else "recent"
            listed.setdefault(title, []).append((path, name, f"{note}{_short_path(path)}"))
        first = _FIRST_FILE if listed else 0
        self._samples = {sample.project: sample for sample in list_samples()}
        for path, sample in self._samples.items():
            entry = path, sample.name, sample.description
            listed.setdefault(f"samples {sample.purpose}", []).append(entry)
        for title, entries in listed.items():
            choices.add_option(None)
            choices.add_option(Option(Text(title, "bold"), disabled=True))
            for path, name, about in entries:
                self.paths[key := f"{title}: {path}"] = path
                line = Text.assemble((f"{visible(name):<18}", "bold"), " ", (visible(about), "dim"))
                line.no_wrap = True
                line.overflow = "ellipsis"
                choices.add_option(Option(line, id=key))
        choices.highlighted = first
        choices.focus()

    @on(OptionList.OptionHighlighted)
    def preview(self, event: OptionList.OptionHighlighted) -> None:
        """Show what the sample under the cursor teaches, and the first lines of its data."""
        sample = self._samples.get(self.paths.get(event.option_id or "", Path()))
        pane = self.query_one("#preview", Static)
        pane.display = sample is not None
        if sample is None:
            return
        pane.border_title = sample.title
        text = Text.assemble((f"{sample.description}\n\n", "bold"), f"{sample.teaches}\n\n")

        def show(table: Table) -> None:
            width, height = pane.content_size
            frame = table.frame.head(max(height - _ABOVE, 1))
            lines = [""] * (frame.height + 1)
            for name in frame.columns:
                cells = [visible(cell or "") for cell in (name, *frame[name])]
                wide = max(map(len, cells)) + 2
                lines = [f"{line}{cell:<{wide}}" for line, cell in zip(lines, cells, strict=True)]
            shown = "\n".join(shortened(line.rstrip(), width) for line in lines)
            pane.update(Text.assemble(text, (shown, "dim")))

        pane.update(text)  # the data follow when they are read

        path = sample.project
        self.compute(lambda: Project.load(path).read_data(preview=True), show, group="preview")

    @on(OptionList.OptionSelected)
    def picked(self, event: OptionList.OptionSelected) -> None:
        if event.option_id == "open":
            ask_for_file(self.host)
        elif event.option_id in self.paths:
            open_file(self.host, self.paths[event.option_id])

    def action_apply(self) -> None:
        """Open the dialog that applies an earlier release to new records."""
        self.ask(ApplyDialog(Path()), lambda _: None)

    def action_choose(self) -> None:
        """Open the file under the cursor; the key bar shows it, the list itself handles enter."""
        self.query_one("#choices", OptionList).action_select()


def _short_path(path: Path, most: int = 50) -> str:
    """Return a path, from the home folder if it is below it; the end of a long one."""
    text = f"~/{path.relative_to(Path.home())}" if path.is_relative_to(Path.home()) else str(path)
    return text if len(text) <= most else "…" + text[1 - most :]
