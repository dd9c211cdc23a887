"""Read a hierarchy file in one format and write it in another."""

from __future__ import annotations

import argparse

from kanon_tui.commands.common import a_file, say
from kanon_tui.commands.hierarchy.summary import summary

__all__ = ["HELP", "arguments", "execute"]

HELP = "from one format to another"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("source", metavar="IN", type=a_file)
    add("out", metavar="OUT", type=a_file)
    add("--data", metavar="DATA", type=a_file, help="the values, for .xml of ranges")
    add("--attribute", metavar="NAME", help="its name in .xml; default: of the file")
    add("--force", action="store_true", help="replace an existing file")


def execute(args: argparse.Namespace) -> int:
    """Read one file, write the other."""
    from kanon_tui.core.data.writing import check_target
    from kanon_tui.core.hierarchy.files.any_format import (
        HIERARCHY_ENDINGS,
        read_hierarchy_file,
        write_hierarchy_file,
    )
    from kanon_tui.core.run.column import read_column
    from kanon_tui.core.run.result import as_project

    project = None if args.data is None else as_project(args.data)
    inputs = (args.source, *(project.inputs if project is not None else ()))
    check_target(args.out, HIERARCHY_ENDINGS, args.force, inputs)
    attribute = args.attribute or args.source.stem
    values = read_column(project, attribute).values if project is not None else ()
    hierarchy = read_hierarchy_file(args.source, attribute, values)
    write_hierarchy_file(hierarchy, args.out, attribute, args.force)
    say(f"wrote {args.out}: {summary(hierarchy)}")
    return 0
