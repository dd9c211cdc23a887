"""The choice of the engine of a run: the one that was asked for, or the one that fits.

In memory a table takes several times the size of its text. Where that is more than may be taken,
the run streams; where it cannot stream, it is refused with what would help.
"""

from dataclasses import replace
from pathlib import Path
from typing import Literal

from kanon_tui.core.addresses import is_address
from kanon_tui.core.algorithms import ALGORITHMS, find_algorithm
from kanon_tui.core.errors import InputError, KanonError
from kanon_tui.core.processes.memory_limit import MemoryLimit
from kanon_tui.core.project.project import Project
from kanon_tui.core.reading import size_text
from kanon_tui.core.table.data_files import part_files
from kanon_tui.core.table.source import other_reader
from kanon_tui.core.task.task import Family
from kanon_tui.core.text import joined

_BASE = 400_000_000
_TIMES_TEXT = 6
_TIMES_COMPRESSED = 30
_BYTES_PER_CELL = 60


def check_streamable(project: Project) -> None:
    """Refuse a project that cannot be run on pieces, before anything is read."""
    name = project.algorithm.name
    algorithm = find_algorithm(name)
    if not algorithm.works_on_counted_rows:
        others = joined([n for n, each in ALGORITHMS.items() if each.works_on_counted_rows], "or")
        raise InputError(
            f"{name} works on records, which cannot be done on pieces; use --engine memory, where "
            f"it takes large tables in blocks (--set blocks=SIZE), or {others}",
            on_screen=f"{name} works on records, and this table is worked on in pieces; choose "
            f"{others}",
        )
    if project.weights != "equal":
        raise InputError(
            f"weights: {project.weights} compares columns record by record, which cannot be done "
            "on pieces; use --engine memory, type a weight for every attribute, or weights: equal",
            on_screen="weights that follow the data compare columns record by record, and this "
            "table is worked on in pieces; give every attribute a weight",
        )
    disjoint = not project.overlap and algorithm.family is Family.CLUSTERING
    pseudonyms = any(spec.identifier == "pseudonym" for spec in project.attributes.values())
    for is_set, what, instead in (
        (disjoint, "overlap: false", "overlap: true"),
        (project.algorithm.params.get("refine"), "refine", "refine: false"),
        (project.privacy.suppress == "cells", "suppress: cells", "suppress: records"),
        (project.privacy.ties == "random", "ties: random", "ties: first"),
        (pseudonyms, "identifier: pseudonym", "identifier: drop"),
    ):
        if is_set:
            raise InputError(
                f"{what} needs all records at once, which cannot be done on pieces; use --engine "
                f"memory, or {instead}",
                on_screen=f"{what} needs all records at once, and this table is worked on in "
                f"pieces; use {instead}",
            )


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
        if file.suffix.lower() == ".parquet":
            needed += _cells(file) * _BYTES_PER_CELL
        elif file.suffix.lower() in (".gz", ".zst", ".zstd"):
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
    if any(map(other_reader, part_files(project.data_path))):
        return True
    return needed_in_memory(project.data_path) <= memory_limit(project).allowed


def choose_engine(project: Project, folder: bool = False) -> Literal["memory", "stream", "dask"]:
    """Return the engine of a run; `folder` says that the release is a folder of parts."""
    engine = project.run.engine
    if engine in ("stream", "dask"):
        if is_address(project.data.path) and engine == "dask":
            raise InputError(
                f"{project.title}: rows of a database are kept on this machine, where no cluster "
                "reads them; export them to Parquet, or use --engine stream"
            )
        return engine
    if folder and engine == "memory":
        raise InputError(
            "a folder of parts is written by the streaming engine; name a file like release.csv, "
            "or leave --engine out"
        )
    if folder:
        return "stream"
    if fits_in_memory(replace(project, run=replace(project.run, engine="auto"))):
        return "memory"
    remedy = "leave --engine out, to stream it"
    if engine != "memory":
        try:
            check_streamable(project)
            return "stream"
        except KanonError as error:
            remedy = f"stream it: {error.on_screen}"
    limit = memory_limit(project)
    if not limit.bytes:
        return "memory"  # reading refuses a table that does not fit
    raise InputError(
        f"{project.title}: in memory this takes about "
        f"{size_text(needed_in_memory(project.data_path))}, and {size_text(limit.allowed)} are "
        f"allowed; allow more with --memory, or {remedy}"
    )
