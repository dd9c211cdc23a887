"""Large spaces of strings: counts per height, and a slice over two attributes."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from kanon_tui.core.lattice.objective import value_text
from kanon_tui.core.teaching.full_domain_state import MARKS, FullDomainState, Verdict
from kanon_tui.core.teaching.picture import Drawing, Picture, Scene, Tone

__all__ = ["StringCounts"]

_ORDER = (
    Verdict.PASSES,
    Verdict.FAILS,
    Verdict.INFERRED_PASS,
    Verdict.INFERRED_FAIL,
    Verdict.BEATEN,
    Verdict.OPEN,
)
_TONES: dict[Verdict, Tone] = {
    Verdict.PASSES: "good",
    Verdict.FAILS: "bad",
    Verdict.INFERRED_PASS: "good",
    Verdict.INFERRED_FAIL: "dim",
    Verdict.BEATEN: "dim",
    Verdict.OPEN: "",
}


class StringCounts(Drawing):
    """The settled strings of every height, and two attributes level by level."""

    name: ClassVar[str] = "counts"

    def __init__(self) -> None:
        self._across, self._down = 0, 1

    def draw(self, scene: Scene, width: int, height: int) -> Picture:
        """Return the picture of a scene."""
        picture = Picture(width, height)
        state = scene.state
        if not isinstance(state, FullDomainState) or state.lattice is None:
            picture.line("The strings are counted with the first decision.", "dim")
            return picture
        if not len(state.verdicts):
            _tests_alone(picture, state)
            return picture
        names = state.lattice.names
        slice_rows = state.lattice.sizes[self._down % len(names)] + 5 if len(names) > 1 else 0
        _by_height(picture, state, max(height - slice_rows - 2, 4))
        if slice_rows and picture.used + slice_rows <= height + 2:
            self._slice(picture, state)
        return picture

    def move(self, scene: Scene, across: int, down: int) -> bool:
        """Choose the attribute across by left and right, the one down the slice by up and down."""
        state = scene.state
        if not isinstance(state, FullDomainState) or state.lattice is None:
            return False
        count = len(state.lattice.names)
        if count < 2:
            return False
        self._across = (self._across + across) % count
        self._down = (self._down + down) % count
        if self._across == self._down:
            self._across = (self._across + (across or 1)) % count if across else self._across
            self._down = (self._down + (down or 1)) % count if not across else self._down
        return True

    def _slice(self, picture: Picture, state: FullDomainState) -> None:
        """Draw the strings that differ from the one looked at in two attributes alone."""
        lattice = state.lattice
        assert lattice is not None
        x, y = self._across % len(lattice.names), self._down % len(lattice.names)
        at = list(state.current or state.best or lattice.heights)
        others = [
            f"{name} {level}"
            for a, (name, level) in enumerate(zip(lattice.names, at, strict=True))
            if a not in (x, y)
        ]
        picture.end()
        picture.line(f"{lattice.names[y]} ↓  {lattice.names[x]} →", "strong")
        if others:
            picture.wrap(f"with {', '.join(others)}")
        picture.line("     " + "  ".join(f"{level}" for level in range(lattice.sizes[x])), "dim")
        for level in range(lattice.heights[y], -1, -1):
            picture.write(f"{level:>3}  ", "dim")
            for other in range(lattice.sizes[x]):
                string = at.copy()
                string[y], string[x] = level, other
                node = lattice.node(string)
                verdict = Verdict(int(state.verdicts[node]))
                best, here = tuple(string) == state.best, string == list(state.current or ())
                mark = "★" if best else MARKS[verdict]
                tone: Tone = "here" if here else "best" if best else _TONES[verdict]
                picture.write(mark, tone).write("  ")
            picture.end()


def _by_height(picture: Picture, state: FullDomainState, most_rows: int) -> None:
    """Draw one row per height; where there are too many, neighbouring heights share a row."""
    lattice = state.lattice
    assert lattice is not None
    nodes = state.nodes_of(state.part)
    heights = lattice.grid[nodes].sum(axis=1)
    low, high = int(heights.min()), int(heights.max())
    together = -(-(high - low + 1) // max(most_rows - 1, 1))
    rows = []
    for top in range(high, low - 1, -together):
        bottom = max(top - together + 1, low)
        own = nodes[(heights <= top) & (heights >= bottom)]
        name = f"{top}" if top == bottom else f"{top}-{bottom}"
        counts = np.bincount(state.verdicts[own], minlength=len(_ORDER))
        rows.append((name, len(own), counts))
    present = [v for v in _ORDER if any(counts[v] for _, _, counts in rows)]
    widths = {v: max(len(f"{counts[v]:,}") for _, _, counts in rows) for v in present}
    label = max(6, *(len(name) for name, _, _ in rows))
    total = max(len(f"{count:,}") for _, count, _ in rows)
    picture.line(f"{'height':>{label}}  strings", "dim")
    for name, count, counts in rows:
        picture.write(f"{name:>{label}}  ", "dim").write(f"{count:>{total},}: ")
        for verdict in present:
            text = f"{MARKS[verdict]}{counts[verdict]:>{widths[verdict]},}"
            picture.write(text if counts[verdict] else " " * len(text), _TONES[verdict])
            picture.write(" ")
        picture.end()


def _tests_alone(picture: Picture, state: FullDomainState) -> None:
    """Draw the tests, the newest first, of a space too large to follow every string."""
    lattice = state.lattice
    assert lattice is not None
    picture.line(f"{lattice.count:,} strings: too many to follow each; the tests so far", "dim")
    for number, test in list(state.tests.values())[::-1][: max(picture.height - 2, 1)]:
        picture.write(f"{number:>6} ", "dim")
        picture.write("✓ " if test.passes else "✗ ", "good" if test.passes else "bad")
        levels = " ".join(str(level) for level in test.levels)
        picture.line(f"{levels}  RV {value_text(test.rv)}")
