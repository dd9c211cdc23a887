"""The input table and the release of a result, for analyses: in memory, or read from files again.

Analyses ask a table for the codes of some columns, some records at a time (`Table.coded_blocks`).
In memory that is all of them; of files it is one pass. Where all records are needed at once, a
sample is drawn.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.pipeline.pages import ReleasePages
from kanon_tui.core.pipeline.sampled_table import SampledTable
from kanon_tui.core.pipeline.tuple_counts import counted_table
from kanon_tui.core.processes.workers import LocalWorkers
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.table.counted_table import CountedTable
from kanon_tui.core.table.csv_survey import Piece
from kanon_tui.core.table.table import Table, as_table
from kanon_tui.core.table.value_formats import ValueFormats
from kanon_tui.core.task.task import Task

MOST_DRAWN = 100_000
"""The largest sample of records, where all of them would be needed in memory."""

Stop = Callable[[], bool]


def read_tables(result: FinishedRun, stop: Stop = lambda: False) -> tuple[Task, Table]:
    """Return the task of a result and its release: in memory, or reading their files again.

    `stop` ends a pass over files early.
    """
    if not result.in_files:
        return result.task, as_table(result.release.frame, result.task.table.missing_tokens)
    return replace(result.task, table=_input_records(result, stop)), _release_rows(result, stop)


def draw_tables(task: Task, rows: Table) -> tuple[Task, Table]:
    """Return task and release with records in memory: of files, `MOST_DRAWN` drawn by the seed."""
    records = task.table
    if not (isinstance(records, CountedTable) and isinstance(rows, CountedTable)):
        return task, rows
    source, counts = records.source, records.counts
    known = {"source": source, "counts": counts, "records": records.records, "exact": True}
    drawn = _drawn(records, task.seed)
    sample = SampledTable.from_file(drawn, source.facts, source.options, **known)
    return replace(task, table=sample), Table(_drawn(rows, task.seed), None, rows.missing_tokens)


def _drawn(table: CountedTable, seed: int) -> pl.DataFrame:
    """Return a sample of at most `MOST_DRAWN` records, in their order."""
    chosen = np.arange(table.height)
    if table.height > MOST_DRAWN:
        chance = np.random.default_rng(seed)
        chosen = np.sort(chance.choice(table.height, MOST_DRAWN, replace=False, shuffle=False))
    return table.rows_at(chosen, table.names)


def _input_records(result: FinishedRun, stop: Stop) -> CountedTable:
    """Return the input records of a run; refuse files that have changed."""
    table = counted_table(result.task)
    if not table.source.unchanged:
        raise InputError("the data has changed since it was read; run again")
    return replace(table, workers=_workers(stop))


def _workers(stop: Stop, check: Callable[[], object] = lambda: None) -> LocalWorkers:
    """Return workers that call `check` after every piece, and end when `stop` says so."""
    workers = LocalWorkers()

    def check_stopped(what: str, share: float) -> None:
        check()
        if stop():
            raise InputError("stopped")

    workers.begin("read", check_stopped)
    return workers


def _release_rows(result: FinishedRun, stop: Stop) -> CountedTable:
    """Return the rows of a written release, under the task's names of the columns.

    Its counts are those of the texts that a column may have: the numbers of the input's records.
    """
    pages, task = ReleasePages(result, stop=stop), result.task
    names = dict(zip(pages.source.names, result.columns, strict=True))

    def renamed(piece: Piece) -> Piece:
        return replace(piece, layout=piece.layout and replace(piece.layout, names=result.columns))

    source = replace(
        pages.source,
        names=result.columns,
        escaped=task.output.formulas == "escape",
        options=replace(
            pages.source.options, rename=names, missing_tokens=task.table.missing_tokens
        ),
        pieces=tuple(map(renamed, pages.source.pieces)),
    )
    counts = {name: task.table.occurrences(name) for name in task.published_as_they_are}
    for attribute, cells in zip(task.quasi, result.release.cells, strict=True):
        texts = list(dict.fromkeys((*cells.texts, HIDDEN)))
        counts[attribute.name] = pl.DataFrame({"value": texts}).with_columns(records=task.n)
    workers, memory = _workers(stop, pages.check_unchanged), counted_table(task).memory
    known = {"records": result.rows, "counts": counts}
    table = CountedTable.from_source(source, workers, memory, **known)
    return replace(table, formats=ValueFormats())  # as of a release in memory
