"""A run as it happens, and as it was: sentence, picture, why, records, decisions, timeline.

A run over a table beyond memory has a view of its passes in place of these.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from functools import partial
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.widget import Widget
from textual.widgets import Static

from kanon_tui.core.lessons.lesson import Vote
from kanon_tui.core.pipeline.live import LiveRun, Snapshot
from kanon_tui.core.pipeline.run import State
from kanon_tui.core.pipeline.timeline import Playhead, Timeline
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.task.task import Family
from kanon_tui.core.teaching.candidates import (
    LETTERS,
    Candidates,
    banner,
    outcome_of,
    vote_on,
)
from kanon_tui.core.teaching.glossary import glossary_lines, terms_of
from kanon_tui.core.teaching.picture import Scene
from kanon_tui.core.teaching.picture_registry import EVERY_DECISION, pictures_of
from kanon_tui.core.teaching.pseudo_code import Code
from kanon_tui.core.teaching.records import Records
from kanon_tui.core.text import count_of, small_number, visible
from kanon_tui.screens.before_publishing import caution_sentence
from kanon_tui.screens.run.decision_log import DecisionLog, TimelineBar
from kanon_tui.services.host import Hosted
from kanon_tui.widgets.bars import StepBar
from kanon_tui.widgets.dialogs import ask_text, choose
from kanon_tui.widgets.drawing import theme_style
from kanon_tui.widgets.picture_view import PictureView

_ENDED = {
    State.FINISHED: "✓ finished",
    State.CANCELLED: "× stopped early",
    State.FAILED: "✗ no release",
}
_ENDED_AMBER = {**_ENDED, State.FINISHED: "! finished"}
"""The same for a release that a caution speaks against."""
_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


def header_text(
    live: LiveRun,
    playhead: Playhead,
    playing: bool,
    widget: Widget,
    seconds: float,
    ended: Mapping[State, str] = _ENDED,
) -> Text:
    """Return `global · k=5  step 14 of 37  ▶ 1/s` and the totals in one line.

    `ended` has the words for a run that has ended.
    """
    snapshot = live.snapshot
    last = live.timeline.last
    where = f"step {playhead.number:,}"
    if snapshot.state in _ENDED:
        where += f" of {last:,}"
    elif not playhead.at_end:
        where += f" of {last:,} so far"
    text = Text.assemble(
        (live.run.algorithm.name, "bold"), f" · k={live.run.task.k}  ", (where, "bold"), "  ",
        no_wrap=True, overflow="ellipsis",
    )  # fmt: skip
    text.append(_pace(live, snapshot, playing, ended), theme_style(widget, "warning"))
    if not snapshot.paused:
        text.append(f"  {seconds:.1f} s")
        if snapshot.remaining is not None and snapshot.seconds > 1:
            text.append(f", about {snapshot.remaining:.0f} s to go")
    step = live.timeline.step(playhead.number) if playhead.number else None
    if step is not None and step.progress is not None and snapshot.state not in _ENDED:
        text.append(f"  {step.progress:.0%}", theme_style(widget, "success"))
    for counter, value in (step.counters if step else {}).items():
        name = f"  {counter.replace('_', ' ')} "
        shown = _counter_text(value)
        if len(text) + len(name) + len(shown) > widget.size.width - 2:
            break
        if value or counter not in ("pruned", "remaining"):
            text.append(name, theme_style(widget, "text-muted")).append(shown, "bold")
    return text


def _counter_text(value: float) -> str:
    """Return a total; a rising figure never reads 0.0000, nor a falling one 1."""
    if float(value).is_integer():
        return f"{value:,.0f}"
    if abs(value) < 0.001:
        return small_number(value)
    return f"{value:.6f}" if f"{value:.4f}" == "1.0000" else f"{value:.4f}"


def _pace(live: LiveRun, snapshot: Snapshot, playing: bool, ended: Mapping[State, str]) -> str:
    speed = "full speed" if live.speed == float("inf") else f"{live.speed:g}/s"
    if playing:
        return f"▶ {speed}"
    if snapshot.state in ended:
        return ended[snapshot.state]
    if snapshot.paused:
        return f"⏸ waits for . or space ({speed})"
    return f"{_spinner()} {speed}"


def _spinner() -> str:
    """Return the character of a turning wheel at this moment."""
    return _SPINNER[int(time.monotonic() * 10) % len(_SPINNER)]


SIDES = ("#why", "#records", "#log", "#code")


class LiveView(Hosted, Vertical, can_focus=False):
    """Shows a `LiveRun` at the step that its playhead stands at."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("full_stop", "screen.step", "Step", id="watch.step"),
        Binding("comma", "move(-1)", "Back", id="watch.back"),
        Binding("space", "screen.pause", "Play/pause", id="watch.pause"),
        Binding("v", "picture", "Picture", id="watch.picture"),
        Binding("p", "present", "Present", id="watch.present"),
        Binding("escape", "present(False)", "All panes", show=False),
        Binding("question_mark", "predict", "Predict", id="watch.predict"),
        *(Binding(letter, f"vote({n})", show=False) for n, letter in enumerate("abcd")),
        Binding("e", "formula", "Formula", id="watch.formula"),
        Binding("j", "jump", "Jump", id="watch.jump"),
        Binding("slash", "find", "Find", id="watch.find"),
        Binding("n", "again(True)", "Next", show=False, id="watch.next"),
        Binding("N", "again(False)", "Previous", show=False, id="watch.previous"),
        Binding("m", "bookmark", "Bookmark", show=False, id="watch.bookmark"),
        Binding("apostrophe", "next_bookmark", "Next bookmark", show=False),
        Binding("home", "go(0)", "First", show=False),
        Binding("end", "end", "Last", show=False),
        Binding("pageup", "move(-10)", "Ten back", show=False),
        Binding("pagedown", "move(10)", "Ten on", show=False),
        Binding("tab", "pane(1)", "Pane", show=False),
        Binding("shift+tab", "pane(-1)", "Pane back", show=False),
    ]

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self.live: LiveRun | None = None
        self.playhead = Playhead(Timeline())
        self._drawn: tuple[object, ...] = ()
        self._begun = 0.0
        self._algorithm = ""
        self._playing_since: float | None = None
        """The time at which playback showed its last step; None while it does not play."""
        self._concluded = ""
        self._cautions: tuple[str, ...] = ()
        self._predicting = False
        """Whether the next decision is asked for before it is shown."""
        self._asking = False
        self._vote: int | None = None
        """The option that the class has voted for."""
        self._votes: list[bool] = []
        """Of every vote whether it was right."""
        self._verdict = ""
        """What the last vote is worth, while its decision is shown."""

    @property
    def preparing(self) -> bool:
        """Whether it shows a clock for a run that has not begun."""
        return self.live is None and bool(self._algorithm)

    @property
    def presenting(self) -> bool:
        """Whether only the sentence and the picture are shown, for a class to read."""
        return self.has_class("presenting")

    def compose(self) -> Iterable[Widget]:
        yield Static(id="counters")
        yield Static(id="banner")
        yield Static(id="decision")
        with Container(id="live-panes"):
            yield PictureView(id="picture")
            with Vertical(id="sides"):
                yield PictureView([Candidates()], id="why", classes="side current")
                yield PictureView([Records()], id="records", classes="side")
                yield DecisionLog(id="log", classes="side")
                yield PictureView([Code()], id="code", classes="side")
        yield TimelineBar(id="timeline")

    # -- drawing

    def begin(self, live: LiveRun) -> None:
        """Watch another run."""
        self.live = live
        self.playhead = Playhead(live.timeline)
        self._algorithm = ""
        self._drawn = ()
        self._concluded = ""
        self._playing_since = None
        self._cautions = ()
        self._asking = False
        self._vote = None
        self._votes = []
        self._verdict = ""
        self._begun = time.monotonic()
        self.words = glossary_lines(terms_of(live.run.algorithm))
        pictures = pictures_of(live.run.algorithm)
        if live.run.task.rows > EVERY_DECISION and not live.paused:
            pictures = [pictures[-1], *pictures[:-1]]  # at full speed the instruments come first
        self.query_one("#picture", PictureView).begin(pictures)
        for side, drawing in (("#why", Candidates()), ("#records", Records()), ("#code", Code())):
            self.query_one(side, PictureView).begin([drawing])
        names = ", ".join(attribute.name for attribute in live.run.task.quasi)
        full_domain = live.run.algorithm.family is Family.FULL_DOMAIN
        title = f"decisions ⟨{visible(names)}⟩" if full_domain else "decisions"
        self.query_one(DecisionLog).border_title = Text(title)
        self.draw()

    def prepare(self, algorithm: str) -> None:
        """Show a clock while a run is made ready, before its first decision."""
        self.live = None
        self.playhead = Playhead(Timeline())
        self._algorithm = algorithm
        self._begun = time.monotonic()
        for pane in self.query(PictureView):
            pane.begin([])
        self.query_one(DecisionLog).show(self.playhead)
        self.query_one(TimelineBar).show(self.playhead)
        self.query_one("#banner", Static).update("")
        self.query_one("#decision", Static).update("Reading the columns and their hierarchies.")
        self.draw()

    def draw(self) -> None:
        """Draw what is to be seen now, if it is something else than before."""
        live = self.live
        playhead = self.playhead
        if live is None:
            clock = f"  {_spinner()} preparing  {time.monotonic() - self._begun:.1f} s"
            text = Text.assemble((self._algorithm, "bold"), clock)
            self.query_one("#counters", Static).update(text)
            return
        self._play_on(live)
        snapshot = live.snapshot
        number = playhead.number
        playing = self._playing_since is not None
        self._draw_header(live, playhead, playing)
        question_state = self._asking, self._vote, len(self._votes)
        view_state = (
            snapshot,
            number,
            live.timeline.last,
            self._concluded,
            playing,
            live.speed,
            question_state,
        )
        if view_state == self._drawn:
            return
        self._drawn = view_state
        self.query_one("#decision", Static).update(self._sentence(live, playhead))
        coming = None if self._next_vote() is None else live.timeline.step(number + 1)
        scene = Scene(live.run.task, live.run.algorithm, live.timeline, number, coming)
        records = self.query_one("#records", PictureView).drawing
        if isinstance(records, Records):
            records.at_rest = snapshot.paused or not self._is_unfinished
        self._draw_banner(scene)
        for view in self.query(PictureView):
            view.show(scene)
        self.query_one(DecisionLog).show(playhead)
        self.query_one(TimelineBar).show(playhead, hide_future=self._asking)

    def _draw_header(self, live: LiveRun, playhead: Playhead, playing: bool) -> None:
        """Draw the first line, whose clock goes on while nothing else changes."""
        clock = time.monotonic() - self._begun if self._is_unfinished else live.snapshot.seconds
        ended = _ENDED_AMBER if self._cautions else _ENDED
        text = header_text(live, playhead, playing, self, clock, ended)
        header = self.query_one("#counters", Static)
        if str(header.content) != str(text):
            header.update(text)

    def _draw_banner(self, scene: Scene) -> None:
        """Draw the outcome of the step in large letters, or `?` while it is asked for."""
        word, tone = ("", "main") if scene.step is None else outcome_of(scene.step)
        if self._asking:
            word = "?"
            tone = "warn"
        colour = {"good": "success", "bad": "error", "warn": "warning"}.get(tone, "primary")
        letters = banner(word, self.size.width, self.size.height // 8)
        text = Text(letters, theme_style(self, colour, bold=True), no_wrap=True)
        self.query_one("#banner", Static).update(text)

    def _next_vote(self) -> Vote | None:
        """Return the question about the next decision; None while nothing is asked."""
        playhead = self.playhead
        if not self._asking or playhead.at_end:
            return None
        return vote_on(playhead.timeline.step(playhead.number + 1))

    def _sentence(self, live: LiveRun, playhead: Playhead) -> Text:
        vote = self._next_vote()
        if vote is not None:
            return self._ballot(vote)
        if not playhead.number:
            return Text("starting …")
        text = Text(visible(live.timeline.step(playhead.number).sentence))
        if self._predicting:
            text.append(f"\n{self._verdict or '. asks for the next decision'}", "bold")
        if self._concluded and playhead.at_end:
            text.append(f"\n{self._concluded}", "bold")
            for caution in self._cautions:
                text.append(f"\n! {caution}", theme_style(self, "warning", bold=True))
        return text

    def _ballot(self, vote: Vote) -> Text:
        """Return a question with its options and the score so far."""
        text = Text(visible(vote.question), "bold")
        below = "\n" if self.screen.has_class("-tall") else "   "
        wide = max(map(len, vote.options), default=0)
        for place, (letter, option) in enumerate(zip(LETTERS, vote.options, strict=False)):
            mark = "▸" if place == self._vote else " "
            style = theme_style(self, "accent", bold=True) if mark == "▸" else ""
            text.append(f"{below if place else chr(10)}{mark}{letter}  ", style)
            text.append(f"{visible(option):<{wide if below.strip(' ') else 0}}", style)
        last = LETTERS[len(vote.options) - 1].lower()
        keys = f"a … {last} vote, . shows it" if vote.options else ". shows it"
        return text.append(f"\n{keys}   {self._score}", theme_style(self, "text-muted"))

    @property
    def _score(self) -> str:
        count = len(self._votes)
        return f"class: {sum(self._votes)} of {count} right" if count else ""

    def conclude(self, live: LiveRun, result: FinishedRun) -> None:
        """Show the figures of a run that is finished and verified."""
        measures = result.measures
        stopped = live.run.state is State.CANCELLED
        suppressed = count_of(measures.suppressed_records, "record")
        self._concluded = (
            f"{'Stopped, the best so far is kept' if stopped else 'Done'}: "
            f"{count_of(measures.classes, 'class', 'classes')}, the smallest with "
            f"{count_of(measures.smallest_class, 'record')}, verified. RV {measures.rv:.4f}, NCP "
            f"{measures.ncp:.4f}, {suppressed} suppressed. 6 shows the result."
        )
        severe = (caution for caution in result.cautions if caution.is_amber)
        self._cautions = tuple(map(caution_sentence, severe))
        self.draw()

    def say_beside_result(self, clause: str) -> None:
        """Add a sentence to the figures of the finished run."""
        self._concluded = f"{self._concluded} {visible(clause)}."
        self.draw()

    # -- going through it

    def step_on(self) -> bool:
        """Go one step on among those that are kept; return whether there is one.

        Who predicts is first asked what comes, and then shown.
        """
        self._playing_since = None
        is_recorded = not self.playhead.at_end
        if self._predicting and not self._asking and (self._is_unfinished or is_recorded):
            self._asking = True
            self.playhead.hold()
            self.draw()
            return is_recorded
        vote = self._next_vote()
        self._verdict = ""
        if vote is not None and self._vote is not None and vote.options:
            right = self._vote == vote.right
            self._votes.append(right)
            answer = f"{LETTERS[vote.right]}, {visible(vote.options[vote.right])}"
            self._verdict = f"{'✓ right' if right else '✗ it was'}: {answer}   {self._score}"
        self._asking = False
        self._vote = None
        return self._moved(1)

    def play_or_pause(self) -> None:
        """Continue from the step that is shown, or pause."""
        live = self.live
        playhead = self.playhead
        if live is None:
            return
        if self._playing_since is not None:
            self._playing_since = None
        elif not playhead.at_end or not self._is_unfinished:
            if playhead.at_end:
                playhead.go(playhead.timeline.first)
            self._playing_since = time.monotonic()
        elif live.paused:
            live.resume()
        else:
            live.pause()
        self.draw()

    def _play_on(self, live: LiveRun) -> None:
        """Show the steps that are due; at the end, the run itself goes on."""
        playhead = self.playhead
        since = self._playing_since
        if since is None:
            return
        speed = min(live.speed, 100.0)
        due = int((time.monotonic() - since) * speed)
        if due:
            self._playing_since = since + due / speed
            playhead.move(due)
        if playhead.at_end:
            self._playing_since = None
            if self._is_unfinished:
                live.resume()

    def _rest(self) -> None:
        """Pause the run while earlier steps are looked at."""
        self._playing_since = None
        if self.live is not None and self._is_unfinished:
            self.live.pause()

    @property
    def _is_unfinished(self) -> bool:
        """Whether the run that is shown is not over."""
        return self.live is not None and self.live.run.state in (State.READY, State.RUNNING)

    def _moved(self, steps: int) -> bool:
        self._asking = False
        moved = self.playhead.move(steps)
        self.draw()
        return moved

    def action_move(self, steps: int) -> None:
        self._rest()
        self._moved(steps)

    def action_go(self, number: int) -> None:
        self._rest()
        self.playhead.go(number)
        self.draw()

    def action_end(self) -> None:
        self.action_go(self.playhead.timeline.last)

    @on(DecisionLog.Chosen)
    def choose(self, event: DecisionLog.Chosen) -> None:
        self.action_move(event.steps)

    def action_jump(self) -> None:
        """Choose a kind of decision and go to the next one."""
        playhead = self.playhead

        def jump(kind: str) -> None:
            self._rest()
            playhead.seek_kind(kind)
            self.draw()

        options = [(f"{kind}  {n:,}", partial(jump, kind)) for kind, n in playhead.kinds()]
        if options:
            hint = "n goes to the next one, N to the one before"
            choose(self, "Jump to the next …", options, hint)

    def action_find(self) -> None:
        """Find a text in the sentences."""
        playhead = self.playhead

        def find(text: str) -> None:
            self._rest()
            if text and not playhead.seek_text(text):
                self.host.notify(f"no decision has '{text}' in it")
            self.draw()

        ask_text(self, "Find in the decisions", find, str)

    def action_again(self, forward: bool) -> None:
        """Go to the next step of the last search."""
        self._rest()
        if not self.playhead.again(forward):
            self.host.notify("press j to jump to a kind of decision, / to find a word")
        self.draw()

    def action_bookmark(self) -> None:
        if self.playhead.number:
            marked = self.playhead.toggle_bookmark()
            self.host.notify("bookmark set; press ' to go to it" if marked else "bookmark removed")
            self._drawn = ()
            self.draw()

    def action_next_bookmark(self) -> None:
        self._rest()
        if not self.playhead.next_bookmark():
            self.host.notify("no bookmark yet; press m to set one")
        self.draw()

    # -- in front of a class

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let `?` be help unless the run is presented, and letters vote while that is asked."""
        if action == "vote":
            return self._asking
        leaving = action == "present" and bool(parameters)
        return self.presenting if leaving or action == "predict" else True

    def action_vote(self, option: int) -> None:
        """Vote for an option of the question."""
        vote = self._next_vote()
        if vote is not None and option < len(vote.options):
            self._vote = option
            self.draw()

    def action_present(self, on: bool | None = None) -> None:
        """Show the sentence with the picture alone, or all panes; None switches."""
        presenting = self.set_class(
            not self.presenting if on is None else on, "presenting"
        ).presenting
        for step_bar in self.screen.query(StepBar):
            step_bar.set_class(presenting, "presenting")
        self._predicting = self._asking = False
        self.remove_class("predicting")
        self._drawn = ()
        self.query_one("#picture").focus()
        self.refresh_bindings()
        self.draw()

    def action_predict(self) -> None:
        """Ask what comes next before it is shown, or no longer; the first decision too."""
        self._predicting = not self._predicting
        self._asking = False
        playhead = self.playhead
        if self._predicting and playhead.number == 1:
            playhead.before_first()
            self._asking = True
        self.set_class(self._predicting, "predicting")
        self._verdict = ""
        self._drawn = ()
        self.draw()

    # -- panes

    def action_picture(self) -> None:
        self.query_one("#picture", PictureView).next_picture()

    def action_formula(self) -> None:
        """Show the formula of the choice, or its candidates."""
        view = self.query_one("#why", PictureView)
        if isinstance(view.drawing, Candidates):
            view.drawing.formula = not view.drawing.formula
        if self.screen.focused is not None and self.screen.focused.has_class("side"):
            view.focus()
        self._bring_forward(view)
        view.draw_again()

    def action_pane(self, direction: int) -> None:
        """Focus the next pane; one that shares its place with others comes forward."""
        panes = [self.query_one(which, Widget) for which in ("#picture", *SIDES)]
        focused = next((n for n, pane in enumerate(panes) if pane.has_focus), 0)
        pane = panes[(focused + direction) % len(panes)]
        if pane.has_class("side"):
            self._bring_forward(pane)
        pane.focus()

    def _bring_forward(self, pane: Widget) -> None:
        for side in self.query(".side"):
            side.set_class(side is pane, "current")
