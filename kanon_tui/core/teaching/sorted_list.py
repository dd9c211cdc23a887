"""The list of strings sorted by research value, with the middle that is tested."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from kanon_tui.core.lattice.objective import value_text
from kanon_tui.core.teaching.full_domain_state import MARKS, FullDomainState, Verdict
from kanon_tui.core.teaching.lattice import tone_of
from kanon_tui.core.teaching.picture import Drawing, Picture, Scene

__all__ = ["SortedList"]


class SortedList(Drawing):
    """The strings still on the list, best first; one line shows all of it in small."""

    name: ClassVar[str] = "sorted list"

    def __init__(self) -> None:
        self._moved = 0
        """Rows that arrow keys have moved away from the string that is tested."""

    def draw(self, scene: Scene, width: int, height: int) -> Picture:
        """Return the picture of a scene."""
        picture = Picture(width, height)
        state = scene.state
        if not isinstance(state, FullDomainState) or state.lattice is None:
            picture.line("The list is drawn with the first decision.", "dim")
            return picture
        lattice = state.lattice
        if not len(state.verdicts):
            picture.line(f"{lattice.count:,} strings: too many to follow each", "dim")
            return picture
        order = np.argsort(-lattice.worths, kind="stable")
        open_now = state.verdicts == Verdict.OPEN
        left = int(open_now.sum())
        by = "RV" if lattice.objective.name == "rv" else "worth"
        left_of_all = f"{left:,} of {lattice.count:,} strings left"
        picture.entries([(left_of_all, "strong"), (f"highest {by} first", "")])
        _in_small(picture, state, order, width)
        current = None if state.current is None else lattice.node(state.current)
        best = None if state.best is None else lattice.node(state.best)
        shown = order[open_now[order] | (order == current) | (order == best)]
        at = np.flatnonzero(shown == current)
        middle = (int(at[0]) if len(at) else len(shown) // 2) + self._moved
        room = max(height - picture.used - 2, 3)
        begin = min(max(middle - room // 2, 0), max(len(shown) - room, 0))
        self._moved = min(max(self._moved, -len(shown)), len(shown))
        names = f"  place  {by:>8}  levels of " + ", ".join(lattice.names)
        picture.line(names if len(names) <= width else names[: width - 1] + "…", "dim")
        for place in range(begin, min(begin + room, len(shown))):
            node = int(shown[place])
            verdict = Verdict(int(state.verdicts[node]))
            mark = "★" if node == best else MARKS[verdict]
            levels = " ".join(str(level) for level in lattice.levels(node))
            value = value_text(float(lattice.worths[node]))
            row = f"{place + 1:>6,}  {value:>8}  {mark} {levels}"
            here, tone = node == current, "best" if node == best else tone_of(verdict)
            picture.write("▸" if here else " ").line(row, "here" if here else tone)
        return picture

    def move(self, scene: Scene, across: int, down: int) -> bool:
        """Scroll up and down the list."""
        self._moved += down
        return bool(down)


def _in_small(
    picture: Picture, state: FullDomainState, order: np.typing.NDArray[np.int64], width: int
) -> None:
    """Draw the whole list as one line: what most strings of each stretch are."""
    picture.write("high ", "dim")
    cells = max(width - 11, 8)
    for stretch in np.array_split(order, min(cells, len(order))):
        counts = np.bincount(state.verdicts[stretch], minlength=len(Verdict))
        tested = counts[Verdict.PASSES] or counts[Verdict.FAILS]
        verdict = Verdict(int(counts.argmax()))
        if tested:
            verdict = Verdict.PASSES if counts[Verdict.PASSES] else Verdict.FAILS
        elif counts[Verdict.OPEN]:
            verdict = Verdict.OPEN
        picture.write(MARKS[verdict], tone_of(verdict))
    picture.line("  low", "dim")
