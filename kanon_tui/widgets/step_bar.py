"""The line on top: the project, the numbered screens with their states, and k."""

from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.text import Text
from textual import events
from textual.message import Message
from textual.widget import Widget

from kanon_tui.core.editing.readiness import Readiness
from kanon_tui.core.text import visible
from kanon_tui.widgets.drawing import theme_style

UNSAVED = "*"
"""Mark after the name of a project with unsaved changes."""
WHOLE, SHORTENED, CURRENT = "whole", "shortened", "current"
SHORT = {"Attributes": "Attrib.", "Hierarchies": "Hierarch."}
"""Titles that are used if the whole ones do not fit."""
LAYOUTS = ((True, WHOLE), (False, WHOLE), (False, SHORTENED), (True, CURRENT), (False, CURRENT))
"""Whether blanks surround the steps, and which titles are shown; the first that fits is used."""
SHORTEST = 3
"""Cells of the shortest name that is still shown."""


class StepBar(Widget):
    """Project name, the numbered steps with their state, and k."""

    DEFAULT_CSS = """
    StepBar { dock: top; height: 1; background: $panel; color: $foreground; }
    """

    @dataclass
    class Clicked(Message):
        """A step was clicked."""

        step: str

    def __init__(self) -> None:
        super().__init__()
        self.current = ""
        self.title = "kanon"
        self.k = ""
        self.steps: tuple[tuple[str, str, str, Readiness], ...] = ()
        """(key, step, title, state) of every step."""
        self._spans: list[tuple[int, int, str]] = []

    def update(
        self, current: str, title: str, k: str, steps: tuple[tuple[str, str, str, Readiness], ...]
    ) -> None:
        self.current, self.title, self.k, self.steps = current, title, k, steps
        self.refresh()

    def render(self) -> Text:
        """Return the line in the first layout that fits."""
        room = self.size.width - (len(self.k) + 2 if self.k else 0)
        for airy, titles in LAYOUTS:
            steps, spans = self._steps(airy, titles)
            left = room - cell_len(steps.plain)
            if left >= self._least_name:
                break
        name = self._short_name(left)
        line = Text(name, "bold").append_text(steps)
        self._spans = [(x + cell_len(name), end + cell_len(name), step) for x, end, step in spans]
        if self.k and self.size.width >= cell_len(line.plain) + len(self.k) + 2:
            line.append(" " * (self.size.width - cell_len(line.plain) - len(self.k) - 1))
            line.append(self.k, "bold")
        line.no_wrap, line.overflow = True, "crop"
        return line

    @property
    def _least_name(self) -> int:
        """Cells that the name needs at least, with the mark of unsaved changes."""
        return 2 if self.title.endswith(UNSAVED) else 1

    def _short_name(self, room: int) -> str:
        """Return the project's name in this many cells, shortened if needed, with its mark."""
        name = visible(self.title)
        if cell_len(name) + 2 <= room:
            return f" {name} "
        mark = UNSAVED if name.endswith(UNSAVED) else ""
        short = room - len(mark) - 2  # a blank before it, and … for what is cut off
        if short < SHORTEST:
            return f" {mark}"
        return f" {set_cell_size(name, short)}…{mark}"

    def _steps(self, airy: bool, titles: str) -> tuple[Text, list[tuple[int, int, str]]]:
        """Return the steps in a layout, and first cell, end and name of each."""
        line, spans, blank = Text(), [], " " if airy else ""
        for key, step, title, state in self.steps:
            current = step == self.current
            begin = cell_len(line.plain)
            style = "reverse bold" if current else ""
            line.append(" ", "" if not airy else style)
            shown = title if titles == WHOLE or current else SHORT.get(title, title)
            if titles == CURRENT and not current:
                shown = ""
            line.append(f"{key} {shown}".rstrip() + blank, style)
            line.append(
                state.mark, style if current else theme_style(self, state.colour, bold=True)
            )
            line.append(blank, style)
            spans.append((begin, cell_len(line.plain), step))
        return line, spans

    def on_click(self, event: events.Click) -> None:
        """Post the step under the mouse."""
        for begin, end, step in self._spans:
            if begin <= event.x < end:
                self.post_message(self.Clicked(step))
