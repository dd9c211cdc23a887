"""From a project and its table to a `Task`: one entry point for tables in memory and in pieces.

Everything a person can have got wrong (an unknown column, a value without a row in its hierarchy,
a rule about a value that does not occur) is found here, before anything runs.

A table in memory is used as it is. A table beyond memory is a `CountedTable`: one pass over its
pieces has counted the values of its columns, and `prepare` counts the distinct tuples of the
quasi-identifiers, and of the columns with requirements, in a second one.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from kanon_tui.core.errors import InputError, suggestion
from kanon_tui.core.pipeline.attributes import (
    emphasis_of,
    published_column,
    quasi_identifier,
    sensitive_column,
)
from kanon_tui.core.pipeline.engine_choice import check_streamable
from kanon_tui.core.pipeline.tuple_counts import levels_to_count, with_tuples
from kanon_tui.core.privacy.k_anonymity import personal_requirement
from kanon_tui.core.privacy.requirements import join_columns
from kanon_tui.core.processes.memory_limit import MemoryLimit
from kanon_tui.core.processes.workers import Progress, Workers
from kanon_tui.core.project.project import AttributeSpec, Project
from kanon_tui.core.report.finished_run import Seconds, timed
from kanon_tui.core.table.column import Column, Kind, Role
from kanon_tui.core.table.counted_table import CountedTable, count_table
from kanon_tui.core.table.data_files import part_files
from kanon_tui.core.table.distinct_values import by_value
from kanon_tui.core.table.end_coding import coding_note
from kanon_tui.core.table.pseudonyms import KeyFile
from kanon_tui.core.table.table import Table
from kanon_tui.core.task.task import Task
from kanon_tui.core.task.weights import attribute_weights
from kanon_tui.core.text import Note, count_of, joined, note

_MOST_RECORDS = 2**31 - 1
_BY_CHANCE = note(
    "ties: random: clusterings choose among equally good records by chance, so that this run "
    "cannot be repeated; searches by values alone, such as mondrian and full-domain ones, stay"
)


def no_progress(what: str, share: float) -> None:
    """Ignore a report of progress."""


def count_project(
    project: Project,
    workers: Workers,
    memory: MemoryLimit,
    progress: Progress = no_progress,
    pieces: tuple[int | None, int | None] = (None, None),
) -> CountedTable:
    """Return the table of a project, its values counted in one pass over the pieces of its files.

    `pieces` are the sizes of pieces: bytes of CSV and records of Parquet.
    """
    check_streamable(project)
    memory.check_start()
    progress("look", 0.0)
    on_bytes = _scan_progress(project, progress)
    source = project.open_data(pieces, on_bytes)
    workers.begin("count values", progress)
    return count_table(source, workers, memory, columns_to_count(project, source.names))


def columns_to_count(project: Project, names: Sequence[str]) -> list[str]:
    """Return the columns whose values a run needs: all that are published or have to be guessed."""
    known = {
        name
        for name, spec in project.attributes.items()
        if spec.role is Role.IDENTIFIER and spec.kind is not None
    }
    return [name for name in names if name not in known]


def _scan_progress(project: Project, progress: Progress) -> Callable[[int], None]:
    """Return a callback for the bytes that were scanned; all of them are scanned twice."""
    whole, scanned = 1, 0
    for file in part_files(project.data_path):
        with suppress(OSError):  # reading it will report the error
            whole += 2 * file.stat().st_size

    def note_bytes(size: int) -> None:
        nonlocal scanned
        scanned += size
        progress("look", min(scanned / whole, 1.0))

    return note_bytes


def prepare(
    project: Project,
    table: Table | None = None,
    *,
    progress: Progress = no_progress,
    phases: Seconds | None = None,
    coarsen: bool = True,
) -> Task:
    """Return the task of a project: its table joined with hierarchies, rules and requirements.

    Without a table the data of the project is read into memory. Of a `CountedTable` the distinct
    tuples are counted; with `coarsen`, values that no search tells apart are counted as one.
    `phases` gets the seconds.
    """
    phases = {} if phases is None else phases
    with timed(phases, "prepare"):
        task = _joined(project, project.read_data() if table is None else table)
    counted = task.table
    if not isinstance(counted, CountedTable):
        return task
    if task.person is not None:
        raise InputError(
            f"{project.title}: {task.person.name} has the role person, and people with records in "
            "several pieces cannot be counted; use --engine memory, or make one record of each "
            "person before"
        )
    if task.n > _MOST_RECORDS:
        raise InputError(
            f"{project.title}: {task.n:,} records are more than {_MOST_RECORDS:,}, which is as "
            "many as can be counted; divide the data"
        )
    counted.workers.begin("count tuples", progress)
    with timed(phases, "read"):
        if coarsen:
            task = replace(task, counted_levels=levels_to_count(task, project.algorithm))
        return with_tuples(task, counted)


def _joined(project: Project, table: Table) -> Task:
    """Return the task of a project, joined and checked; of a counted table without its tuples."""
    specs = project.completed(table, for_run=True).attributes
    roles = {name: _role(specs[name]) for name in table.names}
    quasi_names = [name for name in specs if roles[name] is Role.QUASI]
    if not quasi_names:
        raise InputError(
            f"{project.title}: no attribute has the role quasi; tag at least one, "
            f"for instance age: {{role: quasi}}",
            on_screen="no attribute is a quasi-identifier yet; on screen 2, press q on what an "
            "outsider may know, such as age",
        )
    dropped = 0
    if project.data.missing_policy == "drop":
        spared = (Role.IDENTIFIER, Role.WEIGHT)
        needed = [name for name in table.names if roles[name] not in spared]
        table, dropped = table.drop_missing(needed)
    by_chance = project.privacy.ties == "random"
    if by_chance and project.output.order == "input":
        raise InputError(
            f"{project.title}: ties: random mixes the records, but output: {{order: input}} "
            f"publishes them as they stand in the file; leave out one of them"
        )
    if by_chance and table.frame.height == table.height:
        table = table.shuffled()
    most = max(project.privacy.k, project.privacy.subset_k or 0)
    if table.height < most:
        raise InputError(
            f"{project.title}: k is {most} but the table has only {table.height:,} "
            f"records; choose k of at most {table.height:,}"
        )
    if project.privacy.subset_k is not None and project.privacy.suppress == "cells":
        raise InputError(
            f"{project.title}: privacy: subset_k cannot be kept where single cells are hidden; "
            f"leave it out, or write suppress: records"
        )
    _check_coded(specs, roles)
    columns = [published_column(table, name, specs[name]) for name in quasi_names]
    sensitive = tuple(
        sensitive_column(table, name, specs[name], project)
        for name in table.names
        if roles[name] is Role.SENSITIVE
    )
    typed = [specs[name].weight for name in quasi_names]
    weights = attribute_weights(columns, typed, project.weights, sensitive)
    lost = (note("{n:,} records with missing values were dropped", n=dropped),) if dropped else ()
    ends = (coding_note(column) for column in columns)
    chance = (_BY_CHANCE,) if by_chance else ()
    notes = (*lost, *(each for each in ends if each is not None), *chance)
    built: list[Note] = []
    quasi = tuple(
        replace(
            quasi_identifier(column, specs[column.name], weight, project.folder, built),
            rule_emphasis=emphasis_of(project, specs[column.name]),
        )
        for column, weight in zip(columns, weights, strict=True)
    )
    for each in quasi:
        if each.publish == "rounded" and not project.overlap:
            raise InputError(
                f"{each.name}: publish: rounded widens ranges, but overlap: false keeps them "
                f"apart; leave out one of them"
            )
    join_columns(project.privacy.requirements, sensitive, f"{project.title}: privacy")
    return Task(
        table=table,
        quasi=quasi,
        sensitive=sensitive,
        roles=roles,
        privacy=replace(project.privacy, ties="first"),  # from here on, of the mixed records
        pseudonymised=(coded := _pseudonymised(table, specs, roles)),
        key_file=KeyFile(project.folder / project.output.pseudonym_key) if coded else None,
        personal_k=_personal_k(project, table, specs, roles),
        person=_person(project, table, roles),
        overlap=project.overlap,
        seed=project.seed,
        output=project.output,
        dropped_missing=dropped,
        notes=notes,
        built=tuple(built),
    )


def _person(project: Project, table: Table, roles: Mapping[str, Role]) -> Column | None:
    """Return the column that has the role person; None where there is none."""
    names = [name for name, role in roles.items() if role is Role.PERSON]
    if not names:
        return None
    if len(names) > 1:
        raise InputError(
            f"{project.title}: {joined(names)} have the role person; give it to the one column "
            f"whose values tell whose a record is, and the others the role identifier"
        )
    column = by_value(table.column(names[0], Kind.CATEGORICAL), table.missing_tokens)
    if column.missing is not None:
        missing = int(column.counts[column.missing])
        raise InputError(
            f"{project.title}: {names[0]} has the role person, but "
            f"{count_of(missing, 'record has', 'records have')} no value in it, so that nobody can "
            f"tell whose they are; fill them in, or write data: {{missing: {{policy: drop}}}} to "
            f"leave such records out"
        )
    return column


def _pseudonymised(
    table: Table, specs: Mapping[str, AttributeSpec], roles: Mapping[str, Role]
) -> tuple[str, ...]:
    """Return the identifiers that are published as pseudonyms."""
    coded = tuple(name for name in table.names if specs[name].identifier == "pseudonym")
    for name in coded:
        if roles[name] is not Role.IDENTIFIER:
            raise InputError(
                f"{name}: identifier: pseudonym is for identifiers, this one is {roles[name]}; "
                f"give it the role identifier or leave it out"
            )
    return coded


def _personal_k(
    project: Project, table: Table, specs: Mapping[str, AttributeSpec], roles: Mapping[str, Role]
) -> Column | None:
    name = project.privacy.personal_k
    if name is None:
        return None
    who = f"{project.title}: privacy: personal_k"
    if name not in roles:
        raise InputError(f"{who}: the data has no column '{name}'; {suggestion(name, roles)}")
    if roles[name] is Role.QUASI:
        raise InputError(
            f"{who}: '{name}' is quasi-identifying; give it the role identifier, which keeps it "
            f"out of the release"
        )
    format = specs[name].format if specs[name].kind is Kind.NUMERIC else None
    column = table.column(name, Kind.NUMERIC, format)
    personal_requirement(column)
    return column


def _role(spec: AttributeSpec) -> Role:
    assert spec.role is not None, "Project.completed fills in every role"
    asked = spec.role is Role.WEIGHT and spec.publish_unique
    return Role.OTHER if asked else spec.role


def _check_coded(specs: Mapping[str, AttributeSpec], roles: Mapping[str, Role]) -> None:
    for name, spec in specs.items():
        if spec.coded_bounds and name in roles and roles[name] is not Role.QUASI:
            key = "top" if spec.top is not None else "bottom"
            raise InputError(
                f"{name}: {key} is for quasi-identifiers, this one is {roles[name]}; give it the "
                f"role quasi or leave {key} out"
            )
