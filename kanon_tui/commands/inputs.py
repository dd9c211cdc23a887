"""Projects and tables that the arguments of a command name."""

import argparse
from pathlib import Path
from typing import Any

from kanon_tui.core.analysis.published_cells import PublishedTable
from kanon_tui.core.analysis.registry import find_analysis
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.project.project import Project, with_overrides
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import read_table
from kanon_tui.core.table.table import Table
from kanon_tui.core.task.task import Task


def prepared(args: argparse.Namespace) -> tuple[Project, Task]:
    """Return the project that the arguments name, with their overrides, and its task."""
    project = Project.load(args.project)
    if "algorithm" in args:
        project = with_overrides(project, algorithm=args.algorithm, k=args.k, seed=args.seed)
    return project, prepare(project)


def read_published(path: Path, task: Task) -> Table:
    """Return a published table; tables are joined by names, so the first row holds them."""
    return read_table(path, ReadOptions(header=True, missing_tokens=task.table.missing_tokens))


def analysed(analysis: str, args: argparse.Namespace, *files: str, **settings: Any) -> Any:
    """Return an analysis of the release that the arguments name, with the tables of `files`."""
    project, task = prepared(args)
    release = read_published(args.release, task)
    for name in files:
        path = getattr(args, name)
        settings |= {name: read_published(path, task), f"{name}_name": path.name}
    published = PublishedTable(project, task, release, args.release.name)
    return find_analysis(analysis).load()(published, **settings)
