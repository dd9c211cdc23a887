"""Two recorded runs side by side: both curves in one plot, and at the end what was traded."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from kanon_tui.core.errors import KanonError
from kanon_tui.core.metrics.measure import Measures
from kanon_tui.core.pipeline.run import Run, conclude, start
from kanon_tui.core.pipeline.timeline import MOST_KEPT, Timeline
from kanon_tui.core.processes.interruption import Stop, never
from kanon_tui.core.project.project import Project
from kanon_tui.core.task.task import RunContext, Task
from kanon_tui.core.teaching.cockpit import Points, draw_curves, figure_text, objective_points
from kanon_tui.core.teaching.picture import Picture, Tone
from kanon_tui.core.teaching.picture_registry import new_timeline
from kanon_tui.core.text import bar, count_of

_TONES: tuple[Tone, Tone] = ("main", "warn")
_CARD, _NARROWEST = 50, 40
"""Columns of the winner's card, and of the narrowest plot beside it."""
_COMPARABLE = (("best_rv", "rv"), ("ncp",), ("il", "loss"))
"""Figures that have one meaning in all algorithms; the first that both runs have is compared."""
_FIGURES = {
    "NCP, detail lost": ("ncp", min),
    "RV, research value": ("rv", max),
    "classes": ("classes", max),
    "suppressed records": ("suppressed_records", min),
}
"""The measures compared at the end, each with whether less or more is better."""


@dataclass(frozen=True, eq=False)
class Recording:
    """The steps of a run and how it ended."""

    run: Run
    timeline: Timeline
    end: str
    """The release in a sentence, or the reason why there is none."""
    measures: Measures | None = None
    """The figures of the release; None where there is none."""


def record(project: Project, task: Task, abandoned: Stop = never) -> Recording:
    """Run to the end, keeping every decision; if there are very many, the rest become one step."""
    context = RunContext(decisions_per_step=1, watched=True)
    run = start(project, task=task, context=context)
    timeline = new_timeline(run.algorithm)
    try:
        for step in run:
            if timeline.last < MOST_KEPT:
                timeline.add(step)
            else:
                context.decisions_per_step = MOST_KEPT
                context.watched = False
            if abandoned():
                run.cancel()
        measures = conclude(run, project).measures
    except KanonError as error:
        return Recording(run, timeline, str(error))
    end = (
        f"{count_of(measures.classes, 'class', 'classes')}, NCP {measures.ncp:.4f}, RV "
        f"{measures.rv:.4f}, {count_of(measures.suppressed_records, 'record')} suppressed"
    )
    return Recording(run, timeline, end, measures)


def race_plot(runs: Sequence[Recording], number: int, width: int, height: int) -> Picture:
    """Return a track per run and both curves; at the end also which run loses less."""
    longest = max(run.timeline.last for run in runs)
    if number < longest:
        return _tracks(runs, number, width, height)
    card = _winner_card(Picture(min(width, _CARD), height), runs)
    if width < _CARD + _NARROWEST or len(card.rows) < 3:
        return card
    picture = Picture(width, height)
    plot = _tracks(runs, longest, width - _CARD - 1, height)
    for card_row, plot_row in zip_longest(card.rows, plot.rows, fillvalue=()):
        used = sum(len(text) for text, _ in card_row)
        picture.add_rows([(*card_row, (" " * (_CARD + 1 - used), ""), *plot_row)])
    return picture


def _tracks(runs: Sequence[Recording], number: int, width: int, height: int) -> Picture:
    """Draw the progress of both runs on one scale, and their curves in one plot."""
    picture = Picture(width, height)
    longest = max(run.timeline.last for run in runs)
    common = next(
        (
            comparable
            for comparable in _COMPARABLE
            if all(_points(run, comparable)[1] for run in runs)
        ),
        None,
    )
    names = [f"{run.run.algorithm.name} " for run in runs]
    at = [min(number, run.timeline.last) for run in runs]
    curves = [_points(run, common, step) for run, step in zip(runs, at, strict=True)]
    texts = [
        f" {'■' if step == run.timeline.last else '▶'} {step:,} of {run.timeline.last:,}"
        + (f"  {figure} {figure_text(points[-1][1])}" if points else "")
        for run, step, (figure, points) in zip(runs, at, curves, strict=True)
    ]
    label = max(map(len, names))
    longest_text = max(map(len, texts))
    for name, step, text, tone in zip(names, at, texts, _TONES, strict=True):
        picture.write(f"{name:<{label}}", "strong")
        picture.write(bar(step / longest, max(width - label - longest_text, 4)), tone).line(text)
    drawn = [(points, tone) for (_, points), tone in zip(curves, _TONES, strict=True) if points]
    if common is None and len(drawn) > 1 and height - picture.used > 4:
        picture.line("each curve on its own scale, from its lowest to its highest", "dim")
        drawn = [(_scaled(points), tone) for points, tone in drawn]
    if drawn:
        draw_curves(picture, drawn, height - picture.used - 1, number)
    return picture


def _points(
    run: Recording, figures: tuple[str, ...] | None, number: int = sys.maxsize
) -> tuple[str, Points]:
    """Return the points of the first of some figures that a run has, or of its own."""
    more = () if figures is None else (figures,)
    return objective_points(run.timeline, number, *more)


def _scaled(points: Points) -> Points:
    """Return points with values from 0 to 1."""
    values = [value for _, value in points]
    low = min(values)
    span = (max(values) - min(values)) or 1.0
    return [(at, (value - low) / span) for at, value in points]


def _winner_card(picture: Picture, runs: Sequence[Recording]) -> Picture:
    """Draw the figures of both releases, the better of each marked, and who loses less."""
    names = [run.run.algorithm.name for run in runs]
    both_measures = [run.measures for run in runs]
    if both_measures[0] is None or both_measures[1] is None:
        for name, run in zip(names, runs, strict=True):
            picture.wrap(f"{name}: {run.end}", "good" if run.measures else "bad")
        return picture
    ahead = 0 if both_measures[0].ncp <= both_measures[1].ncp else 1
    tie = abs(both_measures[0].ncp - both_measures[1].ncp) < 1e-9
    title = "a tie: both lose the same" if tie else f"★ {names[ahead]} loses less detail"
    picture.line(title, "best")
    wide = max(*map(len, names), 8) + 2
    picture.line(f"{'':<20}{names[0]:>{wide}}{names[1]:>{wide}}", "dim")
    rows: list[tuple[str, list[float], bool]] = [
        (what, [float(getattr(measures, name) or 0) for measures in both_measures], better is max)
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
