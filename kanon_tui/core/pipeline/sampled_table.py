"""A table that is too large for memory, represented by a sample until all of it has been read.

Of the table at work a sample of its records, taken from all over its files, is in memory within
seconds. `TableCoding` reads the whole table in a thread of its own: it reports its progress and can
be stopped at any time. What it returns is a table like any other.
"""

import threading
from collections.abc import Iterable, Set
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.engine_choice import fits_in_memory
from kanon_tui.core.pipeline.pages import FilePages
from kanon_tui.core.processes.memory_limit import MemoryLimit
from kanon_tui.core.processes.workers import LocalWorkers
from kanon_tui.core.project.project import Project
from kanon_tui.core.table.coded_columns import code_source
from kanon_tui.core.table.csv_survey import NotInPiecesError, sample_csv
from kanon_tui.core.table.data_files import part_files
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import Source, is_parquet_source, open_source
from kanon_tui.core.table.table import Table

SAMPLE = 50_000
"""About how many records a sample has."""
_STRETCHES = 20
"""Places of a Parquet file that are sampled; each decodes pages of all columns."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SampledTable(Table):
    """A table whose `frame` holds a sample; its `height` is that of the whole table."""

    source: Source
    """The source of the records; a CSV file has no pieces before it is counted."""
    records: int = 0
    exact: bool = False
    """Whether `records` was counted, not estimated."""

    @property
    def height(self) -> int:
        """The number of records of the whole table; an estimate until they are counted."""
        return self.records

    @cached_property
    def sample(self) -> Table:
        """The sample as a table of its own."""
        return Table(self.frame, self.facts, self.missing_tokens, self.formats)

    def drop_missing(self, columns: Iterable[str]) -> tuple[Table, int]:
        """Return the sample's records in which none of these columns is missing."""
        return self.sample.drop_missing(columns)


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
        frame = _spread_sample(pages, records)
        record_count = pages.height
        exact = not options.choosing or frame.height == record_count
    else:
        frame, facts, record_count, exact = sample_csv(files, options, records)
        names = tuple(name for name in frame.columns if name != options.counts)
        source = Source(names, (), facts, options, files=files)
    if options.choosing:
        before = frame.height
        frame, _ = options.choose(frame, files[0].name)
        record_count = round(record_count * frame.height / max(before, 1))
    return SampledTable.from_file(
        frame, source.facts, options, source=source, records=record_count, exact=exact
    )


def _spread_sample(pages: FilePages, records: int) -> pl.DataFrame:
    """Return ranges of records at equal distances, about `records` of them together."""
    stretches = 1 if pages.height <= records else min(_STRETCHES, records)
    begins = [pages.height * stretch // stretches for stretch in range(stretches)]
    stretch_records = -(-records // stretches)
    return pl.concat(
        pages.read(begin, min(begin + stretch_records, pages.height)) for begin in begins
    )


_LOOKS = 2
"""How many times a CSV file is scanned before its pieces are known."""


class CountingStoppedError(Exception):
    """The reading was stopped."""


class TableCoding:
    """One pass that reads and codes a table, watched and stopped from other threads."""

    def __init__(
        self, table: SampledTable, path: Path, folder: Path, memory: MemoryLimit, spared: Set[str]
    ) -> None:
        """Take the sample of the table, its path, and the folder for files without a name.

        Columns that are `spared` may be given up where they have very many values.
        """
        self._table = table
        self._path = path
        self._folder = folder
        self._memory = memory
        self._spared = spared
        self.names = tuple(name for name in table.names if name not in spared)
        self.records = 0
        """The number of records read so far."""
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
        if self._looked_at and not self.records and table.facts is not None:
            share = min(self._looked_at / max(table.facts.bytes * _LOOKS, 1), 1)
            return f"looking through the file, {share:.0%}"
        about = "" if table.exact else "about "
        records = max(table.height, self.records)
        return f"{self.records:,} of {about}{records:,} records counted"

    def run(self) -> Table:
        """Return the whole table; raise when stopped."""
        source = self._table.source
        if not source.pieces:
            source = open_source(self._path, source.options, on_bytes=self._note_bytes)
        if source.names != tuple(self._table.names):
            raise InputError("the names of its columns changed while it was read; open it again")
        self._check_stopped()
        return code_source(
            source, LocalWorkers(), self._memory, self._folder, self._spared, self._note_records
        )

    def _note_bytes(self, size: int) -> None:
        self._looked_at += size
        self._check_stopped()

    def _note_records(self, records: int) -> None:
        self.records = records
        self._check_stopped()

    def _check_stopped(self) -> None:
        if self._stopped.is_set():
            raise CountingStoppedError
