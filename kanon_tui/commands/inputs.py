"""Projects and tables that the arguments of a command name."""

import argparse
from pathlib import Path
from typing import Any

from kanon_tui.core.analysis.registry import find_analysis
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.project.overrides import with_overrides
from kanon_tui.core.project.project import Project
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
    paths = {name: getattr(args, name) for name in ("release", *files)}
    tables = {name: read_published(path, task) for name, path in paths.items()}
    called = {f"{name}_name": path.name for name, path in paths.items()}
    return find_analysis(analysis).load()(project, task, **tables, **called, **settings)
