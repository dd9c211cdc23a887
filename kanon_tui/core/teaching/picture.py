"""A picture: rows of text with tones, and the tools to draw one.

A canvas is a grid of characters for texts, braille dots and lines, outlines, plots with axes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from textwrap import wrap
from typing import ClassVar, Generic, Literal, TypeVar

from kanon_tui.core.pipeline.run import RunStep
from kanon_tui.core.pipeline.timeline import RunState, Timeline
from kanon_tui.core.task.task import Algorithm, Task
from kanon_tui.core.text import visible

Tone = Literal[
    "", "dim", "strong", "main", "good", "bad", "warn", "best", "here",
    "on-good", "on-bad", "on-warn", "on-best", "on-panel",
    "hue-0", "hue-1", "hue-2", "hue-3", "hue-4", "hue-5",
]  # fmt: skip
"""The meaning of a text; a mark always goes with it, for those who see no colours.

`on-` colours the ground instead of the letters; hues tell clusters apart.
"""
HUES: tuple[Tone, ...] = ("hue-0", "hue-1", "hue-2", "hue-3", "hue-4", "hue-5")
Row = tuple[tuple[str, Tone], ...]


class Picture:
    """Rows that are written from the top; texts from data are made safe to show."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self._rows: list[list[tuple[str, Tone]]] = [[]]

    def write(self, text: object, tone: Tone = "") -> Picture:
        """Add to the present row."""
        shown = visible(str(text))
        if shown:
            self._rows[-1].append((shown, tone))
        return self

    def end(self) -> None:
        """End the present row."""
        self._rows.append([])

    def line(self, text: object = "", tone: Tone = "") -> None:
        """Write a text and end its row."""
        self.write(text, tone)
        self.end()

    def wrap(self, text: object, tone: Tone = "dim") -> None:
        """Write a text in as many rows as it takes."""
        for line in wrap(visible(str(text)), max(self.width, 10)):
            self.line(line, tone)

    def entries(self, entries: Iterable[tuple[str, Tone]]) -> None:
        """Write short texts side by side, in as many rows as it takes."""
        used = 0
        for text, tone in entries:
            if used and used + len(text) > self.width:
                self.end()
                used = 0
            self.write(text, tone).write("  ")
            used += len(text) + 2
        if used:
            self.end()

    def add(self, canvas: Canvas[Tone]) -> None:
        """Write the rows of a canvas."""
        self.add_rows(tuple(canvas.runs(row)) for row in range(canvas.height))

    def add_rows(self, rows: Iterable[Row]) -> None:
        """Write the rows of another picture."""
        for row in rows:
            for text, tone in row:
                self.write(text, tone)
            self.end()

    @property
    def rows(self) -> tuple[Row, ...]:
        """The written rows, without the empty row at the end."""
        rows = self._rows if self._rows[-1] else self._rows[:-1]
        return tuple(tuple(row) for row in rows)

    @property
    def used(self) -> int:
        """Rows that are ended."""
        return len(self._rows) - 1

    def plain(self) -> str:
        """Return the rows as text without tones."""
        return "\n".join("".join(text for text, _ in row).rstrip() for row in self.rows)


def fitted_widths(needed: Sequence[int], room: int, least: Sequence[int]) -> list[int]:
    """Return the widths of columns: what they need, the widest cut to what the room allows."""
    widths = list(needed)
    while sum(widths) > room:
        cut = [x for x, width in enumerate(widths) if width > least[x]]
        if not cut:
            break
        widths[max(cut, key=widths.__getitem__)] -= 1
    return widths


@dataclass(frozen=True, eq=False)
class Scene:
    """A step of a run, to be drawn."""

    task: Task
    algorithm: Algorithm
    timeline: Timeline
    number: int
    """The step that is shown; 0 before the first."""
    asked: RunStep | None = None
    """The next step, while a class votes on it."""

    @property
    def step(self) -> RunStep | None:
        """The step itself; None before the first."""
        return self.timeline.step(self.number) if self.number and self.timeline.last else None

    @property
    def state(self) -> RunState:
        """The state after the shown step; before the first step, the state in which it begins."""
        state = self.timeline.state(self.number)
        if not self.number and self.timeline.last:
            state = state.copy()
            state.begin(self.timeline.step(1).event, self.task.rows)
        return state


class Drawing(ABC):
    """One kind of picture, which remembers the moves of arrow keys."""

    name: ClassVar[str]

    @abstractmethod
    def draw(self, scene: Scene, width: int, height: int) -> Picture:
        """Return the picture of a scene."""

    def move(self, scene: Scene, across: int, down: int) -> bool:
        """Take an arrow key; return whether it did anything."""
        return False


T = TypeVar("T")
_FRAME = "─│╭╮╰╯"
"""The signs of outlines."""
_BLANK = " "
_BRAILLE = 0x2800
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""Bits of the braille characters, four rows of two."""


def dots_between(start: tuple[int, int], end: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield the dots of a straight line."""
    steps = max(abs(end[0] - start[0]), abs(end[1] - start[1]), 1)
    for step in range(steps + 1):
        share = step / steps
        yield (
            round(start[0] + share * (end[0] - start[0])),
            round(start[1] + share * (end[1] - start[1])),
        )


class Canvas(Generic[T]):
    """Characters row by row, each with its tone; anything outside is not drawn."""

    def __init__(self, width: int, height: int, blank: T) -> None:
        self.width = max(width, 0)
        self.height = max(height, 0)
        self.characters = [[_BLANK] * self.width for _ in range(self.height)]
        self.tones = [[blank] * self.width for _ in range(self.height)]

    def put(self, row: int, column: int, text: object, tone: T) -> None:
        """Write a text from a cell on."""
        for place, character in enumerate(visible(str(text)), start=column):
            if 0 <= row < self.height and 0 <= place < self.width:
                self.characters[row][place], self.tones[row][place] = character, tone

    def is_free(self, row: int, column: int, but_for: str = "") -> bool:
        """Return whether a cell has no text; dots and the signs `but_for` do not count as text."""
        if not (0 <= row < self.height and 0 <= column < self.width):
            return False
        sign = self.characters[row][column]
        return sign == _BLANK or sign in but_for or self._bits(row, column) > 0

    def put_if_free(self, row: int, column: int, text: str, tone: T, but_for: str = "") -> bool:
        """Write a text if all its cells are free; return whether they are."""
        free = all(self.is_free(row, column + n, but_for) for n in range(len(text)))
        if free:
            self.put(row, column, text, tone)
        return free

    def _bits(self, row: int, column: int) -> int:
        bits = ord(self.characters[row][column]) - _BRAILLE
        return bits if 0 <= bits < 256 else 0

    def dot(self, x: int, y: int, tone: T) -> None:
        """Set one of the 2 × 4 dots of a cell that has no text."""
        row = y // 4
        column = x // 2
        if self.is_free(row, column):
            bits = self._bits(row, column) | _DOTS[y % 4][x % 2]
            self.put(row, column, chr(_BRAILLE + bits), tone)

    def line(
        self, start: tuple[int, int], end: tuple[int, int], tone: T, on: int = 1, off: int = 0
    ) -> None:
        """Draw a line between two dots, dashed where `off` is above 0."""
        for number, (x, y) in enumerate(dots_between(start, end)):
            if number % (on + off) < on:
                self.dot(x, y, tone)

    def outline(self, top: int, left: int, bottom: int, right: int, tone: T) -> None:
        """Draw a thin frame, except over text."""
        signs = [(row, column, "─") for column in range(left, right) for row in (top, bottom)]
        signs += [(row, column, "│") for row in range(top, bottom) for column in (left, right)]
        signs += [(top, left, "╭"), (top, right, "╮"), (bottom, left, "╰"), (bottom, right, "╯")]
        for row, column, sign in signs:
            self.put_if_free(row, column, sign, tone, _FRAME)

    def runs(self, row: int) -> list[tuple[str, T]]:
        """Return a row as texts of one tone each."""
        cells = zip(self.characters[row], self.tones[row], strict=True)
        return [
            ("".join(character for character, _ in run), tone)
            for tone, run in groupby(cells, key=lambda cell: cell[1])
        ]

    def plot(
        self,
        series: Sequence[tuple[Sequence[tuple[float, float]], T]],
        labels: Sequence[str],
        axis: T,
        low: float,
        high: float,
    ) -> None:
        """Draw lines of points (0 to 1 across, values up) with axes.

        `labels` are the texts of the axis, the lowest first, at even distances from `low` to
        `high`.
        """
        label_width = max(map(len, labels))
        rows = self.height
        for row in range(rows):
            self.put(row, label_width, "│", axis)
        for place, label in enumerate(labels):
            row = round((rows - 1) * (1 - place / max(len(labels) - 1, 1)))
            self.put(row, 0, f"{label:>{label_width}}┤", axis)
        across = (self.width - label_width - 1) * 2 - 1
        up = rows * 4 - 1
        span = high - low or 1.0
        for points, tone in series:
            dots = [
                ((label_width + 1) * 2 + round(x * across), round((high - y) / span * up))
                for x, y in points
            ]
            for dot, next_dot in pairwise(dots if len(dots) > 1 else dots * 2):
                # a figure stays until the next decision
                self.line(dot, (next_dot[0], dot[1]), tone)
                self.line((next_dot[0], dot[1]), next_dot, tone)
