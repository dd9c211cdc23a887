"""The points of a sweep as rows of a grid."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kanon_tui.core.analysis.sweep.sweep import METRICS, Metric, SweepPoint, best_at
from kanon_tui.widgets.grid import Cell, GridColumn
from kanon_tui.widgets.plot import MARKERS

__all__ = ["PointRows"]


class PointRows:
    """A row for every point asked for: figures, … while it is awaited, ✗ without a release."""

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
            GridColumn("NCP", 5, right=True),
            GridColumn("RV", 5, right=True),
            GridColumn("IL", 7, right=True),
            GridColumn("classes", 7, right=True),
            GridColumn("supp.", 6, right=True),
            GridColumn("s", 6, right=True),
        ]

    def point(self, row: int) -> SweepPoint | None:
        """The point of a row, when it is done."""
        return self._known.get(self._pairs[row]) if row < self.height else None

    def rows(self, start: int, stop: int) -> list[list[Cell]]:
        return [self._cells(*pair) for pair in self._pairs[start:stop]]

    def _cells(self, name: str, k: int) -> list[Cell]:
        point = self._known.get((name, k))
        head = [Cell(f"{self.markers[name]} {name}"), Cell(f"{k:,}")]
        if point is None:
            return [*head, *(Cell("…", "muted") for _ in self.columns[2:])]
        if point.error is not None:
            return [*head, Cell("✗", "bad"), *(Cell("–", "muted") for _ in self.columns[3:])]
        return [*head, *(Cell(metric.shown(point)) for metric in METRICS)]

    def standing(self, point: SweepPoint, metrics: Sequence[Metric]) -> str:
        """How a point stands beside the others at its k, by one metric; by several, who is best.

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
            others = [self._name(one) for one in winners if one is not point]
            return f"{own} · best at this k" + (f", like {' '.join(others)}" if others else "")
        names = " ".join(map(self._name, winners))
        return f"{own} · best at this k: {names} {metric.shown(winners[0])}"

    def _name(self, point: SweepPoint) -> str:
        return f"{self.markers[point.algorithm]} {point.algorithm}"

    def row_name(self, row: int) -> str:
        return ""
