"""Large spaces of strings: counts per height, and a slice over two attributes.

The lattice: strings by height, each with its levels and what is known of it.

The parts of `distributed`: which attributes, how many strings, what is done.

The list of strings sorted by research value, with the middle that is tested.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from kanon_tui.core.lattice.objective import value_text
from kanon_tui.core.lattice.search import StringText
from kanon_tui.core.lattice.string_facts import LatticeGrid
from kanon_tui.core.teaching.full_domain_state import MARKS, FullDomainState, Verdict
from kanon_tui.core.teaching.picture import Drawing, Picture, Scene, Tone

__all__ = ["LatticePicture", "PartTable", "SortedList", "StringCounts", "legend", "tone_of"]


_ORDER = (
    Verdict.PASSES,
    Verdict.FAILS,
    Verdict.INFERRED_PASS,
    Verdict.INFERRED_FAIL,
    Verdict.BEATEN,
    Verdict.OPEN,
)
_COUNT_TONES: dict[Verdict, Tone] = {
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
                tone: Tone = "here" if here else "best" if best else _COUNT_TONES[verdict]
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
            picture.write(text if counts[verdict] else " " * len(text), _COUNT_TONES[verdict])
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


_TONES: dict[Verdict, Tone] = {
    Verdict.OPEN: "",
    Verdict.PASSES: "good",
    Verdict.FAILS: "bad",
    Verdict.INFERRED_PASS: "good",
    Verdict.INFERRED_FAIL: "dim",
    Verdict.BEATEN: "dim",
}
_LEGEND = (
    (Verdict.PASSES, "passes"),
    (Verdict.FAILS, "fails"),
    (Verdict.INFERRED_PASS, "passes, inferred"),
    (Verdict.INFERRED_FAIL, "ruled out"),
    (Verdict.BEATEN, "not needed"),
    (Verdict.OPEN, "open"),
)
_MOST = 2_000
"""Strings of the largest lattice that is tried to be drawn one by one."""
_AROUND = 4
"""Rows that legend and the line about one string take."""


@dataclass(frozen=True)
class _Layout:
    """Rows of nodes by falling height, and how wide a node is."""

    rows: tuple[tuple[int, tuple[int, ...]], ...]
    cell: int
    per_line: int

    @property
    def lines(self) -> int:
        return sum(-(-len(nodes) // self.per_line) for _, nodes in self.rows)


class LatticePicture(Drawing):
    """Every string of the attributes that are looked at; of large spaces counts and a slice."""

    name: ClassVar[str] = "lattice"

    def __init__(self) -> None:
        self._cursor: int | None = None
        """The string that arrow keys have moved to; None follows the run."""
        self._counts = StringCounts()

    def draw(self, scene: Scene, width: int, height: int) -> Picture:
        """Return the picture of a scene."""
        state = scene.state
        picture = Picture(width, height)
        if not isinstance(state, FullDomainState) or state.lattice is None:
            picture.line("The lattice is drawn with the first decision.", "dim")
            return picture
        layout = self._layout(state, width, height)
        if layout is None:
            return self._counts.draw(scene, width, height)
        self._rows(picture, state, layout)
        legend(picture, state)
        node = self._cursor if self._cursor is not None else _node(state, state.current)
        if node is not None:
            _about(picture, state, node)
        return picture

    def _layout(self, state: FullDomainState, width: int, height: int) -> _Layout | None:
        lattice = state.lattice
        if lattice is None or not len(state.verdicts):
            return None
        nodes = state.nodes_of(state.part)
        if len(nodes) > _MOST:
            return None
        shown = _shown(state)
        heights = lattice.grid[nodes][:, shown].sum(axis=1)
        rows = tuple(
            (level, tuple(nodes[heights == level].tolist()))
            for level in range(int(heights.max()), int(heights.min()) - 1, -1)
        )
        cell = max(len(_text(lattice, shown, node)) for node in nodes.tolist()) + 2
        per_line = (width - 5) // cell
        layout = _Layout(rows, cell, per_line) if per_line > 0 else None
        return layout if layout is not None and layout.lines <= height - _AROUND else None

    def _rows(self, picture: Picture, state: FullDomainState, layout: _Layout) -> None:
        lattice = state.lattice
        assert lattice is not None
        shown = _shown(state)
        current, best = _node(state, state.current), _node(state, state.best)
        for height, nodes in layout.rows:
            for begin in range(0, len(nodes), layout.per_line):
                picture.write(f"{height:>3}  " if not begin else "     ", "dim")
                for node in nodes[begin : begin + layout.per_line]:
                    verdict = Verdict(int(state.verdicts[node]))
                    mark = "★" if node == best else MARKS[verdict]
                    tone = "best" if node == best else _TONES[verdict]
                    text = f"{mark}{_text(lattice, shown, node)}"
                    here = node == (current if self._cursor is None else self._cursor)
                    picture.write(text, "here" if here else tone)
                    picture.write(" " * (layout.cell - len(text)))
                picture.end()

    def move(self, scene: Scene, across: int, down: int) -> bool:
        """Go to the neighbour in the row, or to the nearest in the next row."""
        state = scene.state
        if not isinstance(state, FullDomainState) or state.lattice is None:
            return False
        layout = self._layout(state, 10_000, 10_000)
        if layout is None:
            return self._counts.move(scene, across, down)
        rows = [nodes for _, nodes in layout.rows]
        here = self._cursor if self._cursor is not None else _node(state, state.current)
        at = next((i for i, nodes in enumerate(rows) if here in nodes), len(rows) - 1)
        place = rows[at].index(here) if here in rows[at] else 0
        share = place / max(len(rows[at]) - 1, 1)
        to = min(max(at + down, 0), len(rows) - 1)
        if to != at:
            place = round(share * (len(rows[to]) - 1))
        self._cursor = rows[to][min(max(place + across, 0), len(rows[to]) - 1)]
        return True


def tone_of(verdict: Verdict) -> Tone:
    """Return the colour of a verdict."""
    return _TONES[verdict]


def legend(picture: Picture, state: FullDomainState) -> None:
    """Draw the marks with how many strings have them, leaving out those of none."""
    nodes = state.nodes_of(state.part) if len(state.verdicts) else None
    if nodes is None:
        return
    entries: list[tuple[str, Tone]] = [("★ best", "best")] if state.best is not None else []
    for verdict, what in _LEGEND:
        count = state.count(verdict, nodes)
        if count:
            entries.append((f"{MARKS[verdict]} {count:,} {what}", _TONES[verdict]))
    picture.entries(entries)


def _shown(state: FullDomainState) -> list[int]:
    """Return the attributes whose levels are written."""
    assert state.lattice is not None
    return list(range(len(state.lattice.names)) if state.part is None else state.part)


def _text(lattice: LatticeGrid, shown: list[int], node: int) -> str:
    """Return the levels of a string: `102`, or `1.12.0` where one has two digits."""
    levels = [str(int(level)) for level in lattice.grid[node][shown]]
    return ("" if max(lattice.heights) < 10 else ".").join(levels)


def _node(state: FullDomainState, levels: tuple[int, ...] | None) -> int | None:
    assert state.lattice is not None
    if levels is None or len(levels) != len(state.lattice.names):
        return None
    return state.lattice.node(levels)


def _about(picture: Picture, state: FullDomainState, node: int) -> None:
    """Draw the string that is looked at: its names, its value and what is known of it."""
    lattice = state.lattice
    assert lattice is not None
    shown, levels = _shown(state), lattice.levels(node)
    string = StringText(tuple(lattice.names[a] for a in shown), tuple(levels[a] for a in shown))
    value = f"  RV {value_text(float(lattice.rvs[node]))}" if state.part is None else ""
    picture.wrap(f"{string}{value}", "strong")
    picture.wrap(state.why(node))


class PartTable(Drawing):
    """One row per part; before the split, and after the parts are combined, a sentence."""

    name: ClassVar[str] = "parts"

    def draw(self, scene: Scene, width: int, height: int) -> Picture:
        """Return the picture of a scene."""
        picture = Picture(width, height)
        state = scene.state
        if not isinstance(state, FullDomainState) or state.lattice is None or not state.parts:
            picture.line("The attributes are not split into parts.", "dim")
            picture.wrap("Where all strings are one part, it is global with a head start.")
            return picture
        lattice = state.lattice
        rows = [
            (", ".join(lattice.names[a] for a in part), part, done)
            for part, done in state.parts.items()
        ]
        label = min(max(len(name) for name, _, _ in rows), max(width - 34, 8))
        picture.line(f"  {'part':<{label}}  passing  strings  tested", "dim")
        for name, part, done in rows:
            working = done is None and part == state.part
            mark = "✓" if done is not None else "▸" if working else "·"
            shown = name if len(name) <= label else name[: label - 1] + "…"
            picture.write(f"{mark} ", "good" if done is not None else "warn")
            picture.write(f"{shown:<{label}}  ", "here" if working else "")
            if done is not None:
                picture.line(f"{done[0]:>7,}  {done[1]:>7,}  {done[2]:>6,}")
            elif working and len(state.verdicts):
                nodes = state.nodes_of(part)
                passing = sum(
                    state.count(v, nodes) for v in (Verdict.PASSES, Verdict.INFERRED_PASS)
                )
                tested = sum(state.count(v, nodes) for v in (Verdict.PASSES, Verdict.FAILS))
                picture.line(f"{passing:>7,}  {len(nodes):>7,}  {tested:>6,}  at work")
            else:
                picture.line("waits", "dim")
        picture.end()
        picture.line("✓ settled   ▸ at work   · waits", "dim")
        if state.best is not None:
            picture.line(f"★ best so far: RV {state.best_rv:.4f}", "best")
        return picture


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
