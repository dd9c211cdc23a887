"""From a project to a task over counted rows, in two passes over the pieces of its data.

The first pass counts the values of every column; with them the project is prepared as it would be
in memory. The second counts the distinct tuples of the quasi-identifiers, and of the columns that
something is required of.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from kanon_tui.core.algorithms import ALGORITHMS, find_algorithm
from kanon_tui.core.errors import InputError
from kanon_tui.core.numeric import Int32s, Int64s
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.tuple_counts import (
    TupleCounting,
    Tuples,
    coarsest_codes,
    count_tuples,
    levels_to_count,
    merge_tuples,
)
from kanon_tui.core.processes.memory_limit import MemoryLimit
from kanon_tui.core.processes.workers import Progress, Workers
from kanon_tui.core.project.project import Project
from kanon_tui.core.report.finished_run import Seconds, timed
from kanon_tui.core.table.column import Column
from kanon_tui.core.table.counted_table import CountedTable, Encoder, count_table
from kanon_tui.core.table.data_files import part_files
from kanon_tui.core.table.distinct_values import CountedColumn
from kanon_tui.core.table.schema import Role
from kanon_tui.core.table.source import Source, open_source
from kanon_tui.core.table.tuple_packing import Packing
from kanon_tui.core.task.parts import with_counted_rows
from kanon_tui.core.task.steps import Family
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import joined

__all__ = [
    "Prepared",
    "check_streamable",
    "columns_needed",
    "prepare_counted",
    "prepare_stream",
    "tuple_encoder",
    "value_encoder",
]

_MOST_RECORDS = 2**31 - 1
_BYTES_PER_TUPLE = 200
"""Besides its codes: its words, copies and labels, and what sorting and searching them takes."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """A project whose data has been counted."""

    project: Project
    source: Source
    table: CountedTable
    task: Task
    memory: MemoryLimit
    phases: Seconds = field(default_factory=dict)


def check_streamable(project: Project) -> None:
    """Refuse what cannot be done on pieces, before anything is read."""
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
    if project.weights == "auto":
        raise InputError(
            "weights: auto compares columns record by record, which cannot be done on pieces; use "
            "--engine memory, type a weight for every attribute, or weights: equal",
            on_screen="weights that follow the data compare columns record by record, and this "
            "table is worked on in pieces; give every attribute a weight",
        )
    for asked, what, instead in (
        (
            not project.overlap and algorithm.family is Family.CLUSTERING,
            "overlap: false",
            "overlap: true",
        ),
        (bool(project.algorithm.params.get("refine")), "refine", "refine: false"),
        (project.privacy.suppress == "cells", "suppress: cells", "suppress: records"),
        (
            any(spec.identifier == "pseudonym" for spec in project.attributes.values()),
            "identifier: pseudonym",
            "identifier: drop",
        ),
    ):
        if asked:
            raise InputError(
                f"{what} needs all records at once, which cannot be done on pieces; use --engine "
                f"memory, or {instead}",
                on_screen=f"{what} needs all records at once, and this table is worked on in "
                f"pieces; use {instead}",
            )


def prepare_stream(
    project: Project,
    workers: Workers,
    memory: MemoryLimit,
    progress: Progress = lambda what, share: None,
    pieces: tuple[int | None, int | None] = (None, None),
) -> Prepared:
    """Count, join and check everything; `pieces` are bytes of CSV and records of Parquet."""
    check_streamable(project)
    memory.check_start()
    phases: Seconds = {}
    with timed(phases, "read"):
        progress("look", 0.0)
        heard = _looking(project, progress)
        source = open_source(project.data_path, project.data.read_options, *pieces, heard)
        workers.begin("count values", progress)
        table = count_table(source, workers, memory, columns_needed(project, source))
    return prepare_counted(project, source, table, workers, memory, progress, phases, coarsen=True)


def prepare_counted(
    project: Project,
    source: Source,
    table: CountedTable,
    workers: Workers,
    memory: MemoryLimit,
    progress: Progress = lambda what, share: None,
    phases: Seconds | None = None,
    coarsen: bool = False,
) -> Prepared:
    """The same where the values of every column that matters are counted already.

    With `coarsen` values that no search tells apart are counted as one.
    """
    phases = {} if phases is None else phases
    with timed(phases, "prepare"):
        task = prepare(project, table)
    if task.person is not None:
        raise InputError(
            f"{project.title}: {task.person.name} has the role person, and people with records in "
            "several pieces cannot be counted; use --engine memory, or make one record of each "
            "person before"
        )
    counted = task.table
    assert isinstance(counted, CountedTable)
    if task.n > _MOST_RECORDS:
        raise InputError(
            f"{project.title}: {task.n:,} records are more than {_MOST_RECORDS:,}, which is as "
            "many as can be counted; divide the data"
        )
    workers.begin("count tuples", progress)
    with timed(phases, "read"):
        if coarsen:
            task = replace(task, counted_levels=levels_to_count(task, project.algorithm))
        codes, copies = _count_tuples(task, counted, source, workers, memory)
    few = with_counted_rows(task, codes, copies)
    return Prepared(project, source, counted, few, memory, phases)


def _looking(project: Project, progress: Progress) -> Callable[[int], None]:
    """Hears of bytes that are looked at, all of them twice."""
    whole, looked = 1, 0
    for file in part_files(project.data_path):
        with suppress(OSError):  # reading it will say what is amiss
            whole += 2 * file.stat().st_size

    def heard(size: int) -> None:
        nonlocal looked
        looked += size
        progress("look", min(looked / whole, 1.0))

    return heard


def columns_needed(project: Project, source: Source) -> list[str]:
    """The columns whose values are needed: all that are published or have to be guessed."""
    known = {
        name
        for name, spec in project.attributes.items()
        if spec.role is Role.IDENTIFIER and spec.kind is not None
    }
    return [name for name in source.names if name not in known]


def _count_tuples(
    task: Task, table: CountedTable, source: Source, workers: Workers, memory: MemoryLimit
) -> tuple[Mapping[str, Int32s], Int64s]:
    """By the name of a column its code in every distinct tuple, and how many records have each."""
    columns: list[Column] = [attribute.column for attribute in task.quasi]
    required = {each.column.name: each.column for each in task.requirements}
    columns += [column for name, column in required.items()]
    encoders = (
        *(tuple_encoder(table, task, x) for x in range(len(task.quasi))),
        *(table.encoder(each.name, each.counted if isinstance(each, CountedColumn) else None)
          for each in required.values()),
    )  # fmt: skip
    packing = Packing.for_sizes([len(column.values) for column in columns])
    counting = TupleCounting(source, encoders, packing, table.complete, table.missing_tokens)
    attributes = {each.name: len(each.column.values) for each in task.quasi}
    bytes_each = _BYTES_PER_TUPLE + 24 * packing.words + 18 * len(columns)

    def check(found: Tuples) -> None:
        memory.check_tuples(len(found), bytes_each, attributes)

    pieces = [(piece,) for piece in range(len(source.pieces))]
    counted: Tuples = workers.merged(count_tuples, merge_tuples, counting, pieces, check)
    return counted.codes(packing, [column.name for column in columns]), counted.copies.copy()


def value_encoder(table: CountedTable, column: Column) -> Encoder:
    """Texts to the values of a quasi-identifier, with its ends coded."""
    new = None if column.coding is None else column.coding.new_code
    return replace(table.encoder(column.name, new), size=len(column.values), _kind=[])


def tuple_encoder(table: CountedTable, task: Task, x: int) -> Encoder:
    """Texts to the codes that tuples have of quasi-identifier number x."""
    attribute = task.quasi[x]
    encoder = value_encoder(table, attribute.column)
    level = task.counted_levels[x] if task.counted_levels else 0
    if not level:
        return encoder
    return replace(encoder, codes=coarsest_codes(attribute, level)[encoder.codes], _kind=[])
