"""Two recorded runs side by side: both curves in one plot, and at the end what was traded."""

from collections.abc import Sequence

from kanon_tui.core.teaching.cockpit import Points, draw_curves, objective_points
from kanon_tui.core.teaching.handout import Recording
from kanon_tui.core.teaching.picture import Picture, Tone
from kanon_tui.core.text import bar, short_number

_TONES: tuple[Tone, Tone] = ("main", "warn")
_FIGURES = {
    "NCP, detail lost": ("ncp", min),
    "RV, research value": ("rv", max),
    "classes": ("classes", max),
    "suppressed records": ("suppressed_records", min),
}
"""What is compared at the end: the measure, and whether less or more of it is better."""


def race_plot(runs: Sequence[Recording], number: int, width: int, height: int) -> Picture:
    """Return a track per run and the curves of both objectives; at the end who loses less."""
    picture = Picture(width, height)
    longest = max(run.timeline.last for run in runs)
    if number >= longest:
        return _winner_card(picture, runs)
    names = [run.run.algorithm.name for run in runs]
    label, curves = max(map(len, names)), []
    for run, name, tone in zip(runs, names, _TONES, strict=True):
        at = min(number, run.timeline.last)
        figure, points = objective_points(run.timeline, at)
        done = "■" if at == run.timeline.last else "▶"
        value = f"{figure} {short_number(points[-1][1], 4)}" if points else ""
        track = bar(at / longest, max(width - label - len(value) - 16, 4))
        picture.write(f"{name:<{label}} ", "strong").write(track, tone)
        picture.line(f" {done} {at:,} of {run.timeline.last:,}  {value}"[: width - label])
        curves.append((figure, points))
    room = height - picture.used - 2
    drawn = [(points, tone) for (_, points), tone in zip(curves, _TONES, strict=True) if points]
    if len({figure for figure, points in curves if points}) > 1:
        picture.line("each curve on its own scale, from its lowest to its highest", "dim")
        drawn = [(_scaled(points), tone) for points, tone in drawn]
    if drawn:
        draw_curves(picture, drawn, room, min(number, longest))
    return picture


def _scaled(points: Points) -> Points:
    """Return points with values from 0 to 1."""
    values = [value for _, value in points]
    low, span = min(values), (max(values) - min(values)) or 1.0
    return [(at, (value - low) / span) for at, value in points]


def _winner_card(picture: Picture, runs: Sequence[Recording]) -> Picture:
    """Draw the figures of both releases, the better of each marked, and who loses less."""
    names = [run.run.algorithm.name for run in runs]
    known = [run.measures for run in runs]
    if known[0] is None or known[1] is None:
        for name, run in zip(names, runs, strict=True):
            picture.wrap(f"{name}: {run.end}", "good" if run.measures else "bad")
        return picture
    ahead = 0 if known[0].ncp <= known[1].ncp else 1
    tie = abs(known[0].ncp - known[1].ncp) < 1e-9
    title = "a tie: both lose the same" if tie else f"★ {names[ahead]} loses less detail"
    picture.line(title, "best")
    wide = max(*map(len, names), 8) + 2
    picture.line(f"{'':<20}{names[0]:>{wide}}{names[1]:>{wide}}", "dim")
    rows: list[tuple[str, list[float], bool]] = [
        (what, [float(getattr(one, name) or 0) for one in known], better is max)
        for what, (name, better) in _FIGURES.items()
    ]
    rows.append(("decisions", [float(run.timeline.last) for run in runs], False))
    for what, values, more in rows:
        best = max(values) if more else min(values)
        picture.write(f"{what:<20}")
        for value in values:
            leads = value == best and values[0] != values[1]
            text = f"{value:,.0f}" if value.is_integer() else f"{value:.4f}"
            picture.write(f"{text + (' ◂' if leads else '  '):>{wide}}", "good" if leads else "")
        picture.end()
    picture.wrap("◂ marks the better figure; the winner is the one with the lower NCP")
    return picture
