"""The strings of a full-domain search: a lattice of coloured cells, or bars by height.

A small space is drawn string by string with the edges between neighbours. A large one has a bar
per height, which fills while the search runs. Sets of attributes that were searched before (by
`incognito` and `distributed`) stand above as small lattices.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from kanon_tui.core.lattice.events import SearchEvent, Tested
from kanon_tui.core.lattice.search import StringText
from kanon_tui.core.lattice.strings import LatticeGrid
from kanon_tui.core.lessons.strings import value_text
from kanon_tui.core.numeric import Int64s
from kanon_tui.core.teaching.picture import Canvas, Drawing, Picture, Scene, Tone
from kanon_tui.core.teaching.run_states import FullDomainState, Verdict
from kanon_tui.core.text import shortened, visible

MOST_NODES = 64
"""Strings of the largest lattice that is drawn one by one."""
_LOOKS: dict[Verdict, tuple[str, Tone, str]] = {
    Verdict.PASSES: ("✓", "on-good", "passes"),
    Verdict.FAILS: ("✗", "on-bad", "fails"),
    Verdict.INFERRED_PASS: ("+", "good", "passes without a test"),
    Verdict.INFERRED_FAIL: ("▒", "dim", "ruled out"),
    Verdict.BEATEN: ("░", "dim", "not needed"),
    Verdict.OPEN: ("·", "on-panel", "open"),
}
_RULED_OUT = (Verdict.INFERRED_FAIL, Verdict.BEATEN)
_FARTHEST = 14
"""Rows from one height to the next at most."""


@dataclass(frozen=True)
class _Layout:
    """The places of the strings: nodes by falling height, columns, and rows between heights."""

    rows: tuple[tuple[int, ...], ...]
    pitch: int
    height: int

    @property
    def has_edges(self) -> bool:
        """Whether there is a row of edges between any two heights."""
        return self.height >= 2 * len(self.rows) - 1

    def places(self, width: int) -> dict[int, tuple[int, int]]:
        """Return row and middle column of every node, each row centred."""
        return {
            node: (
                round(number * (self.height - 1) / max(len(self.rows) - 1, 1)),
                (width - len(nodes) * self.pitch) // 2 + place * self.pitch + self.pitch // 2,
            )
            for number, nodes in enumerate(self.rows)
            for place, node in enumerate(nodes)
        }


def lattice_rows(lattice: LatticeGrid, nodes: Int64s) -> tuple[tuple[int, ...], ...]:
    """Return nodes by height, the highest first."""
    heights = lattice.grid[nodes].sum(axis=1)
    levels = range(int(heights.max()), int(heights.min()) - 1, -1)
    return tuple(tuple(nodes[heights == level].tolist()) for level in levels)


class LatticePicture(Drawing):
    """Every string of the attributes in the search; arrow keys go from string to string."""

    name: ClassVar[str] = "lattice"

    def __init__(self) -> None:
        self._cursor: int | None = None
        """The string that arrow keys have moved to; None follows the run."""

    def draw(self, scene: Scene, width: int, height: int) -> Picture:
        """Return the picture of a scene."""
        state = scene.state
        picture = Picture(width, height)
        if not isinstance(state, FullDomainState) or state.lattice is None:
            picture.line("The lattice is drawn with the first decision.", "dim")
            return picture
        _earlier_parts(picture, state)
        texts = [Picture(width, height) for _ in range(3)]
        _legend(texts[0], scene, state)
        _brackets(texts[1], state)
        node = self._cursor if self._cursor is not None else state.node_of(state.current)
        if node is not None and len(state.verdicts):
            _about(texts[2], state, node)
        choices = [
            (shown_texts, _layout(state, width, height - _rows(picture, *shown_texts)))
            for shown_texts in (texts, texts[:2], texts[:1])
        ]
        fitting = [choice for choice in choices if choice[1] is not None]
        with_edges = [choice for choice in choices if choice[1] is not None and choice[1].has_edges]
        shown, layout = [*with_edges, *fitting, (texts, None)][0]
        if layout is not None:
            self._draw_nodes(picture, scene, state, layout)
        else:
            _draw_bars(picture, state, height - _rows(picture, *texts))
        for text in shown:
            picture.add_rows(text.rows)
        return picture

    def _draw_nodes(
        self, picture: Picture, scene: Scene, state: FullDomainState, layout: _Layout
    ) -> None:
        lattice = state.strings
        shown = _shown(state)
        canvas: Canvas[Tone] = Canvas(picture.width, layout.height, "")
        places = layout.places(picture.width)
        current = state.node_of(state.current)
        best = state.node_of(state.best)
        doubtful = {state.node_of(test.levels) for test in _tests_asked(scene)}
        flood = set(state.settled_at(scene.number).tolist())
        names = ", ".join(visible(lattice.names[a]) for a in shown)
        canvas.put(0, 0, shortened(f"⟨{names}⟩", max(picture.width // 2 - 3, 3)), "strong")
        _edges(canvas, state, places, flood)
        for node, (row, column) in places.items():
            verdict = Verdict(int(state.verdicts[node]))
            mark, tone, _ = _LOOKS[verdict]
            if node == best:
                mark = "★"
                tone = "on-best"
            elif node in flood and verdict in _RULED_OUT:
                tone = "on-warn"
            if node in doubtful:
                mark = "?"
                tone = "here"
            text = f"{mark}{_levels(lattice, shown, node)}"
            is_current = node == (current if self._cursor is None else self._cursor)
            text_column = column - len(text) // 2
            if mark == _LOOKS[Verdict.OPEN][0] and layout.pitch == len(text):
                text, text_column = text[1:], text_column + 1  # a gap between neighbours
            if is_current and layout.pitch > len(text) + 1:
                canvas.put(row, text_column - 1, f"▸{' ' * len(text)}◂", "warn")
            canvas.put(
                row,
                text_column,
                text,
                "here" if is_current and tone in ("dim", "on-panel") else tone,
            )
        picture.add(canvas)

    def move(self, scene: Scene, across: int, down: int) -> bool:
        """Go to the neighbour in the row, or to the nearest in the next row."""
        state = scene.state
        if not isinstance(state, FullDomainState) or state.lattice is None:
            return False
        layout = _layout(state, 10_000, 10_000)
        if layout is None:
            return False
        rows = layout.rows
        current_node = self._cursor if self._cursor is not None else state.node_of(state.current)
        at = next((i for i, nodes in enumerate(rows) if current_node in nodes), len(rows) - 1)
        place = (
            rows[at].index(current_node)
            if current_node is not None and current_node in rows[at]
            else 0
        )
        share = place / max(len(rows[at]) - 1, 1)
        to = min(max(at + down, 0), len(rows) - 1)
        if to != at:
            place = round(share * (len(rows[to]) - 1))
        self._cursor = rows[to][min(max(place + across, 0), len(rows[to]) - 1)]
        return True


def _tests_asked(scene: Scene) -> tuple[Tested, ...]:
    """Return the tests of the decision that a class is asked about."""
    event = None if scene.asked is None else scene.asked.event
    if not isinstance(event, SearchEvent) or event.changes is None:
        return ()
    return event.changes.tests


def _rows(*pictures: Picture) -> int:
    return sum(len(picture.rows) for picture in pictures)


def _layout(state: FullDomainState, width: int, height: int) -> _Layout | None:
    """Return the places of the strings; None if they do not fit."""
    if state.lattice is None or not len(state.verdicts):
        return None
    nodes = state.nodes_of(state.part)
    if len(nodes) > MOST_NODES:
        return None
    rows = lattice_rows(state.lattice, nodes)
    text = 1 + len(_levels(state.lattice, _shown(state), rows[0][0]))
    pitch = min(width // max(map(len, rows)), text + 14)
    farthest = (len(rows) - 1) * _FARTHEST + 1
    layout = _Layout(rows, pitch, min(height, farthest))
    if not layout.has_edges:  # no height is further from the next one than others are
        layout = replace(layout, height=len(rows))
    return layout if pitch >= text and height >= len(rows) else None


def _edges(
    canvas: Canvas[Tone],
    state: FullDomainState,
    places: dict[int, tuple[int, int]],
    flood: set[int],
) -> None:
    """Draw the lines between neighbours: the flood and the way of a greedy search last."""
    lattice = state.strings
    current = state.node_of(state.current)
    path = {state.node_of(levels) for levels in state.path}
    edges: list[tuple[int, Tone, int, int]] = []
    for node in places:
        for a in _shown(state):
            neighbour = node + int(lattice.places[a])
            if lattice.grid[node][a] < lattice.heights[a] and neighbour in places:
                lit = {node, neighbour} <= flood | {current}
                walked = {node, neighbour} <= path
                tone: Tone = "main" if walked else "warn" if lit else "dim"
                edges.append((walked + lit, tone, node, neighbour))
    for _, tone, lower, upper in sorted(edges):
        (low, from_), (high, to) = places[lower], places[upper]
        if low > high + 1:
            canvas.line((2 * to, 4 * high + 4), (2 * from_, 4 * low - 1), tone)


def _legend(picture: Picture, scene: Scene, state: FullDomainState) -> None:
    """Draw the marks with their numbers of strings, leaving out unused marks."""
    entries: list[tuple[str, Tone]] = []
    if state.best is not None:
        entries.append((f"★ best, RV {value_text(state.best_rv)}", "best"))
    counts = state.counts_by_height().sum(axis=0)
    for verdict, (mark, tone, what) in _LOOKS.items():
        if counts[verdict]:
            entries.append((f"{mark} {counts[verdict]:,} {what}", tone))
    flood = state.settled_at(scene.number)
    if len(flood):
        entries.append((f"{len(flood):,} settled by this step", "on-warn"))
    picture.entries(entries)


def _draw_bars(picture: Picture, state: FullDomainState, room: int) -> None:
    """Draw a bar per height, neighbouring heights together where there are many."""
    counts = state.counts_by_height()
    together = -(-len(counts) // max(room, 1))
    begins = range(0, len(counts), together)
    rows = [counts[begin : begin + together].sum(axis=0) for begin in begins][::-1]
    names = [
        f"{begin}" if together == 1 else f"{begin}-{min(begin + together, len(counts)) - 1}"
        for begin in begins
    ][::-1]
    label = max(map(len, names))
    number = max(len(f"{row.sum():,}") for row in rows)
    longest = max(max(int(row.sum()) for row in rows), 1)
    width = max(picture.width - label - number - 2, 4)
    thick = min(max(room // len(rows), 1), 3)
    for name, row in zip(names, rows, strict=True):
        cells = max(round(int(row.sum()) / longest * width), 1)
        parts = _shares(row, cells)
        for line in range(thick):
            picture.write(f"{name if not line else '':>{label}} ", "dim")
            for verdict, (mark, tone, _) in _LOOKS.items():
                picture.write(mark * parts[verdict], tone)
            end = " " * (width - sum(parts))
            picture.line(f"{end} {row.sum():>{number},}" if not line else "", "dim")


def _shares(counts: Int64s, cells: int) -> list[int]:
    """Return how many cells of a bar each verdict has; one that occurs has at least one."""
    parts = [max(round(int(count) / counts.sum() * cells), 1) if count else 0 for count in counts]
    while sum(parts) > max(cells, 1) and max(parts) > 1:
        parts[parts.index(max(parts))] -= 1
    while 0 < sum(parts) < cells:
        parts[parts.index(max(parts))] += 1
    return parts


def _earlier_parts(picture: Picture, state: FullDomainState) -> None:
    """Draw the sets of attributes that were searched before, each as a small lattice."""
    lattice = state.strings
    canvas: Canvas[Tone] = Canvas(picture.width, picture.height // 3, "")
    part_column = 0
    tall = 0
    for part, verdicts in state.parts.items():
        name = "·".join(lattice.names[a] for a in part)
        part_result = state.part_results.get(part, "")
        at_work = part == state.part
        is_done = verdicts is not None or part_result
        title = (
            f"{'▸' if at_work else '✓' if is_done else ' '}{visible(name)} {part_result}".rstrip()
        )
        nodes = state.nodes_of(part) if len(state.verdicts) else np.empty(0, dtype=np.int64)
        rows = lattice_rows(lattice, nodes) if 0 < len(nodes) <= MOST_NODES else ()
        wide = max([len(title), *(2 * len(row) for row in rows)]) + 2
        if len(rows) >= canvas.height:
            rows = ()
            wide = len(title) + 2
        if part_column + wide > picture.width:
            canvas.put(0, max(min(part_column, picture.width - 1), 0), "…", "dim")
            break
        part_verdicts = state.verdicts[nodes] if verdicts is None else verdicts
        looks = dict(zip(nodes.tolist(), part_verdicts.tolist(), strict=True))
        canvas.put(0, part_column + (wide - len(title)) // 2, title, "strong" if at_work else "dim")
        for number, row in enumerate(rows, start=1):
            for place, node in enumerate(row, start=(wide - 2 * len(row)) // 4):
                canvas.put(number, part_column + 2 * place, *_LOOKS[Verdict(looks[node])][:2])
        part_column = part_column + wide
        tall = min(max(tall, len(rows) + 1), canvas.height)
    picture.add_rows(tuple(canvas.runs(row)) for row in range(tall))


def _brackets(picture: Picture, state: FullDomainState) -> None:
    """Draw per attribute the levels between which a pointer still moves, and its present level."""
    lattice = state.lattice
    pointers = state.pointers
    if lattice is None or pointers is None:
        return
    label = min(max(len(visible(name)) for name in lattice.names), max(picture.width // 3, 6))
    for a, name in enumerate(lattice.names):
        picture.write(f"{shortened(visible(name), label):<{label}} ")
        for level in range(lattice.heights[a], -1, -1):
            is_open = pointers.specific[a] <= level <= pointers.general[a]
            picture.write("[" if level == pointers.general[a] else " ", "warn")
            is_middle = level == pointers.middle[a]
            picture.write(f"{level}", "here" if is_middle else "strong" if is_open else "dim")
            picture.write("]" if level == pointers.specific[a] else " ", "warn")
        used = label + 1 + 3 * (lattice.heights[a] + 1)
        note = f" {lattice.heights[a] + 1} levels, [ ] left"
        picture.line(shortened(note, max(picture.width - used, 0)), "dim")


def _shown(state: FullDomainState) -> list[int]:
    """Return the attributes whose levels are written."""
    return list(range(len(state.strings.names)) if state.part is None else state.part)


def _levels(lattice: LatticeGrid, shown: Sequence[int], node: int) -> str:
    """Return the levels of a string: `102`, or `1.12.0` where one has two digits."""
    levels = [str(int(level)) for level in lattice.grid[node][shown]]
    return ("" if max(lattice.heights) < 10 else ".").join(levels)


def _about(picture: Picture, state: FullDomainState, node: int) -> None:
    """Draw the selected string: its names, its value and what is known of it."""
    lattice = state.strings
    shown = _shown(state)
    levels = lattice.levels(node)
    string = StringText(tuple(lattice.names[a] for a in shown), tuple(levels[a] for a in shown))
    value = f"  RV {value_text(float(lattice.rvs[node]))}" if state.part is None else ""
    picture.wrap(f"{string}{value}: {state.why(node)}")
