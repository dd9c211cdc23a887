"""Where a release goes: into memory, or into files that are written part by part.

Both ways take the same steps: recode, write, verify, place. What is in memory is written when the
caller asks for it; files get their names when everything has succeeded, and are copied as they were
verified.
"""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl

from kanon_tui.core.errors import InputError, NotReachedError
from kanon_tui.core.numeric import Flags, Words
from kanon_tui.core.pipeline.engine_choice import is_written_in_pieces
from kanon_tui.core.pipeline.piece_rows import (
    CountedRelease,
    Recoding,
    SortedRows,
    answer_questions,
    plan_recoding,
    read_sorted,
    recode_piece,
    sorted_words,
)
from kanon_tui.core.pipeline.prepare import no_progress
from kanon_tui.core.pipeline.tuple_counts import Packing, counted_table
from kanon_tui.core.pipeline.verification import (
    Requirements,
    check_published,
    stars_explained,
    verify_release,
)
from kanon_tui.core.processes.workers import Progress, Workers
from kanon_tui.core.release.recode import Release, published_cells, recode
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.report.formats import is_internal, report_bytes
from kanon_tui.core.table.atomic_files import (
    work_folder,
    writing_errors,
    written_aside,
    written_together,
)
from kanon_tui.core.table.counted_table import count_rows, sum_counts
from kanon_tui.core.table.csv_format import CsvFormat, release_options
from kanon_tui.core.table.formats import STREAMED_ENDINGS
from kanon_tui.core.table.formulas import escape_formulas, looks_like_formula, unescaped
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import open_source
from kanon_tui.core.table.table import Counts
from kanon_tui.core.table.writing import Target, WrittenFile, place_folder, put_parquet_parts
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


_CHUNK = 1 << 22
ROWS = 1_000_000
"""Rows of one part of the release, about."""


def check_streamed_target(target: Target | None, csv: CsvFormat | None) -> None:
    """Refuse files that cannot be written piece by piece."""
    if target is None:
        return
    if not target.folder and target.path.suffix.lower() not in STREAMED_ENDINGS:
        raise InputError(
            f"{target.path}: only CSV, TSV and Parquet are written in pieces; name such a file, "
            "or use --engine memory",
            on_screen=f"{target.path}: only CSV, TSV and Parquet are written in pieces; name such "
            "a file",
        )
    if csv is not None and not is_written_in_pieces(target, csv.encoding):
        raise InputError(
            f"{target.path}: only UTF-8 is written in pieces, not {csv.encoding}; use output: "
            "{encoding: utf-8}, or --engine memory"
        )


@dataclass(frozen=True, eq=False)
class ReleaseParts:
    """The release in parts of about `ROWS` rows, merged from the sorted rows of the pieces.

    The texts of a column are those that the packed ranks of a row stand for, as files have them.
    """

    folder: Path
    runs: Sequence[int]
    """The pieces that have published rows."""
    order: Literal["sorted", "shuffled", "input"]
    cuts: Words
    texts: Sequence[pl.Series]
    """Per column, the texts by rank."""
    layout: Packing
    suspects: Sequence[Flags]
    """Per column, which texts look like formulas."""
    csv: CsvFormat | None
    """None for Parquet."""
    quoted: Sequence[str]
    """The columns whose cells are all quoted."""

    def __len__(self) -> int:
        return len(self.runs) if self.order == "input" else len(self.cuts) + 1

    def words(self, part: int) -> list[Words]:
        """Return the rows of a part, in their order."""
        if self.order == "input":
            return list(np.array(read_sorted(self.folder, self.runs[part])))
        slices = []
        for piece in self.runs:
            rows = read_sorted(self.folder, piece)
            begin = int(np.searchsorted(rows[0], self.cuts[part - 1])) if part else 0
            end = rows.shape[1]
            if part < len(self.cuts):
                end = int(np.searchsorted(rows[0], self.cuts[part]))
            slices.append(np.array(rows[:, begin:end]))
        words = sorted_words(list(np.concatenate(slices, axis=1)))
        return words[1:] if self.order == "shuffled" else words

    def frame(self, words: Sequence[Words]) -> tuple[pl.DataFrame, int]:
        """Return the cells of rows as they are written, and how many look like formulas."""
        ranks = [self.layout.unpack(words, place) for place in range(len(self.texts))]
        cells = [texts.gather(own) for texts, own in zip(self.texts, ranks, strict=True)]
        suspects = zip(self.suspects, ranks, strict=True)
        return pl.DataFrame(cells), sum(int(f[own].sum()) for f, own in suspects if f.any())


def write_part(shared: tuple[ReleaseParts, Sequence[Path]], part: int) -> int:
    """Write one part into its file; return how many cells look like formulas."""
    parts, paths = shared
    return _write_file(parts, paths[part], [part], no_progress)


def _write_file(parts: ReleaseParts, path: Path, numbers: Sequence[int], progress: Progress) -> int:
    """Write some parts into one file, aside at first: another worker may do the same."""
    formulas = 0

    def frames() -> Iterator[pl.DataFrame]:
        nonlocal formulas
        for done, part in enumerate(numbers):
            progress("write", done / len(numbers))
            frame, found = parts.frame(parts.words(part))
            formulas += found
            yield frame

    aside = path.with_name(f".{path.name}.aside")
    with open(aside, "wb") as file:
        if parts.csv is None:
            put_parquet_parts(frames(), file, [each.name for each in parts.texts])
        else:
            parts.csv.put_parts(frames(), parts.quoted, file, path.name)
    aside.replace(path)
    return formulas


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
    strict: bool = False
    """Whether to refuse a release that a caution speaks against."""
    _folder: Path = field(init=False)
    _csv: CsvFormat | None = field(init=False)
    _recoding: Recoding = field(init=False)
    _texts: list[pl.Series] = field(init=False)
    """By column, the texts that the ranks of rows stand for."""
    _names: tuple[str, ...] = field(init=False)
    """The columns as files have them."""
    _pieces: list[SortedRows] = field(init=False)
    _paths: tuple[Path, ...] = field(init=False)
    """The files in the work folder: one for all parts, or one each."""

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
        release = CountedRelease(task, grouping, published_cells(task, grouping), self._folder)
        check_published(release)
        self._recoding, self._texts = plan_recoding(release)
        self.workers.begin("recode", self.progress)
        self._pieces = list(counted_table(task).each_piece(recode_piece, self._recoding))
        counts = zip(*(one.suppressed_values for one in self._pieces), strict=True)
        release.suppressed_values[:] = [np.sum(each, axis=0) for each in counts]
        self.progress("measure", 0.0)
        pieces = [rows.piece for rows in self._pieces]
        release.risks.update(answer_questions(self._recoding, pieces, task.k))
        return release

    def write(self, release: Release) -> dict[str, Any]:
        """Write the parts of the release into the work folder, into one file or one each."""
        parts = self._parts(escape=release.task.output.formulas == "escape")
        self._names = tuple(each.name for each in parts.texts)
        out, numbers = self._folder / "release", range(len(parts))
        out.mkdir(mode=0o700)
        if self.target is not None and not self.target.folder:
            self._paths = (out / self.target.path.name,)
            formulas = _write_file(parts, self._paths[0], numbers, self.progress)
        else:
            target = self.target or Target(Path("release.parquet"), folder=True)
            self._paths = tuple(out / target.part(number) for number in numbers)
            self.workers.begin("write", self.progress)
            shared = parts, self._paths
            formulas = sum(self.workers.map(write_part, shared, [(part,) for part in numbers]))
        columns = pl.Series(self._recoding.columns, dtype=pl.String)
        formulas += int(looks_like_formula(columns).sum())
        return {"target": self.target, "formulas_written": formulas, "csv": self._csv}

    def _parts(self, escape: bool) -> ReleaseParts:
        """Return the parts of the release, cut at about every `ROWS` rows."""
        recoding, runs = self._recoding, [run for run in self._pieces if run.rows]
        parts = max(1, -(-sum(run.rows for run in runs) // ROWS))
        sample = np.sort(np.concatenate([np.empty(0, np.uint64), *(run.sample for run in runs)]))
        places = (np.arange(1, parts) * len(sample)) // parts
        cuts = np.unique(sample[places] if len(sample) else sample)
        if runs:  # nothing is before the smallest row
            cuts = cuts[cuts > min(read_sorted(self._folder, run.piece)[0, 0] for run in runs)]
        frames = [each.to_frame() for each in self._texts]
        texts = [(escape_formulas(each) if escape else each).to_series() for each in frames]
        quoted: list[str] = []
        if self._csv is not None:
            used = [self._used(*each) for each in zip(recoding.columns, texts, strict=True)]
            quoted = self._csv.quoted_columns(used)
        return ReleaseParts(
            self._folder,
            [run.piece for run in runs],
            recoding.order,
            cuts,
            texts,
            recoding.layout,
            [looks_like_formula(each).to_numpy() for each in self._texts],
            self._csv,
            quoted,
        )

    def _used(self, column: str, texts: pl.Series) -> pl.Series:
        """Return those of a column's texts that are written."""
        used = [run.used[column] for run in self._pieces if column in run.used]
        return texts.gather(np.unique(np.concatenate(used))) if used else texts

    def verify(self, release: Release) -> None:
        """Verify the written files, or raise `NotReachedError`.

        They are read again: they must have what is required, and the classes that were measured.
        """
        self.workers.begin("verify", self.progress)
        task, columns = release.task, self._recoding.columns
        required = Requirements(task)
        claimed = tuple(dict.fromkeys(claim.attribute for claim in required.claims))
        quasi = tuple(columns.index(name) for name in required.quasi)
        wanted = {_CLASSES: quasi} | {name: (*quasi, columns.index(name)) for name in claimed}
        with stars_explained(release):
            _verify_personal_k(release, required)
            shared = release_options(self._csv), self._names, wanted
            jobs = [(path,) for path in self._paths]
            counts = sum_counts(self.workers.map(count_written, shared, jobs))
            classes = counts.pop(_CLASSES)
            if not np.array_equal(np.sort(classes["records"]), np.sort(release.published_sizes)):
                raise NotReachedError(
                    "the written release does not have the classes that were measured; nothing was "
                    "written"
                )
            required.check(_named(classes, columns), copies=classes["records"])
            for name, frame in counts.items():
                named = _named(frame, columns)
                if task.output.formulas == "escape":
                    named = named.with_columns(unescaped(named[name]))
                claims = [claim for claim in required.claims if claim.attribute == name]
                required.check(named, claims, copies=frame["records"])
        self.progress("verify", 1.0)

    def place(self, result: FinishedRun) -> tuple[WrittenFile, ...]:
        """Give the release and its report their names: both or none."""
        if self.strict:
            result.refuse_severe_cautions()
        target, report, written = self.target, self.report, self._paths
        finished = {target.path: written[0]} if target and not target.folder else {}
        paths = [*finished, *([report] if report else [])]
        closed = [path for path in paths if path == report and is_internal(path, self.public)]
        with written_together(paths, self.force, closed, finished) as files:
            if report is not None:
                aside = tuple(map(WrittenFile.from_path, written))
                named = replace(result, files=aside)
                files[-1].write(report_bytes(named, report, public=self.public))
            if target is not None and target.folder:
                place_folder(written[0].parent, target.path, self.force)
        for cells in result.release.cells:
            cells.forget_codes()
        return () if target is None else target.written()


def _verify_personal_k(release: Release, required: Requirements) -> None:
    """Verify the k of each person from the counted rows: it is in no file."""
    task = release.task
    if task.personal_k is None or task.copies is None:
        return
    starred = task.output.suppressed == "star"
    rows = np.flatnonzero(~release.suppressed | starred)
    copies = pl.Series(task.copies[rows])
    required.check(release.quasi_cells(rows), **required.personal_facts(rows), copies=copies)


_CLASSES = ""
"""The name of the counts of classes; no column has it."""
Wanted = Mapping[str, Sequence[int]]
"""The places of columns whose rows are counted, by the name of the count."""


def count_written(shared: tuple[ReadOptions, Sequence[str], Wanted], path: Path) -> Counts:
    """Return the distinct rows of some columns of a written file, with their numbers of records.

    The columns are given by their places in the file.
    """
    options, columns, wanted = shared
    source = open_source(path, options, written_here=True)
    if source.names != tuple(columns):
        raise NotReachedError(
            "the written file does not have the columns of the release; nothing was written"
        )

    def frames() -> Iterator[pl.DataFrame]:
        for frame in chain.from_iterable(map(source.read, source.pieces)):
            frame.columns = [str(place) for place in range(frame.width)]
            yield frame

    return sum_counts(
        {name: count_rows(frame.select(map(str, places))) for name, places in wanted.items()}
        for frame in frames()
    )


def _named(frame: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Return counted rows under the names that the task has for the columns."""
    cells = frame.drop("records")
    return cells.rename({place: columns[int(place)] for place in cells.columns})


def copy_files(
    files: Sequence[WrittenFile], written_as: Target, target: Target, force: bool = False
) -> None:
    """Copy the verified files of a release under another name; refuse files that have changed."""
    if (target.folder, target.ending) != (written_as.folder, written_as.ending):
        ending = written_as.ending
        what = (
            f"a folder of {ending} parts" if written_as.folder else f"a file that ends in {ending}"
        )
        raise InputError(
            f"{target.path}: a streamed release is copied as it was proved; name {what}, or run "
            "again for another format"
        )
    target.check(force, [file.path for file in files])
    for file in files:
        file.check()
    if not written_as.folder:
        with written_aside(target.path, force) as aside, open(written_as.path, "rb") as verified:
            shutil.copyfileobj(verified, aside, _CHUNK)
            files[0].check()
        return
    with work_folder(target.path) as folder:
        parts = folder / "release"
        with writing_errors(target.path):
            parts.mkdir(mode=0o700)
            for file in files:
                shutil.copyfile(file.path, parts / file.path.name)
        for file in files:
            file.check()
        place_folder(parts, target.path, force)
