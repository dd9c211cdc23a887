"""Which class of an earlier clustering a new record falls into.

A class is a box: per attribute a published range, label or set. A record belongs to a box whose
every cell shows its value. Boxes of some algorithms overlap; then the tightest is taken, the first
of equally tight ones. Tightness is the mean over attributes of how much of all boxes' values a cell
shows: the width of a range over the width of all ranges, the values of a set over all values that
are known, 1 for `*`.

Cost: O(distinct records · classes / 8) bytes at a time, in bounded parts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from kanon_tui.core.analysis.published.read_cells import ReadCells
from kanon_tui.core.numeric import Floats, Int64s
from kanon_tui.core.table.column import Column

__all__ = ["nearest_boxes"]

_CELLS_AT_A_TIME = 20_000_000


def nearest_boxes(
    columns: Sequence[Column], cells: Sequence[ReadCells], classes: Sequence[Sequence[int]]
) -> Int64s:
    """Per record the number of its class, -1 where no box covers it.

    `cells` are the distinct published cells of every attribute, `classes` has per class the number
    of its cell of every attribute.
    """
    boxes = np.array(classes, dtype=np.int64).reshape(len(classes), len(columns))
    order = np.argsort(_tightness(cells, boxes), kind="stable")
    boxes = boxes[order]
    codes = pl.DataFrame({str(x): column.codes for x, column in enumerate(columns)})
    rows = codes.unique(maintain_order=True)
    found = np.full(rows.height, -1, dtype=np.int64)
    values = rows.to_numpy()
    shown = [
        read.shows(column.values)[:, boxes[:, x]]
        for x, (column, read) in enumerate(zip(columns, cells, strict=True))
        if column.values
    ]
    step = max(1, _CELLS_AT_A_TIME // max(1, len(boxes)))
    for start in range(0, rows.height, step):
        inside = np.ones((len(values[start : start + step]), len(boxes)), dtype=bool)
        for x, flags in enumerate(shown):
            inside &= flags[values[start : start + step, x]]
        first = inside.argmax(axis=1)
        covered = inside[np.arange(len(first)), first]
        found[start : start + step] = np.where(covered, order[first], -1)
    numbered = rows.with_columns(pl.Series("box", found))
    joined = codes.join(numbered, on=codes.columns, how="left", maintain_order="left")
    return joined["box"].to_numpy()


def _tightness(cells: Sequence[ReadCells], boxes: Int64s) -> Floats:
    total = np.zeros(len(boxes))
    for x, read in enumerate(cells):
        if read.attribute.column.kind.ordered:
            known = np.isfinite(read.low) & np.isfinite(read.high)
            low = read.low[known].min() if known.any() else 0.0
            high = read.high[known].max() if known.any() else 0.0
            share = np.where(known, (read.high - read.low) / ((high - low) or 1.0), 1.0)
            share = np.where(read.missing, 0.0, share)
        else:
            members = np.zeros(len(read.texts))
            for holding in read.holders.values():
                members[list(holding)] += 1
            share = members / max(1, len(read.holders))
            share = np.where((members == 0) & ~read.missing, 1.0, share)
        total += np.where(read.everything, 1.0, share)[boxes[:, x]]
    return total
