"""Two algorithms raced on the same records, decision by decision."""

import time
from dataclasses import replace
from functools import partial
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Static

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.editing.session import Session
from kanon_tui.core.pipeline.live import SPEEDS
from kanon_tui.core.project.project import AlgorithmChoice
from kanon_tui.core.teaching.picture import Scene
from kanon_tui.core.teaching.picture_registry import pictures_of
from kanon_tui.core.teaching.racing import Recording, race_plot, record
from kanon_tui.core.text import visible
from kanon_tui.services.background import cancellation_check
from kanon_tui.services.host import Hosted
from kanon_tui.widgets.bars import KeyBar
from kanon_tui.widgets.dialogs import Modal, choose
from kanon_tui.widgets.picture_view import PictureView, picture_text


def ask_for_rival(asking: Hosted) -> None:
    """Choose whom the project's algorithm runs against, and start."""
    algorithm_name = asking.session.project.algorithm.name
    rivals = [name for name in ALGORITHMS if name != algorithm_name]

    def race(rival: str) -> None:
        record_both = partial(_record_both, asking.session, rival)
        asking.load(record_both, lambda recordings: asking.ask(RaceScreen(recordings)))

    options = [(f"{name:<13} {ALGORITHMS[name].title}", partial(race, name)) for name in rivals]
    choose(asking, f"Race {algorithm_name} against …", options)


def _record_both(session: Session, rival: str) -> tuple[Recording, ...]:
    stop = cancellation_check()
    task = session.task()
    project = session.project
    both = project, replace(project, algorithm=AlgorithmChoice(rival))
    return tuple(record(contender, task, stop) for contender in both)


class RaceScreen(Hosted, Modal):
    """Two runs, one decision at a time; the one that is finished waits at its end."""

    VERTICAL_BREAKPOINTS = [(0, "-short"), (30, "-tall")]  # noqa: RUF012 (as Textual has it)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Back"),
        Binding("full_stop", "move(1)", "On", id="race.on"),
        Binding("comma", "move(-1)", "Back", id="race.back"),
        Binding("space", "play", "Play/pause", id="race.play"),
        Binding("greater_than_sign", "speed(1)", "Faster"),
        Binding("less_than_sign", "speed(-1)", "Slower"),
        Binding("v", "picture", "Picture", id="race.picture"),
        Binding("home", "go(1)", "Start", show=False),
        Binding("end", "end", "End", show=False),
    ]

    def __init__(self, recordings: tuple[Recording, ...]) -> None:
        super().__init__()
        self._recordings = recordings
        self._number = 1
        self._longest = max(1, *(recording.timeline.last for recording in recordings))
        self._speed = SPEEDS.index(1)
        self._due: float | None = None

    def compose(self) -> ComposeResult:
        yield Static(id="race-line")
        with Horizontal(id="sentences"):
            yield Static(classes="sentence")
            yield Static(classes="sentence")
        with Horizontal():
            yield PictureView()
            yield PictureView()
        yield Static(id="course", classes="pane")
        yield KeyBar()

    def on_mount(self) -> None:
        """Prepare the pictures; they are drawn once there is room for them."""
        for view, recording in zip(self.query(PictureView), self._recordings, strict=True):
            view.begin(pictures_of(recording.run.algorithm))
        self.set_interval(0.1, self._tick)

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw)

    def _draw(self) -> None:
        lanes = zip(self.query(".sentence").results(Static), self.query(PictureView), strict=True)
        for (sentence, view), recording in zip(lanes, self._recordings, strict=True):
            run = recording.run
            timeline = recording.timeline
            step = min(self._number, timeline.last)
            text = Text(f"{run.algorithm.name} · step {step:,} of {timeline.last:,}\n", "bold")
            if self._number >= timeline.last:
                text.append(f"■ {visible(recording.end)}\n")
            text.append(visible(timeline.step(step).sentence) if timeline.last else "", "not bold")
            sentence.update(text)
            view.show(Scene(run.task, run.algorithm, timeline, step))
        ended = self._number == self._longest
        if ended is not self.has_class("ended"):
            self.set_class(ended, "ended")  # a short terminal has room for the card only then
            self.call_after_refresh(self._draw)
        course = self.query_one("#course", Static)
        picture = race_plot(self._recordings, self._number, *course.content_size)
        course.update(picture_text(picture, self))
        pace = "▶" if self._due is not None else "⏸"
        speed = SPEEDS[self._speed]
        shown = "full speed" if speed == float("inf") else f"{speed:g}/s"
        where = "" if self.session.source is None else f" on {self.session.extent}"
        line = f"race{where} · decision {self._number:,} of {self._longest:,}   {pace} {shown}"
        self.query_one("#race-line", Static).update(Text(line))

    def _tick(self) -> None:
        if self._due is None or time.monotonic() < self._due:
            return
        speed = min(SPEEDS[self._speed], 1000.0)
        steps = max(int((time.monotonic() - self._due) * speed), 1)
        self._due += steps / speed
        self._number = min(self._number + steps, self._longest)
        if self._number == self._longest:
            self._due = None
        self._draw()

    def action_go(self, number: int) -> None:
        self._due = None
        self._number = min(max(number, 1), self._longest)
        self._draw()

    def action_move(self, steps: int) -> None:
        self.action_go(self._number + steps)

    def action_end(self) -> None:
        self.action_go(self._longest)

    def action_play(self) -> None:
        """Continue (from the start again after the end), or pause."""
        if self._due is not None:
            self._due = None
        else:
            self._number = 1 if self._number == self._longest else self._number
            self._due = time.monotonic() + 1 / SPEEDS[self._speed]
        self._draw()

    def action_speed(self, direction: int) -> None:
        self._speed = min(max(self._speed + direction, 0), len(SPEEDS) - 1)
        self._draw()

    def action_picture(self) -> None:
        for view in self.query(PictureView):
            view.next_picture()
        self._draw()
