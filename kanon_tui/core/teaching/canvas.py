"""A grid of characters to draw on: texts, braille dots and lines, outlines, plots with axes."""

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import Generic, TypeVar

from kanon_tui.core.text import visible

T = TypeVar("T")
_FRAME = "─│╭╮╰╯"
"""The signs of outlines."""
_BLANK, _BRAILLE = " ", 0x2800
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""Bits of the braille characters, four rows of two."""


def dots_between(one: tuple[int, int], other: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """Yield the dots of a straight line."""
    steps = max(abs(other[0] - one[0]), abs(other[1] - one[1]), 1)
    for step in range(steps + 1):
        share = step / steps
        yield (
            round(one[0] + share * (other[0] - one[0])),
            round(one[1] + share * (other[1] - one[1])),
        )


class Canvas(Generic[T]):
    """Characters row by row, each with its tone; what lies outside is not drawn."""

    def __init__(self, width: int, height: int, blank: T) -> None:
        self.width, self.height = max(width, 0), max(height, 0)
        self.characters = [[_BLANK] * self.width for _ in range(self.height)]
        self.tones = [[blank] * self.width for _ in range(self.height)]

    def put(self, row: int, column: int, text: object, tone: T) -> None:
        """Write a text from a cell on."""
        for place, character in enumerate(visible(str(text)), start=column):
            if 0 <= row < self.height and 0 <= place < self.width:
                self.characters[row][place], self.tones[row][place] = character, tone

    def is_free(self, row: int, column: int, but_for: str = "") -> bool:
        """Return whether a cell has no text; dots are no text, nor are the signs `but_for`."""
        if not (0 <= row < self.height and 0 <= column < self.width):
            return False
        sign = self.characters[row][column]
        return sign == _BLANK or sign in but_for or self._bits(row, column) > 0

    def put_if_free(self, row: int, column: int, text: str, tone: T, but_for: str = "") -> bool:
        """Write a text where all its cells are free; return whether they are."""
        free = all(self.is_free(row, column + n, but_for) for n in range(len(text)))
        if free:
            self.put(row, column, text, tone)
        return free

    def _bits(self, row: int, column: int) -> int:
        bits = ord(self.characters[row][column]) - _BRAILLE
        return bits if 0 <= bits < 256 else 0

    def dot(self, x: int, y: int, tone: T) -> None:
        """Set one of the 2 × 4 dots of a cell that has no text."""
        row, column = y // 4, x // 2
        if self.is_free(row, column):
            bits = self._bits(row, column) | _DOTS[y % 4][x % 2]
            self.put(row, column, chr(_BRAILLE + bits), tone)

    def line(
        self, one: tuple[int, int], other: tuple[int, int], tone: T, on: int = 1, off: int = 0
    ) -> None:
        """Draw a line between two dots, dashed where `off` is above 0."""
        for number, (x, y) in enumerate(dots_between(one, other)):
            if number % (on + off) < on:
                self.dot(x, y, tone)

    def outline(self, top: int, left: int, bottom: int, right: int, tone: T) -> None:
        """Draw a thin frame where no text stands."""
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
        left, rows = max(map(len, labels)), self.height
        for row in range(rows):
            self.put(row, left, "│", axis)
        for place, label in enumerate(labels):
            row = round((rows - 1) * (1 - place / max(len(labels) - 1, 1)))
            self.put(row, 0, f"{label:>{left}}┤", axis)
        across, up = (self.width - left - 1) * 2 - 1, rows * 4 - 1
        span = high - low or 1.0
        for points, tone in series:
            dots = [
                ((left + 1) * 2 + round(x * across), round((high - y) / span * up))
                for x, y in points
            ]
            for one, other in pairwise(dots if len(dots) > 1 else dots * 2):
                self.line(one, (other[0], one[1]), tone)  # a figure stays until the next decision
                self.line((other[0], one[1]), other, tone)
