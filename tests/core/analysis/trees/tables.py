"""Original and release as trees see them, each alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kanon_tui.core.analysis.published_cells import PublishedTable
from kanon_tui.core.analysis.trees.features import TreeTable
from kanon_tui.core.analysis.trees.partition import learning_tables
from kanon_tui.core.project.project import Project
from kanon_tui.core.table.column import Role
from kanon_tui.core.table.table import Table
from kanon_tui.core.task.task import Task


def release_table(
    project: Project, task: Task, release: Table, attributes: Sequence[str], target: str
) -> TreeTable:
    return learning_tables(PublishedTable(project, task, release), target, attributes)[1]


def original_table(
    project: Project, task: Task, attributes: Sequence[str], target: str
) -> TreeTable:
    published = replace(task, roles=dict.fromkeys(task.roles, Role.OTHER))
    itself = PublishedTable(project, published, task.table, "the data")
    return learning_tables(itself, target, attributes)[0]
