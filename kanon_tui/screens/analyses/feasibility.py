"""k feasibility: how many records a shape needs to be k-anonymous as it stands."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from rich.text import Text
from textual import on
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import Static
from textual.worker import get_current_worker

from kanon_tui.core.analysis.chart import Line, compact_number
from kanon_tui.core.analysis.feasibility import feasibility_curve, shape_of
from kanon_tui.core.errors import KanonError
from kanon_tui.core.fields.declaration import Field, optional, whole_number
from kanon_tui.core.table.column import Role
from kanon_tui.core.text import visible
from kanon_tui.screens.panel import AnalysisScreen
from kanon_tui.widgets.form import Form
from kanon_tui.widgets.grid import Cell, Grid, GridColumn
from kanon_tui.widgets.grid_sources import CellTable
from kanon_tui.widgets.plot import Chart, Plot

Shape = Sequence[npt.NDArray[np.float64]]

REFRESH = 1 / 5
"""Seconds between two updates of the points."""
STEPS = 10
MOST_CHOSEN = 10_000_000
"""Most records on the curve, unless more are typed."""
SAFE = 0.95
"""The success rate that counts as enough."""
BATCH = 10
"""Tables that are drawn between two checks for cancellation."""


def record_counts(k: int, combinations: int, own: int, most: int | None) -> list[int]:
    """Return record counts to try, by even factors, and the table's own if it lies among them.

    Unless `most` is given they reach well beyond k records for every combination, where the
    success rate rises from 0 to 1.
    """
    top = most or min(max(20 * k * combinations, 2 * own), MOST_CHOSEN)
    low = min(max(k, top // 1000), top)
    steps = {int(float(f"{step:.2g}")) for step in np.geomspace(low, top, STEPS)}
    return sorted(steps | ({own} if low <= own <= top else set()))


@dataclass
class Curve:
    """A simulation: its settings, and the rates so far, replaced as a whole by its thread."""

    shapes: Mapping[str, Shape]
    counts: Sequence[int]
    k: int
    repeats: int
    note: str = ""
    rates: dict[tuple[str, int], float] = field(default_factory=dict)

    def lines(self) -> list[Line]:
        return [
            Line(name, tuple(self.rates.get((name, n)) for n in self.counts))
            for name in self.shapes
        ]

    def run(self) -> None:
        """Simulate point after point, until all are done or the worker is cancelled."""
        worker = get_current_worker()
        for n in self.counts:
            for name, shape in self.shapes.items():
                passed = 0.0
                for tables, rate in self._batches(shape, n):
                    passed += tables * rate
                    if worker.is_cancelled:
                        return
                self.rates = {**self.rates, (name, n): passed / self.repeats}

    def _batches(self, shape: Shape, n: int) -> Iterator[tuple[int, float]]:
        for first in range(0, self.repeats, BATCH):
            tables = min(BATCH, self.repeats - first)
            (point,) = feasibility_curve(shape, self.k, [n], tables, seed=first)
            yield tables, point.success_rate


class FeasibilityScreen(AnalysisScreen):
    """The panel of k feasibility: a form, the curves, and their numbers."""

    TITLE = "k feasibility"
    PANES: ClassVar = {
        "#form-pane": "shape",
        "#table-pane": "success rate",
        "#plot-pane": "success rate against records",
    }
    BINDINGS: ClassVar[list[BindingType]] = [Binding("r", "simulate", "Run", id="feasibility.run")]

    def __init__(self) -> None:
        super().__init__()
        self.curve: Curve | None = None
        self._drawn: dict[tuple[str, int], float] | None = None

    def body(self) -> Iterable[Widget]:
        with Horizontal():
            with Vertical(id="left"):
                with Vertical(classes="pane", id="form-pane"):
                    yield Form()
                with Vertical(classes="pane", id="table-pane"):
                    yield Grid()
            with Vertical(classes="pane", id="plot-pane"):
                yield Plot()
        yield Static(id="note", classes="muted")

    def begin(self) -> None:
        """Begin with the shape of the project."""
        self.query_one("#form-pane").border_subtitle = "enter computes"
        form = self.query_one(Form)
        form.show(self._parameters(), {})
        form.focus_field("attributes")
        self.set_interval(REFRESH, self._draw_new_points)
        self.action_simulate()

    def _parameters(self) -> list[Field]:
        run = self.run_on_results
        own = len(self.session.names(Role.QUASI) if run is None else run.task.quasi) or 3
        k = self.session.project.privacy.k if run is None else run.task.k
        return [
            Field("attributes", whole_number(1, 100), own, "How many attributes"),
            Field("values", whole_number(1, 10_000), 2, "Values of each, equally frequent"),
            Field("k", whole_number(1), k, "Records a combination needs"),
            Field("repeats", whole_number(1, 100_000), 200, "Random tables per point"),
            Field("most_records", optional(whole_number(1, 10**12)), None, "Where the curve ends"),
        ]

    def status(self) -> Text:
        name = "" if self.run_on_results is None else visible(self.release_name)
        text = Text.assemble((self.TITLE, "bold"), name)
        if self.curve is not None:
            text.append(f" · k = {self.curve.k:,} · {self.curve.repeats:,} tables per point")
        return text

    # -- computing

    @on(Form.Left)
    def leave_form(self) -> None:
        """Go back: the panel has nothing but the form."""
        self.action_back()

    @on(Form.Changed)
    def changed(self, event: Form.Changed) -> None:
        """Simulate with the numbers that were typed."""
        self._simulate(event.form.values)

    def action_simulate(self) -> None:
        """Draw the curves of what the form says."""
        values = self.query_one(Form).accept()
        if values is not None:
            self._simulate(values)

    def _simulate(self, values: dict[str, Any]) -> None:
        session, run = self.session, self.run_on_results
        attributes, per_attribute, k = values["attributes"], values["values"], values["k"]
        counts = record_counts(
            k, per_attribute**attributes, session.table.height, values["most_records"]
        )
        typed = f"typed {attributes} × {per_attribute} values"
        shapes = {typed: [np.full(per_attribute, 1 / per_attribute)] * attributes}
        curve = Curve(shapes, counts, k, values["repeats"])

        def work() -> None:
            try:
                own = shape_of(session.task() if run is None else run.task)
                curve.shapes = {f"table's {len(own)}": own, **shapes}
            except KanonError as error:
                curve.note = f"no curve for this table: {error}"
            curve.run()

        self.curve = curve
        self.in_background(work, lambda _: self._draw(), "drawing tables")
        self._draw()

    # -- showing

    def _draw_new_points(self) -> None:
        if self.curve is not None and self.curve.rates is not self._drawn:
            self._draw()

    def _draw(self) -> None:
        curve = self.curve
        assert curve is not None
        self._drawn = curve.rates
        lines = curve.lines()
        own = self.session.table.height
        labels = [f"{'▸' if n == own else ''}{compact_number(n)}" for n in curve.counts]
        self.query_one(Plot).show([Chart("success rate", tuple(lines))], labels)
        columns = [GridColumn("records", 9, True)]
        columns += [GridColumn(title, 8, True) for title in ("table's", "typed")[-len(lines) :]]

        cells = [
            [Cell(label), *(_share(line.values[row]) for line in lines)]
            for row, label in enumerate(labels)
        ]
        self.query_one(Grid).show(CellTable(columns, cells), keep_cursor=True)
        line = f"▸ {own:,} records here"
        if all(rate is not None for line in lines for rate in line.values):
            found = (
                f"{column.title} {_enough(line, curve.counts)}"
                for column, line in zip(columns[1:], lines, strict=True)
            )
            line += f" · {SAFE:.0%} reached: {', '.join(found)}"
        note = Text(f"{curve.note}\n" if curve.note else "").append(line)
        self.query_one("#note", Static).update(note)


def _enough(line: Line, counts: Sequence[int]) -> str:
    """Return from how many records on the success rate stays high."""
    low = [n for n, rate in zip(counts, line.values, strict=True) if (rate or 0) < SAFE]
    enough = [n for n in counts if not low or n > low[-1]]
    return (
        f"from {compact_number(enough[0])} on"
        if enough
        else f"not up to {compact_number(counts[-1])}"
    )


def _share(rate: float | None) -> Cell:
    if rate is None:
        return Cell("…", "muted")
    return Cell(f"{rate:.1%}", "good" if rate >= SAFE else "")
