"""The lattice: strings by height, each with its levels and what is known of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kanon_tui.core.lattice.objective import value_text
from kanon_tui.core.lattice.search import StringText
from kanon_tui.core.lattice.string_facts import LatticeGrid
from kanon_tui.core.teaching.full_domain_state import MARKS, FullDomainState, Verdict
from kanon_tui.core.teaching.picture import Drawing, Picture, Scene, Tone
from kanon_tui.core.teaching.string_counts import StringCounts

__all__ = ["LatticePicture", "legend", "tone_of"]

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
