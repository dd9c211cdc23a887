"""7 What-if: several algorithms and values of k on the same table, in one picture."""

import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import getters, on
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.widget import Widget
from textual.widgets import Static

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.analysis.sweep.output import SWEEP_ENDINGS, sweep_in_words, sweep_text
from kanon_tui.core.analysis.sweep.sweep import (
    DEFAULT_KS,
    METRICS,
    Metric,
    Sweep,
    SweepPoint,
    best_at,
    k_values,
    lines_of,
)
from kanon_tui.core.editing.session import Session
from kanon_tui.core.pipeline.run import Result
from kanon_tui.core.table.writing import check_target, write_text
from kanon_tui.core.task.task import Family
from kanon_tui.screens.base import StepScreen
from kanon_tui.widgets.dialogs import ChooseSeveral, Message, ask_text
from kanon_tui.widgets.drawing import theme_style
from kanon_tui.widgets.grid import Cell, Grid, GridColumn, GridSource
from kanon_tui.widgets.path_dialog import AskPath, ask_target
from kanon_tui.widgets.plot import MARKERS, Chart, Plot

REFRESH = 1 / 5
"""Seconds between two updates of the points."""
PLOTS: tuple[tuple[Metric, ...], ...] = (*((metric,) for metric in METRICS), METRICS)
"""The views that `v` goes through: every figure by itself, then all of them small."""


class WhatIfScreen(StepScreen):
    """The plot and the table of a sweep, both growing while it runs."""

    STEP = "what-if"
    AUTO_FOCUS = "#points"
    grid = getters.query_one(Grid)
    plot = getters.query_one(Plot)
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (112, "-wide")]  # noqa: RUF012 (as Textual has it)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "start", "Run", id="what-if.start"),
        Binding("c", "cancel", "Cancel", id="what-if.cancel"),
        Binding("a", "algorithms", "Algorithms", id="what-if.algorithms"),
        Binding("k", "values", "Values of k", id="what-if.values"),
        Binding("v", "metric(1)", "other figure", id="what-if.metric"),
        Binding("V", "metric(-1)", "previous figure", show=False, id="what-if.metric-back"),
        Binding("enter", "open", "Open", id="what-if.open"),
        Binding("t", "words", "in words", id="what-if.words"),
        Binding("x", "export", "Export", id="what-if.export"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.algorithms: tuple[str, ...] = ()
        self.ks: tuple[int, ...] = DEFAULT_KS
        self.plotted = PLOTS[0]
        self.sweep: Sweep | None = None
        self.points: tuple[SweepPoint, ...] = ()
        """The finished points; the thread that runs the sweep replaces the whole tuple."""
        self.running = False
        self._opened: dict[tuple[str, int], Result] = {}
        self._session_shown: Session | None = None
        self._began = self._ended = 0.0
        self._drawn: tuple[SweepPoint, ...] | None = None

    def body(self) -> Iterable[Widget]:
        yield Static(id="status")
        with Container(id="panes"):
            with Vertical(id="plot-pane", classes="pane"):
                yield Plot(id="plot")
            with Vertical(id="table-pane", classes="pane") as pane:
                pane.border_title = "points (enter opens one)"
                yield Grid(id="points")
        yield Static(id="note", classes="muted")

    def on_mount(self) -> None:
        """Show new points as they are computed."""
        self.set_interval(REFRESH, self._draw_new_points)

    def on_unmount(self) -> None:
        """Stop the work: its points are no longer wanted."""
        if self.sweep is not None:
            self.sweep.cancel()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Show in the footer only the keys that work now."""
        if action == "cancel":
            return self.running
        if action in ("start", "algorithms", "values"):
            return not self.running
        if action in ("open", "export", "words"):
            return bool(self.points)
        return True

    # -- what is shown

    def show(self, session: Session) -> None:
        """Start afresh for another session; after an edit the points stay, marked as older."""
        if session is not self._session_shown:
            if self.sweep is not None:
                self.sweep.cancel()
            self._session_shown = session
            self.sweep = None
            self.points = ()
            self._opened = {}
            self.running = False
            self.algorithms = _proposed(session.project.algorithm.name)
        self._draw()

    def _draw_new_points(self) -> None:
        """Draw when points have come; while it runs, the clock goes on."""
        if not self.is_current:
            return
        if self.points is not self._drawn:
            self._draw()
        elif self.running:
            self._draw_status()

    def _draw(self) -> None:
        if self._drawn != self.points:
            self.refresh_bindings()
        self._drawn = self.points
        rows = PointRows(self.points, self.algorithms, self.ks)
        self.grid.show(rows, keep_cursor=True)
        self._draw_plot()
        self._draw_status()
        self._draw_note()

    def _draw_plot(self) -> None:
        pane = self.query_one("#plot-pane")
        alone = len(self.plotted) == 1
        self.set_class(not alone, "-all")
        pane.border_title = f"{self.plotted[0].title if alone else 'all figures'} against k"
        pane.border_subtitle = self.plotted[0].meaning if alone else ""
        charts = [
            Chart(
                metric.title, lines_of(self.points, metric, self.algorithms, self.ks), metric.whole
            )
            for metric in self.plotted
        ]
        place = divmod(self.grid.row, len(self.ks))
        self.plot.show(charts, [f"{k}" for k in self.ks], place)

    def _draw_status(self) -> None:
        total = len(self.algorithms) * len(self.ks)
        text = Text(f"{len(self.algorithms)} × {len(self.ks)} = {total} points", "bold")
        if self.running:
            seconds = time.monotonic() - self._began
            text.append(f" · {len(self.points)} done · {seconds:.1f} s · c cancels")
        elif not self.points:
            text.append(" · r runs them")
        elif len(self.points) < total:
            text.append(f" · {len(self.points)} done, the rest cancelled · r runs them again")
        else:
            text.append(f" · done in {self._ended - self._began:.1f} s")
        if self.session.source is not None:
            text.append(f" · on {self.session.extent}, which loses more than the whole table")
        if self.sweep is not None and not self.sweep.fits(self.session.project):
            text.append(" · ! of an earlier state of the project", theme_style(self, "warning"))
        self.query_one("#status", Static).update(text)

    @on(Grid.Moved, "#points")
    def moved(self) -> None:
        """Show the note on the point under the cursor."""
        self.plot.choose(*divmod(self.grid.row, len(self.ks)))
        self._draw_note()

    def _draw_note(self) -> None:
        """Show how the point under the cursor compares at its k, or why it has no release."""
        point = self.point
        source = self.grid.source
        note = Text()
        if point is not None and point.error is not None:
            note = Text.assemble(
                ("✗ ", theme_style(self, "error", bold=True)),
                f"{point.algorithm}, k = {point.k:,}: {point.error}",
            )
        elif point is not None and isinstance(source, PointRows):
            note = Text(source.comparison_at_k(point, self.plotted))
        self.query_one("#note", Static).update(note)

    @property
    def point(self) -> SweepPoint | None:
        """The point under the cursor, when it is done."""
        source = self.grid.source
        return source.point(self.grid.row) if isinstance(source, PointRows) else None

    # -- what to compare

    def action_algorithms(self) -> None:
        dialog = ChooseAlgorithms(self.algorithms)
        self.ask(dialog, lambda names: self._compare(tuple(names), self.ks))

    def action_values(self) -> None:
        def take(ks: tuple[int, ...]) -> None:
            self._compare(self.algorithms, ks)

        hint = "Whole numbers with commas, such as 2,5,10"
        now = ",".join(map(str, self.ks))
        ask_text(self, "Values of k", take, k_values, now, hint)

    def _compare(self, algorithms: tuple[str, ...], ks: tuple[int, ...]) -> None:
        """Compute other points; those that are done and still wanted stay."""
        self.algorithms = algorithms
        self.ks = ks
        self.points = tuple(p for p in self.points if p.algorithm in algorithms and p.k in ks)
        self._draw()

    def action_metric(self, step: int) -> None:
        """Show another figure on the y axis."""
        self.plotted = PLOTS[(PLOTS.index(self.plotted) + step) % len(PLOTS)]
        self._draw_plot()
        self._draw_note()

    def action_words(self) -> None:
        """Explain the figure in words: rankings, the price of each k, why a curve turns."""
        metric = self.plotted[0]
        sentences = sweep_in_words(self.points, metric, self.algorithms, self.ks)
        self.app.push_screen(Message(f"{metric.title} in words", "\n".join(sentences)))

    # -- running

    def action_start(self) -> None:
        session = self.session

        def make() -> Sweep:
            return Sweep(session.project, session.task(), self.algorithms, self.ks)

        self.compute(make, self._begin, group="begin", covers=self)

    def _begin(self, sweep: Sweep) -> None:
        self.sweep = sweep
        self.points = ()
        self.running = True
        self._opened = {}
        self._began = time.monotonic()
        self.refresh_bindings()
        self._draw()

        def drive() -> None:
            for point in sweep:
                if sweep is self.sweep:
                    self.points = (*self.points, point)

        self.host.background.compute(
            self, drive, lambda _: self._finished(sweep),
            group="sweep", failed=lambda error: self._finished(sweep, error),
        )  # fmt: skip

    def _finished(self, sweep: Sweep, failure: Exception | None = None) -> None:
        if sweep is not self.sweep:
            return
        self.running = False
        self._ended = time.monotonic()
        self.session.swept = True
        self.refresh_bindings()
        self.refresh_session()
        if failure is not None:
            self.host.show_error("The sweep stopped", failure)

    def action_cancel(self) -> None:
        """Stop, and keep the points that are done."""
        if self.sweep is not None:
            self.sweep.cancel()

    # -- what to do with a point, or all

    @on(Grid.Chosen, "#points")
    def action_open(self) -> None:
        """Open the point under the cursor as a full result."""
        point = self.point
        sweep = self.sweep
        session = self.session
        if point is None or point.error is not None or sweep is None:
            self.host.notify("this point has no release to open")
            return
        if session.source is not None:
            self.host.notify("this point was computed on a sample; run the whole table on screen 5")
            return

        place = point.algorithm, point.k

        def opened(result: Result) -> None:
            # One that was opened before becomes the newest: the same run is never listed twice.
            session.results[:] = [*(one for one in session.results if one is not result), result]
            if place not in self._opened:
                self.host.keep_run(session, result)
            self._opened[place] = result
            self.host.session_changed()
            self.host.go_to_step("results")

        self.load(lambda: self._opened.get(place) or sweep.open(point), opened)

    def action_export(self) -> None:
        """Write what is done as a table or a picture."""
        folder = self.session.data_path.parent
        inputs = self.session.project.inputs
        rows = PointRows(self.points, self.algorithms, self.ks)
        points = [point for point in map(rows.point, range(rows.height)) if point is not None]

        def check(path: Path) -> None:
            check_target(path, SWEEP_ENDINGS, force=True, inputs=inputs)

        def write(path: Path) -> None:
            self.host.background.write(
                lambda: write_text(path, sweep_text(points, path), force=True),
                lambda _: self.host.notify(f"wrote {path.name}"),
            )

        proposed = folder / f"{Path(self.session.project.name).stem}-what-if.csv"
        hint = ".csv and .json hold the table, .svg the plots · tab completes, ↓ list"
        ask_target(self, AskPath("Write the points to", str(proposed), hint), write, check)


def _proposed(own: str) -> tuple[str, ...]:
    """Return the project's algorithm and a quick one of the other family."""
    other = "mondrian" if ALGORITHMS[own].family is Family.FULL_DOMAIN else "global"
    return tuple(name for name in ALGORITHMS if name in (own, other))


_FIGURES = {"NCP": 5, "RV": 5, "IL": 7, "classes": 7, "supp.": 6, "s": 6}
"""Titles and widths of the columns after the algorithm and k, as `METRICS` orders them."""


class PointRows(GridSource):
    """The points as grid rows: figures, … while a point is computed, ✗ without a release."""

    def __init__(
        self, points: Iterable[SweepPoint], algorithms: Sequence[str], ks: Sequence[int]
    ) -> None:
        self._known = {(point.algorithm, point.k): point for point in points}
        self._pairs = [(name, k) for name in algorithms for k in ks]
        self.markers = {
            name: MARKERS[number % len(MARKERS)] for number, name in enumerate(algorithms)
        }
        """Per algorithm the marker of its line."""
        self.height = len(self._pairs)
        self.columns: Sequence[GridColumn] = [
            GridColumn("  algorithm", 2 + max([9, *map(len, algorithms)])),
            GridColumn("k", max([3, *(len(f"{k:,}") for k in ks)]), right=True),
            *(GridColumn(title, width, right=True) for title, width in _FIGURES.items()),
        ]

    def point(self, row: int) -> SweepPoint | None:
        """Return the point of a row, or None while it is computed."""
        return self._known.get(self._pairs[row]) if row < self.height else None

    def line(self, row: int) -> list[Cell]:
        point, (name, k) = self.point(row), self._pairs[row]
        head = [Cell(f"{self.markers[name]} {name}"), Cell(f"{k:,}")]
        if point is None:
            return [*head, *(Cell("…", "muted") for _ in self.columns[2:])]
        if point.error is not None:
            return [*head, Cell("✗", "bad"), *(Cell("–", "muted") for _ in self.columns[3:])]
        return [*head, *(Cell(metric.shown(point)) for metric in METRICS)]

    def comparison_at_k(self, point: SweepPoint, metrics: Sequence[Metric]) -> str:
        """Return how a point compares at its k, by one metric; by several, which is best.

        `● global, k = 5: NCP 0.264 · best at this k: ■ mondrian 0.202`.
        """
        best = {metric: best_at(self._known.values(), metric, point.k) for metric in metrics}
        if len(metrics) > 1:
            found = (
                f"{metric.title} {''.join(self.markers[one.algorithm] for one in winners)}"
                for metric, winners in best.items()
            )
            return f"best at k = {point.k:,}: {' · '.join(found)}"
        [(metric, winners)] = best.items()
        own = f"{self._name(point)}, k = {point.k:,}: {metric.title} {metric.shown(point)}"
        if len(self.markers) == 1:
            return own
        if point in winners:
            others = [self._name(winner) for winner in winners if winner is not point]
            return f"{own} · best at this k" + (f", like {' '.join(others)}" if others else "")
        names = " ".join(map(self._name, winners))
        return f"{own} · best at this k: {names} {metric.shown(winners[0])}"

    def _name(self, point: SweepPoint) -> str:
        return f"{self.markers[point.algorithm]} {point.algorithm}"


class ChooseAlgorithms(ChooseSeveral):
    """Asks for several algorithms; gives their names in the order of the list, or None."""

    def __init__(self, chosen: Iterable[str]) -> None:
        super().__init__("Algorithms to compare", tuple(ALGORITHMS), chosen)

    def line(self, name: str) -> Text:
        """Return the name of the algorithm and its title."""
        return Text.assemble((f"{name:<13}", "bold"), (ALGORITHMS[name].title, "dim"))
