"""Histograms and curves with axes, for every algorithm: class sizes, and how a figure went.

Attributes with their levels: the pointers of `local`, and the distinct counts of `datafly`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from kanon_tui.core.teaching.classes_now import groups_now, sizes_of
from kanon_tui.core.teaching.full_domain_state import FullDomainState
from kanon_tui.core.teaching.picture import Drawing, Picture, Scene, Tone
from kanon_tui.core.text import count_of, small_number, visible

__all__ = ["ClassSizes", "Curve", "DistinctCounts", "PointerBars"]


_EIGHTHS = " ▁▂▃▄▅▆▇█"
_CURVES = ("best_rv", "rv", "ncp", "il", "loss", "ranges")
"""Figures that are drawn as a curve; the first that the steps have."""
_NAMES = {
    "best_rv": "RV of the best so far",
    "rv": "RV",
    "ncp": "NCP",
    "il": "information loss",
    "loss": "information loss",
    "ranges": "ranges, per record",
}
_LOWEST, _HIGHEST = 4, 14
"""Rows of a chart."""


class ClassSizes(Drawing):
    """A histogram of the class sizes, with k marked."""

    name: ClassVar[str] = "class sizes"

    def draw(self, scene: Scene, width: int, height: int) -> Picture:
        """Return the picture of a scene."""
        picture = Picture(width, height)
        groups = groups_now(scene)
        if groups is None:
            picture.line("There are no classes yet.", "dim")
            return picture
        k = scene.task.k
        sizes = sizes_of(scene, groups)
        sizes = sizes[sizes > 0]
        most = max(min((width - 8) // 2, max(2 * k, int(sizes.max(initial=1)))), k + 1)
        counts = np.bincount(np.minimum(sizes, most), minlength=most + 1)[1:]
        under = int(sizes[sizes < k].sum())
        tone: Tone = "bad" if under else "good"
        below = f"{'✗' if under else '✓'} {count_of(under, 'record')} in classes below {k:,}"
        classes = count_of(len(sizes), "class", "classes")
        picture.entries([(classes, "strong"), (below, tone)])
        self._bars(picture, counts.tolist(), k, min(max(height - 4, _LOWEST), _HIGHEST))
        largest = int(sizes.max(initial=0))
        more = f"; the last bar is {most:,} and more" if largest > most else ""
        picture.wrap(f"records per class; k = {k:,} begins at │{more}")
        return picture

    def _bars(self, picture: Picture, counts: Sequence[int], k: int, rows: int) -> None:
        top = max([*counts, 1])
        for row in range(rows, 0, -1):
            axis = f"{top:>5,} ┤" if row == rows else f"{0:>5} ┤" if row == 0 else "      │"
            picture.write(axis, "dim")
            for size, count in enumerate(counts, start=1):
                filled = min(max(round(count / top * rows * 8) - (row - 1) * 8, 0), 8)
                if count and row == 1:
                    filled = max(filled, 1)
                picture.write("│" if size == k else " ", "dim")
                picture.write(_EIGHTHS[filled], "good" if size >= k else "bad")
            picture.end()
        labels = [
            str(size % 10) if len(counts) > 20 else f"{size}" for size in range(1, len(counts) + 1)
        ]
        picture.line("    0 └" + "".join(f"{label:>2}"[-2:] for label in labels), "dim")


class Curve(Drawing):
    """The course of NCP, RV or the information loss, up to the step that is shown."""

    name: ClassVar[str] = "curve"

    def draw(self, scene: Scene, width: int, height: int) -> Picture:
        """Return the picture of a scene."""
        picture = Picture(width, height)
        points = _points(scene)
        if not points:
            picture.line("No figure to draw yet.", "dim")
            return picture
        figure, values = points
        room = max(width - 10, 8)
        shown, first = _thinned(values, room)
        low, high = min(v for _, v in values), max(v for _, v in values)
        rows = min(max(height - 3, _LOWEST), _HIGHEST)
        picture.write(f"{_NAMES[figure]} ", "strong").line(f"{_figure(values[-1][1])} now")
        for row in range(rows, 0, -1):
            axis = high if row == rows else low if row == 1 else None
            label = " " * 8 if axis is None else f"{_figure(axis):>8}"
            picture.write(f"{label} ┤" if axis is not None else f"{label} │", "dim")
            for value in shown:
                share = (value - low) / (high - low) if high > low else 0.5
                picture.write(_cell(share, row, rows), "main")
            picture.end()
        last = f"step {scene.number:,}"
        picture.line(
            f"{' ' * 9}└step {first:,}{last:>{max(len(shown) - len(f'step {first:,}'), 1)}}", "dim"
        )
        return picture


def _figure(value: float) -> str:
    """Return a figure with four decimals, or more where a small one would read as 0."""
    if value == 0 or 0.001 <= abs(value) < 1000:
        return f"{value:.4f}"[:8]
    return small_number(value)[:8]


def _cell(share: float, row: int, rows: int) -> str:
    """Return the eighths of a bar that stand in a row."""
    filled = round(share * (rows * 8 - 1)) + 1 - (row - 1) * 8
    return _EIGHTHS[min(max(filled, 0), 8)]


def _points(scene: Scene) -> tuple[str, list[tuple[int, float]]] | None:
    """Return the figure that the steps have, and its value at every step up to the one shown."""
    steps = scene.timeline.steps(1, scene.number)
    for figure in _CURVES:
        values = []
        for number, step in steps:
            value = step.counters.get(
                figure, step.facts.get(figure) if figure == "best_rv" else None
            )
            if value is not None:
                values.append((number, float(value)))
        if values:
            return figure, values
    return None


def _thinned(values: Sequence[tuple[int, float]], most: int) -> tuple[list[float], int]:
    """Return at most `most` values, the last among them, and the step of the first."""
    if len(values) > most:
        places = [round(i * (len(values) - 1) / (most - 1)) for i in range(most)]
        values = [values[place] for place in places]
    return [value for _, value in values], values[0][0]


class PointerBars(Drawing):
    """Per attribute the levels that are left, and the one half-way."""

    name: ClassVar[str] = "pointers"

    def draw(self, scene: Scene, width: int, height: int) -> Picture:
        """Return the picture of a scene."""
        picture = Picture(width, height)
        state = scene.state
        if not isinstance(state, FullDomainState) or state.lattice is None:
            picture.line("The pointers are drawn with the first decision.", "dim")
            return picture
        lattice, pointers = state.lattice, state.pointers
        label = _label_room(lattice.names, width)
        picture.line(f"{'':<{label}}  levels, general → specific", "dim")
        for a, name in enumerate(lattice.names):
            picture.write(f"{visible(name)[:label]:<{label}}  ")
            for level in range(lattice.heights[a], -1, -1):
                if level < lattice.lowest[a]:
                    picture.write(f" ░{level} ", "dim")
                elif pointers is None:
                    picture.write(f" ·{level} ")
                elif level == pointers.middle[a]:
                    picture.write(f"▸{level}◂ ", "here")
                elif pointers.specific[a] <= level <= pointers.general[a]:
                    picture.write(f" ·{level} ", "strong")
                else:
                    picture.write(f" −{level} ", "dim")
            picture.end()
        picture.end()
        marks = ("▸ half-way, tested now", "· left", "− ruled out", "░ fails alone")
        picture.entries((mark, "dim") for mark in marks)
        if state.best is not None:
            levels = ", ".join(
                f"{name} {level}" for name, level in zip(lattice.names, state.best, strict=True)
            )
            picture.wrap(f"★ best so far ⟨{levels}⟩  RV {state.best_rv:.4f}", "best")
        for number, test in list(state.tests.values())[-max(height - picture.used - 1, 1) :]:
            picture.write(f"{number:>5} ", "dim")
            picture.write("✓ " if test.passes else "✗ ", "good" if test.passes else "bad")
            picture.line(" ".join(str(level) for level in test.levels))
        return picture


class DistinctCounts(Drawing):
    """The table of distinct values per attribute and level, with what is raised."""

    name: ClassVar[str] = "distinct values"

    def draw(self, scene: Scene, width: int, height: int) -> Picture:
        """Return the picture of a scene."""
        picture = Picture(width, height)
        state = scene.state
        quasi = scene.task.quasi
        at = [0] * len(quasi)
        if isinstance(state, FullDomainState) and state.current is not None:
            at = list(state.current)
        step = scene.step
        raised = step.facts.get("attribute") if step is not None and step.kind == "raise" else None
        label = _label_room([a.name for a in quasi], width)
        deepest = max(a.hierarchy.height for a in quasi)
        cell = max(len(f"{len(a.hierarchy.labels[0]):,}") for a in quasi) + 3
        picture.write(f"  {'level':<{label}}", "dim")
        picture.line("".join(f"{level:>{cell}}" for level in range(deepest + 1)), "dim")
        for a, attribute in enumerate(quasi):
            lifted = attribute.name == raised
            picture.write("↑ " if lifted else "  ", "warn")
            picture.write(f"{visible(attribute.name)[:label]:<{label}}", "strong" if lifted else "")
            for level, labels in enumerate(attribute.hierarchy.labels):
                here = level == at[a]
                text = f"▸{len(labels):,}" if here else f"{len(labels):,}"
                picture.write(" " * (cell - len(text)))
                picture.write(text, "here" if here else "dim" if level < at[a] else "")
            picture.end()
        picture.end()
        marks = ("▸ the level now", "↑ raised now, having most values")
        picture.entries((mark, "dim") for mark in marks)
        return picture


def _label_room(names: tuple[str, ...] | list[str], width: int) -> int:
    return min(max(len(visible(name)) for name in names), max(width // 3, 6))
