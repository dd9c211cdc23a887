"""Arguments of the commands: their declaration, their kinds, and those that several commands have.

A command lists its arguments in `ARGUMENTS`; the command line adds them to its parser.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanon_tui.core.addresses import address_name, is_address, misses_slashes

if TYPE_CHECKING:
    from kanon_tui.core.project.project import Project
    from kanon_tui.core.table.table import Table
    from kanon_tui.core.task.task import Task

_SHORT = 40
"""Characters of a list of choices that a usage line has room for."""


@dataclass(frozen=True)
class Argument:
    """An argument of a command, as argparse takes it."""

    name: str
    settings: dict[str, Any]


def argument(
    name: str,
    metavar: str | None,
    help: str,
    read: Callable[[str], Any] | None = None,
    **settings: Any,
) -> Argument:
    """Return an argument whose text `read` turns into a value; without dashes it is a position."""
    return Argument(name, {"metavar": metavar, "help": help, "type": read, **settings})


def file_argument(name: str, help: str, metavar: str = "FILE", **settings: Any) -> Argument:
    """Return an argument that names a file."""
    return argument(name, metavar, help, a_file, **settings)


def choice(name: str, choices: Sequence[str], help: str, default: str | None = None) -> Argument:
    """Return an option with one of these values."""
    settings: dict[str, Any] = {"choices": choices, "help": help, "default": default}
    if len(",".join(choices)) > _SHORT:
        settings |= {"metavar": name.strip("-").upper(), "help": f"{help}: {', '.join(choices)}"}
    return Argument(name, settings)


def assignments(name: str, metavar: str, help: str) -> Argument:
    """Return an option `NAME=VALUE` that may be repeated."""
    return argument(name, metavar, help, assignment, action="append", default=[])


def flag(name: str, help: str) -> Argument:
    """Return an option without a value."""
    return Argument(name, {"action": "store_true", "help": help})


def add_arguments(parser: argparse.ArgumentParser, arguments: Iterable[Argument]) -> None:
    """Add arguments to a parser."""
    for each in arguments:
        parser.add_argument(each.name, **each.settings)


def file_name(text: str) -> str:
    """Read an argument that names a file; refuse the address of a database without showing it."""
    if is_address(text) or misses_slashes(text):
        raise argparse.ArgumentTypeError(
            f"{address_name(text)} is an address, and a file is named here; a database is read by "
            "a project: data: {path: postgresql+psycopg://host/database, query: SELECT …}"
        )
    return text


def release_place(text: str) -> str:
    """Read an argument that names where a release goes: a file, a folder or a database."""
    return text if is_address(text) else file_name(text)


def a_file(text: str) -> Path:
    """Read an argument that names a file, as a path."""
    return Path(file_name(text))


def whole_number(least: int) -> Callable[[str], int]:
    """Return a reader of arguments that are whole numbers of at least `least`."""

    def read(text: str) -> int:
        if not text.isascii() or not text.isdigit() or len(text) > 18 or int(text) < least:
            raise argparse.ArgumentTypeError(f"'{text}' is not a whole number of at least {least}")
        return int(text)

    return read


def names(text: str) -> list[str]:
    """Read a list of names, `a,b,c`; a name with a comma goes in double quotes."""
    import csv

    found = next(csv.reader([text]), [])
    if not found or not all(found):
        raise argparse.ArgumentTypeError(f"'{text}' is not a list of names like a,b,c")
    return found


def share(text: str) -> float:
    """Read a share above 0, at most 1."""
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found <= 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a share above 0, at most 1")
    return found


def assignment(text: str) -> tuple[str, str]:
    """Read an argument of the form NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form NAME=VALUE")
    return name, value


PROJECT = file_argument("project", "a project file (.yaml)", "PROJECT")
MADE_BY = file_argument("project", "the project (.yaml) that made the release", "PROJECT")
RELEASE = file_argument("--release", "what was published", required=True)
JSON = flag("--json", "print JSON instead of text")
FORCE = flag("--force", "replace existing files")
COUNT = whole_number(1)
OVERRIDES = (
    argument("--algorithm", "NAME", "instead of the project's; see 'kanon-tui algorithms'"),
    argument("--k", "N", "instead of the project's k", COUNT),
    argument("--seed", "N", "instead of the project's seed", whole_number(0)),
)
CONSENT = (
    flag("--trust", "use the Dask scheduler and environment variables that the project names"),
    flag("--insecure", "allow a scheduler without TLS: whoever reaches it can run code as you"),
)
"""Flags that no project can set."""


def prepared(args: argparse.Namespace) -> tuple[Project, Task]:
    """Return the project that the arguments name, with their overrides, and its task."""
    from kanon_tui.core.pipeline.prepare import prepare
    from kanon_tui.core.project.overrides import with_overrides
    from kanon_tui.core.project.project import Project

    project = Project.load(args.project)
    if "algorithm" in args:
        project = with_overrides(project, algorithm=args.algorithm, k=args.k, seed=args.seed)
    return project, prepare(project)


def read_published(path: Path, task: Task) -> Table:
    """Return a published table; tables are joined by names, so the first row holds them."""
    from kanon_tui.core.table.read_options import ReadOptions
    from kanon_tui.core.table.source import read_table

    return read_table(path, ReadOptions(header=True, missing_tokens=task.table.missing_tokens))


def analysed(analysis: str, args: argparse.Namespace, *files: str, **settings: Any) -> Any:
    """Return an analysis of the release that the arguments name, with the tables of `files`."""
    from kanon_tui.core.analysis.registry import find_analysis

    project, task = prepared(args)
    paths = {name: getattr(args, name) for name in ("release", *files)}
    tables = {name: read_published(path, task) for name, path in paths.items()}
    called = {f"{name}_name": path.name for name, path in paths.items()}
    return find_analysis(analysis).load()(project, task, **tables, **called, **settings)
