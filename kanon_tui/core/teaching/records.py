"""The records of a decision: as they are in the file, and as they would be published.

Published cells are those of the classes as they are after the step.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import ClassVar

import numpy as np

from kanon_tui.core.clustering.events import SUPPRESSED, UNPLACED
from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.numeric import Flags, Int64s
from kanon_tui.core.release.class_texts import cell_texts
from kanon_tui.core.release.distinct_rows import dense_ranks
from kanon_tui.core.table.column import GroupValues, counted
from kanon_tui.core.teaching.picture import Drawing, Picture, Scene, fitted_widths
from kanon_tui.core.teaching.run_states import ClusteringState, FullDomainState
from kanon_tui.core.text import shortened, visible

_NARROWEST = 9
"""The least width of a cell, in characters."""
_STARRED = "a cell F* is hidden in some records of its class"
_AROUND = 11
"""Columns for marks and the size of the class."""


class Records(Drawing):
    """Rows of the table, those of the decision first and lit; up and down scroll."""

    name: ClassVar[str] = "records"

    def __init__(self) -> None:
        self._top = 0
        self._step = 0
        self.at_rest = True
        """Whether no search runs; while one does, the records of a large table are not drawn."""

    def draw(self, scene: Scene, width: int, height: int) -> Picture:
        """Return the picture of a scene."""
        picture = Picture(width, height)
        if not self.at_rest and scene.task.rows > MOST_ROWS:
            picture.wrap("space pauses and shows the records, which are too many to follow.", "dim")
            return picture
        groups = groups_now(scene)
        if groups is None and scene.task.rows > MOST_ROWS and scene.number:
            picture.wrap("Nobody follows so many records one by one; 6 shows the release.", "dim")
            return picture
        if groups is None:
            groups = np.full(scene.task.rows, UNPLACED)
        if scene.number != self._step:
            self._step = scene.number
            self._top = 0
        concerned = rows_concerned(scene, groups) if groups.max(initial=-1) >= 0 else groups[:0]
        other_records = np.setdiff1d(np.arange(scene.task.rows), concerned, assume_unique=True)
        order = np.concatenate([concerned, other_records])
        hidden = getattr(scene.state, "hidden", None)
        starred = hidden is not None and hidden.any()
        room = max(height - 2 - starred, 1)
        self._top = min(max(self._top, 0), max(len(order) - room, 0))
        rows = [int(row) for row in order[self._top : self._top + room]]
        lit = {
            row
            for row, is_concerned in zip(rows, np.isin(rows, concerned), strict=True)
            if is_concerned
        }
        _table(picture, scene, groups, rows, lit)
        more = len(order) - self._top - len(rows)
        what = f"▸ {len(concerned):,} concerned"
        copies = scene.task.copies
        if copies is not None:
            what = f"{what}, with {copies[concerned].sum():,} records"
        picture.line(shortened(f"{what}, {more:,} more below" if more else what, width), "dim")
        if starred:
            picture.line(shortened(_STARRED, width), "dim")
        return picture

    def move(self, scene: Scene, across: int, down: int) -> bool:
        """Scroll the records."""
        self._top = max(self._top + down, 0)
        return bool(down)


def _table(
    picture: Picture, scene: Scene, groups: Int64s, rows: Sequence[int], lit: set[int]
) -> None:
    """Draw every cell as it is in the file, and then as it would be published now."""
    published = cells_of(scene, groups, rows)
    sizes = sizes_of(scene, groups)
    originals = [originals_of(scene, row) for row in rows]
    copies = scene.task.copies
    names = [attribute.name for attribute in scene.task.quasi]
    number = len(f"{scene.task.n:,}") + (scene.task.copies is not None)
    room = picture.width - number - _AROUND
    pairs = list(zip(originals, published, strict=True))
    needed = [
        max([len(visible(name)), *(len(_change_text(b[x], a[x])) for b, a in pairs)])
        for x, name in enumerate(names)
    ]
    widths = fitted_widths(needed, room - 2 * len(names), [_NARROWEST] * len(names))
    columns = [[_change_text(b[x], a[x], widths[x]) for b, a in pairs] for x in range(len(names))]
    fitting = _fitting(widths, room)
    header = "  ".join(f"{shortened(visible(names[x]), widths[x]):<{widths[x]}}" for x in fitting)
    picture.line(f"{'':>{number + 3}}{header}  size", "dim")
    for place, row in enumerate(rows):
        group = int(groups[row])
        size = int(sizes[group]) if group >= 0 else 0
        picture.write("▸" if row in lit else " ", "warn")
        label = f"{row + 1:,}" if copies is None else f"×{copies[row]:,}"
        picture.write(f"{label:>{number}}  ", "strong" if row in lit else "dim")
        for x in fitting:
            changed = originals[place][x] != published[place][x]
            text = f"{columns[x][place]:<{widths[x]}}"
            picture.write(text, "best" if changed else "").write("  ")
        below = 0 < size < scene.task.k
        picture.line(
            f"{size:>4,}{' ✗' if below else ''}" if size else "   –", "bad" if below else ""
        )


def _change_text(before: str, after: str, most: int = 1_000) -> str:
    """Return `41→40-49`, or the published cell alone where nothing changes or that does not fit."""
    before = visible(before)
    after = visible(after)
    both = f"{before}→{after}"
    if before == after or len(both) > most:
        both = after if before == after else f"→{after}"
    return shortened(both, most)


def _fitting(widths: Sequence[int], room: int) -> list[int]:
    """Return the first columns that fit, at least one."""
    ends = accumulate(width + 2 for width in widths)
    return [x for x, end in enumerate(ends) if end <= room] or [0]


MOST_ROWS = 200_000
"""The largest table, in records, whose classes are determined while a search runs."""


def groups_now(scene: Scene) -> Int64s | None:
    """Return per record the number of its class as it would be published now; -1 for none."""
    state = scene.state
    if isinstance(state, ClusteringState):
        return None if state.groups is None else state.groups.astype(np.int64)
    if not isinstance(state, FullDomainState) or state.current is None:
        return None
    if state.groups is None:
        pairs = zip(scene.task.quasi, state.current, strict=True)
        labels = [
            attribute.hierarchy.maps[level][attribute.column.codes] for attribute, level in pairs
        ]
        state.groups = dense_ranks(labels).astype(np.int64)
    return state.groups


def rows_concerned(scene: Scene, groups: Int64s) -> Int64s:
    """Return the records of a decision.

    Those of its fact, or those in classes below k.
    """
    state = scene.state
    if isinstance(state, ClusteringState):
        return state.rows
    return np.flatnonzero(sizes_of(scene, groups)[groups] < scene.task.k)


def sizes_of(scene: Scene, groups: Int64s) -> Int64s:
    """Return the number of records of every class."""
    is_grouped = groups >= 0
    copies = scene.task.copies
    return counted(groups[is_grouped], None if copies is None else copies[is_grouped], least=1)


def originals_of(scene: Scene, row: int) -> tuple[str, ...]:
    """Return the cells of a record as they are in the file."""
    return tuple(a.column.values[int(a.column.codes[row])] for a in scene.task.quasi)


def cells_of(scene: Scene, groups: Int64s, rows: Sequence[int]) -> list[tuple[str, ...]]:
    """Return the cells of records as they would be published now."""
    state = scene.state
    quasi = scene.task.quasi
    if isinstance(state, FullDomainState) and state.current is not None:
        levels = state.current
        return [
            tuple(
                a.hierarchy.labels[level][int(a.hierarchy.maps[level][a.column.codes[row]])]
                for a, level in zip(quasi, levels, strict=True)
            )
            for row in rows
        ]
    own_groups = groups[np.asarray(rows, dtype=np.int64)]
    groups_shown = np.unique(own_groups[own_groups >= 0])
    hidden = state.hidden if isinstance(state, ClusteringState) else None
    boxes = boxes_of(scene, groups, groups_shown, hidden) | {SUPPRESSED: (HIDDEN,) * len(quasi)}
    pairs = zip(rows, own_groups.tolist(), strict=True)
    return [boxes.get(group) or originals_of(scene, row) for row, group in pairs]


def boxes_of(
    scene: Scene, groups: Int64s, groups_shown: Int64s, hidden: Flags | None
) -> dict[int, tuple[str, ...]]:
    """Return the published cells of some classes, given by rising numbers, by class.

    A cell that is hidden in some records of its class ends in a star.
    """
    members = np.flatnonzero(np.isin(groups, groups_shown))
    numbers = np.searchsorted(groups_shown, groups[members])
    texts = []
    for x, attribute in enumerate(scene.task.quasi):
        is_hidden = np.zeros(len(members), dtype=bool) if hidden is None else hidden[members, x]
        shown = np.where(is_hidden, -1, numbers)
        codes = attribute.column.codes[members]
        cells = cell_texts(
            attribute, GroupValues.from_records(shown, codes, len(groups_shown), None)
        )
        has_hidden = np.bincount(numbers, is_hidden, minlength=len(groups_shown)) > 0
        texts.append(
            [
                f"{text}{HIDDEN}" if star and text != HIDDEN else text
                for text, star in zip(cells, has_hidden.tolist(), strict=True)
            ]
        )
    return {
        group: tuple(attribute_texts[i] for attribute_texts in texts)
        for i, group in enumerate(groups_shown.tolist())
    }
