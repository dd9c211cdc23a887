"""A run as it happens: counters, the decision being taken, a curve, the log of decisions."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace

from rich.text import Text
from textual.containers import Container, Vertical, VerticalScroll
from textual.widget import Widget
from textual.widgets import Static

from kanon_tui.core.run.live import LiveRun, Snapshot
from kanon_tui.core.run.result import Result
from kanon_tui.core.run.run import State
from kanon_tui.core.task.steps import Step
from kanon_tui.core.text import visible
from kanon_tui.widgets.bars import bar, sparkline
from kanon_tui.widgets.theme_style import theme_style

__all__ = ["LiveView"]

MARKS = {"prune": "−", "cut": "✂", "merge": "⇄", "raise": "↑", "suppress": "×"}
PATIENCE = 1.5
"""Seconds without a decision after which the wait is explained."""
COMPILING = (
    "starting … The first run on this machine compiles its inner loops, which may take half a "
    "minute; later runs begin at once."
)


class LiveView(VerticalScroll, can_focus=True):
    """Shows snapshots of a `LiveRun`."""

    DEFAULT_CSS = """
    LiveView { height: 1fr; }
    LiveView #counters { height: auto; padding: 0 1; }
    LiveView #decision-pane { height: auto; min-height: 4; max-height: 9; padding: 0 1; }
    LiveView #live-panes { layout: horizontal; height: 1fr; min-height: 6; }
    LiveView #picture-pane { width: 1fr; padding: 0 1; }
    LiveView #log-pane { width: 1fr; padding: 0 1; }
    LiveView #log { text-wrap: nowrap; text-overflow: ellipsis; }
    """

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._seen: Snapshot | None = None
        self._begun = 0.0

    def compose(self) -> Iterable[Widget]:
        yield Static(id="counters")
        with Vertical(id="decision-pane", classes="pane"):
            yield Static(id="decision")
        with Container(id="live-panes"):
            with Vertical(id="picture-pane", classes="pane"):
                yield Static(id="picture")
            with Vertical(id="log-pane", classes="pane"):
                yield Static(id="log")

    def begin(self, live: LiveRun) -> None:
        self._seen = None
        self._begun = time.monotonic()
        self.query_one("#decision-pane").border_title = Text(live.run.algorithm.title)
        self.query_one("#picture-pane").border_title = "how it goes"
        self.query_one("#log-pane").border_title = "decisions"
        self.draw(live)

    def draw(self, live: LiveRun) -> None:
        """Draw the present snapshot, if it is another one than before."""
        snapshot = live.snapshot
        if snapshot is self._seen:
            if snapshot.step is None and time.monotonic() - self._begun > PATIENCE:
                self.query_one("#decision", Static).update(Text(COMPILING))
            return
        self._seen = snapshot
        self.query_one("#counters", Static).update(counters_text(snapshot, live, self))
        step = snapshot.step
        self.query_one("#decision", Static).update(
            Text(visible(step.sentence) if step else "starting …")
        )
        self.query_one("#picture", Static).update(self._picture(snapshot, live))
        log = self.query_one("#log", Static)
        room = max(self.query_one("#log-pane").size.height, 3)
        lines = [
            Text(f"{number:>6} {mark(one)} {visible(in_short(one))}")
            for number, one in snapshot.log[-room:]
        ]
        log.update(Text("\n").join(lines))

    def conclude(self, live: LiveRun, result: Result) -> None:
        """The run is over and verified; counters are those of the whole search."""
        measures = result.measures
        if self._seen is not None:
            known = self._seen.counters
            search = {"generated": result.grouping.search.get("strings"), **result.grouping.search}
            whole = {n: known[n] if search.get(n) is None else search[n] for n in known}
            done = replace(self._seen, counters=whole, progress=1.0, state=State.FINISHED)
            self.query_one("#counters", Static).update(counters_text(done, live, self))
        self.query_one("#decision", Static).update(
            Text(
                f"Done: {measures.classes:,} classes, the smallest with "
                f"{measures.smallest_class:,} records, verified. RV {measures.rv:.4f}, NCP "
                f"{measures.ncp:.4f}, {measures.suppressed_records:,} records suppressed. "
                f"Press 6 for the result."
            )
        )

    def _picture(self, snapshot: Snapshot, live: LiveRun) -> Text:
        """The best string and the space it is searched in, or a curve and cluster sizes."""
        width = max(self.query_one("#picture").size.width, 20)
        facts = snapshot.step.facts if snapshot.step else {}
        text = Text()
        if "best" in facts:
            text.append("best so far ", "dim")
            text.append(f"RV {facts['best_rv']:.4f}  ", "bold")
            text.append(f"{visible(str(facts['best']))}\n")
        if "levels" in facts:
            text.append("levels: ▓ open  ░ ruled out\n", "dim")
            names = [attribute.name for attribute in live.run.task.quasi]
            label = min(max(map(len, names)), max(width - 24, 6))
            for name, levels in zip(names, facts["levels"], strict=True):
                text.append(f"{visible(name)[:label]:<{label}} ")
                for level, is_open in enumerate(levels):
                    text.append(f" {level}", "" if is_open else "dim")
                    text.append(
                        "▓" if is_open else "░", theme_style(self, "success") if is_open else "dim"
                    )
                text.append("\n")
        if snapshot.curve:
            name = snapshot.curve_name.replace("_", " ")
            text.append(f"{name.upper()} {snapshot.curve[-1]:.4f}\n")
            text.append(
                sparkline(_thinned(snapshot.curve, width)) + "\n", theme_style(self, "primary")
            )
        if "sizes" in facts:
            k = live.run.task.k
            text.append(f"clusters by size, 1 to {2 * k}+ (│ is k = {k})\n", "dim")
            sizes = facts["sizes"]
            text.append(sparkline(sizes[: k - 1], top=max(sizes)), theme_style(self, "warning"))
            text.append("│")
            text.append(sparkline(sizes[k - 1 :], top=max(sizes)), theme_style(self, "success"))
        return text


def mark(step: Step) -> str:
    """A sign for the kind of decision; a test shows how it ended."""
    if "passes" in step.facts:
        return "✓" if step.facts["passes"] else "✗"
    return MARKS.get(step.kind, "·")


def in_short(step: Step) -> str:
    """A decision for the log, where the names in a string would take all the room.

    `⟨2 0 3 1⟩ 724 below k · RV 0.5971`.
    """
    facts = step.facts
    if step.kind != "test" or "string" not in facts or "rv" not in step.template:
        return step.sentence
    levels = " ".join(str(level) for level in facts["string"].levels)
    if facts["lack"] is not None:
        verdict = f"{facts['lacking']:,} with {facts['lack']}"
    elif facts["small"]:
        verdict = f"{facts['small']:,} below k"
    elif facts["smallest"] is not None:
        verdict = f"smallest class {facts['smallest']:,}"
    else:
        verdict = f"{facts['classes']:,} classes and more"
    return f"⟨{levels}⟩ {verdict} · RV {facts['rv']:.4g}"


def counters_text(snapshot: Snapshot, live: LiveRun, widget: Widget) -> Text:
    """`generated 1,440  pruned 1,203 …  ████ 88 %  0.4 s`, state and speed."""
    text = Text()
    for name, value in snapshot.counters.items():
        number = f"{value:,.0f}" if float(value).is_integer() else f"{value:.4f}"
        text.append(f"{name.replace('_', ' ')} ", "dim")
        text.append(f"{number}   ", "bold")
    text.append("\n")
    if snapshot.progress is not None:
        text.append(
            bar(snapshot.progress, max(min(widget.size.width - 60, 40), 10)),
            theme_style(widget, "success"),
        )
        text.append(f" {snapshot.progress:4.0%} ")
    text.append(f" {snapshot.seconds:.1f} s")
    if snapshot.remaining is not None and snapshot.seconds > 1 and not snapshot.paused:
        text.append(f", about {snapshot.remaining:.0f} s to go")
    if snapshot.state in (State.READY, State.RUNNING):
        fast = live.speed == float("inf")
        speed = "full speed" if fast else f"{live.speed:g} decisions a second"
        state = "paused: . steps, space goes on" if snapshot.paused else speed
    else:
        state = str(snapshot.state)
    text.append(f"   {state}", theme_style(widget, "warning") if snapshot.paused else "dim")
    return text


def _thinned(values: tuple[float, ...], width: int) -> list[float]:
    """At most `width` points, the last always among them; shifted so that changes show."""
    if len(values) > width:
        step = len(values) / width
        values = (*(values[int(i * step)] for i in range(width - 1)), values[-1])
    low, high = min(values), max(values)
    if high - low < 1e-12:
        return [1.0 for _ in values]
    return [0.08 + (value - low) / (high - low) for value in values]
