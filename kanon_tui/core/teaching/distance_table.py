"""Distances attribute by attribute: the best few of a decision, and what they are made of."""

from __future__ import annotations

from typing import ClassVar

from kanon_tui.core.clustering.facts import Distances
from kanon_tui.core.teaching.classes_now import originals_of
from kanon_tui.core.teaching.picture import Drawing, Picture, Scene, Tone
from kanon_tui.core.text import count_of, shortened, small_number, visible

__all__ = ["DistanceTable"]


_WIDEST = 10
"""Characters of a column."""


class DistanceTable(Drawing):
    """One row per candidate, one column per attribute; the chosen one is lit."""

    name: ClassVar[str] = "distances"

    def __init__(self) -> None:
        self._first = 0
        """The attribute of the first column, where not all fit."""

    def draw(self, scene: Scene, width: int, height: int) -> Picture:
        """Return the picture of a scene."""
        picture = Picture(width, height)
        step = scene.step
        told = None if step is None else step.facts.get("distances")
        if told is None:
            picture.wrap("This step measures no distances, or stands for many decisions.")
            return picture
        draw_distances(picture, scene, told, self._first, hint="with ← →")
        return picture

    def move(self, scene: Scene, across: int, down: int) -> bool:
        """Scroll left and right where not all attributes fit."""
        self._first = max(min(self._first + across, len(scene.task.quasi) - 1), 0)
        return bool(across)


def draw_distances(
    picture: Picture,
    scene: Scene,
    told: Distances,
    first: int = 0,
    cells: bool = True,
    hint: str = "in distances (v)",
) -> None:
    """Draw `▸ record 4   0.31  0  1   1.31` per candidate; with `cells`, its cells below it.

    `hint` says where attributes are that do not fit.
    """
    width = picture.width
    picture.line(shortened(f"from {told.origin}", width), "strong")
    label = max(len(row.what) for row in told.rows) + 2
    totals = [small_number(row.total) for row in told.rows]
    total = max(len(told.sum_name), *map(len, totals))
    columns = [_column(scene, told, x) for x in range(len(told.names))]
    shown = _fitting(columns, min(first, len(columns) - 1), width - label - total - 1)
    heads = "".join(f" {columns[x][0]:>{_width(columns[x])}}" for x in shown)
    picture.line(f"{'':<{label}}{heads} {told.sum_name:>{total}}", "dim")
    for place, (row, text) in enumerate(zip(told.rows, totals, strict=True)):
        tone: Tone = "best" if row.chosen else ""
        picture.write(f"{'▸' if row.chosen else ' '} {row.what:<{label - 2}}", tone)
        most = max(row.parts, default=0.0)
        for x in shown:
            heavy = row.parts[x] > 0 and row.parts[x] == most
            number = columns[x][1 + 2 * place]
            picture.write(f" {number:>{_width(columns[x])}}", "warn" if heavy else "")
        picture.line(f" {text:>{total}}", tone)
        if cells and row.record is not None:
            texts = "".join(f" {columns[x][2 + 2 * place]:>{_width(columns[x])}}" for x in shown)
            picture.line(f"{'':<{label}}{texts}", "dim")
    left_out = len(told.names) - len(shown)
    if left_out:
        picture.line(f"{count_of(left_out, 'more attribute')} {hint}", "dim")


def _column(scene: Scene, told: Distances, x: int) -> list[str]:
    """Return the texts of an attribute: its name, then a number and a cell per row."""
    column = [shortened(told.names[x], _WIDEST)]
    for row in told.rows:
        column.append(small_number(row.parts[x]))
        cells = () if row.record is None else originals_of(scene, row.record)
        column.append(shortened(visible(cells[x]), _WIDEST) if cells else "")
    return column


def _width(column: list[str]) -> int:
    return max(map(len, column))


def _fitting(columns: list[list[str]], first: int, room: int) -> list[int]:
    """Return the columns that fit, from the first on, and before it where room is left."""
    fitting: list[int] = []
    for x in [*range(first, len(columns)), *range(first - 1, -1, -1)]:
        room -= _width(columns[x]) + 1
        if room < 0 and fitting:
            break
        fitting.append(x)
    return sorted(fitting)
