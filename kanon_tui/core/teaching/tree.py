"""The tree of a clustering: what was cut where, or which clusters a cluster was made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kanon_tui.core.teaching.classes_now import originals_of
from kanon_tui.core.teaching.clustering_state import ClusteringState, Joined
from kanon_tui.core.teaching.picture import Drawing, Picture, Scene, Tone
from kanon_tui.core.text import count_of, short_number, shortened


@dataclass
class _Node:
    """A row of the tree with the rows below it."""

    text: str
    tone: Tone = ""
    parts: tuple[_Node, ...] = ()


class Tree(Drawing):
    """The tree of cuts, or the merges of one cluster; left and right go to other clusters."""

    name: ClassVar[str] = "tree"

    def __init__(self) -> None:
        self._chosen = 0
        """How many clusters further on arrow keys have gone."""
        self._moved = 0
        """Rows that arrow keys have moved away from the decision."""

    def draw(self, scene: Scene, width: int, height: int) -> Picture:
        """Return the picture of a scene."""
        picture, state = Picture(width, height), scene.state
        if not isinstance(state, ClusteringState) or not (state.cuts or state.joined):
            picture.wrap("The tree begins with the first cut or merge that is watched.")
            return picture
        root = _cuts(scene, state) if state.cuts else self._merges(scene, state)
        rows: list[tuple[str, Tone]] = []
        _add_rows(root, "", "", rows)
        lit = next((n for n, (_, tone) in enumerate(rows) if tone == "here"), 0)
        self._moved = min(max(self._moved, -lit), len(rows) - 1 - lit)
        room = max(height - 1, 1)
        begin = min(max(lit + self._moved - room // 2, 0), max(len(rows) - room, 0))
        for text, tone in rows[begin : begin + room]:
            picture.line(shortened(text, width), tone)
        keys = "✓ closed  … open" if state.cuts else "← → other clusters"
        picture.line(shortened(f"▸ this decision  {keys}", width), "dim")
        return picture

    def move(self, scene: Scene, across: int, down: int) -> bool:
        """Choose a merged cluster by left and right, scroll by up and down."""
        self._chosen += across
        self._moved = 0 if across else self._moved + down
        return True

    def _merges(self, scene: Scene, state: ClusteringState) -> _Node:
        """Return the cluster of the decision, or one that is chosen."""
        numbers = sorted(state.joined, key=lambda number: -state.joined[number].step)
        number = numbers[self._chosen % len(numbers)]
        top = _merge(scene, state.joined[number])
        title = f"cluster {number + 1:,} of {count_of(len(numbers), 'merged cluster')}"
        return _Node(title, "strong", (top,))


def _merge(scene: Scene, tree: Joined) -> _Node:
    members = tree.members()
    if tree.parts:
        here = tree.step == scene.number
        text = f"{len(members):,} records · step {tree.step:,} · {short_number(tree.score, 5)}"
        parts = tuple(_merge(scene, part) for part in tree.parts)
        return _Node(f"▸ {text}" if here else text, "here" if here else "", parts)
    values = ", ".join(originals_of(scene, int(members[0])))
    more = f" and {len(members) - 1:,} more" if len(members) > 1 else ""
    return _Node(f"record {members[0] + 1:,}{more}: {values}")


def _cuts(scene: Scene, state: ClusteringState) -> _Node:
    """Return the cuts so far; a lower side keeps the number of its part."""
    assert state.groups is not None
    names = [attribute.name for attribute in scene.task.quasi]
    here = int(state.groups[state.rows].min(initial=np.iinfo(np.int32).max))
    root = _Node(f"all   {scene.task.n:,}")
    leaves = {0: root}
    for _, cut in state.cuts:
        if cut.group not in leaves:
            continue  # cut while one step stood for many decisions
        name = names[cut.attribute]
        lower = _Node(f"{cut.sides[0] or f'{name} ≤ {cut.below}'}   {cut.left:,}")
        upper = _Node(f"{cut.sides[1] or f'{name} > {cut.below}'}   {cut.right:,}")
        leaves[cut.group].parts = lower, upper
        leaves[cut.group], leaves[cut.upper] = lower, upper
    for group, leaf in leaves.items():
        closed, lit = group in state.closed, group == here
        leaf.text = f"{'▸ ' if lit else ''}{leaf.text} {'✓' if closed else '…'}"
        leaf.tone = "here" if lit else "good" if closed else ""
    return root


def _add_rows(node: _Node, first: str, rest: str, rows: list[tuple[str, Tone]]) -> None:
    rows.append((f"{first}{node.text}", node.tone))
    for part in node.parts:
        last = part is node.parts[-1]
        _add_rows(part, rest + ("└ " if last else "├ "), rest + ("  " if last else "│ "), rows)
