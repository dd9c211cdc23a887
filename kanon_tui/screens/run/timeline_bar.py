"""The whole run as one line: what was decided when, and which step is shown."""

from __future__ import annotations

from rich.text import Text
from textual.widget import Widget

from kanon_tui.core.pipeline.timeline import Playhead
from kanon_tui.core.task.steps import Step
from kanon_tui.screens.run.decision_log import mark
from kanon_tui.widgets.drawing import theme_style

__all__ = ["TimelineBar"]

_COLOURS = {"✓": "success", "✗": "error", "✂": "warning", "⇄": "primary", "★": "accent"}
_RANK = "★✓×✂⇄↑■✗+▷−·"
"""Of several decisions in one place the most telling is drawn."""


class TimelineBar(Widget):
    """As many places as there is room; each stands for some steps."""

    DEFAULT_CSS = """
    TimelineBar { height: 1; padding: 0 1; }
    """

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._playhead: Playhead | None = None

    def show(self, playhead: Playhead) -> None:
        """Draw where it stands now."""
        self._playhead = playhead
        self.refresh()

    def render(self) -> Text:
        playhead = self._playhead
        room = self.size.width - 2
        if playhead is None or not playhead.timeline.last or room < 4:
            return Text("")
        timeline = playhead.timeline
        steps = timeline.steps(timeline.first, timeline.last)
        places = min(room, len(steps))
        text = Text("├", theme_style(self, "text-muted"), no_wrap=True, end="")
        for place in range(places):
            begin, end = place * len(steps) // places, (place + 1) * len(steps) // places
            stretch = steps[begin : max(end, begin + 1)]
            here = stretch[0][0] <= playhead.number <= stretch[-1][0]
            marked = any(number in playhead.bookmarks for number, _ in stretch)
            sign = "◆" if marked else _telling([step for _, step in stretch])
            style = theme_style(self, _COLOURS.get(sign, "text-muted"))
            text.append("▌" if here and sign == "·" else sign, "reverse bold" if here else style)
        return text.append("┤", theme_style(self, "text-muted"))


def _telling(steps: list[Step]) -> str:
    """The most telling mark; of very many steps a few are looked at."""
    signs = {mark(step) for step in steps[:: 1 + len(steps) // 50]}
    return min(signs, key=_RANK.index)
