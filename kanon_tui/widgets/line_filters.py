"""Nothing in a text can steer the terminal: the last gate before anything is drawn.

Texts from data are made visible where they are shown (`core.text.visible`). A place that forgets
to would let an escape sequence in a column's name reach the terminal, so every line of every
widget passes this filter too. Lines have their final width by then: a hidden character leaves as
many cells as it had, most often none.
"""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from kanon_tui.core.text import is_visible, visible

__all__ = ["HiddenCharacters"]

_UNKNOWN = "\ufffd"


class HiddenCharacters(LineFilter):
    """Takes control, bidirectional and invisible characters out of every line."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The segments with texts that a terminal only prints."""
        if all(is_visible(segment.text) for segment in segments):
            return segments
        return [Segment(_taken_out(text), style, control) for text, style, control in segments]


def _taken_out(text: str) -> str:
    if is_visible(text):
        return text
    kept = "".join(c if visible(c) == c else _UNKNOWN * cell_len(c) for c in text)
    return set_cell_size(kept, cell_len(text))
