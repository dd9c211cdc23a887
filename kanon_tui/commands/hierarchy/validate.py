"""Check a hierarchy file, and whether it covers the values of a column."""

from __future__ import annotations

import argparse

from kanon_tui.commands.common import a_file, say
from kanon_tui.commands.hierarchy.summary import summary

__all__ = ["HELP", "arguments", "execute"]

HELP = "check a hierarchy file"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("file", metavar="FILE", type=a_file)
    add("--data", metavar="DATA", type=a_file, help="whose values it must cover")
    add("--attribute", metavar="NAME", help="the column (and the one in .xml)")


def execute(args: argparse.Namespace) -> int:
    """Read the file, and bind it to the column where one is named."""
    from kanon_tui.core.hierarchy.files.any_format import read_hierarchy_file
    from kanon_tui.core.run.column import read_column

    attribute = args.attribute or args.file.stem
    column = read_column(args.data, attribute) if args.data is not None else None
    hierarchy = read_hierarchy_file(args.file, attribute, column.values if column else ())
    if column is not None:
        hierarchy.bind(column)
    covers = f"; it covers every value of {column.name}" if column is not None else ""
    say(f"{args.file.name} is valid: {summary(hierarchy)}{covers}")
    return 0
