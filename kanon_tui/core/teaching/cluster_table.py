"""Clusters as rows: how many of k records each has, and what it would publish now.

The tree of merges: which clusters a cluster was made of, and at which step.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from kanon_tui.core.clustering.facts import SUPPRESSED, UNPLACED, Merge
from kanon_tui.core.numeric import Flags, Int64s
from kanon_tui.core.teaching.classes_now import Box, boxes_of, groups_now, originals_of
from kanon_tui.core.teaching.clustering_state import ClusteringState, Joined
from kanon_tui.core.teaching.picture import Drawing, Picture, Scene, Tone
from kanon_tui.core.teaching.sorted_records import draw_distances
from kanon_tui.core.text import count_of, plural, short_number, shortened

__all__ = ["ClusterTable", "MergeTree"]


_BAR = 5
_MOST_MEMBERS = 12


class ClusterTable(Drawing):
    """A table of the clusters.

    Those of the decision are lit, right shows members of the chosen one.
    """

    name: ClassVar[str] = "clusters"

    def __init__(self) -> None:
        self._chosen: int | None = None
        """The number of the cluster that arrow keys have gone to; None follows the decision."""
        self._open: bool | None = None
        """Whether the members of that one are shown; None where there is room for them."""
        self._rows = 0
        """How many clusters there was room for."""

    def draw(self, scene: Scene, width: int, height: int) -> Picture:
        """Return the picture of a scene."""
        picture = Picture(width, height)
        groups = groups_now(scene)
        state = scene.state
        if groups is None or not isinstance(state, ClusteringState):
            picture.wrap("Who is together is not told for a step of many decisions on so many "
                         "records; pause and go on with '.'.")  # fmt: skip
            return picture
        self._rows = height - 5
        listed, sizes, lit = _listed(groups, state, self._rows)
        _totals(picture, scene, groups, sizes)
        if not len(listed):
            return picture
        at = self._at(listed, lit)
        place = int(np.flatnonzero(listed == at)[0])
        room = max(height - picture.used - 1, 3)
        members = np.flatnonzero(groups == at)
        merge = None if scene.step is None else scene.step.facts.get("merge")
        made_of = 2 if merge else 0
        fits = len(listed) + len(members) + made_of <= room and not merge
        opened = fits if self._open is None else self._open
        members = members[:_MOST_MEMBERS] if opened else members[:0]
        rows = max(room - len(members) - made_of, 2)
        begin = min(max(place - rows // 2, 0), max(len(listed) - rows, 0))
        shown = listed[begin : begin + rows]
        order = np.sort(shown)
        boxes = dict(zip(order.tolist(), boxes_of(scene, groups, order, state.hidden), strict=True))
        number = len(f"{int(listed.max()) + 1:,}")
        for group in shown.tolist():
            size, marked = int(sizes[group]), group in lit
            here = group == self._chosen
            _row(picture, scene.task.k, number, group, size, boxes[group], marked, here)
            if merge is not None and group == merge.other:
                _made_of(picture, scene, merge, number)
            if group == at:
                for row in members.tolist():
                    text = ", ".join(originals_of(scene, row))
                    marked = row in state.rows
                    what = f"    {'▸' if marked else ' '} record {row + 1:,}: {text}"
                    picture.line(shortened(what, width), "best" if marked else "")
        more = len(listed) - begin - len(shown)
        around = f"{begin:,} above, " if begin else ""
        around += f"{more:,} below, " if more else ""
        key = "← hides members" if opened else "→ members"
        picture.line(shortened(f"▸ this decision, {around}{key}", width), "dim")
        _distances_below(picture, scene)
        return picture

    def _at(self, listed: Int64s, lit: set[int]) -> int:
        """Return the cluster that is chosen, or else one of the decision."""
        if self._chosen is not None and self._chosen in listed:
            return self._chosen
        return min(lit, default=int(listed[0]))

    def move(self, scene: Scene, across: int, down: int) -> bool:
        """Choose a cluster by up and down; show or hide its members by right and left."""
        groups, state = groups_now(scene), scene.state
        if groups is None or not isinstance(state, ClusteringState):
            return False
        listed, _, lit = _listed(groups, state, self._rows)
        if not len(listed):
            return False
        place = int(np.flatnonzero(listed == self._at(listed, lit))[0])
        self._chosen = int(listed[min(max(place + down, 0), len(listed) - 1)])
        if across:
            self._open = across > 0
        return True


def _listed(groups: Int64s, state: ClusteringState, room: int) -> tuple[Int64s, Int64s, set[int]]:
    """Return the clusters in the order of the rows, the size of each, and those of the decision.

    Where all fit they stand by number, else those of the decision come first.
    """
    sizes = np.bincount(groups[groups >= 0])
    numbers = np.flatnonzero(sizes)
    own = groups[state.rows]
    lit = np.unique(own[own >= 0])
    if len(numbers) > room:
        numbers = np.concatenate([lit, numbers[~np.isin(numbers, lit)]])
    return numbers, sizes, set(lit.tolist())


def _totals(picture: Picture, scene: Scene, groups: Int64s, sizes: Int64s) -> None:
    """Draw `7 clusters  3 below k = 3  12 records not placed yet`."""
    k, there = scene.task.k, sizes[sizes > 0]
    below = int((there < k).sum())
    entries: list[tuple[str, Tone]] = [(count_of(len(there), "cluster"), "strong")]
    text = f"{'✗' if below else '✓'} {below:,} below {k:,} {plural(k, 'record')}"
    entries.append((text, "bad" if below else "good"))
    for what, group in (("not placed yet", UNPLACED), ("suppressed", SUPPRESSED)):
        count = int((groups == group).sum())
        if count:
            entries.append((f"{count_of(count, 'record')} {what}", "dim"))
    picture.entries(entries)


def _distances_below(picture: Picture, scene: Scene) -> None:
    """Draw the distances of the decision where room is left."""
    told = None if scene.step is None else scene.step.facts.get("distances")
    room = picture.height - picture.used
    if told is not None and room >= len(told.rows) + 4:
        picture.line()
        draw_distances(picture, scene, told, cells=room >= 2 * len(told.rows) + 4)


def _made_of(picture: Picture, scene: Scene, merge: Merge, number: int) -> None:
    """Draw the two clusters that were joined, as they were."""
    apart = np.full(scene.task.n, UNPLACED, dtype=np.int64)
    apart[merge.small_rows], apart[merge.other_rows] = 0, 1
    small, other = boxes_of(scene, apart, np.arange(2), _hidden_before(scene))
    for branch, group, rows, box in (
        ("├", merge.other, merge.other_rows, other), ("└", merge.small, merge.small_rows, small)
    ):  # fmt: skip
        lead = f" {branch} was {group + 1:>{number},} {len(rows):>3,}× "
        room = max(picture.width - len(lead) - 7, 0)
        picture.write(lead, "best")
        picture.write(f"{shortened(', '.join(box.cells), room):<{room}}", "best")
        picture.line(f" {box.ncp:.4f}", "dim")


def _hidden_before(scene: Scene) -> Flags | None:
    """Return the cells that were hidden before the merge of this step."""
    state, step = scene.state, scene.step
    hidden = state.hidden if isinstance(state, ClusteringState) else None
    if hidden is not None and step is not None and "hide" in step.facts:
        rows, hides = step.facts["hide"]
        hidden = hidden.copy()
        hidden[rows] &= ~hides
    return hidden


def _row(
    picture: Picture, k: int, number: int, group: int, size: int, box: Box, lit: bool, here: bool
) -> None:
    """Draw `▸ 12 ███··  3 of 5  [20..29], M, 537**  0.123`."""
    filled = min(size * _BAR // k, _BAR)
    filled = max(filled, 1)
    enough = size >= k
    picture.write("▸" if lit else " ", "best")
    tone: Tone = "here" if here else "best" if lit else ""
    picture.write(f"{group + 1:>{number},} ", tone)
    picture.write("█" * filled + "·" * (_BAR - filled), "good" if enough else "bad")
    of_k = f" {size:,}{'✓' if enough else f'/{k:,}'} "
    of_k = f"{of_k:<{len(f'{k:,}') * 2 + 4}}"
    room = max(picture.width - number - _BAR - 2 - len(of_k) - 7, 0)
    picture.write(of_k, "good" if enough else "bad")
    cells = ", ".join(box.cells)
    picture.write(f"{shortened(cells, room):<{room}}", tone)
    picture.line(f" {box.ncp:.4f}", "dim")


class MergeTree(Drawing):
    """The cluster of the decision; left and right go to the others, up and down scroll."""

    name: ClassVar[str] = "merge tree"

    def __init__(self) -> None:
        self._number: int | None = None
        """The cluster that arrow keys have gone to; None follows the decision."""
        self._top = 0

    def draw(self, scene: Scene, width: int, height: int) -> Picture:
        """Return the picture of a scene."""
        picture = Picture(width, height)
        state = scene.state
        tree = self._tree(state) if isinstance(state, ClusteringState) else None
        if tree is None or not isinstance(state, ClusteringState):
            picture.wrap("The tree begins with the first merge that is watched.")
            return picture
        made = len(state.joined)
        place = sorted(state.joined).index(tree.number) + 1
        picture.entries([(f"cluster {tree.number + 1:,}", "strong"),
                         (f"{place:,} of {made:,} that merges made", "dim")])  # fmt: skip
        rows: list[tuple[str, Tone]] = []
        _rows(scene, tree, "", "", rows)
        room = max(height - picture.used - 1, 2)
        self._top = min(max(self._top, 0), max(len(rows) - room, 0))
        for text, tone in rows[self._top : self._top + room]:
            picture.line(shortened(text, width), tone)
        more = len(rows) - self._top - room
        hint = f"{more:,} more below; " if more > 0 else ""
        picture.line(shortened(f"{hint}▸ this decision; ← → other clusters", width), "dim")
        return picture

    def move(self, scene: Scene, across: int, down: int) -> bool:
        """Choose the cluster by left and right, scroll by up and down."""
        state = scene.state
        if not isinstance(state, ClusteringState) or not state.joined:
            return False
        if across:
            tree = self._tree(state)
            numbers = sorted(state.joined)
            at = numbers.index(tree.number) if tree is not None else 0
            self._number, self._top = numbers[(at + across) % len(numbers)], 0
        self._top += down
        return True

    def _tree(self, state: ClusteringState) -> Joined | None:
        """Return the tree that is shown: the chosen one, that of the decision, or the newest."""
        if self._number in state.joined:
            return state.joined[self._number]
        if state.groups is not None and len(state.rows):
            here = int(state.groups[state.rows].max())
            if here in state.joined:
                return state.joined[here]
        return max(state.joined.values(), key=lambda tree: tree.step, default=None)


def _rows(scene: Scene, tree: Joined, first: str, rest: str, rows: list[tuple[str, Tone]]) -> None:
    members = tree.members()
    if tree.parts:
        here = tree.step == scene.number
        score = short_number(tree.score, 5)
        text = f"{count_of(len(members), 'record')} · step {tree.step:,} · {score}"
        rows.append((f"{first}{'▸ ' if here else ''}{text}", "best" if here else ""))
    else:
        values = ", ".join(originals_of(scene, int(members[0])))
        more = f" and {len(members) - 1:,} more" if len(members) > 1 else ""
        rows.append((f"{first}record {members[0] + 1:,}{more}: {values}", ""))
    for number, part in enumerate(tree.parts):
        last = number == len(tree.parts) - 1
        _rows(scene, part, rest + ("└ " if last else "├ "), rest + ("  " if last else "│ "), rows)
