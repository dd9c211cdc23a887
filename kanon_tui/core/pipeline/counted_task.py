"""The records of a table beyond memory as counted rows, for those who only look at them.

What a run prepares before it searches, without what a run needs besides: how many records share
their quasi-identifiers is exact, one pass over the pieces later.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import polars as pl

from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.counted_prepare import prepare_counted
from kanon_tui.core.pipeline.sampled_table import SampledTable
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.processes.memory_limit import MemoryLimit
from kanon_tui.core.processes.workers import LocalWorkers, Workers
from kanon_tui.core.project.project import AttributeSpec, Project
from kanon_tui.core.table.counted_table import CountedTable
from kanon_tui.core.table.schema import Role
from kanon_tui.core.task.task import Task

__all__ = ["counted_of", "quasi_rows"]


def counted_of(table: SampledTable, workers: Workers, memory: MemoryLimit) -> CountedTable:
    """A table beyond memory as runs see it, with what is counted of it already."""
    return CountedTable(
        pl.DataFrame(schema=dict.fromkeys(table.names, pl.String)),
        table.facts,
        table.missing_tokens,
        table.formats,
        source=table.source,
        workers=workers,
        memory=memory,
        records=table.records,
        counts=dict(table.counts),
    )


def quasi_rows(
    project: Project, table: SampledTable, memory: MemoryLimit, go_on: Callable[[], None]
) -> Task:
    """A task over the distinct quasi-identifiers of all records; `go_on` may raise to end it.

    Nothing but k is required of it, and weights are equal: it is there to count, not to search.
    """
    source = table.source
    assert source is not None
    workers = LocalWorkers()
    counted = counted_of(table, workers, memory)
    people = [name for name, spec in project.attributes.items() if spec.role is Role.PERSON]
    if people:
        raise InputError(
            f"{people[0]} says whose each record is, and people with records in several pieces of "
            "a file cannot be counted; make one record of each person before"
        )
    attributes = project.attributes
    if project.data.missing_policy == "value":  # else others decide which records are left
        attributes = {n: _only_if_quasi(spec) for n, spec in attributes.items()}
    bare = replace(
        project, attributes=attributes, weights="equal", privacy=Privacy(k=project.privacy.k)
    )
    return prepare_counted(bare, source, counted, workers, memory, lambda what, share: go_on()).task


def _only_if_quasi(spec: AttributeSpec) -> AttributeSpec:
    """What is no quasi-identifier is not looked at."""
    return spec if spec.role is Role.QUASI else AttributeSpec(role=Role.IDENTIFIER, kind=spec.kind)
