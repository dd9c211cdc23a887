"""The sorted list of `sbc` and `sd`: the first left starts a cluster, the nearest join it."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from kanon_tui.core.clustering.facts import SUPPRESSED, UNPLACED
from kanon_tui.core.teaching.classes_now import originals_of
from kanon_tui.core.teaching.clustering_state import ClusteringState
from kanon_tui.core.teaching.distance_table import draw_distances
from kanon_tui.core.teaching.picture import Drawing, Picture, Scene, Tone
from kanon_tui.core.text import count_of, shortened, small_number

__all__ = ["SortedRecords"]

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
