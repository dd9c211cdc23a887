"""Filters that every drawn line passes: colours that can be read, no hidden characters.

Texts from data are made visible where they are shown (`core.text.visible`). A place that forgets
to would let an escape sequence in a column's name reach the terminal, so every line of every
widget passes `HiddenCharacters` too.
"""

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.color import Color
from textual.filter import DimFilter, LineFilter, Monochrome, NoColor

from kanon_tui.core.text import is_visible, visible

DIM_FACTOR = 0.72
"""Share of its colour that a dimmed text keeps: enough to be read on any background."""

_UNKNOWN = "\ufffd"


class HiddenCharacters(LineFilter):
    """Takes control, bidirectional and invisible characters out of a line.

    A line has its final width by then: a hidden character leaves as many cells as it had, most
    often none.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments with texts that a terminal only prints."""
        if all(is_visible(segment.text) for segment in segments):
            return segments
        return [Segment(_without_hidden(text), style, control) for text, style, control in segments]


def _without_hidden(text: str) -> str:
    if is_visible(text):
        return text
    kept = "".join(c if visible(c) == c else _UNKNOWN * cell_len(c) for c in text)
    return set_cell_size(kept, cell_len(text))


_DIM = DimFilter(DIM_FACTOR)
_NO_COLOR = NoColor()
_HIDDEN_CHARACTERS = HiddenCharacters()


def line_filters(filters: Sequence[LineFilter], ansi_colors: bool) -> list[LineFilter]:
    """Return Textual's filters adapted to our themes, and `HiddenCharacters` as the last.

    With `NO_COLOR` Textual turns colours into greys. The 16 colours of a terminal have no red,
    green and blue to compute a grey from and would all become black: they are left out instead.
    """

    def adapted(one: LineFilter) -> LineFilter:
        if isinstance(one, DimFilter):
            return _DIM
        return _NO_COLOR if ansi_colors and isinstance(one, Monochrome) else one

    return [*map(adapted, filters), _HIDDEN_CHARACTERS]
