"""From the grouping of counted rows to a release in files, proved and measured.

run = Run(prepared.task, algorithm)          # pulled by whoever wants, as any run
result = release_stream(prepared, run, workers, Target(Path("release.csv")))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from kanon_tui.core.errors import InputError, NotReachedError
from kanon_tui.core.hierarchy.level_table import HIDDEN
from kanon_tui.core.metrics.measure import measure
from kanon_tui.core.numeric import Int32s
from kanon_tui.core.pipeline.counted_prepare import Prepared, tuple_encoder, value_encoder
from kanon_tui.core.pipeline.file_result import CountedRelease, StreamedResult
from kanon_tui.core.pipeline.part_writing import PartWriting, put_release, write_part
from kanon_tui.core.pipeline.piece_rows import CODE_BITS, Recoding, Stretches, Texts, recode_piece
from kanon_tui.core.pipeline.piece_rows import Run as RowRun
from kanon_tui.core.pipeline.release_proof import Proof, Written, prove
from kanon_tui.core.pipeline.result import starred_class
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.privacy.verify import verify
from kanon_tui.core.processes.workers import Progress, Workers
from kanon_tui.core.release.formulas import looks_like_formula
from kanon_tui.core.release.recode import recode, text_ranks
from kanon_tui.core.report.finished_run import Seconds, timed
from kanon_tui.core.report.formats import report_text
from kanon_tui.core.table.atomic_files import written_together
from kanon_tui.core.table.cell_codes import CodedCells
from kanon_tui.core.table.column import Column
from kanon_tui.core.table.csv_format import CsvFormat
from kanon_tui.core.table.distinct_values import CountedColumn
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.target import Target, place_folder, work_folder
from kanon_tui.core.table.tuple_packing import Packing, TupleIndex

__all__ = ["STREAMED_ENDINGS", "check_target", "release_stream"]

STREAMED_ENDINGS = (".csv", ".tsv", ".parquet")
_UTF8 = ("utf-8", "utf-8-sig", "ascii")


def check_target(target: Target | None, csv: CsvFormat | None) -> None:
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
    if csv is not None and csv.encoding.lower() not in _UTF8:
        raise InputError(
            f"{target.path}: only UTF-8 is written in pieces, not {csv.encoding}; use output: "
            "{encoding: utf-8}, or --engine memory"
        )


def release_stream(
    prepared: Prepared,
    run: Run,
    workers: Workers,
    target: Target | None = None,
    report: Path | None = None,
    force: bool = False,
    progress: Progress = lambda what, share: None,
    rows: int | None = None,
) -> StreamedResult:
    """Recode, write, prove and measure; files take their names when all that has succeeded."""
    task = prepared.task
    name = Path(f"release{target.ending}") if target is not None else Path("release.parquet")
    csv = None if name.suffix == ".parquet" else task.csv_format(name)
    check_target(target, csv)
    grouping = run.finish()
    if grouping is None:
        raise NotReachedError(
            f"{run.algorithm.name}: stopped before it had found a release; nothing was written"
        )
    phases: Seconds = {**prepared.phases, **run.phases, "search": run.seconds}
    progress("recode", 0.0)
    with work_folder(target) as folder, workers.stopped_by_errors():
        workers.check_folder_visible(folder)
        with timed(phases, "recode"):
            release = CountedRelease(
                task,
                grouping,
                recode(task, grouping).cells,
                folder=folder,
                pieces=len(prepared.source.pieces),
                columns=tuple(column.name for column in task.sensitive),
            )
            if release.suppressed.all():
                verify(pl.DataFrame(schema=dict.fromkeys(task.roles, pl.String)), (), (), task.k)
            recoding, texts = _recoding(prepared, release, folder)
            pieces = [(piece,) for piece in range(len(prepared.source.pieces))]
            workers.begin("recode", progress)
            runs: list[RowRun] = list(workers.each(recode_piece, recoding, pieces))
            gone = zip(*(one.gone for one in runs), strict=True)
            release.gone[:] = [np.sum(each, axis=0) for each in gone]
        progress("measure", 0.0)
        with timed(phases, "measure"):
            measures = measure(release)
        stretches = Stretches.of(folder, runs, task.output.order, texts, rows)
        out = folder / "release"
        out.mkdir(mode=0o700)
        names = _part_names(target, name, len(stretches))
        quoted = () if csv is None else tuple(csv.quoted_columns(_used(recoding, runs, texts)))
        writing = PartWriting(stretches, out, names, csv, quoted)
        with timed(phases, "write"):
            formulas = _write(writing, target, workers, progress)
        formulas += int(looks_like_formula(pl.Series(recoding.columns, dtype=pl.String)).sum())
        workers.begin("verify", progress)
        with timed(phases, "verify"):
            _prove(prepared, release, workers, writing, recoding)
        progress("verify", 1.0)
        result = StreamedResult(
            task, run.algorithm, grouping, release, run.seconds, measures, prepared.project,
            phases, target=target, formulas=formulas, csv=csv,
        )  # fmt: skip
        _place(result, out, target, report, force)
    for cells in release.cells:
        cells.let_go()
    return replace(result, files=() if target is None else target.written())


def _recoding(prepared: Prepared, release: CountedRelease, folder: Path) -> tuple[Recoding, Texts]:
    task, table = prepared.task, prepared.table
    starred = task.output.suppressed == "star" and bool(release.suppressed.any())
    packing = Packing.for_sizes([len(attribute.column.values) for attribute in task.quasi])
    words = packing.pack([attribute.column.codes for attribute in task.quasi])
    index, first = TupleIndex.from_tuples(words)
    quasi = tuple(tuple_encoder(table, task, x) for x in range(len(task.quasi)))
    coarse = any(task.counted_levels)
    values = tuple(value_encoder(table, each.column) for each in task.quasi) if coarse else ()
    ranks: dict[str, CodedCells] = {}
    texts: dict[str, pl.Series] = {}
    for attribute, cells in zip(task.quasi, release.cells, strict=True):
        shown = list(cells.texts)
        hidden = len(shown)
        if starred and HIDDEN in shown:
            hidden = shown.index(HIDDEN)
        elif starred or not shown:
            shown.append(HIDDEN)
        order = text_ranks(shown)
        order = np.append(order, order[min(hidden, len(shown) - 1)])  # for -1, which is the last
        ranks[attribute.name] = np.asarray(order, dtype=np.int32), cells.codes[first]
        texts[attribute.name] = pl.Series(sorted(shown), dtype=pl.String)
    others = tuple(table.text_encoder(name) for name in task.published_as_they_are)
    texts |= {encoder.name: encoder.texts for encoder in others}
    columns = tuple(name for name, role in task.roles.items() if role.published)
    layout = Packing.for_sizes([len(texts[name]) for name in columns])
    classes = release.classes[first]
    suppressed = release.suppressed[first]
    recoding = Recoding(
        source=prepared.source,
        complete=table.complete,
        missing_tokens=table.missing_tokens,
        folder=folder,
        quasi=quasi,
        packing=packing,
        index=index,
        rows=tuple(layout.pack_cells(len(first), [ranks.get(name) for name in columns])),
        classes=np.where(suppressed, len(release.class_sizes), classes).astype(np.uint64)
        << np.uint64(CODE_BITS),
        suppressed=suppressed,
        starred=starred,
        values=values,
        others=others,
        columns=columns,
        layout=layout,
        sensitive={column.name: _counted_as(table, column) for column in task.sensitive},
        order=task.output.order,
    )
    escape = task.output.formulas == "escape"
    return recoding, Texts.of(columns, [texts[name] for name in columns], layout, escape)


def _counted_as(table: Any, column: Column) -> Int32s:
    """What each text of a sensitive column, in the order of texts, counts as."""
    own = table.encoder(column.name, column.counted if isinstance(column, CountedColumn) else None)
    order = own.texts.arg_sort().to_numpy()
    return np.asarray(own.codes[order], dtype=np.int32)


def _used(recoding: Recoding, runs: Sequence[RowRun], texts: Texts) -> list[pl.Series]:
    """The texts that are written, column by column."""
    found = []
    for place, (name, written) in enumerate(zip(texts.columns, texts.texts, strict=True)):
        used = [run.used[recoding.columns[place]] for run in runs
                if recoding.columns[place] in run.used]  # fmt: skip
        kept = written.gather(np.unique(np.concatenate(used))) if used else written
        found.append(kept.alias(name))
    return found


def _part_names(target: Target | None, name: Path, count: int) -> tuple[str, ...]:
    if target is not None and not target.folder:
        return (name.name,)
    return tuple((target or Target(name, folder=True)).part(number) for number in range(count))


def _write(
    writing: PartWriting, target: Target | None, workers: Workers, progress: Progress
) -> int:
    if target is not None and not target.folder:
        with open(writing.folder / writing.names[0], "wb") as file:
            return put_release(
                writing, file, target.path.name, lambda share: progress("write", share)
            )
    jobs = [(stretch,) for stretch in range(len(writing.stretches))]
    workers.begin("write", progress)
    return sum(found for _, _, found in workers.each(write_part, writing, jobs))


def _prove(
    prepared: Prepared,
    release: CountedRelease,
    workers: Workers,
    writing: PartWriting,
    recoding: Recoding,
) -> None:
    task = prepared.task
    quasi = tuple(attribute.name for attribute in task.quasi)
    claims = tuple(each.claim(task.table.missing_tokens) for each in task.sensitive_requirements)
    columns, texts = recoding.columns, writing.stretches.texts
    claimed = tuple(dict.fromkeys(claim.attribute for claim in claims))
    options = ReadOptions(header=True)
    if writing.csv is not None:
        options = ReadOptions(
            delimiter=writing.csv.delimiter,
            header=True,
            quote=writing.csv.quote,
            space_after_delimiter=False,
        )
    written = Written(
        tuple(writing.folder / name for name in writing.names),
        options,
        texts.columns,
        tuple(columns.index(name) for name in quasi),
        tuple(columns.index(name) for name in claimed),
    )
    originals = {}
    if task.output.formulas == "escape":
        own = {encoder.name: encoder.texts for encoder in recoding.others}
        for name in claimed:
            escaped = texts.texts[columns.index(name)].to_list()
            originals[name] = dict(zip(escaped, own[name].to_list(), strict=True))
    proof = Proof(quasi, task.left_out, task.k, claims, columns, originals, release.published_sizes)
    try:
        _prove_personal_k(release, quasi)
        prove(workers, written, proof)
    except NotReachedError:
        suppressed = release.suppressed_records
        if task.output.suppressed != "star" or not 0 < suppressed < task.n:
            raise
        raise starred_class(suppressed, task.k) from None


def _prove_personal_k(release: CountedRelease, quasi: Sequence[str]) -> None:
    """What each person asks for is in no file: it is proved from the counted rows."""
    task = release.task
    column = task.personal_k
    if column is None or column.numbers is None:
        return
    starred = task.output.suppressed == "star"
    rows = np.ones(task.rows, dtype=bool) if starred else ~release.suppressed
    published = pl.DataFrame(
        [
            pl.Series(name, [*cells.texts, HIDDEN], dtype=pl.String).gather(
                np.where(cells.codes[rows] < 0, len(cells.texts), cells.codes[rows])
            )
            for name, cells in zip(quasi, release.cells, strict=True)
        ]
    )
    assert task.copies is not None
    asked = [float(each) for each in column.numbers[column.codes[rows]]]
    copies = pl.Series(task.copies[rows])
    verify(published, quasi, (), task.k, personal_k=asked, copies=copies)


def _place(
    result: StreamedResult, out: Path, target: Target | None, report: Path | None, force: bool
) -> None:
    """Give the release and its report their names: both or none."""
    single = target is not None and not target.folder
    paths = [path for path in (target.path if target and single else None, report) if path]
    finished = {target.path: next(out.iterdir())} if target is not None and single else {}
    if paths:
        with written_together(paths, force, finished=finished) as files:
            if report is not None:
                files[-1].write(report_text(result, report).encode())
            if target is not None and target.folder:
                place_folder(out, target.path, force)
    elif target is not None and target.folder:
        place_folder(out, target.path, force)
