"""Where a release goes: into memory, or into files that are written piece by piece.

Both ways take the same steps: recode, write, verify, place. What is in memory is written when the
caller asks for it; files get their names when everything has succeeded.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

import numpy as np
import polars as pl

from kanon_tui.core.pipeline.piece_rows import (
    CountedRelease,
    Recoding,
    ReleaseParts,
    RowTexts,
    SortedRows,
    plan_recoding,
    recode_piece,
)
from kanon_tui.core.pipeline.prepare import no_progress
from kanon_tui.core.pipeline.release_files import check_streamed_target, write_parts
from kanon_tui.core.pipeline.tuple_counts import counted_table
from kanon_tui.core.pipeline.verification import check_published, verify_files, verify_release
from kanon_tui.core.processes.workers import Progress, Workers
from kanon_tui.core.release.recode import Release, recode
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.report.formats import report_bytes
from kanon_tui.core.table.atomic_files import work_folder, written_together
from kanon_tui.core.table.csv_format import CsvFormat
from kanon_tui.core.table.formulas import looks_like_formula
from kanon_tui.core.table.writing import Target, WrittenFile, place_folder
from kanon_tui.core.task.task import Grouping, Task


class Publisher:
    """Keeps a release in memory; the caller writes it."""

    @contextmanager
    def opened(self, task: Task) -> Iterator[None]:
        """Hold what publishing needs while the block runs."""
        yield

    def recode(self, task: Task, grouping: Grouping) -> Release:
        """Return the release of a grouping; refuse one that publishes nothing."""
        release = recode(task, grouping)
        check_published(release)
        _ = release.coded  # computed here, so that its time counts as recoding
        return release

    def write(self, release: Release) -> dict[str, Any]:
        """Write the release aside and return the facts of its files, as `Result` has them."""
        return {}

    def verify(self, release: Release) -> None:
        """Verify the release, or raise `NotReachedError`."""
        verify_release(release)

    def place(self, result: FinishedRun) -> tuple[WrittenFile, ...]:
        """Give the files of a verified release their names and return them."""
        return ()


@dataclass
class FilePublisher(Publisher):
    """Writes a release over counted rows into a file or a folder of parts, piece by piece."""

    workers: Workers
    target: Target | None = None
    """None writes a release that is thrown away when it is verified and measured."""
    report: Path | None = None
    force: bool = False
    progress: Progress = no_progress
    public: bool | None = None
    """Whether the report leaves out whatever depends on the input; None: in HTML."""
    rows: int | None = None
    """The number of rows of a part, about."""
    _folder: Path = field(init=False)
    _csv: CsvFormat | None = field(init=False)
    _recoding: Recoding = field(init=False)
    _texts: RowTexts = field(init=False)
    _pieces: list[SortedRows] = field(init=False)
    _parts: ReleaseParts = field(init=False)

    @contextmanager
    def opened(self, task: Task) -> Iterator[None]:
        """Hold the work folder while the block runs; an error stops all workers."""
        ending = ".parquet" if self.target is None else self.target.ending
        self._csv = None if ending == ".parquet" else task.csv_format(Path(f"release{ending}"))
        check_streamed_target(self.target, self._csv)
        self.progress("recode", 0.0)
        beside = None if self.target is None else self.target.path
        with work_folder(beside) as self._folder, self.workers.stopped_by_errors():
            self.workers.check_folder_visible(self._folder)
            yield

    def recode(self, task: Task, grouping: Grouping) -> CountedRelease:
        """Return the release of a grouping, its rows sorted in files of the work folder."""
        release = CountedRelease.from_grouping(task, grouping, self._folder)
        check_published(release)
        self._recoding, self._texts = plan_recoding(release)
        self.workers.begin("recode", self.progress)
        self._pieces = list(counted_table(task).each_piece(recode_piece, self._recoding))
        counts = zip(*(one.suppressed_values for one in self._pieces), strict=True)
        release.suppressed_values[:] = [np.sum(each, axis=0) for each in counts]
        self.progress("measure", 0.0)
        return release

    def write(self, release: Release) -> dict[str, Any]:
        """Write the parts of the release into the work folder."""
        given = self._csv, self.target, self.rows
        self._parts = ReleaseParts.cut(self._recoding, self._pieces, self._texts, *given)
        formulas = write_parts(self._parts, self.workers, self.progress)
        columns = pl.Series(self._recoding.columns, dtype=pl.String)
        formulas += int(looks_like_formula(columns).sum())
        return {"target": self.target, "formulas_written": formulas, "csv": self._csv}

    def verify(self, release: Release) -> None:
        """Verify the written files, or raise `NotReachedError`."""
        assert isinstance(release, CountedRelease)
        self.workers.begin("verify", self.progress)
        verify_files(release, self.workers, self._parts, self._recoding)
        self.progress("verify", 1.0)

    def place(self, result: FinishedRun) -> tuple[WrittenFile, ...]:
        """Give the release and its report their names: both or none."""
        target, report, written = self.target, self.report, self._parts.paths
        finished = {target.path: written[0]} if target and not target.folder else {}
        paths = [*finished, *([report] if report else [])]
        together: AbstractContextManager[list[IO[bytes]]] = nullcontext([])
        if paths:
            together = written_together(paths, self.force, finished=finished)
        with together as files:
            if report is not None:
                aside = tuple(map(WrittenFile.from_path, written))
                named = replace(result, files=aside)
                files[-1].write(report_bytes(named, report, public=self.public))
            if target is not None and target.folder:
                place_folder(written[0].parent, target.path, self.force)
        for cells in result.release.cells:
            cells.forget_codes()
        return () if target is None else target.written()
