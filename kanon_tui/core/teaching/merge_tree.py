"""The tree of merges: which clusters a cluster was made of, and at which step."""

from __future__ import annotations

from typing import ClassVar

from kanon_tui.core.teaching.classes_now import originals_of
from kanon_tui.core.teaching.clustering_state import ClusteringState, Joined
from kanon_tui.core.teaching.picture import Drawing, Picture, Scene, Tone
from kanon_tui.core.text import count_of, short_number, shortened

__all__ = ["MergeTree"]


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
