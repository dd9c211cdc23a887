"""The decisions of a run: as a list with the one shown unfolded, and as a line over time."""

from dataclasses import dataclass
from textwrap import wrap
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widget import Widget

from kanon_tui.core.pipeline.run import RunStep
from kanon_tui.core.pipeline.timeline import Playhead
from kanon_tui.core.text import shortened, visible
from kanon_tui.widgets.drawing import theme_style

MARKS = {
    "prune": "−", "pre-prune": "−", "cut": "✂", "split": "✂", "merge": "⇄", "raise": "↑",
    "suppress": "×", "close": "■", "start": "▷", "answer": "★", "accept": "+",
    "passes": "✓", "fails": "✗",
}  # fmt: skip


def mark(step: RunStep) -> str:
    """Return a sign for the kind of decision; for a test its outcome."""
    return MARKS.get(step.event.landmark, "·")


def in_short(step: RunStep) -> str:
    """Return a decision in one line, without the names of a string's attributes.

    `⟨2 0 3 1⟩ 724 below k · RV 0.5971`.
    """
    return step.lesson.short or step.sentence


class DecisionLog(Widget, can_focus=True):
    """The list of decisions; up and down choose the step that is shown, enter unfolds all."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "choose(-1)", "Earlier", show=False),
        Binding("down", "choose(1)", "Later", show=False),
        Binding("enter", "unfold", "Unfold", show=False),
    ]

    @dataclass
    class Chosen(Message):
        """A step was chosen, given by how many steps it is further on; negative for back."""

        steps: int

    def __init__(self, id: str | None = None, classes: str = "") -> None:
        super().__init__(id=id, classes=f"pane {classes}")
        self.border_title = "decisions"
        self._playhead: Playhead | None = None
        self._unfolded = False

    def show(self, playhead: Playhead) -> None:
        """Draw the steps around the one that is shown."""
        self._playhead = playhead
        self.refresh()

    def action_choose(self, steps: int) -> None:
        """Choose the step before or after."""
        self.post_message(self.Chosen(steps))

    def action_unfold(self) -> None:
        """Switch between all sentences and only that of the step shown."""
        self._unfolded = not self._unfolded
        self.refresh()

    def render(self) -> Text:
        width, height = self.size
        playhead = self._playhead
        if playhead is None or not playhead.timeline.last or width < 12:
            return Text("")
        timeline = playhead.timeline
        number = playhead.number
        at = 0
        rows: list[Text] = []
        for step_number in range(
            max(timeline.first, number - height), min(timeline.last, number + height) + 1
        ):
            at = len(rows) if step_number == number else at
            rows += self._lines(playhead, step_number, width)
        begin = min(max(at - height // 2, 0), max(len(rows) - height, 0))
        if timeline.first > 1 and not begin:
            rows[0] = Text(f"steps 1 to {timeline.first - 1:,} are not kept any more")
        shown = rows[begin : begin + height]
        return Text("\n", no_wrap=True, overflow="crop", end="").join(shown)

    def _lines(self, playhead: Playhead, number: int, width: int) -> list[Text]:
        """Return a step in one line, or with its whole sentence where all are unfolded."""
        step = playhead.timeline.step(number)
        digits = len(f"{playhead.timeline.last:,}")
        sign = "◆" if number in playhead.bookmarks else " "
        head = f"{number:>{digits},}{sign}{mark(step)} "
        room = max(width - len(head), 8)
        texts = wrap(visible(step.sentence), room) if self._unfolded else [in_short(step)]
        style = "reverse" if number == playhead.number else theme_style(self, "foreground")
        return [
            Text(f"{head if not place else ' ' * len(head)}{shortened(visible(text), room)}", style)
            for place, text in enumerate(texts or [""])
        ]


_COLOURS = {"✓": "success", "✗": "error", "✂": "warning", "⇄": "primary", "★": "accent"}
_RANK = "★✓×✂⇄↑■✗+▷−·"
"""Marks in the order of importance: of several decisions in one place the first is drawn."""


class TimelineBar(Widget):
    """A line over the whole run; each place stands for some steps."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._playhead: Playhead | None = None
        self._hide_future = False

    def show(self, playhead: Playhead, hide_future: bool = False) -> None:
        """Draw where it stands now; `hide_future` shows ? for later decisions."""
        self._playhead = playhead
        self._hide_future = hide_future
        self.refresh()

    def render(self) -> Text:
        playhead = self._playhead
        width = self.size.width - 2
        if playhead is None or not playhead.timeline.last or width < 4:
            return Text("")
        timeline = playhead.timeline
        steps = timeline.steps(timeline.first, timeline.last)
        text = Text("├", theme_style(self, "text-muted"), no_wrap=True, end="")
        wide = width - 2
        for place in range(wide):
            begin = place * len(steps) // wide
            end = (place + 1) * len(steps) // wide
            stretch = steps[begin : max(end, begin + 1)]
            is_shown = stretch[0][0] <= playhead.number <= stretch[-1][0]
            marked = any(number in playhead.bookmarks for number, _ in stretch)
            first = begin != (place - 1) * len(steps) // wide or end > begin + 1 or not place
            sign = "◆" if marked else _most_important_mark([step for _, step in stretch])
            if self._hide_future and stretch[-1][0] > playhead.number:
                sign = "?"
            style = theme_style(self, _COLOURS.get(sign, "text-muted"))
            sign = sign if first else "─"
            text.append(sign, "reverse bold" if is_shown else style)
        return text.append("┤", theme_style(self, "text-muted"))


def _most_important_mark(steps: list[RunStep]) -> str:
    """Return the most important mark of some steps; of very many a sample is looked at."""
    signs = {mark(step) for step in steps[:: 1 + len(steps) // 50]}
    return min(signs, key=_RANK.index)
