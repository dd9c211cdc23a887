"""Distances attribute by attribute: the best few of a decision, and what they are made of.

The sorted list of `sbc` and `sd`: the first left starts a cluster, the nearest join it.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from kanon_tui.core.clustering.facts import SUPPRESSED, UNPLACED, Distances
from kanon_tui.core.teaching.classes_now import originals_of
from kanon_tui.core.teaching.clustering_state import ClusteringState
from kanon_tui.core.teaching.picture import Drawing, Picture, Scene, Tone
from kanon_tui.core.text import count_of, shortened, small_number, visible

__all__ = ["DistanceTable", "SortedRecords"]


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


_LOWEST = 8
"""Rows of the list where the distances stand below it."""


class SortedRecords(Drawing):
    """The list around the cursor, with clusters and distances; up and down scroll."""

    name: ClassVar[str] = "sorted records"

    def __init__(self) -> None:
        self._moved = 0
        self._step = 0

    def draw(self, scene: Scene, width: int, height: int) -> Picture:
        """Return the picture of a scene."""
        picture = Picture(width, height)
        state, step = scene.state, scene.step
        known = isinstance(state, ClusteringState) and state.groups is not None
        if not isinstance(state, ClusteringState) or not known or state.order is None:
            picture.line("The list begins with the sort.", "dim")
            return picture
        if scene.number != self._step:
            self._step, self._moved = scene.number, 0
        assert state.groups is not None
        left = np.flatnonzero(state.groups[state.order] == UNPLACED)
        cursor = int(left[0]) if len(left) else None
        told = None if step is None else step.facts.get("distances")
        below = 0 if told is None else 3 + 2 * len(told.rows)
        below = below if height - below - 2 >= _LOWEST else 0
        self._list(picture, scene, state, cursor, height - below - 2)
        picture.line(
            shortened(
                f"{count_of(len(left), 'record')} left, by {state.sorted_by}; › first", width
            ),
            "dim",
        )
        if below and told is not None:
            picture.line()
            draw_distances(picture, scene, told)
        return picture

    def _list(
        self, picture: Picture, scene: Scene, state: ClusteringState, cursor: int | None, room: int
    ) -> None:
        order = state.order
        assert order is not None
        own = np.flatnonzero(np.isin(order, state.rows))
        at = int(own[0]) if len(own) else cursor or 0
        room = max(room, 3)
        begin = min(max(at + self._moved - room // 2, 0), max(len(order) - room, 0))
        self._moved = min(max(self._moved, -len(order)), len(order))
        told = None if scene.step is None else scene.step.facts.get("distances")
        away = {row.record: row.total for row in told.rows} if told is not None else {}
        number = len(f"{len(order):,}")
        for place in range(begin, min(begin + room, len(order))):
            row = int(order[place])
            self._row(picture, scene, state, place, row, number, place == cursor, away.get(row))

    def _row(
        self,
        picture: Picture,
        scene: Scene,
        state: ClusteringState,
        place: int,
        row: int,
        number: int,
        first_left: bool,
        away: float | None,
    ) -> None:
        """Draw `▸ 12 record 7: 35, F, 53711   cluster 3   0.25`."""
        assert state.groups is not None
        group, here = int(state.groups[row]), bool((state.rows == row).any())
        tone: Tone = "best" if here else "" if group == UNPLACED else "dim"
        mark = "▸" if here else "›" if first_left else " "
        picture.write(mark, "best" if here else "warn")
        where = {UNPLACED: "", SUPPRESSED: "suppressed"}.get(group, f"cluster {group + 1:,}")
        end = small_number(away) if away is not None and not where else where
        cells = _sorted_first(scene, state.sorted_by, row)
        room = max(picture.width - number - len(end) - 4, 0)
        text = shortened(f"{cells} (record {row + 1:,})", room)
        picture.write(f" {place + 1:>{number},} {text:<{room}} ", tone)
        picture.line(end, "main" if away is not None and not where else tone)

    def move(self, scene: Scene, across: int, down: int) -> bool:
        """Scroll along the list."""
        self._moved += down
        return bool(down)


def _sorted_first(scene: Scene, name: str, row: int) -> str:
    """Return the cells of a record, that by which it is sorted first: `High School · Male, US`."""
    cells = list(originals_of(scene, row))
    names = [attribute.name for attribute in scene.task.quasi]
    first = cells.pop(names.index(name))
    return f"{first} · {', '.join(cells)}" if cells else first
