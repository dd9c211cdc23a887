"""Line charts over a few categories in braille dots: readable at 80×24 and without colours.

Every line has a marker, a dash pattern and a colour of its own; markers at the same place stand
side by side. Several charts share labels and legend, as small multiples.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.widget import Widget

from kanon_tui.core.report.chart import Line, compact_number, ticks
from kanon_tui.core.teaching.picture import Canvas
from kanon_tui.widgets.drawing import theme_style

MARKERS = "●■▲◆○□△◇★☆+×*#@%"
_COLOURS = ("primary", "warning", "success", "error", "secondary", "foreground")
"""Colours that differ in our themes and among 16 colours."""
_DASHES = ((1, 0), (4, 4), (1, 2))
"""Number of dots on and off of each dash pattern."""
_LEAST_ROWS = 3
_LEAST_COLUMNS = 16
_MANY = 3
"""Number of lines above which all but the chosen one are dimmed."""
_GAP = 2
"""Columns between charts that stand side by side."""
_CHOSEN = Style(reverse=True)


@dataclass(frozen=True)
class Chart:
    """Lines with one y axis."""

    title: str
    lines: tuple[Line, ...]
    whole: bool = False
    """Whether the values are whole numbers."""


class PlotCanvas(Canvas[int | None]):
    """A canvas whose tones are numbers of lines, None for axes, and that knows its markers."""

    def __init__(self, width: int, height: int) -> None:
        super().__init__(width, height, None)
        self.markers: dict[tuple[int, int], tuple[int, int]] = {}
        """Row and column of each marker, by the number of its line and of its label."""


def draw(
    lines: Sequence[Line], labels: Sequence[str], width: int, height: int, whole: bool = False
) -> PlotCanvas:
    """Return a plot with axes of lines that have one value per label.

    The labels stand in the line of the x axis. The y axis goes from 0 to the highest value.
    """
    canvas = PlotCanvas(width, height)
    rows = height - 1
    known = [value for line in lines for value in line.values if value is not None]
    top = max(known, default=0.0) or 1.0
    marks = [mark for mark in ticks(top, min(rows // 2, 8) + 1, whole) if mark <= top]
    if len(marks) == 1:
        marks.append(top)  # no round number fits: the highest value is the only mark
    left = max(len(compact_number(mark)) for mark in marks) + 1
    room = width - left - 1
    centres = [left + 1 + int((i + 0.5) * room / len(labels)) for i in range(len(labels))]

    def dot_row(value: float) -> int:
        return round((1 - value / top) * (rows * 4 - 1))

    for row in range(rows):
        canvas.put(row, left, "│", None)
    for mark in marks:
        canvas.put(dot_row(mark) // 4, 0, f"{compact_number(mark):>{left - 1}} ┤", None)
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
                canvas.line(one, other, number, *_DASHES[number % len(_DASHES)])
    for number, line_places in enumerate(places):
        for label, place in enumerate(line_places):
            if place is not None:
                row = place[1] // 4
                column = _mark(canvas, row, place[0] // 2, number, left)
                canvas.markers[number, label] = row, column
    return canvas


def _label(canvas: PlotCanvas, left: int, centres: Sequence[int], labels: Sequence[str]) -> None:
    """Draw the x axis; a label that would touch the one before it is left out."""
    row = canvas.height - 1
    end = left
    canvas.put(row, left, "└" + "─" * (canvas.width - left - 1), None)
    for centre, label in zip(centres, labels, strict=True):
        begin = max(centre - (len(label) - 1) // 2, left + 1)
        if begin > end and begin + len(label) <= canvas.width:
            canvas.put(row, begin, label, None)
            end = begin + len(label)


def _mark(canvas: PlotCanvas, row: int, column: int, number: int, left: int) -> int:
    """Draw a marker at its place or beside the markers there; return its column."""
    for place in (column, column + 1, column - 1, column + 2, column - 2):
        if left < place < canvas.width and canvas.characters[row][place] not in MARKERS:
            canvas.put(row, place, MARKERS[number % len(MARKERS)], number)
            return place
    return column


class Plot(Widget, can_focus=True):
    """One or several charts with one legend, as large as the pane."""

    DEFAULT_CSS = """
    Plot { height: 1fr; }
    """

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.charts: tuple[Chart, ...] = ()
        self.labels: tuple[str, ...] = ()
        self.chosen: tuple[int, int] | None = None
        """Numbers of the line and the label whose marker is shown reversed."""

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines of the first chart; those of all charts have the same names."""
        return self.charts[0].lines if self.charts else ()

    def show(
        self, charts: Sequence[Chart], labels: Sequence[str], chosen: tuple[int, int] | None = None
    ) -> None:
        self.charts = tuple(charts)
        self.labels = tuple(labels)
        self.chosen = chosen
        self.refresh()

    def choose(self, line: int, label: int) -> None:
        """Choose another marker."""
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
            looks = [(owner, (number, n) == here) for n, owner in enumerate(canvas.tones[number])]
            # Cells of one style are one piece of text: hundreds of pieces draw slowly.
            for (owner, is_chosen), columns in groupby(range(width), looks.__getitem__):
                style = Style(dim=True) if owner is None else self._style(owner)
                if self._is_dimmed(owner):
                    style += Style(dim=True, bold=False)
                piece = "".join(characters[column] for column in columns)
                text.append(piece, style + _CHOSEN if is_chosen else style)
            rows.append(text)
        return rows

    def _is_dimmed(self, owner: int | None) -> bool:
        """Return whether a line is dimmed because another of many is chosen."""
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
    """Return the number of charts side by side, and of rows of charts."""
    across = min(charts, 3 if width >= 66 else 2 if width >= 40 else 1) or 1
    return across, -(-charts // across) or 1
