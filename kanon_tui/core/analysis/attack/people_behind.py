"""Whose records published rows may be, where people have several: what the attack counts."""

from __future__ import annotations

import numpy as np

from kanon_tui.core.analysis.attack.heads import lists_by_key, people_of_rows
from kanon_tui.core.analysis.attack.matching import DistinctRows
from kanon_tui.core.analysis.attack.two_releases import covering_rows
from kanon_tui.core.numeric import Int64s
from kanon_tui.core.project.project import Project
from kanon_tui.core.table.column import Column
from kanon_tui.core.table.table import Table
from kanon_tui.core.task.task import Task

__all__ = ["people_behind"]


def people_behind(
    project: Project, task: Task, release: Table, rows: DistinctRows, person: Column, where: str
) -> list[Int64s]:
    """Whose records the rows of a release may be: of all who have one that its cells cover.

    A release does not say whose its rows are. Where classes do not overlap, these are its people
    and those who were suppressed.
    """
    records = DistinctRows.of([attribute.column.codes for attribute in task.quasi])
    found = covering_rows(project, task, release, records, where)
    owners = people_of_rows(records, person)
    covered = lists_by_key(found.row, found.record, found.rows)
    nobody = np.zeros(0, dtype=np.int64)
    of_cover = [
        np.unique(np.concatenate([nobody, *(owners[record] for record in own.tolist())]))
        for own in covered
    ]
    pairs = np.unique(np.stack([rows.row_of, found.row_of]), axis=1).astype(np.int64)
    parts = lists_by_key(pairs[0], pairs[1], len(rows.sizes))
    return [np.unique(np.concatenate([of_cover[one] for one in own.tolist()])) for own in parts]
