"""Hierarchy files of every format, by the ending of their name.

`.csv` is ARX's form, `.xml` a configuration of the UTD toolbox, and `.yaml` a level table as it
stands in a project: `levels: {White: [White, Person], …}`.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from kanon_tui.core.errors import InputError
from kanon_tui.core.hierarchy.files.arx import read_arx, write_arx
from kanon_tui.core.hierarchy.files.utd import plain_numbers, read_utd, write_utd
from kanon_tui.core.hierarchy.files.yaml_levels import read_yaml_levels, write_yaml_levels
from kanon_tui.core.hierarchy.level_table import Hierarchy

__all__ = ["HIERARCHY_ENDINGS", "read_hierarchy_file", "write_hierarchy_file"]

HIERARCHY_ENDINGS = (".csv", ".yaml", ".yml", ".xml")


def read_hierarchy_file(
    path: Path, attribute: str | None = None, values: Iterable[str] = ()
) -> Hierarchy:
    """The hierarchy in a file.

    An .xml configuration holds several: `attribute` says which (default: the name of the file), and
    `values` which numbers there are where it speaks of ranges only.
    """
    match path.suffix.lower():
        case ".csv":
            return read_arx(path)
        case ".xml":
            return read_utd(path, attribute or path.stem, plain_numbers(values))
        case ".yaml" | ".yml":
            return read_yaml_levels(path)
    raise InputError(f"{path}: hierarchies end in .csv, .yaml or .xml")


def write_hierarchy_file(
    hierarchy: Hierarchy, path: Path, attribute: str | None = None, force: bool = False
) -> None:
    """Write a hierarchy, whole or not at all; `attribute` is its name in an .xml configuration."""
    match path.suffix.lower():
        case ".csv":
            write_arx(hierarchy, path, force)
        case ".xml":
            write_utd(hierarchy, path, attribute or path.stem, force=force)
        case ".yaml" | ".yml":
            write_yaml_levels(hierarchy, path, force)
        case _:
            raise InputError(f"{path}: hierarchies end in .csv, .yaml or .xml")
