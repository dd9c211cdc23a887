"""What is plotted of a sweep: which figures, against which values of k.

The values of k stand at even distances: 2, 3, 5, 10, 25, 50, 100 are chosen by the factor between
them. Figures start at 0, so that heights can be compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kanon_tui.core.analysis.chart import Line
from kanon_tui.core.analysis.sweep.sweep import SweepPoint

__all__ = ["METRICS", "Metric", "best_at", "lines_of"]


@dataclass(frozen=True)
class Metric:
    """A figure that can be plotted against k."""

    name: str
    """The field of `SweepPoint`."""
    title: str
    meaning: str
    whole: bool = False
    """Whether it counts something."""
    more_is_better: bool = False

    def of(self, point: SweepPoint) -> float | None:
        """The figure of a point; None where it has no release."""
        value: float | None = getattr(point, self.name)
        return value

    def shown(self, point: SweepPoint) -> str:
        """The figure in words; a dash where there is none."""
        value = self.of(point)
        digits = {"ncp": 3, "rv": 3, "seconds": 2}.get(self.name, 0)
        return "–" if value is None else f"{value:,.{digits}f}"


METRICS: tuple[Metric, ...] = (
    Metric("ncp", "NCP", "detail lost: 0 nothing, 1 everything"),
    Metric("rv", "RV", "research value, more is better", more_is_better=True),
    Metric("il", "IL", "information loss, summed over the records"),
    Metric(
        "classes",
        "classes",
        "groups that look alike, more is finer",
        whole=True,
        more_is_better=True,
    ),
    Metric("suppressed_records", "suppressed", "records left out", whole=True),
    Metric("seconds", "seconds", "time inside the algorithm"),
)


def lines_of(
    points: Iterable[SweepPoint], metric: Metric, algorithms: Sequence[str], ks: Sequence[int]
) -> tuple[Line, ...]:
    """A line for every algorithm, also for one that has no points yet."""
    known = {(point.algorithm, point.k): metric.of(point) for point in points}
    return tuple(Line(name, tuple(known.get((name, k)) for k in ks)) for name in algorithms)


def best_at(points: Iterable[SweepPoint], metric: Metric, k: int) -> tuple[SweepPoint, ...]:
    """The points at a value of k that are best by a metric: one, or several that are equal."""
    known = [(metric.of(point), point) for point in points if point.k == k]
    values = [value for value, _ in known if value is not None]
    if not values:
        return ()
    best = max(values) if metric.more_is_better else min(values)
    return tuple(point for value, point in known if value == best)
