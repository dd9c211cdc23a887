"""The line above a run: which one, which step, how fast, and the running totals."""

from __future__ import annotations

from rich.text import Text
from textual.widget import Widget

from kanon_tui.core.editing.session import Session
from kanon_tui.core.pipeline.live import LiveRun, Snapshot
from kanon_tui.core.pipeline.run import State
from kanon_tui.core.pipeline.timeline import Playhead
from kanon_tui.core.text import small_number, visible
from kanon_tui.widgets.drawing import bar, theme_style

__all__ = ["header_text"]

_ENDED = {
    State.FINISHED: "✓ finished",
    State.CANCELLED: "× stopped early",
    State.FAILED: "✗ no release",
}


def header_text(
    live: LiveRun, playhead: Playhead, playing: bool, widget: Widget, session: Session | None
) -> Text:
    """`global · k=5 · patients   step 14 of 37   ▶ 1/s`, and below it the totals at that step."""
    snapshot = live.snapshot
    name = "" if session is None else f" · {visible(session.project.name)}"
    text = Text.assemble(
        (live.run.algorithm.name, "bold"), f" · k={live.run.task.k}{name}   ",
        (f"step {playhead.number:,} of {live.timeline.last:,}", "bold"), "   ",
    )  # fmt: skip
    text.append(_pace(live, snapshot, playing), theme_style(widget, "warning"))
    text.append(f"   {snapshot.seconds:.1f} s")
    if snapshot.remaining is not None and snapshot.seconds > 1 and not snapshot.paused:
        text.append(f", about {snapshot.remaining:.0f} s to go")
    text.append("\n")
    step = live.timeline.step(playhead.number) if playhead.number else None
    if step is not None and step.progress is not None:
        text.append(bar(step.progress, 10), theme_style(widget, "success"))
        text.append(f" {step.progress:.0%}   ")
    for counter, value in (step.counters if step else {}).items():
        if not value and counter in ("pruned", "remaining"):
            continue
        number = f"{value:,.0f}" if float(value).is_integer() else f"{value:.4f}"
        if 0 < abs(value) < 0.001:  # what climbs must not read 0.0000
            number = small_number(value)
        elif number == "1.0000":  # nor what falls 1
            number = f"{value:.6f}"
        text.append(f"{counter.replace('_', ' ')} ", theme_style(widget, "text-muted"))
        text.append(f"{number}   ", "bold")
    text.rstrip()
    return text


def _pace(live: LiveRun, snapshot: Snapshot, playing: bool) -> str:
    fast = live.speed == float("inf")
    speed = "full speed" if fast else f"{live.speed:g}/s"
    if playing:
        return f"▶ {speed}"
    if snapshot.state in _ENDED:
        return _ENDED[snapshot.state]
    return f"⏸ paused ({speed})" if snapshot.paused else f"▶ {speed}"
