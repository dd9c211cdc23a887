"""Write a sweep: in words, as CSV and JSON for programs, as SVG for papers and slides.

The words say who is best at each k, what the next k costs, and why a curve turns. The picture has
six panels with one line per algorithm. Lines differ in colour, in marker and in dashes, so that
they can be told apart in print as well; the colours are those of Okabe and Ito, which most kinds of
colour blindness keep apart.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from xml.sax.saxutils import escape

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.analysis.sweep.sweep import METRICS, Metric, SweepPoint, lines_of
from kanon_tui.core.errors import InputError
from kanon_tui.core.numeric import TIE
from kanon_tui.core.report.chart import Line, compact_number, ticks
from kanon_tui.core.task.task import Family
from kanon_tui.core.text import json_text


def sweep_in_words(
    points: Iterable[SweepPoint], metric: Metric, algorithms: Sequence[str], ks: Sequence[int]
) -> list[str]:
    """Return sentences about one figure.

    The ranking at each k, the price of each step, the turns.
    """
    known = {(point.algorithm, point.k): point for point in points}
    lines = [_ranking([known[a, k] for a in algorithms if (a, k) in known], metric, k) for k in ks]
    for name in algorithms:
        own = [known[name, k] for k in ks if (name, k) in known]
        lines += _prices(name, own, metric)
    return [line for line in lines if line]


def _ranking(points: Sequence[SweepPoint], metric: Metric, k: int) -> str:
    """Return `k = 5: mondrian 0.202, global 0.264 (NCP, best first)`."""
    found = [(value, p) for p in points if (value := metric.figure_of(p)) is not None]
    found.sort(key=lambda pair: -pair[0] if metric.more_is_better else pair[0])
    without = [p.algorithm for p in points if p.error is not None]
    ranked = ", ".join(f"{p.algorithm} {metric.shown(p)}" for _, p in found)
    missing = f"; no release: {', '.join(without)}" if without else ""
    if not found:
        return f"k = {k:,}: no release{missing.removeprefix('; no release')}" if without else ""
    return f"k = {k:,}, {metric.title}, best first: {ranked}{missing}."


def _prices(name: str, points: Sequence[SweepPoint], metric: Metric) -> Iterator[str]:
    """Yield the cost of every step to a larger k; where a figure gets better, why that can be."""
    for one, other in pairwise(points):
        before = metric.figure_of(one)
        after = metric.figure_of(other)
        if before is None or after is None:
            continue
        change = after - before
        worse = change < -TIE if metric.more_is_better else change > TIE
        step = f"{name}, k = {one.k:,} to {other.k:,}: {metric.title}"
        if abs(change) <= TIE:
            yield f"{step} stays at {metric.shown(one)}."
        elif worse:
            verb = "falls" if change < 0 else "rises"
            yield f"{step} {verb} from {metric.shown(one)} to {metric.shown(other)}."
        else:
            yield (
                f"{step} gets better, {metric.shown(one)} to {metric.shown(other)}, though k "
                f"asks for more: {_why_it_turns(name, metric, one, other)}"
            )


def _why_it_turns(name: str, metric: Metric, one: SweepPoint, other: SweepPoint) -> str:
    """Return why a figure can improve when more is asked."""
    if metric.name == "seconds":
        return "time depends on what can be pruned, not on k alone."
    if (other.suppressed_records or 0) != (one.suppressed_records or 0):
        more = (other.suppressed_records or 0) > (one.suppressed_records or 0)
        return f"{'more' if more else 'fewer'} records are suppressed, which moves the figure."
    if metric.name != "rv" and ALGORITHMS[name].seeks_rv:
        rvs = ""
        if one.rv is not None and other.rv is not None:
            rvs = f" (RV {one.rv:.3f} to {other.rv:.3f})"
        return f"{name} looks for the highest RV{rvs}, and {metric.title} follows from that."
    if ALGORITHMS[name].family is Family.FULL_DOMAIN:
        return f"{name} does not look for the best {metric.title}, and passes by it at either k."
    return f"{name} decides step by step and cannot take back what it joined or cut at first."


_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_DASHES = ("", "6 3", "2 3", "8 3 2 3")
_MARKERS = (
    "m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",  # circle
    "m-3.5 -3.5h7v7h-7z",  # square
    "m0 -4.5l4.5 8h-9z",  # triangle
    "m0 -5l5 5l-5 5l-5 -5z",  # diamond
    "m-4 -4l8 8m0 -8l-8 8",  # cross
)

_WIDTH = 900
_PANEL_HEIGHT = 250
_COLUMNS = 2
_LEFT = 64
_RIGHT = 16
_TOP = 40
_BOTTOM = 34
_LEGEND_ROW = 22
_PER_ROW = 5


def sweep_svg(points: Sequence[SweepPoint]) -> str:
    """Return a picture of NCP, RV, IL, classes, suppressed records and seconds against k."""
    algorithms = list(dict.fromkeys(point.algorithm for point in points))
    ks = sorted({point.k for point in points})
    legend = _LEGEND_ROW * -(-len(algorithms) // _PER_ROW) + 14
    rows = -(-len(METRICS) // _COLUMNS)
    height = legend + rows * _PANEL_HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" '
        f'viewBox="0 0 {_WIDTH} {height}" font-family="sans-serif" font-size="12">',
        "<title>What-if sweep: utility against k</title>",
        f'<rect width="{_WIDTH}" height="{height}" fill="white"/>',
        *_legend(algorithms),
    ]
    for number, metric in enumerate(METRICS):
        row, column = divmod(number, _COLUMNS)
        place = column * _WIDTH / _COLUMNS, legend + row * _PANEL_HEIGHT
        parts += _panel(*place, ks, metric, lines_of(points, metric, algorithms, ks))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _legend(algorithms: Sequence[str]) -> Iterator[str]:
    wide = (_WIDTH - 2 * _RIGHT) / _PER_ROW
    for number, name in enumerate(algorithms):
        row, column = divmod(number, _PER_ROW)
        x = _RIGHT + column * wide
        y = 20 + row * _LEGEND_ROW
        yield f'<path d="M{x:.1f} {y}h36" {_stroke(number)}/>'
        yield _marker(number, x + 18, y)
        yield f'<text x="{x + 44:.1f}" y="{y + 4}">{escape(name)}</text>'


def _panel(
    left: float, top: float, ks: Sequence[int], metric: Metric, lines: Sequence[Line]
) -> Iterator[str]:
    """Yield one metric against k: the axes, then a path and markers for every line.

    Values of k are evenly spaced, half a step from either end.
    """
    left = left + _LEFT
    top = top + _TOP
    right = left + _WIDTH / _COLUMNS - _LEFT - _RIGHT
    bottom = top + _PANEL_HEIGHT - _TOP - _BOTTOM
    known = [value for line in lines for value in line.values if value is not None]
    marks = ticks(max(known, default=0.0), 6, metric.whole)
    across = [left + (place + 0.5) * (right - left) / len(ks) for place in range(len(ks))]

    def height(value: float) -> float:
        return top + (bottom - top) * (1 - value / marks[-1])

    yield (
        f'<text x="{left:.1f}" y="{top - 16:.1f}" font-weight="bold">'
        f'{escape(metric.title)}<tspan font-weight="normal" fill="#555"> '
        f"({escape(metric.meaning)})</tspan></text>"
    )
    for mark in marks:
        y = height(mark)
        yield f'<path d="M{left:.1f} {y:.1f}H{right:.1f}" stroke="#ddd"/>'
        label = compact_number(mark)
        yield f'<text x="{left - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">{label}</text>'
    for x, k in zip(across, ks, strict=True):
        yield f'<text x="{x:.1f}" y="{bottom + 16:.1f}" text-anchor="middle">{k:,}</text>'
    yield f'<text x="{right:.1f}" y="{bottom + 30:.1f}" text-anchor="end" fill="#555">k</text>'
    for number, line in enumerate(lines):
        path = ""
        pen_down = False
        markers = []
        for x, value in zip(across, line.values, strict=True):
            if value is not None:
                y = height(value)
                path += f"{'L' if pen_down else 'M'}{x:.1f} {y:.1f}"
                markers.append(_marker(number, x, y))
            pen_down = value is not None
        if path:
            yield f'<path d="{path}" {_stroke(number)}/>'
        yield from markers


def _stroke(number: int) -> str:
    colour = _COLOURS[number % len(_COLOURS)]
    dashes = _DASHES[number % len(_DASHES)]
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'fill="none" stroke="{colour}" stroke-width="1.8"{dashed}'


def _marker(number: int, x: float, y: float) -> str:
    colour = _COLOURS[number % len(_COLOURS)]
    shape = _MARKERS[number % len(_MARKERS)]
    if shape.endswith("z"):
        return f'<path d="M{x:.1f} {y:.1f}{shape}" fill="{colour}"/>'
    return f'<path d="M{x:.1f} {y:.1f}{shape}" fill="none" stroke="{colour}" stroke-width="2"/>'


SWEEP_ENDINGS = (".csv", ".json", ".svg")


def sweep_text(points: Sequence[SweepPoint], path: Path) -> str:
    """Return the points in the form that the ending of a file name asks for."""
    figures = [point.figures for point in points]
    match path.suffix.lower():
        case ".csv":
            text = io.StringIO()
            writer = csv.DictWriter(text, list(figures[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(figures)
            return text.getvalue()
        case ".json":
            return json_text(figures) + "\n"
        case ".svg":
            return sweep_svg(points)
    raise InputError(f"{path}: sweeps end in .csv, .json or .svg")
