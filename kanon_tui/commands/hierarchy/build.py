"""Build a hierarchy from the values of a column and write it to a file."""

from __future__ import annotations

import argparse
from pathlib import Path

from kanon_tui.commands.common import a_file, assignment, say
from kanon_tui.commands.hierarchy.summary import summary

__all__ = ["HELP", "arguments", "execute"]

HELP = "from the values of a column"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("data", metavar="DATA", type=a_file, help="a data file or a project")
    add("--attribute", metavar="NAME", required=True, help="the column")
    add("--builder", metavar="NAME", required=True, help="intervals, mask, date, …")
    add(
        "--set", metavar="KEY=VALUE", type=assignment, action="append", default=[],
        help="a key of the builder, such as widths=5,10; may be repeated",
    )  # fmt: skip
    add("--kind", choices=("numeric", "date", "categorical"), help="of the column")
    add("--out", metavar="FILE", type=a_file, required=True, help="the new file")
    add("--force", action="store_true", help="replace an existing file")


def execute(args: argparse.Namespace) -> int:
    """Read the column, build, check that every value is covered, and write."""
    from kanon_tui.core.data.writing import check_target
    from kanon_tui.core.hierarchy.build import build_hierarchy
    from kanon_tui.core.hierarchy.files.any_format import HIERARCHY_ENDINGS, write_hierarchy_file
    from kanon_tui.core.hierarchy.typed_specification import spec_from_assignments
    from kanon_tui.core.run.column import read_column
    from kanon_tui.core.run.result import as_project

    project = as_project(args.data)
    check_target(args.out, HIERARCHY_ENDINGS, args.force, project.inputs)
    spec = spec_from_assignments(args.builder, args.set, "hierarchy build")
    column = read_column(project, args.attribute, args.kind)
    hierarchy = build_hierarchy(spec, column, Path())
    hierarchy.bind(column)
    write_hierarchy_file(hierarchy, args.out, args.attribute, args.force)
    say(f"wrote {args.out}: {summary(hierarchy)}")
    return 0
