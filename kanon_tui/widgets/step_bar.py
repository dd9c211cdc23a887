"""The line on top: where you are, what is done, what needs attention."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.message import Message
from textual.widget import Widget

from kanon_tui.core.editing.readiness import Readiness
from kanon_tui.widgets.grid import printable
from kanon_tui.widgets.theme_style import theme_style

__all__ = ["StepBar"]


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
        self,
        current: str,
        title: str,
        k: str,
        steps: tuple[tuple[str, str, str, Readiness], ...],
    ) -> None:
        self.current, self.title, self.k, self.steps = current, title, k, steps
        self.refresh()

    def render(self) -> Text:
        """The line, shortened step by step until it fits."""
        room = self.size.width - (len(self.k) + 2 if self.k else 0)
        for titles, name in ((True, True), (True, False), (False, False)):
            line, spans = self._line(titles, name)
            if cell_len(line.plain) <= room:
                break
        self._spans = spans
        if self.k and self.size.width > cell_len(line.plain) + len(self.k) + 2:
            line.append(" " * (self.size.width - cell_len(line.plain) - len(self.k) - 1))
            line.append(self.k, "bold")
        line.no_wrap, line.overflow = True, "crop"
        return line

    def _line(self, titles: bool, name: bool) -> tuple[Text, list[tuple[int, int, str]]]:
        line = Text(f" {printable(self.title)} " if name else " ", "bold")
        spans = []
        for key, step, title, state in self.steps:
            shown = titles or step == self.current
            begin = cell_len(line.plain)
            style = "reverse bold" if step == self.current else ""
            line.append(f" {key} {title} " if shown else f" {key} ", style)
            current = step == self.current
            line.append(
                state.mark, style if current else theme_style(self, state.colour, bold=True)
            )
            line.append(" ", style)
            spans.append((begin, cell_len(line.plain), step))
        return line, spans

    def on_click(self, event: events.Click) -> None:
        """Go to the step under the mouse."""
        for begin, end, step in self._spans:
            if begin <= event.x < end:
                self.post_message(self.Clicked(step))
