"""A sweep in words: who is best at each k, what the next k costs, and why a curve turns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.analysis.sweep.figures import Metric
from kanon_tui.core.analysis.sweep.sweep import SweepPoint
from kanon_tui.core.numeric import TIE
from kanon_tui.core.task.steps import Family

__all__ = ["sweep_in_words"]

_SEEKS_RV = ("global", "local", "hybrid", "distributed", "udc", "udc-suppress")


def sweep_in_words(
    points: Iterable[SweepPoint], metric: Metric, algorithms: Sequence[str], ks: Sequence[int]
) -> list[str]:
    """Sentences about one figure: the ranking at each k, the price of each step, the turns."""
    known = {(point.algorithm, point.k): point for point in points}
    lines = [_ranking([known[a, k] for a in algorithms if (a, k) in known], metric, k) for k in ks]
    for name in algorithms:
        own = [known[name, k] for k in ks if (name, k) in known]
        lines += _prices(name, own, metric)
    return [line for line in lines if line]


def _ranking(points: Sequence[SweepPoint], metric: Metric, k: int) -> str:
    """`k = 5: mondrian 0.202, global 0.264 (NCP, best first)`."""
    found = [(value, p) for p in points if (value := metric.of(p)) is not None]
    found.sort(key=lambda pair: -pair[0] if metric.more_is_better else pair[0])
    without = [p.algorithm for p in points if p.error is not None]
    told = ", ".join(f"{p.algorithm} {metric.shown(p)}" for _, p in found)
    missing = f"; no release: {', '.join(without)}" if without else ""
    if not found:
        return f"k = {k:,}: no release{missing.removeprefix('; no release')}" if without else ""
    return f"k = {k:,}, {metric.title}, best first: {told}{missing}."


def _prices(name: str, points: Sequence[SweepPoint], metric: Metric) -> Iterator[str]:
    """What every step to a larger k costs; where a figure gets better, why that can be."""
    for one, other in pairwise(points):
        before, after = metric.of(one), metric.of(other)
        if before is None or after is None:
            continue
        change = after - before
        worse = change < -TIE if metric.more_is_better else change > TIE
        step = f"{name}, k = {one.k:,} to {other.k:,}: {metric.title}"
        if abs(change) <= TIE:
            yield f"{step} stays at {metric.shown(one)}."
        elif worse:
            verb = "falls" if change < 0 else "rises"
            yield f"{step} {verb} from {metric.shown(one)} to {metric.shown(other)}."
        else:
            yield (
                f"{step} gets better, {metric.shown(one)} to {metric.shown(other)}, though k "
                f"asks for more: {_why_it_turns(name, metric, one, other)}"
            )


def _why_it_turns(name: str, metric: Metric, one: SweepPoint, other: SweepPoint) -> str:
    """Why a figure can improve when more is asked."""
    if metric.name == "seconds":
        return "time depends on what can be pruned, not on k alone."
    if (other.suppressed_records or 0) != (one.suppressed_records or 0):
        more = (other.suppressed_records or 0) > (one.suppressed_records or 0)
        return f"{'more' if more else 'fewer'} records are suppressed, which moves the figure."
    if metric.name != "rv" and name in _SEEKS_RV:
        rvs = ""
        if one.rv is not None and other.rv is not None:
            rvs = f" (RV {one.rv:.3f} to {other.rv:.3f})"
        return f"{name} looks for the highest RV{rvs}, and {metric.title} follows from that."
    if ALGORITHMS[name].family is Family.FULL_DOMAIN:
        return f"{name} does not look for the best {metric.title}, and passes by it at either k."
    return f"{name} decides step by step and cannot take back what it joined or cut at first."
