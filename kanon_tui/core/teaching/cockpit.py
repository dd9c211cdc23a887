"""The instruments of a run: the curve of its objective, its pace, class sizes against k."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import ClassVar

import numpy as np

from kanon_tui.core.clustering.events import GroupEvent
from kanon_tui.core.lessons.words import distinguishable
from kanon_tui.core.numeric import Int64s
from kanon_tui.core.pipeline.timeline import Timeline
from kanon_tui.core.task.task import Step
from kanon_tui.core.teaching.picture import Canvas, Drawing, Picture, Scene, Tone
from kanon_tui.core.teaching.records import MOST_ROWS, groups_now, sizes_of
from kanon_tui.core.text import count_of, small_number, sparkline

_EIGHTHS = " ▁▂▃▄▅▆▇█"
_WIDEST_BAR = 6
_FIGURES = {
    "best_value": "the best so far",
    "best_rv": "best RV so far",
    "rv": "RV",
    "ncp": "NCP",
    "il": "information loss",
    "sse": "variance that class means lose, %",
    "loss": "information loss",
    "ranges": "ranges, per record",
    "clusters": "classes made",
}
"""Figures for the curve, with their names; the first that the steps have is drawn."""
_WORK = {
    "tested": "strings",
    "merges": "merges",
    "placed": "records",
    "cuts": "cuts",
    "splits": "splits",
    "blocks_done": "blocks",
}
"""Counters of the work done, with the name of a unit."""
Points = list[tuple[int, float]]


class Cockpit(Drawing):
    """Curve, pace and histogram of a run, up to the step that is shown."""

    name: ClassVar[str] = "progress"

    def draw(self, scene: Scene, width: int, height: int) -> Picture:
        """Return the picture of a scene."""
        picture = Picture(width, height)
        step = scene.step
        if step is None:
            picture.line("Nothing is measured before the first decision.", "dim")
            return picture
        sizes = _class_sizes(scene)
        _gauges(picture, scene, step, sizes)
        height_left = height - picture.used
        below = max(height_left // 2, 6) if sizes is not None and height_left >= 10 else 0
        name, points = objective_points(scene.timeline, scene.number)
        if points:
            title: list[tuple[str, Tone]] = [(f"{name} {figure_text(points[-1][1])}", "main")]
            bound = _values(scene.timeline, scene.number, "bound")
            if bound:
                title.append((f"bound {figure_text(bound[-1][1])}", "warn"))
            series: list[tuple[Points, Tone]] = [(points, "main"), (bound, "warn")]
            picture.entries(title)
            room = height - picture.used - below - 1
            draw_curves(picture, [curve for curve in series if curve[0]], room, scene.number)
        if not points and sizes is None:
            picture.line("This step measures nothing.", "dim")
        if sizes is not None:
            _histogram(picture, sizes, scene.task.k, height - picture.used)
        return picture


def objective_points(
    timeline: Timeline, number: int, figures: Iterable[str] = tuple(_FIGURES)
) -> tuple[str, Points]:
    """Return the first figure that the steps have: its name, and its value at every step."""
    for figure in figures:
        points = _values(timeline, number, figure)
        if points and (not figure.startswith("best") or points[-1][1]):
            return _FIGURES[figure], points
    return "", []


def _values(timeline: Timeline, number: int, figure: str) -> Points:
    """Return a counter or figure at every step that has it, up to a step."""
    steps = timeline.steps(1, number)
    values = [(at, {**step.event.figures, **step.counters}.get(figure)) for at, step in steps]
    return [(at, float(value)) for at, value in values if isinstance(value, int | float)]


def draw_curves(
    picture: Picture, curves: Sequence[tuple[Points, Tone]], height: int, last: int
) -> None:
    """Draw figures over the steps up to `last` in one plot, with numbers at its axis."""
    if height < 3 or picture.width < 20:
        return
    values = [value for points, _ in curves for _, value in points]
    low = min(values)
    high = max(values)
    labels = list(dict.fromkeys((figure_text(low), figure_text(high))))
    if low < high and len(labels) == 1:
        labels = list(distinguishable(low, high))
    if low < high and height >= 7 and len(set(labels)) == 2:
        labels.insert(1, figure_text((low + high) / 2))
    first = min(points[0][0] for points, _ in curves)
    span = max(last - first, 1)
    canvas: Canvas[Tone] = Canvas(picture.width, height, "")
    series = []
    for points, tone in curves:
        thin = points[:: max(len(points) // (2 * picture.width), 1)]
        thin = thin if thin[-1] == points[-1] else [*thin, points[-1]]
        shares = [((at - first) / span, value) for at, value in thin]
        series.append((([*shares, (1.0, thin[-1][1])]), tone))
    if low == high:
        low = low - 1
        high = high + 1
        labels = ["", labels[0], ""]
    canvas.plot(series, labels, "dim", low, high)
    picture.add(canvas)
    label_width = max(map(len, labels))
    begin = f"└ step {first:,}"
    end = f"step {last:,}"
    room = max(picture.width - label_width - len(begin), len(end) + 1)
    picture.line(f"{'':>{label_width}}{begin}{end:>{room}}"[: picture.width], "dim")


def figure_text(value: float) -> str:
    """Return a figure with four decimals, or more where a small one would read as 0."""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4f}" if value == 0 or abs(value) >= 0.001 else small_number(value)


def _class_sizes(scene: Scene) -> Int64s | None:
    """Return the present sizes of the classes; None where steps do not report them."""
    event = None if scene.step is None else scene.step.event
    reported = event.class_sizes if isinstance(event, GroupEvent) else ()
    if len(reported):
        return np.repeat(np.arange(1, len(reported) + 1), reported)
    if scene.task.rows > MOST_ROWS:
        return None
    groups = groups_now(scene)
    if groups is None:
        return None
    sizes = sizes_of(scene, groups)
    return sizes[sizes > 0] if sizes.any() else None


def _gauges(picture: Picture, scene: Scene, step: Step, sizes: Int64s | None) -> None:
    """Draw progress, pace, and the number of classes still below k."""
    entries: list[tuple[str, Tone]] = []
    work = next((name for name in _WORK if step.counters.get(name)), None)
    if work is not None:
        entries.append((f"{step.counters[work]:,.0f} {_WORK[work]}", "strong"))
        rates = _rates(scene, work)
        if rates:
            entries.append((f"{rates[-1]:,.0f}/s {sparkline(rates)}", "main"))
    if step.counters.get("remaining"):
        entries.append((f"{step.counters['remaining']:,.0f} left", "dim"))
    if sizes is not None and len(sizes):
        k = scene.task.k
        small = sizes < scene.task.k
        tone: Tone = "bad" if small.any() else "good"
        text = f"{count_of(len(sizes), 'class', 'classes')}, {int(small.sum()):,} below k = {k:,}"
        entries.append((f"{'✗' if small.any() else '✓'} {text}", tone))
    picture.entries(entries)


def _rates(scene: Scene, work: str, most: int = 16) -> list[float]:
    """Return the units of work per second in up to `most` stretches of equal time."""
    steps = scene.timeline.steps(1, scene.number)
    samples = [
        (seconds, float(step.counters.get(work, 0)))
        for number, step in steps[:: max(len(steps) // 400, 1)]
        if (seconds := scene.timeline.seconds(number)) > 0
    ]
    if len(samples) < 2 or samples[-1][0] - samples[0][0] < 0.05:
        return []
    times, amounts = np.array(samples).T
    edges = np.linspace(times[0], times[-1], most + 1)
    totals = np.interp(edges, times, amounts)
    return [max((b - a) / (edges[1] - edges[0]), 0.0) for a, b in pairwise(totals.tolist())]


def _histogram(picture: Picture, sizes: Int64s, k: int, height: int) -> None:
    """Draw a histogram of class sizes; k is a line, the last bar takes the rest."""
    room = picture.width - 7
    if height < 4 or room < 8 or not len(sizes):
        return
    most = max(min(room // 2, max(2 * k, int(sizes.max()))), min(k + 1, room // 2))
    per_bar = -(-max(int(np.percentile(sizes, 95)), 2 * k) // most)
    bars = np.bincount(np.minimum((sizes - 1) // per_bar, most - 1), minlength=most)
    top = int(bars.max())
    rows = height - 2
    shown = f"{top:,}"
    label_width = max(len(shown), 5)
    wide = min(max((picture.width - label_width - 2) // most, 2), _WIDEST_BAR)
    for row in range(rows, 0, -1):
        picture.write(f"{shown:>5} ┤" if row == rows else f"{'':>{label_width}} │", "dim")
        for bar, count in enumerate(bars.tolist()):
            at_k = bar * per_bar < k <= (bar + 1) * per_bar
            filled = min(max(round(count / top * rows * 8) - (row - 1) * 8, 0), 8)
            filled = max(filled, 1) if count and row == 1 else filled
            picture.write("│" if at_k else " ", "warn")
            tone: Tone = "good" if (bar + 1) * per_bar >= k else "bad"
            picture.write(_EIGHTHS[filled] * (wide - 1), tone)
        picture.end()
    axis = [" "] * (wide * most + 2)
    for size in sorted({1, k, most * per_bar}):
        text = f"{size:,}{'+' if most * per_bar == size < sizes.max() else ''}"
        at = wide * ((size - 1) // per_bar) + 1 + (wide - 1) // 2
        begin = max(min(at - len(text) // 2, len(axis) - len(text)), 0)
        if all(c == " " for c in axis[begin : begin + len(text)]):
            axis[begin : begin + len(text)] = text
    picture.line(f"{0:>{label_width}} └{''.join(axis).rstrip()}"[: picture.width], "dim")
    picture.line(f"       records per class, k = {k:,} at │"[: picture.width], "dim")
