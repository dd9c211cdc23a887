"""A table that is too large for memory, represented by a sample and by counts of its values.

Of the table at work a sample of its records, taken from all over its files, is in memory. A counted
column has the values of the whole table with their numbers of records, and the codes of the
sample's records; the other columns are known from the sample only. `TableCounting` counts columns
in one pass over the pieces, in a thread of its own: it reports its progress and can be stopped
between two pieces. A column with more values than fit into memory stays with the sample.

Analyses of a result ask input and release for the codes of some columns, some records at a time
(`Table.coded_blocks`): in memory that is all of them, of files it is one pass. Where all records
are needed at once, a sample is drawn.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.pipeline.engine_choice import fits_in_memory
from kanon_tui.core.pipeline.pages import FilePages, ReleasePages
from kanon_tui.core.pipeline.tuple_counts import counted_table
from kanon_tui.core.processes.interruption import Stop, check_stopped, never
from kanon_tui.core.processes.memory_limit import MemoryLimit
from kanon_tui.core.processes.workers import LocalWorkers, Workers
from kanon_tui.core.project.project import Project
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.table.counted_table import CountedTable, count_values, sum_counts
from kanon_tui.core.table.csv_survey import NotInPiecesError, Piece, sample_csv
from kanon_tui.core.table.data_files import part_files
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import Source, is_parquet_source, open_source
from kanon_tui.core.table.table import Counts, Table, as_table
from kanon_tui.core.table.value_formats import ValueFormats
from kanon_tui.core.task.task import Task

SAMPLE = 50_000
"""About how many records a sample has."""
_STRETCHES = 20
"""Places of a Parquet file that are sampled; each decodes pages of all columns."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SampledTable(Table):
    """A table whose `frame` holds a sample; `height` and `counts` are of the whole table."""

    in_memory: ClassVar[bool] = False
    source: Source
    """The source of the records; a CSV file has no pieces before it is counted."""
    records: int = 0
    exact: bool = False
    """Whether `records` was counted, not estimated."""
    too_many: frozenset[str] = frozenset()
    """Columns with more distinct values than fit into memory."""

    @property
    def height(self) -> int:
        """The number of records of the whole table; an estimate until they are counted."""
        return self.records

    @cached_property
    def sample(self) -> "Sample":
        """The sample as a table of its own."""
        facts, tokens = self.facts, self.missing_tokens
        return Sample(self.frame, facts, tokens, self.formats, counts=self.counts)

    def as_counted(self, workers: Workers, memory: MemoryLimit) -> CountedTable:
        """Return the table as runs see it, with the values that are counted already."""
        known: dict[str, Any] = {"records": self.records, "counts": dict(self.counts)}
        return CountedTable.from_source(self.source, workers, memory, **known)

    def drop_missing(self, columns: Iterable[str]) -> tuple[Table, int]:
        """Return the sample's records in which none of these columns is missing."""
        return self.sample.drop_missing(columns)


class Sample(Table):
    """The sampled records; columns have the values of the whole table, where these are counted."""

    in_memory: ClassVar[bool] = False


def read_or_sample(project: Project) -> Table:
    """Return the table of a project to work on: in memory where it fits, else a sample."""
    if fits_in_memory(project):
        return project.read_data()
    try:
        return sample_table(project.data_path, project.data.read_options)
    except NotInPiecesError:
        return project.read_data()  # it may fit; if not, reading refuses it


def sample_table(path: Path, options: ReadOptions, records: int = SAMPLE) -> SampledTable:
    """Return a sample of a file, a folder or a pattern, in seconds whatever its size."""
    files = part_files(Path(path))
    if is_parquet_source(files):
        source = open_source(path, options)
        counts = (options.counts,) if options.counts else ()
        everything = replace(options, where={}, counts="")
        pages = FilePages(replace(source, names=(*source.names, *counts), options=everything))
        frame, found = _spread_sample(pages, records), pages.height
        exact = not options.choosing or frame.height == found
    else:
        frame, facts, found, exact = sample_csv(files, options, records)
        names = tuple(name for name in frame.columns if name != options.counts)
        source = Source(names, (), facts, options, files=files)
    if options.choosing:
        before = frame.height
        frame, _ = options.choose(frame, files[0].name)
        found = round(found * frame.height / max(before, 1))
    return SampledTable.from_file(
        frame, source.facts, options, source=source, records=found, exact=exact
    )


def _spread_sample(pages: FilePages, records: int) -> pl.DataFrame:
    """Return ranges of records at equal distances, about `records` of them together."""
    stretches = 1 if pages.height <= records else min(_STRETCHES, records)
    begins = [pages.height * stretch // stretches for stretch in range(stretches)]
    each = -(-records // stretches)
    return pl.concat(pages.read(begin, min(begin + each, pages.height)) for begin in begins)


_LOOKS = 2
"""How many times a CSV file is scanned before its pieces are known."""


class CountingStoppedError(Exception):
    """The counting was stopped."""


class TableCounting:
    """One counting pass over a table, watched and stopped from other threads."""

    def __init__(
        self, table: SampledTable, path: Path, names: Sequence[str], memory: MemoryLimit
    ) -> None:
        self._table, self._path, self._memory = table, path, memory
        self.names = self._counted = tuple(names)
        self.records = 0
        """The number of records counted so far."""
        self._looked_at = 0
        self._stopped = threading.Event()

    def stop(self) -> None:
        """Stop the pass soon: `run` raises `CountingStoppedError`."""
        self._stopped.set()

    @property
    def stopped(self) -> bool:
        """Whether the pass was stopped."""
        return self._stopped.is_set()

    @property
    def progress(self) -> str:
        """The progress: `looking through the file, 40%`, `12,000 of 50,000 records counted`."""
        table = self._table
        if self._looked_at and not table.exact and table.facts is not None:
            share = min(self._looked_at / max(table.facts.bytes * _LOOKS, 1), 1)
            return f"looking through the file, {share:.0%}"
        about = "" if table.exact else "about "
        records = max(table.height, self.records)
        return f"{self.records:,} of {about}{records:,} records counted"

    def run(self) -> SampledTable:
        """Return the table with these columns counted; raise when stopped."""
        table = self._table = self._surveyed()
        found = sum_counts(self._count_pieces(table.source), self._fit)
        self._check_stopped()
        return replace(
            table,
            records=self.records,
            exact=True,
            counts={**table.counts, **{name: found[name] for name in self._counted}},
            too_many=table.too_many | (frozenset(self.names) - set(found)),
        )

    def _count_pieces(self, source: Source) -> Iterator[Counts]:
        for piece in range(len(source.pieces)):
            self._check_stopped()
            records, counts = count_values((source, self._counted), piece)
            self.records += records
            yield counts

    def _surveyed(self) -> SampledTable:
        """Return the table with the pieces of its source, for which a CSV file is scanned."""
        table = self._table
        if table.source.pieces:
            return table
        source = open_source(self._path, table.source.options, on_bytes=self._note_bytes)
        if table.facts is not None and source.facts.dialect != table.facts.dialect:
            # Only the beginning has a space after every delimiter: the spaces belong to the values.
            options = replace(source.options, space_after_delimiter=False)
            table = replace(sample_table(self._path, options), counts=table.counts)
        if source.names != tuple(table.names):
            raise InputError("the names of its columns changed while it was read; open it again")
        records = source.records or table.records
        return replace(table, source=source, records=records, exact=bool(source.records))

    def _note_bytes(self, size: int) -> None:
        self._looked_at += size
        self._check_stopped()

    def _check_stopped(self) -> None:
        if self._stopped.is_set():
            raise CountingStoppedError

    def _fit(self, whole: Counts) -> None:
        """Drop the columns with most values until the counts fit into memory."""
        while (largest := self._memory.too_many_values(whole)) is not None:
            del whole[largest]
            self._counted = tuple(name for name in self._counted if name != largest)


MOST_DRAWN = 100_000
"""The largest sample of records, where all of them would be needed in memory."""


def read_tables(result: FinishedRun, stop: Stop = never) -> tuple[Task, Table]:
    """Return the task of a result and its release: in memory, or reading their files again.

    `stop` ends a pass over files early.
    """
    if not result.in_files:
        return result.task, as_table(result.release.frame, result.task.table.missing_tokens)
    table = counted_table(result.task)
    if not table.source.unchanged:
        raise InputError("the data has changed since it was read; run again")
    task = replace(result.task, table=replace(table, workers=_workers(stop)))
    return task, _release_rows(result, stop)


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


def _workers(stop: Stop, check: Callable[[], object] = lambda: None) -> LocalWorkers:
    """Return workers that call `check` after every piece, and end when `stop` says so."""
    workers = LocalWorkers()

    def check_piece(what: str, share: float) -> None:
        check()
        check_stopped(stop)

    workers.begin("read", check_piece)
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
