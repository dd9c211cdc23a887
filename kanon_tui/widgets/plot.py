"""Lines over a few categories, drawn in braille dots: readable in 80×24, in 16 colours and in none.

Every line has a marker, a dash pattern and a colour of its own; where two markers fall on the same
place they stand side by side. Several charts share the labels and the legend, as small multiples.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.widget import Widget

from kanon_tui.core.analysis.chart import Line, compact_number, ticks
from kanon_tui.widgets.drawing import theme_style

__all__ = ["MARKERS", "Chart", "Plot", "draw"]

MARKERS = "●■▲◆○□△◇★☆+×*#@%"
_COLOURS = ("primary", "warning", "success", "error", "secondary", "foreground")
"""Six that differ in our themes and in 16 colours."""
_DASHES = ((1, 0), (4, 4), (1, 2))
"""Dots on, dots off."""
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""Bits of the braille characters, four rows of two."""
_LEAST_ROWS, _LEAST_COLUMNS = 3, 16
_MANY = 3
"""Lines above which the one that is pointed at stands out."""
_GAP = 2
"""Columns between charts that stand side by side."""
_HERE = Style(reverse=True)


@dataclass(frozen=True)
class Chart:
    """Some lines with one y axis."""

    title: str
    lines: tuple[Line, ...]
    whole: bool = False
    """Whether the values count something."""


@dataclass
class Canvas:
    """Characters with the number of the line they belong to (None: axes), row by row."""

    width: int
    height: int
    characters: list[list[str]] = field(init=False)
    owners: list[list[int | None]] = field(init=False)
    markers: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    """Where (row, column) the marker of a line (its number) at a label (its place) stands."""

    def __post_init__(self) -> None:
        self.characters = [[" "] * self.width for _ in range(self.height)]
        self.owners = [[None] * self.width for _ in range(self.height)]

    def dot(self, x: int, y: int, owner: int) -> None:
        """One of the 2 × 4 dots of a character."""
        row, column = y // 4, x // 2
        before = ord(self.characters[row][column]) - 0x2800
        bits = before if 0 <= before < 256 else 0
        self.put(row, column, chr(0x2800 + (bits | _DOTS[y % 4][x % 2])), owner)

    def put(self, row: int, column: int, character: str, owner: int | None = None) -> None:
        self.characters[row][column] = character
        self.owners[row][column] = owner

    def write(self, row: int, column: int, text: str) -> None:
        """Part of the axes."""
        for offset, character in enumerate(text):
            if 0 <= column + offset < self.width:
                self.put(row, column + offset, character)

    def plain(self) -> list[str]:
        """The rows without colours."""
        return ["".join(row) for row in self.characters]


def draw(
    lines: Sequence[Line], labels: Sequence[str], width: int, height: int, whole: bool = False
) -> Canvas:
    """The plot of lines with one value per label, axes included.

    The labels stand in the line of the x axis. The y axis goes from 0 to the highest value.
    """
    canvas = Canvas(width, height)
    rows = height - 1
    known = [value for line in lines for value in line.values if value is not None]
    top = max(known, default=0.0) or 1.0
    marks = [mark for mark in ticks(top, min(rows // 2, 8) + 1, whole) if mark <= top]
    if len(marks) == 1:
        marks.append(top)  # where no round number fits, the highest value says how high it is
    left = max(len(compact_number(mark)) for mark in marks) + 1
    room = width - left - 1
    centres = [left + 1 + int((i + 0.5) * room / len(labels)) for i in range(len(labels))]

    def dot_row(value: float) -> int:
        return round((1 - value / top) * (rows * 4 - 1))

    for row in range(rows):
        canvas.write(row, left, "│")
    for mark in marks:
        canvas.write(dot_row(mark) // 4, 0, f"{compact_number(mark):>{left - 1}} ┤")
    _label(canvas, left, centres, labels)
    places = [
        [
            None if value is None else (2 * centre, dot_row(value))
            for centre, value in zip(centres, line.values, strict=True)
        ]
        for line in lines
    ]
    for number, line_places in enumerate(places):
        for one, other in pairwise(line_places):
            if one is not None and other is not None:
                for x, y in _dashed(_between(one, other), *_DASHES[number % len(_DASHES)]):
                    canvas.dot(x, y, number)
    for number, line_places in enumerate(places):
        for label, place in enumerate(line_places):
            if place is not None:
                row = place[1] // 4
                column = _mark(canvas, row, place[0] // 2, number, left)
                canvas.markers[number, label] = row, column
    return canvas


def _label(canvas: Canvas, left: int, centres: Sequence[int], labels: Sequence[str]) -> None:
    """The x axis; a label that would touch the one before it is left out."""
    row, end = canvas.height - 1, left
    canvas.write(row, left, "└" + "─" * (canvas.width - left - 1))
    for centre, label in zip(centres, labels, strict=True):
        begin = max(centre - (len(label) - 1) // 2, left + 1)
        if begin > end and begin + len(label) <= canvas.width:
            canvas.write(row, begin, label)
            end = begin + len(label)


def _between(one: tuple[int, int], other: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """The dots of a straight line."""
    steps = max(abs(other[0] - one[0]), abs(other[1] - one[1]), 1)
    for step in range(steps + 1):
        share = step / steps
        yield (
            round(one[0] + share * (other[0] - one[0])),
            round(one[1] + share * (other[1] - one[1])),
        )


def _dashed(dots: Iterator[tuple[int, int]], on: int, off: int) -> Iterator[tuple[int, int]]:
    for number, dot in enumerate(dots):
        if number % (on + off) < on:
            yield dot


def _mark(canvas: Canvas, row: int, column: int, number: int, left: int) -> int:
    """A marker at its place, or beside the markers that are there already; gives its column."""
    for place in (column, column + 1, column - 1, column + 2, column - 2):
        if left < place < canvas.width and canvas.characters[row][place] not in MARKERS:
            canvas.put(row, place, MARKERS[number % len(MARKERS)], number)
            return place
    return column


class Plot(Widget, can_focus=True):
    """A chart, or several, with one legend, as large as the pane."""

    DEFAULT_CSS = """
    Plot { height: 1fr; }
    """

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.charts: tuple[Chart, ...] = ()
        self.labels: tuple[str, ...] = ()
        self.chosen: tuple[int, int] | None = None
        """The line and the label whose marker is shown reversed."""

    @property
    def lines(self) -> tuple[Line, ...]:
        """Those of the first chart; all have the same names."""
        return self.charts[0].lines if self.charts else ()

    def show(
        self,
        charts: Sequence[Chart],
        labels: Sequence[str],
        chosen: tuple[int, int] | None = None,
    ) -> None:
        self.charts, self.labels, self.chosen = tuple(charts), tuple(labels), chosen
        self.refresh()

    def choose(self, line: int, label: int) -> None:
        """Point at another marker."""
        self.chosen = line, label
        self.refresh()

    def render(self) -> Text:
        width, height = self.size
        legend = self._legend(width)
        across, down = _arrangement(len(self.charts), width)
        wide = (width - (across - 1) * _GAP) // across
        titled = len(self.charts) > 1
        high = (height - len(legend)) // down - titled
        if high < _LEAST_ROWS + 1 or wide < _LEAST_COLUMNS or not self.labels:
            return Text("z enlarges this pane", "dim")
        drawn: list[Text] = []
        for first in range(0, len(self.charts), across):
            beside = [self._chart(c, wide, high, titled) for c in self.charts[first:][:across]]
            drawn += [Text(" " * _GAP).join(row) for row in zip(*beside, strict=True)]
        return Text("\n", no_wrap=True, end="").join([*drawn, *legend])

    def _chart(self, chart: Chart, width: int, height: int, titled: bool) -> list[Text]:
        canvas = draw(chart.lines, self.labels, width, height, chart.whole)
        here = canvas.markers.get(self.chosen) if self.chosen else None
        rows = [Text(f"{chart.title[:width]:<{width}}", "bold")] if titled else []
        for number, characters in enumerate(canvas.characters):
            text = Text()
            looks = [(owner, (number, n) == here) for n, owner in enumerate(canvas.owners[number])]
            # Cells that look alike are one piece of text: hundreds take long to paint.
            for (owner, pointed_at), columns in groupby(range(width), looks.__getitem__):
                style = Style(dim=True) if owner is None else self._style(owner)
                if self._in_background(owner):
                    style += Style(dim=True, bold=False)
                piece = "".join(characters[column] for column in columns)
                text.append(piece, style + _HERE if pointed_at else style)
            rows.append(text)
        return rows

    def _in_background(self, owner: int | None) -> bool:
        """Whether a line steps back behind the one that is pointed at, of many."""
        many = len(self.lines) > _MANY
        return many and owner is not None and self.chosen is not None and owner != self.chosen[0]

    def _legend(self, width: int) -> list[Text]:
        rows = [Text()]
        for number, line in enumerate(self.lines):
            entry = Text.assemble(
                (f" {MARKERS[number % len(MARKERS)]} ", self._style(number)), f"{line.name} "
            )
            if rows[-1] and cell_len(rows[-1].plain) + cell_len(entry.plain) > width:
                rows.append(Text())
            rows[-1].append_text(entry)
        return rows

    def _style(self, number: int) -> Style:
        return theme_style(self, _COLOURS[number % len(_COLOURS)], bold=True)


def _arrangement(charts: int, width: int) -> tuple[int, int]:
    """How many charts stand side by side, and in how many rows."""
    across = min(charts, 3 if width >= 66 else 2 if width >= 40 else 1) or 1
    return across, -(-charts // across) or 1
