"""Tables that the arguments of a command name."""

from pathlib import Path

from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import read_table
from kanon_tui.core.table.table import Table
from kanon_tui.core.task.task import Task


def read_published(path: Path, task: Task) -> Table:
    """Return a published table; tables are joined by names, so the first row holds them."""
    return read_table(path, ReadOptions(header=True, missing_tokens=task.table.missing_tokens))
