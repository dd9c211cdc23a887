"""The classes as they would be published after a step, and their cells."""

from collections.abc import Sequence

import numpy as np

from kanon_tui.core.clustering.facts import SUPPRESSED
from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.numeric import Flags, Int64s
from kanon_tui.core.release.recode import cell_texts
from kanon_tui.core.table.column import GroupValues, counted
from kanon_tui.core.teaching.clustering_state import ClusteringState
from kanon_tui.core.teaching.full_domain_state import FullDomainState
from kanon_tui.core.teaching.picture import Scene

_LARGEST, _COUNTABLE = 2**62, 2**23
MOST_ROWS = 200_000
"""Records of the largest table whose classes are gone through while a search runs."""


def groups_now(scene: Scene) -> Int64s | None:
    """Return per record the number of its class as it would be published now; -1 for none."""
    state = scene.state
    if isinstance(state, ClusteringState):
        return None if state.groups is None else state.groups.astype(np.int64)
    if not isinstance(state, FullDomainState) or state.current is None:
        return None
    if state.groups is None:
        state.groups = _classes_of(scene, state.current)
    return state.groups


def _classes_of(scene: Scene, levels: Sequence[int]) -> Int64s:
    """Return per record the number of its class at a string."""
    keys, count = np.zeros(scene.task.rows, dtype=np.int64), 1
    for attribute, level in zip(scene.task.quasi, levels, strict=True):
        radix = len(attribute.hierarchy.labels[level])
        if count * radix > _LARGEST:  # as many as there are rows are enough
            _, keys = np.unique(keys, return_inverse=True)
            count = scene.task.rows
        keys = keys * radix + attribute.hierarchy.maps[level][attribute.column.codes]
        count *= radix
    if count <= _COUNTABLE:  # many times faster than a sort
        there = np.bincount(keys, minlength=1) > 0
        return (np.cumsum(there) - 1)[keys]
    _, numbers = np.unique(keys, return_inverse=True)
    return numbers.astype(np.int64)


def rows_concerned(scene: Scene, groups: Int64s) -> Int64s:
    """Return the records that a decision is about.

    Those of its fact, or those in classes below k.
    """
    state = scene.state
    if isinstance(state, ClusteringState):
        return state.rows
    return np.flatnonzero(sizes_of(scene, groups)[groups] < scene.task.k)


def sizes_of(scene: Scene, groups: Int64s) -> Int64s:
    """Return the number of records of every class."""
    there, copies = groups >= 0, scene.task.copies
    return counted(groups[there], None if copies is None else copies[there], least=1)


def originals_of(scene: Scene, row: int) -> tuple[str, ...]:
    """Return the cells of a record as they stand in the file."""
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
    wanted = np.unique(own_groups[own_groups >= 0])
    hidden = state.hidden if isinstance(state, ClusteringState) else None
    boxes = boxes_of(scene, groups, wanted, hidden) | {SUPPRESSED: (HIDDEN,) * len(quasi)}
    pairs = zip(rows, own_groups.tolist(), strict=True)
    return [boxes.get(group) or originals_of(scene, row) for row, group in pairs]


def boxes_of(
    scene: Scene, groups: Int64s, wanted: Int64s, hidden: Flags | None
) -> dict[int, tuple[str, ...]]:
    """Return the published cells of some classes, given by rising numbers, by class.

    A cell that is hidden in some records of its class ends in a star.
    """
    members = np.flatnonzero(np.isin(groups, wanted))
    numbers = np.searchsorted(wanted, groups[members])
    texts = []
    for x, attribute in enumerate(scene.task.quasi):
        gone = np.zeros(len(members), dtype=bool) if hidden is None else hidden[members, x]
        shown, codes = np.where(gone, -1, numbers), attribute.column.codes[members]
        cells = cell_texts(attribute, GroupValues.from_records(shown, codes, len(wanted), None))
        some = np.bincount(numbers, gone, minlength=len(wanted)) > 0
        texts.append(
            [
                f"{text}{HIDDEN}" if star and text != HIDDEN else text
                for text, star in zip(cells, some.tolist(), strict=True)
            ]
        )
    return {group: tuple(own[i] for own in texts) for i, group in enumerate(wanted.tolist())}
