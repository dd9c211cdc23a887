"""What an analysis looks at: a project with its table, and mostly a release of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from kanon_tui.core.analysis.published_cells import PublishedTable
from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.project.project import Project
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import read_table
from kanon_tui.core.table.table import Table, as_table
from kanon_tui.core.task.task import Task


@dataclass(frozen=True, eq=False)
class Subject:
    """A project, its table and a release; each is read when an analysis asks for it."""

    project: Project | None = None
    """None where options alone say what is asked."""
    result: FinishedRun | None = None
    """The run whose release is looked at; None where the release is a table of its own."""
    published: Any = None
    """A release that is a file or a frame; None where there is none, or that of the result."""
    prepare_task: Callable[[], Task] | None = None
    """Where the task of the project comes from if it need not be read again."""

    @cached_property
    def task(self) -> Task:
        """The table of the project as algorithms see it."""
        if self.result is not None:
            return self.result.task
        if self.prepare_task is not None:
            return self.prepare_task()
        if self.project is None:
            raise InputError("there is no table to look at; name a project")
        return prepare(self.project)

    @cached_property
    def release(self) -> PublishedTable:
        """The release with its project and the original."""
        if self.project is None or (self.published is None and self.result is None):
            raise InputError("there is no release to look at; name one")
        if self.published is None and self.result is not None:
            return PublishedTable.from_result(self.result, self.project)
        name = name_of_table(self.published, "the release")
        return PublishedTable(self.project, self.task, self.read(self.published), name)

    @property
    def finished_run(self) -> FinishedRun:
        """The run whose release is looked at, for analyses that need more than a file has."""
        if self.result is None:
            raise InputError("this needs a release that was just made, not a file of one")
        return self.result

    def read(self, table: Any) -> Table:
        """Return a table that is joined with the data: the first line of a file holds the names."""
        missing_tokens = self.task.table.missing_tokens
        if isinstance(table, str | Path):
            return read_table(Path(table), ReadOptions(header=True, missing_tokens=missing_tokens))
        return as_table(table, missing_tokens)


def name_of_table(table: Any, otherwise: str) -> str:
    """Return how messages call a table: the name of its file, or other words for a frame."""
    return Path(table).name if isinstance(table, str | Path) else otherwise
