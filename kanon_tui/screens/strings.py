"""The screen of strings: the passing strings that a search found, and one to build by hand.

Screens 5 and 6 open it to choose the levels of a full-domain release.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from operator import le
from typing import ClassVar

from rich.text import Text
from textual import getters, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Static

from kanon_tui.core.lattice.chosen_string import Verdict, Verdicts, read_levels, write_levels
from kanon_tui.core.project.sections import AlgorithmChoice
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import count_of, visible
from kanon_tui.services.host import Hosted
from kanon_tui.widgets.bars import KeyBar
from kanon_tui.widgets.dialogs import Modal, ask_text
from kanon_tui.widgets.drawing import theme_style
from kanon_tui.widgets.grid import Cell, Grid, GridColumn
from kanon_tui.widgets.grid_sources import CellTable

NARROWEST_NAME = 4
WIDEST_NAME = 14
FIGURES = (("RV", 6), ("NCP", 6), ("classes", 7), ("suppressed", 12), ("roots", 5))


class PassingStrings:
    """Verdicts on strings of a task, and the passing strings of a search; made in a thread."""

    def __init__(self, task: Task, run: FinishedRun | None, extent: str = "") -> None:
        self.task = task
        self.extent = extent
        """The records that are judged, if not the whole table: `a sample of …`."""
        self.verdicts = Verdicts(task)
        self.names = [attribute.name for attribute in task.quasi]
        strings = [] if run is None else _passing_levels(run, self.names, self.verdicts.heights)
        judged = [self.verdicts.judge(levels) for levels in strings]
        self.passing = [verdict for verdict in judged if verdict.passes]
        levels = None if run is None else run.grouping.levels
        fits = levels is not None and len(levels) == len(self.names)
        self.first = tuple(levels) if fits and levels is not None else self.verdicts.heights
        """The string to begin with: the published one, or the roots."""


def choose_string(
    screen: Hosted,
    task: Callable[[], Task],
    run: FinishedRun | None,
    chosen: Callable[[AlgorithmChoice], object],
    extent: str = "",
) -> None:
    """Open the strings of a task; call `chosen` with the algorithm that publishes the chosen one.

    `extent` names the records of the task if they are not the whole table.
    """

    def taken(levels: str) -> None:
        chosen(AlgorithmChoice("global", {"levels": levels}))

    screen.load(
        lambda: PassingStrings(task(), run, extent),
        lambda strings: screen.ask(StringsScreen(strings), taken),
    )


def choose_for_set_up(screen: Hosted) -> None:
    """Choose a string for the project, among others from those of the last full-domain run."""
    session = screen.session
    run = next(
        (result for result in reversed(session.results) if result.grouping.levels is not None), None
    )

    def chosen(choice: AlgorithmChoice) -> None:
        screen.host.edit(replace(session.project, algorithm=choice), "levels chosen")
        screen.host.notify("r publishes these levels; empty the field levels to search again")

    extent = "" if session.source is None else session.extent
    choose_string(screen, session.task, run, chosen, extent)


def _passing_levels(
    run: FinishedRun, names: Sequence[str], heights: Sequence[int]
) -> list[tuple[int, ...]]:
    """Return the passing strings of a search that fit these attributes and their heights."""
    found = (one["levels"] for one in run.grouping.search.get("passing", ()))
    strings = [tuple(levels.values()) for levels in found if list(levels) == list(names)]
    return [string for string in strings if all(map(le, string, heights))]


class StringsScreen(Hosted, Modal):
    """The string that is being built in the first row, the passing strings below."""

    grid = getters.query_one(Grid)

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,E", "dismiss(None)", "back"),
        Binding("plus", "change(1)", "level +", id="strings.raise"),
        Binding("minus", "change(-1)", "level −", id="strings.lower"),
        Binding("o", "filter", "only this level", id="strings.filter"),
        Binding("slash", "type", "type", id="strings.type"),
    ]

    def __init__(self, strings: PassingStrings) -> None:
        super().__init__()
        self.strings, self.built = strings, strings.first
        """`built` is the string in the first row."""
        self.only: tuple[int, int] | None = None
        """The attribute and level that all shown strings have; None shows all."""
        self._judged: Verdict | None = None
        """The verdict on the first row, once it is known."""

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static(id="verdict")
            yield Grid()
        yield KeyBar()

    def on_mount(self) -> None:
        """Judge the string to begin with."""
        self._judge()

    # -- what is shown

    @property
    def shown(self) -> list[Verdict]:
        """The passing strings that have the level of `only`."""
        if self.only is None:
            return self.strings.passing
        x, level = self.only
        return [one for one in self.strings.passing if one.levels[x] == level]

    @property
    def _verdict(self) -> Verdict | None:
        """The verdict on the string under the cursor; None while it is not known."""
        return self.shown[self.grid.row - 1] if self.grid.row else self._judged

    def _judge(self) -> None:
        """Judge the string in the first row in the background."""
        built = self.built
        self._judged = None

        def known(verdict: Verdict) -> None:
            if verdict.levels == self.built:
                self._judged = verdict
                self._fill()

        self.compute(lambda: self.strings.verdicts.judge(built), known, group="verdict")
        self._fill()

    def _fill(self) -> None:
        shown = self.shown
        columns = [
            GridColumn(visible(name), NARROWEST_NAME, True, wish=min(len(name), WIDEST_NAME))
            for name in self.strings.names
        ]
        columns += [GridColumn(title, width, right=True) for title, width in FIGURES]

        def cells(verdict: Verdict | None) -> list[Cell]:
            levels = self.built if verdict is None else verdict.levels
            tops = self.strings.verdicts.heights
            found = [
                Cell(f"{level}", "muted" if level == top else "")
                for level, top in zip(levels, tops, strict=True)
            ]
            return found + (_figures(verdict) if verdict else [Cell("…")] * len(FIGURES))

        names = ["yours", *(f"{number:,}" for number in range(1, len(shown) + 1))]
        table = CellTable(columns, [cells(each) for each in (self._judged, *shown)], names, 6)
        table.frozen = 0
        self.grid.show(table, keep_cursor=True)
        self._show_verdict()

    @on(Grid.Moved)
    def _show_verdict(self) -> None:
        """Show the verdict on the string under the cursor."""
        verdict = self._verdict
        text = Text()
        if verdict is None:
            text.append("counting …")
        else:
            mark, colour = ("✓ passes", "success") if verdict.passes else ("✗ fails", "error")
            text.append(mark, theme_style(self, colour))
            text.append(f": {_sentence(verdict, self.strings.task.k)}")
        text.append(f"\n{self._listed()}", "dim")
        if self.strings.extent:
            text.append(f" · ! judged on {self.strings.extent}; a run judges the whole table")
        self.query_one("#verdict", Static).update(text)

    def _listed(self) -> str:
        passing = len(self.strings.passing)
        shown = len(self.shown)
        if self.only is not None:
            x, level = self.only
            name = visible(self.strings.names[x])
            return f"{shown:,} of {count_of(passing, 'passing string')} with {name} at {level}"
        if not passing:
            return "no passing strings were found yet: build one here, or run a search first"
        return f"{count_of(passing, 'passing string')} found by the search, the best first"

    # -- keys

    def _under_cursor(self) -> tuple[int, ...]:
        row = self.grid.row
        return self.built if row == 0 else self.shown[row - 1].levels

    def action_change(self, step: int) -> None:
        """Copy the string to the first row with a higher or lower level of the attribute."""
        grid = self.grid
        x = self.grid.column
        if x >= len(self.strings.names):
            return
        levels = list(self._under_cursor())
        levels[x] = min(max(levels[x] + step, 0), self.strings.verdicts.heights[x])
        self.built = tuple(levels)
        grid.go_to(0, x)
        self._judge()

    def action_filter(self) -> None:
        """Show only strings with this level of the attribute under the cursor, or all again."""
        x = self.grid.column
        if self.only is not None:
            self.only = None
        elif x < len(self.strings.names):
            self.only = (x, self._under_cursor()[x])
        self._fill()

    def action_type(self) -> None:
        """Ask for a string and put it into the first row."""
        written = write_levels(dict(zip(self.strings.names, self.built, strict=True)))

        def take(levels: tuple[int, ...]) -> None:
            self.built = levels
            self.grid.go_to(0)
            self._judge()

        hint = "Attributes that are not named stand at their root."
        read = partial(read_levels, task=self.strings.task)
        ask_text(self, "Levels", take, read, written, hint)

    @on(Grid.Chosen)
    def choose(self) -> None:
        """Close with the string under the cursor, if it passes."""
        verdict = self._verdict
        if verdict is None:
            return
        if not verdict.passes:
            self.host.notify("this string fails: raise a level, or take one of those below")
            return
        self.dismiss(write_levels(dict(zip(self.strings.names, verdict.levels, strict=True))))


def _figures(verdict: Verdict) -> list[Cell]:
    suppressed = f"{verdict.suppressed:,}" if verdict.passes else f"{verdict.below:,} below"
    return [
        Cell(f"{verdict.rv:.4f}"),
        Cell(f"{verdict.ncp:.4f}"),
        Cell(f"{verdict.classes:,}"),
        Cell(suppressed, "" if verdict.passes else "bad"),
        Cell(f"{verdict.roots:,}"),
    ]


def _sentence(verdict: Verdict, k: int) -> str:
    """Return `21 classes, the smallest with 7 · RV 0.2857 · NCP 0.6893`."""
    classes = count_of(verdict.classes, "class", "classes")
    parts = [f"{classes}, the smallest with {verdict.smallest:,}"]
    if verdict.suppressed:
        parts = [classes, f"{count_of(verdict.suppressed, 'record')} suppressed"]
    elif not verdict.passes:
        parts.append(f"{count_of(verdict.below, 'record')} below k = {k:,}")
    return " · ".join([*parts, f"RV {verdict.rv:.4f}", f"NCP {verdict.ncp:.4f}"])
