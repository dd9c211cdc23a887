"""The linking attack: what somebody with a table of people learns from a release.

The outsider knows people by attributes such as age, sex and zip, and looks each of them up in the
published table: every record whose cells cover what is known may be that person's. One record that
fits is a person found; fewer than k are too few; and when all of them agree on a sensitive value,
it is disclosed with certainty, however many there are. The same is done with the original, which
shows what anonymising has changed.

Idea
  Work on distinct things only: distinct people against distinct rows of cells (`matching`).

Cost
  O(distinct people · distinct rows · attributes / 8) bytes looked at, in blocks of bounded memory.

A missing sensitive value is no disclosure, though records that lack it do agree.

Where people have several records (role person), those who may be meant are counted as people: in
the original by whose records fit, in the release by who has a record that the fitting rows cover.

Reference: SBC, figures 1-1 and 1-2, table 1-1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from kanon_tui.core.analysis.attack.heads import people_of_rows
from kanon_tui.core.analysis.attack.linked import Linked, link
from kanon_tui.core.analysis.attack.matching import DistinctRows
from kanon_tui.core.analysis.attack.people_behind import people_behind
from kanon_tui.core.analysis.published.cell_reader import CellReader, cell_readers
from kanon_tui.core.analysis.published.checks import check_column, check_published
from kanon_tui.core.errors import InputError, suggestion
from kanon_tui.core.project.project import Project
from kanon_tui.core.table.schema import Kind
from kanon_tui.core.table.table import Table
from kanon_tui.core.task.task import Task

__all__ = ["Attack", "linking_attack"]


@dataclass(frozen=True, eq=False)
class Attack:
    """The same people looked up in the original and in the release."""

    people: int
    on: tuple[str, ...]
    original: Linked
    release: Linked
    notes: tuple[str, ...]
    """What may have gone wrong with the join."""


def linking_attack(
    project: Project,
    task: Task,
    release: Table,
    external: Table,
    on: Sequence[str],
    release_name: str = "the release",
    external_name: str = "the external table",
) -> Attack:
    """Look the people of an external table up on the named attributes.

    The two names are for messages. Attributes may have any role, as long as they are published.
    """
    _check(task, release, external, on, release_name, external_name)
    readers = cell_readers(project, task, on)
    texts = {name: external.column(name, Kind.CATEGORICAL) for name in on}
    known = DistinctRows.of([texts[name].codes for name in on])
    values = [texts[name].values for name in on]
    people = [external.frame[name].to_list() for name in on]

    before = [readers[name].column for name in on]
    values_as_cells = [readers[name].read_values() for name in on]
    columns = [release.column(name, Kind.CATEGORICAL) for name in on]
    cells = [readers[column.name].read(column.values, release_name) for column in columns]
    person, whose, behind = task.repeated, None, None
    if person is not None:
        whose = partial(people_of_rows, person=person)
        behind = partial(people_behind, project, task, release, person=person, where=release_name)
    looked_up = task, known, values, people
    return Attack(
        people=external.height,
        on=tuple(on),
        original=link(before, values_as_cells, task.table, *looked_up, whose),
        release=link(columns, cells, release, *looked_up, behind),
        notes=tuple(_notes(readers, values, external_name)),
    )


def _check(
    task: Task,
    release: Table,
    external: Table,
    on: Sequence[str],
    release_name: str,
    external_name: str,
) -> None:
    if not on:
        raise InputError("no attributes to join on are named; name at least one")
    for name in on:
        if on.count(name) > 1:
            raise InputError(f"'{name}' is named twice; name every attribute once")
        check_published(task, release, name, release_name, "join on attributes of the release")
        check_column(name, external.names, external_name)
    for column in task.sensitive:
        if column.name not in release.names:
            raise InputError(
                f"{release_name} has no column '{column.name}', which is sensitive in the "
                f"project; {suggestion(column.name, release.names)}"
            )


def _notes(
    readers: Mapping[str, CellReader], values: Sequence[Sequence[str]], who: str
) -> Iterator[str]:
    """A join that finds nobody looks like safety, so say where it cannot find anybody."""
    for (name, reader), texts in zip(readers.items(), values, strict=True):
        column = reader.column
        present = [t for t, gone in zip(texts, reader.is_missing(texts), strict=True) if not gone]
        if column.numbers is not None:
            occurs = bool(np.isin(column.parse(present), column.numbers).any())
        else:
            occurs = not set(column.values).isdisjoint(present)
        if present and not occurs:
            yield f"{name}: no value of {who} occurs in the data; are they written in the same way?"
