"""A panel over the screens, with work in the background: the analyses, and two runs compared."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import ClassVar, TypeVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widget import Widget
from textual.widgets import Static
from textual.worker import Worker

from kanon_tui.core.project.project import Project
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.report.sections import Section
from kanon_tui.core.table.column import Role
from kanon_tui.core.table.formats import DATA_ENDINGS
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import read_table
from kanon_tui.core.table.table import Table
from kanon_tui.core.text import visible
from kanon_tui.screens.base import StepScreen
from kanon_tui.services.host import Hosted
from kanon_tui.widgets.bars import KeyBar
from kanon_tui.widgets.dialogs import ChooseSeveral, Modal, choose
from kanon_tui.widgets.lists import ScrollPane
from kanon_tui.widgets.path_dialog import AskPath

T = TypeVar("T")

NO_RELEASE = "there is no release yet: esc, then 5 runs an algorithm"


def sections_text(sections: Iterable[Section]) -> Text:
    """Return sections of an analysis as a text: titles, paragraphs, aligned tables, lists."""
    text = Text()
    for section in sections:
        text.append(f"{visible(section.title)}\n", "bold")
        text.append("".join(f"{visible(paragraph)}\n" for paragraph in section.paragraphs))
        for number, line in enumerate(section.lines()):
            text.append(f"{line}\n", "" if number else "dim")
        text.append("".join(f"{visible(item)}\n" for item in section.items), "dim")
        text.append("\n")
    text.rstrip()
    return text


class AnalysisScreen(Hosted, Modal):
    """A panel as large as the screen. Escape goes back: from a zoomed pane, from work, then out.

    Subclasses give `details` (the end of the line on top), and `body` where they have other panes
    than one with figures; those that look at a release also `released` (another one was chosen).
    """

    TITLE: ClassVar[str]
    PANES: ClassVar[Mapping[str, str]]
    """By selector the titles of panes; the first one begins with the focus."""
    LOOKS_AT_RELEASE: ClassVar[bool] = False
    TABLES: ClassVar[Mapping[str, str]] = {}
    """By option that is a table of a file the question for it."""
    NEEDS: ClassVar[Mapping[str, str]] = {}
    """By action the attribute of the panel without which its key does nothing and is not shown."""
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012 (as Textual has it)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "Back"),
        Binding("z", "zoom", "Zoom", id="analysis.zoom"),
        Binding("R", "release", "runs", id="analysis.release"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._worker: Worker[None] | None = None
        self._doing = ""

    def compose(self) -> ComposeResult:
        yield Static(id="status")
        yield from self.body()
        yield KeyBar()

    def body(self) -> Iterable[Widget]:
        """Return the panes of the panel."""
        with ScrollPane(id="found", classes="pane"):
            yield Static(id="figures")

    def on_mount(self) -> None:
        """Title the panes, then begin."""
        for selector, title in self.PANES.items():
            self.query_one(selector).border_title = title
        self.query_one(next(iter(self.PANES))).focus()
        self.draw_status()
        self.begin()

    def begin(self) -> None:
        """Do the first work, or ask the first question."""
        self.released()

    def show_figures(self, text: Text) -> None:
        """Show a text in the pane of figures."""
        self.query_one("#figures", Static).update(text)

    def status(self) -> Text:
        """Return the line on top: the panel, the release, and what is shown of it."""
        text = Text.assemble((self.TITLE, "bold"), visible(self.release_name))
        return text.append(f" · {NO_RELEASE}" if self.result is None else self.details())

    def details(self) -> str:
        """Return the end of the line on top, where there is a release."""
        return ""

    @cached_property
    def run_on_results(self) -> FinishedRun | None:
        """Return the run that Results showed when the panel was opened over it, else None."""
        below = self.app.screen_stack[0]
        return below.result if isinstance(below, StepScreen) else None

    @cached_property
    def result(self) -> FinishedRun | None:
        """Return the run that is looked at: that of Results, else the latest, or one chosen."""
        latest = self.session.results[-1] if self.session.results else None
        return self.run_on_results or latest

    @property
    def release_name(self) -> str:
        """Return ` on run 2: mondrian k=5`, or nothing where there is no run."""
        return "" if self.result is None else f" on {self.session.run_title(self.result)}"

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Show in the footer only the keys that work now."""
        if action == "release":
            return self.LOOKS_AT_RELEASE and len(self.session.results) > 1
        return action not in self.NEEDS or bool(getattr(self, self.NEEDS[action]))

    def action_release(self) -> None:
        """Look at the release of another run."""
        named = {self.session.run_title(result): result for result in self.session.results}
        self.choose_option("result", "Which release?", named)

    def released(self) -> None:
        """Do the work of the panel: on another release, or with other options."""

    def set_options(self, **options: object) -> None:
        """Set attributes of the panel, and do its work again."""
        for name, value in options.items():
            setattr(self, name, value)
        self.released()
        self.draw_status()

    @property
    def project(self) -> Project:
        """The project that the release was made with."""
        made_with = None if self.result is None else self.result.project
        return made_with or self.session.project

    def read(self, path: Path) -> Table:
        """Return a table that is joined with the release: its first line holds the names."""
        table = self.session.table if self.result is None else self.result.task.table
        return read_table(path, ReadOptions(header=True, missing_tokens=table.missing_tokens))

    # -- questions that several panels ask

    def ask_file(self, title: str, chosen: Callable[[Path], object]) -> None:
        """Ask for a data file, beginning in the folder of the data."""
        dialog = AskPath(title, f"{self.session.data_path.parent}/", endings=DATA_ENDINGS)
        self.ask(dialog, chosen)

    def ask_one(
        self,
        title: str,
        named: Mapping[str, T],
        current: object,
        chosen: Callable[[T], object],
        hint: str = "",
    ) -> None:
        """Ask for one of several values by their names; the cursor begins on the current one."""
        options = [(visible(name), partial(chosen, value)) for name, value in named.items()]
        at = next((n for n, value in enumerate(named.values()) if value == current), 0)
        choose(self, title, options, hint, at)

    def choose_option(self, option: str, title: str, named: Mapping[str, object]) -> None:
        """Ask for the value of an option by its name."""
        current = getattr(self, option)
        self.ask_one(title, named, current, lambda value: self.set_options(**{option: value}))

    def choose_several(
        self, option: str, title: str, names: Sequence[str], marked: Iterable[str]
    ) -> None:
        """Ask for several names as the value of an option."""
        dialog = ChooseSeveral(title, names, marked)
        self.ask(dialog, lambda names: self.set_options(**{option: tuple(names)}))

    def action_table(self, option: str) -> None:
        """Ask for a data file; an option gets its table, and another its name."""
        if self.result is None:
            return

        def chosen(path: Path) -> None:
            def read(table: Table) -> None:
                self.set_options(**{option: table, f"{option}_name": path.name})

            self.in_background(lambda: self.read(path), read, f"reading {visible(path.name)}")

        self.ask_file(self.TABLES[option], chosen)

    @property
    def published(self) -> list[str]:
        """The columns that the release publishes."""
        roles = self.result.task.roles if self.result else {}
        return [name for name, role in roles.items() if role.published]

    def ask_target(self, current: str | None, chosen: Callable[[str], object]) -> None:
        """Ask for the attribute to predict; quasi-identifiers come last."""
        assert self.result is not None
        roles = self.result.task.roles
        ordered = sorted(self.published, key=lambda name: roles[name] is Role.QUASI)
        hint = "what is published as it is comes first"
        named = {name: name for name in ordered}
        self.ask_one("Predict which attribute?", named, current, chosen, hint)

    # -- work in the background

    @property
    def working(self) -> bool:
        """Whether escape has something to stop."""
        return self._worker is not None and not self._worker.is_finished

    def in_background(self, work: Callable[[], T], done: Callable[[T], object], doing: str) -> None:
        """Do work in a thread and say so; a newer one replaces it, escape leaves it."""

        def finish(outcome: T) -> None:
            self._worker = None
            done(outcome)
            self.draw_status()

        def failed(error: Exception) -> None:
            self._worker = None
            self.work_failed()
            self.draw_status()
            self.host.fail(error)

        self._doing = doing
        self._worker = self.host.background.compute(
            self, work, finish, group="analysis", failed=failed
        )
        self.draw_status()

    def work_failed(self) -> None:
        """Put right what depends on work that has failed."""

    def draw_status(self) -> None:
        """Show the line on top, with what is being done."""
        text = self.status()
        if self.working:
            text.append(f" · {self._doing} … esc cancels")
        self.query_one("#status", Static).update(text)
        self.refresh_bindings()

    # -- actions

    def action_back(self) -> None:
        if self.maximized is not None:
            self.minimize()
        elif self._worker is not None and self.working:
            self._worker.cancel()
            self._worker = None
            self.draw_status()
        else:
            self.dismiss(None)
