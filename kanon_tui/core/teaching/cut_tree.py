"""The tree of cuts: what was cut where, and how many records each side has."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from kanon_tui.core.teaching.clustering_state import ClusteringState
from kanon_tui.core.teaching.picture import Drawing, Picture, Scene, Tone
from kanon_tui.core.text import shortened

__all__ = ["CutTree"]


@dataclass
class _Node:
    group: int
    size: int
    text: str
    sides: list[_Node] = field(default_factory=list)


class CutTree(Drawing):
    """One row per part; the part at work is lit and always in view."""

    name: ClassVar[str] = "tree of cuts"

    def __init__(self) -> None:
        self._moved = 0

    def draw(self, scene: Scene, width: int, height: int) -> Picture:
        """Return the picture of a scene."""
        picture = Picture(width, height)
        state = scene.state
        if not isinstance(state, ClusteringState) or state.groups is None:
            picture.line("The tree begins with the first cut.", "dim")
            return picture
        here = int(state.groups[state.rows].min(initial=np.iinfo(np.int32).max))
        rows: list[tuple[str, Tone, bool]] = []
        _rows(_tree(scene, state), "", "", state, here, rows)
        at = next((i for i, (_, _, lit) in enumerate(rows) if lit), 0) + self._moved
        begin = min(max(at - height // 2, 0), max(len(rows) - height + 1, 0))
        for text, tone, _ in rows[begin : begin + height - 1]:
            picture.line(shortened(text, width), tone)
        picture.line("✓ closed   ◂ this decision   … open", "dim")
        return picture

    def move(self, scene: Scene, across: int, down: int) -> bool:
        """Scroll up and down the tree."""
        self._moved += down
        return bool(down)


def _tree(scene: Scene, state: ClusteringState) -> _Node:
    """Return the cuts so far as nodes; a lower side keeps its part's number."""
    names = [attribute.name for attribute in scene.task.quasi]
    root = _Node(0, scene.task.n, "all")
    leaves = {0: root}
    for _, cut in state.cuts:
        if cut.group not in leaves:
            continue  # cut while one step stood for many decisions
        above = leaves[cut.group]
        name = names[cut.attribute]
        lower = _Node(cut.group, cut.left, cut.sides[0] or f"{name} ≤ {cut.below}")
        upper = _Node(cut.upper, cut.right, cut.sides[1] or f"{name} > {cut.below}")
        above.sides = [lower, upper]
        leaves[cut.group], leaves[cut.upper] = lower, upper
    return root


def _rows(
    node: _Node,
    first: str,
    rest: str,
    state: ClusteringState,
    here: int,
    rows: list[tuple[str, Tone, bool]],
) -> None:
    leaf = not node.sides
    closed = leaf and node.group in state.closed
    lit = leaf and node.group == here
    end = " ◂" if lit else ""
    mark = " ✓" if closed else " …" if leaf else ""
    tone: Tone = "here" if lit else "good" if closed else ""
    rows.append((f"{first}{node.text}   {node.size:,}{mark}{end}", tone, lit))
    for number, side in enumerate(node.sides):
        last = number == len(node.sides) - 1
        _rows(
            side,
            rest + ("└ " if last else "├ "),
            rest + ("  " if last else "│ "),
            state,
            here,
            rows,
        )
