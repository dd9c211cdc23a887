"""What pictures and sentences tell of a group that is split around two far-apart records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kanon_tui.core.clustering.box_sentences import in_words
from kanon_tui.core.clustering.cut_facts import Cut
from kanon_tui.core.clustering.splitting import Splitting
from kanon_tui.core.metrics.cells import CellGroups
from kanon_tui.core.metrics.ncp import penalties
from kanon_tui.core.numeric import TIE, Floats, Int64s
from kanon_tui.core.table.group_values import GroupValues
from kanon_tui.core.task.steps import Candidate, Choice
from kanon_tui.core.task.task import QuasiIdentifier
from kanon_tui.core.text import short_number, small_number

__all__ = ["split_drawn", "split_reason"]

_SHOWN = 5


def split_reason(splitting: Splitting) -> tuple[str, dict[str, Any]]:
    """What the last split has narrowed, as a template and its facts."""
    quasi, n = splitting.task.quasi, splitting.task.n
    rows, upper = _sides(splitting)
    whole = _losses(splitting, rows, np.zeros(len(rows), dtype=np.int64))
    apart = _losses(splitting, rows, np.isin(rows, upper).astype(np.int64))
    saved = (whole - apart) / n
    ranked = sorted(range(len(quasi)), key=lambda x: (-saved[x], x))
    candidates = tuple(
        Candidate(quasi[x].name, float(saved[x]), chosen=not place)
        for place, x in enumerate(ranked[:_SHOWN])
    )
    formula = (
        f"what NCP · records loses by the split, attribute by attribute, / {n:,} records",
        *(
            f"{quasi[x].name}: ({short_number(whole[x], 4)} − {short_number(apart[x], 4)}) / {n:,} "
            f"= {short_number(saved[x], 4)}"
            for x in ranked
        ),
    )
    choice = Choice(
        "what narrows most",
        "NCP saved",
        candidates,
        len(quasi),
        "two records far apart are the seeds; each other one goes where NCP grows less",
        formula,
    )
    return "{reason}", {"reason": _narrowing(quasi, saved, ranked), "choice": choice}


def _narrowing(quasi: Sequence[QuasiIdentifier], saved: Floats, ranked: Sequence[int]) -> str:
    """` Along age they narrow most, by 0.31 of NCP, against 0.12 along zip.`"""
    first, *others = ranked
    if not others or saved[first] <= 0:
        return ""
    words = f" Along {quasi[first].name} they narrow most, by {small_number(saved[first])} of NCP"
    if saved[others[0]] > 0:
        second = quasi[others[0]].name
        tie = abs(saved[first] - saved[others[0]]) <= TIE
        words += f", as along {second}" if tie else ""
        words += "" if tie else f", against {small_number(saved[others[0]])} along {second}"
    return words + "."


def split_drawn(splitting: Splitting, splits: int, step: int) -> dict[str, Any]:
    """What pictures show of the last decision; a group has the number of its first place."""
    distinct, quasi = splitting.distinct, splitting.task.quasi
    if splitting.decisions > 1:
        return {"together": splitting.part_begins(step)[distinct.number]}
    facts: dict[str, Any] = {}
    if splitting.splits + splitting.closed == 1:
        facts["together"] = np.zeros(splitting.task.n, dtype=np.int32)
    _, begin, middle, end = splitting.event.tolist()
    if not splits:
        rows = distinct.records_of(splitting.order[begin:end])
        return facts | {"rows": rows, "closed_group": begin}
    rows, upper = _sides(splitting)
    lower = np.setdiff1d(rows, upper)
    whole = _losses(splitting, rows, np.zeros(len(rows), dtype=np.int64))
    saved = whole - _losses(splitting, rows, np.isin(rows, upper).astype(np.int64))
    x = int(np.argmax(saved))
    names = tuple(in_words([quasi[x]], [quasi[x].column.codes[side]]) for side in (lower, upper))
    cut = Cut(
        begin,
        middle,
        x,
        "",
        "",
        len(lower),
        len(upper),
        tuple((whole / len(rows)).tolist()),
        sides=(names[0], names[1]),
    )
    return facts | {"rows": rows, "cut": cut, "moved": ((middle, upper),)}


def _sides(splitting: Splitting) -> tuple[Int64s, Int64s]:
    """The records of the group that was split last, and those of its second side."""
    _, begin, middle, end = splitting.event.tolist()
    records_of, order = splitting.distinct.records_of, splitting.order
    return records_of(order[begin:end]), records_of(order[middle:end])


def _losses(splitting: Splitting, rows: Int64s, side: Int64s) -> Floats:
    """Per attribute NCP · records, weighted, of the classes that records would make by sides."""
    count = int(side.max()) + 1
    sizes = np.bincount(side, minlength=count)
    found = []
    for attribute in splitting.task.quasi:
        values = GroupValues.from_records(side, attribute.column.codes[rows], count)
        cells = CellGroups(attribute, None, sizes, values)
        each = np.where(cells.hidden, 1.0, penalties(cells))
        found.append(attribute.weight * float((sizes * each).sum()))
    return np.array(found)
