"""Two releases in files, record by record: one pass over the data that both were made of.

A record is looked up among the counted rows of either run. What differs depends on the two rows it
is, so that pairs of rows are compared, not records; of every record a few bytes are kept: its pair,
its place among those that differ most, and whether it differs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kanon_tui.core.analysis.compare import ComparedRuns, cells_differ, common_quasi, record_losses
from kanon_tui.core.errors import InputError
from kanon_tui.core.numeric import Flags, Floats, Int32s, Int64s
from kanon_tui.core.pipeline.engine_choice import memory_limit
from kanon_tui.core.pipeline.file_result import StreamedResult
from kanon_tui.core.pipeline.pages import (
    FilePages,
    RankedRows,
    RowOfRecord,
    ranked_rows,
    records_of,
)
from kanon_tui.core.table.word_table import WordTable

__all__ = ["StreamedComparison", "compare_streamed"]

_BYTES_PER_RECORD = 14
"""Its pair, its places in either order, and flags."""
_AT_A_TIME = 1_000_000
_SECOND = np.uint64(32)


@dataclass(frozen=True, eq=False)
class StreamedComparison(ComparedRuns):
    """Everything that differs between two releases in files."""

    first: StreamedResult
    second: StreamedResult
    before: FilePages
    """The records that were read."""
    rows: tuple[RowOfRecord, RowOfRecord]
    in_file_order: npt.NDArray[np.uint32]
    """The numbers of the records that both runs worked on."""
    most_different: RankedRows
    """The same, those that differ most first."""
    differs: Flags
    """By number of a record whether the two publish it otherwise."""
    different: Mapping[str, int]
    """Per common quasi-identifier how many records are published otherwise."""

    def differing(self, name: str) -> int:
        """How many of the common records have another cell of a quasi-identifier."""
        return self.different[name]


def compare_streamed(
    first: StreamedResult, second: StreamedResult, stop: Callable[[], bool] = lambda: False
) -> StreamedComparison:
    """Compare two releases of the same files; `stop` says nobody waits any more."""
    before = records_of(first)
    other = records_of(second)
    if before is None or other is None or before.source.files != other.source.files:
        raise InputError(
            "the two releases were not made of the same files, or these have changed; R has the "
            "figures of all runs"
        )
    assert first.project is not None
    memory = memory_limit(first.project).beside_what_is_held()
    memory.check_room(before.height * _BYTES_PER_RECORD, "comparing all records")
    rows = RowOfRecord.of(first), RowOfRecord.of(second)
    pairs = WordTable()
    places = _places(before, rows, pairs, stop)
    keys = pairs.keys
    own = (keys >> _SECOND).astype(np.int64), (keys & np.uint64(2**32 - 1)).astype(np.int64)
    copies = np.bincount(places[places >= 0], minlength=len(keys))
    common = common_quasi(first, second)
    flags = {name: cells_differ((first, second), name, own) for name in common}
    amount = record_losses(second.release)[own[1]] - record_losses(first.release)[own[0]]
    ranks = _ranks(amount, flags)
    gone = int(ranks.max(initial=-1)) + 1
    sizes = np.bincount(ranks, copies, gone).astype(np.int64)
    sizes = np.append(sizes, int((places < 0).sum()))
    of_place = np.append(ranks, gone).astype(np.int32)  # the last is for -1
    ranked = ranked_rows(_parts(places), lambda part: of_place[part], sizes, memory)
    otherwise = np.append(np.logical_or.reduce([np.zeros(len(keys), bool), *flags.values()]), False)
    return StreamedComparison(
        first,
        second,
        before=before,
        rows=rows,
        in_file_order=np.flatnonzero(places >= 0).astype(np.uint32),
        most_different=ranked.in_turn(np.arange(gone)),
        differs=otherwise[places],
        different={name: int(copies[each].sum()) for name, each in flags.items()},
    )


def _places(
    before: FilePages,
    rows: tuple[RowOfRecord, RowOfRecord],
    pairs: WordTable,
    stop: Callable[[], bool],
) -> Int32s:
    """Of every record which pair of rows it is; -1 where a run did not work on it."""
    source = before.source
    names = list(dict.fromkeys(name for each in rows for name in each.names))
    places = np.full(before.height, -1, dtype=np.int32)
    begin = 0
    for piece in source.pieces:
        if stop():
            raise InputError("stopped")
        for records in source.read(piece, names):
            (one, gone), (other, also_gone) = (each.find(records) for each in rows)
            kept = ~(gone | also_gone)
            words = one.astype(np.uint64) << _SECOND | other.astype(np.uint64)
            places[begin : begin + records.height][kept] = pairs.add(words[kept])
            begin += records.height
    return places


def _ranks(amount: Floats, flags: Mapping[str, Flags]) -> Int64s:
    """Those that differ most first: by detail that is lost, then by cells that differ."""
    by_amount = -np.round(np.abs(amount), 9)
    cells = -sum((each.astype(np.float64) for each in flags.values()), 0 * amount)
    if not len(amount):
        return np.zeros(0, dtype=np.int64)
    order = np.lexsort((cells, by_amount))
    new = np.diff(by_amount[order], prepend=np.nan) != 0
    new |= np.diff(cells[order], prepend=np.nan) != 0
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.cumsum(new) - 1
    return ranks


def _parts(places: Int32s) -> Iterator[Int32s]:
    for begin in range(0, len(places), _AT_A_TIME):
        yield places[begin : begin + _AT_A_TIME]
