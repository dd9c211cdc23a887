"""The choice of the engine of a run, and the table of a project wherever its records lie.

In memory a table takes several times the size of its text. Where that is more than may be taken,
it is coded into a file that is mapped into memory. A search that needs the distinct combinations
alone counts them in pieces; all others work on the mapped records.
"""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Literal

from kanon_tui.core.addresses import is_address
from kanon_tui.core.errors import InputError
from kanon_tui.core.processes.memory_limit import MemoryLimit
from kanon_tui.core.processes.workers import LocalWorkers, Progress, Workers
from kanon_tui.core.project.project import Project
from kanon_tui.core.project.sections import AttributeSpec
from kanon_tui.core.reading import size_text
from kanon_tui.core.table.column import Role
from kanon_tui.core.table.csv_survey import NotInPiecesError
from kanon_tui.core.table.data_files import part_files
from kanon_tui.core.table.formats import PARQUET, format_of, look_at
from kanon_tui.core.table.table import Table
from kanon_tui.core.table.writing import Target
from kanon_tui.core.task.task import Algorithm, Task

_BASE = 400_000_000
_TIMES_TEXT = 6
_TIMES_COMPRESSED = 30
_BYTES_PER_CELL = 60


def needs_records(project: Project) -> bool:
    """Return whether what is required of a search cannot be told of distinct combinations."""
    privacy = project.privacy
    bounds_release = privacy.risk is not None and privacy.risk.measure != "highest"
    if bounds_release or privacy.subset_k is not None or privacy.suppress == "cells":
        return True
    parameters = project.algorithm.params
    if parameters.get("relaxed") or parameters.get("refine") or not project.overlap:
        return True
    return any(spec.role is Role.PERSON for spec in project.attributes.values())


def searches_values(project: Project, algorithm: Algorithm) -> bool:
    """Return whether a search beyond memory works on distinct combinations, not on records."""
    if not algorithm.works_on_counted_rows or algorithm.spares_records:
        return False
    if not beyond_memory(project):
        return False
    return not needs_records(project)


def beyond_memory(project: Project) -> bool:
    """Return whether the table of a project is coded into a file, since it does not fit."""
    return project.run.engine in ("stream", "dask") or not fits_in_memory(project)


def read_records(
    project: Project,
    workers: Workers | None = None,
    progress: Progress | None = None,
    memory: MemoryLimit | None = None,
) -> Table:
    """Return the table of a project: in memory where it fits, else coded into a file.

    The workers read it in pieces, within the memory. What cannot be read so, such as a workbook, is
    read at once.
    """
    if not beyond_memory(project):
        return project.read_data()
    from kanon_tui.core.table.coded_columns import code_source

    memory = memory or memory_limit(project).with_held_memory()
    memory.check_start()
    readers = LocalWorkers() if workers is None else workers
    try:
        source = project.open_data(scan_progress(project, progress))
    except NotInPiecesError:
        return project.read_data()
    readers.begin("code", progress)
    spared = {name for name, spec in project.attributes.items() if _is_left_out(spec)}
    try:
        return code_source(source, readers, memory, spill_folder(project), spared)
    finally:
        readers.begin("", None)
        memory.tidy()


@contextmanager
def workers_of(
    project: Project, target: Target | None, trust: bool = False, insecure: bool = False
) -> Iterator[Workers]:
    """Yield the workers of a project: this process, or a cluster that sees the release.

    `trust` says that the user agrees to the scheduler of the project, `insecure` that it may be one
    without TLS.
    """
    if project.run.engine != "dask":
        yield LocalWorkers()
        return
    from kanon_tui.core.dask.cluster import check_trusted, cluster

    check_trusted(project.run.scheduler, trust)
    with cluster(project.run.scheduler, target, insecure) as workers:
        workers.check_readable(part_files(project.data_path))
        yield workers


def _is_left_out(spec: AttributeSpec) -> bool:
    """Return whether a column is known to be left out, so that nothing asks for its values."""
    return spec.role is Role.IDENTIFIER and spec.kind is not None and spec.identifier != "pseudonym"


def scan_progress(project: Project, progress: Progress | None) -> Callable[[int], None]:
    """Return a callback for the bytes that were scanned; all of them are scanned twice."""
    if progress is None or is_address(project.data.path):
        return lambda _: None
    report = progress
    total = 1
    scanned = 0
    for file in part_files(project.data_path):
        with suppress(OSError):  # reading it will report the error
            total += 2 * file.stat().st_size

    def note_bytes(size: int) -> None:
        nonlocal scanned
        scanned += size
        report("look", min(scanned / total, 1.0))

    return note_bytes


_BYTES_PER_RECORD, _BYTES_PER_QUASI = 100, 8
"""Memory of a run on records besides that of its algorithm: the release, and codes in one table."""


def check_arrays(project: Project, memory: MemoryLimit, task: Task, of_algorithm: int) -> None:
    """Refuse more records than the arrays of a run have room for, where memory is limited.

    `of_algorithm` is what its algorithm takes for each.
    """
    if not project.run.memory or project.run.memory == "auto":
        return
    bytes_per_record = _BYTES_PER_RECORD + of_algorithm
    if of_algorithm:
        bytes_per_record += _BYTES_PER_QUASI * len(task.quasi)
    needed = task.n * bytes_per_record
    room = memory.for_arrays
    if needed <= room:
        return
    remedy = ", or choose mondrian or global, which search distinct combinations"
    if not of_algorithm:
        remedy = ""
    raise InputError(
        f"{project.title}: {project.algorithm.name} works on records and takes "
        f"{size_text(needed)} for {task.n:,} of them, and {size_text(room)} of "
        f"{size_text(project.run.memory)} are left beside the program; allow more with --memory, "
        f"publish fewer columns{remedy}"
    )


def spill_folder(project: Project) -> Path:
    """Return the folder for files without a name: beside the data, or among temporary files."""
    if not is_address(project.data.path):
        folder = part_files(project.data_path)[0].parent
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.gettempdir())


def memory_limit(project: Project) -> MemoryLimit:
    """Return the memory limit of a project's runs."""
    memory = project.run.memory
    return MemoryLimit(0 if memory == "auto" else memory)


def needed_in_memory(path: Path) -> int:
    """Return about how many bytes a run in memory takes for the table of these files."""
    needed = _BASE
    for file in part_files(path):
        try:
            size = file.stat().st_size
        except OSError:
            continue  # reading it will report the error
        format, packing = look_at(file)
        if format is PARQUET and packing is None:
            needed += _cells(file) * _BYTES_PER_CELL
        elif packing is not None:
            needed += size * _TIMES_COMPRESSED
        else:
            needed += size * _TIMES_TEXT
    return needed


def _cells(file: Path) -> int:
    import polars as pl

    try:
        lazy = pl.scan_parquet(file, glob=False)
        return int(lazy.select(pl.len()).collect().item()) * len(lazy.collect_schema())
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError):
        return 0  # reading it will report the error


def fits_in_memory(project: Project) -> bool:
    """Return whether the whole table of a project may be held in memory.

    What cannot be read in pieces counts as fitting: the reader knows how much it can take.
    """
    if is_address(project.data.path) or project.run.engine == "memory":
        return True
    if not all(format_of(file).in_pieces for file in part_files(project.data_path)):
        return True
    return needed_in_memory(project.data_path) <= memory_limit(project).allowed


Engine = Literal["memory", "map", "dask"]


def choose_engine(project: Project) -> Engine:
    """Return where the records of a run are: in memory, mapped from a file, or on a cluster."""
    engine = project.run.engine
    if engine == "dask":
        if is_address(project.data.path):
            raise InputError(
                f"{project.title}: rows of a database are kept on this machine, where no cluster "
                "reads them; export them to Parquet, or use --engine stream"
            )
        return engine
    if engine == "stream":
        return "map"
    if fits_in_memory(replace(project, run=replace(project.run, engine="auto"))):
        return "memory"
    limit = memory_limit(project)
    if engine != "memory":
        return "map"
    if not limit.bytes:
        return "memory"  # reading refuses a table that does not fit
    raise InputError(
        f"{project.title}: in memory this takes about "
        f"{size_text(needed_in_memory(project.data_path))}, and {size_text(limit.allowed)} are "
        "allowed; allow more with --memory, or leave --engine out, to work on it in a file"
    )
