"""A task and its release, to be looked at record by record, wherever they are."""

from __future__ import annotations

from collections.abc import Callable

from kanon_tui.core.pipeline.file_result import StreamedResult
from kanon_tui.core.pipeline.read_again import read_again
from kanon_tui.core.report.finished_run import FinishedRun
from kanon_tui.core.table.table import Table, as_table
from kanon_tui.core.task.task import Task

__all__ = ["both_tables"]


def both_tables(
    result: FinishedRun, stop: Callable[[], bool] = lambda: False
) -> tuple[Task, Table]:
    """In memory, or read again from their files; `stop` says nobody waits any more."""
    if isinstance(result, StreamedResult):
        return read_again(result, stop)
    return result.task, as_table(result.table, result.task.table.missing_tokens)
