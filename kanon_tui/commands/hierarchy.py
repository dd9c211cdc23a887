"""Build, check and convert generalisation hierarchies.

The format goes by the ending: .csv (ARX's form: one row per value, separated by semicolons),
.yaml (a level table as in projects), .xml (a configuration of the UTD toolbox).
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_tui.commands.arguments import (
    FORCE,
    add_arguments,
    argument,
    assignments,
    choice,
    file_argument,
)
from kanon_tui.commands.output import say

if TYPE_CHECKING:
    from kanon_tui.core.hierarchy.level_table import Hierarchy

HELP = "build, check and convert hierarchies"

ARGUMENTS = ()


def add_parts(parser: argparse.ArgumentParser) -> None:
    """Declare the three parts, each with its own arguments."""
    parts = parser.add_subparsers(metavar="build|validate|convert", required=True)
    for name, help, execute, arguments in (
        ("build", "from the values of a column", _build, _BUILD),
        ("validate", "check a hierarchy file", _validate, _VALIDATE),
        ("convert", "from one format to another", _convert, _CONVERT),
    ):
        part = parts.add_parser(name, help=help, allow_abbrev=False)
        part.set_defaults(execute=execute, parser=part)
        add_arguments(part, arguments)


def execute(args: argparse.Namespace) -> int:
    """Stand in for the function of build, validate or convert, which argparse sets."""
    raise AssertionError("argparse asks for one of the three")


_BUILD = (
    file_argument("data", "a data file or a project", "DATA"),
    argument("--attribute", "NAME", "the column", required=True),
    argument("--builder", "NAME", "intervals, mask, date, …", required=True),
    assignments("--set", "KEY=VALUE", "a key of the builder, such as widths=5,10; may be repeated"),
    choice("--kind", ("numeric", "date", "categorical"), "of the column"),
    file_argument("--out", "the new file", required=True),
    FORCE,
)


def _build(args: argparse.Namespace) -> int:
    """Build a hierarchy from the values of a column, check that it covers them, and write it."""
    from kanon_tui.core.hierarchy.build import build_hierarchy
    from kanon_tui.core.hierarchy.files import HIERARCHY_ENDINGS, write_hierarchy_file
    from kanon_tui.core.hierarchy.specification import spec_from_assignments
    from kanon_tui.core.pipeline.attributes import as_project, read_column
    from kanon_tui.core.table.writing import check_target

    project = as_project(args.data)
    check_target(args.out, HIERARCHY_ENDINGS, args.force, project.inputs)
    spec = spec_from_assignments(args.builder, args.set, "hierarchy build")
    column = read_column(project, args.attribute, args.kind)
    hierarchy = build_hierarchy(spec, column, Path())
    hierarchy.bind(column)
    write_hierarchy_file(hierarchy, args.out, args.attribute, args.force)
    say(f"wrote {args.out}: {_summary(hierarchy)}")
    return 0


_VALIDATE = (
    file_argument("file", "the hierarchy: .csv, .yaml or .xml"),
    file_argument("--data", "whose values it must cover", "DATA"),
    argument("--attribute", "NAME", "the column (and the one in .xml)"),
)


def _validate(args: argparse.Namespace) -> int:
    """Check a hierarchy file, and whether it covers the values of a column if one is named."""
    from kanon_tui.core.hierarchy.files import read_hierarchy_file
    from kanon_tui.core.pipeline.attributes import read_column

    attribute = args.attribute or args.file.stem
    column = read_column(args.data, attribute) if args.data is not None else None
    hierarchy = read_hierarchy_file(args.file, attribute, column.values if column else ())
    covers = ""
    if column is not None:
        hierarchy.bind(column)
        covers = f"; it covers every value of {column.name}"
    say(f"{args.file.name} is valid: {_summary(hierarchy)}{covers}")
    return 0


_CONVERT = (
    file_argument("source", "the hierarchy to read", "IN"),
    file_argument("out", "the file to write", "OUT"),
    file_argument("--data", "the values, for .xml of ranges", "DATA"),
    argument("--attribute", "NAME", "its name in .xml; default: of the file"),
    FORCE,
)


def _convert(args: argparse.Namespace) -> int:
    """Read a hierarchy file in one format and write it in another."""
    from kanon_tui.core.hierarchy.files import (
        HIERARCHY_ENDINGS,
        read_hierarchy_file,
        write_hierarchy_file,
    )
    from kanon_tui.core.pipeline.attributes import as_project, read_column
    from kanon_tui.core.table.writing import check_target

    project = None if args.data is None else as_project(args.data)
    inputs = (args.source, *(project.inputs if project is not None else ()))
    check_target(args.out, HIERARCHY_ENDINGS, args.force, inputs)
    attribute = args.attribute or args.source.stem
    values = read_column(project, attribute).values if project is not None else ()
    hierarchy = read_hierarchy_file(args.source, attribute, values)
    write_hierarchy_file(hierarchy, args.out, attribute, args.force)
    say(f"wrote {args.out}: {_summary(hierarchy)}")
    return 0


def _summary(hierarchy: Hierarchy) -> str:
    """Return the size of a hierarchy: `100 values, height 2, labels per level 100, 20, 1`."""
    counts = [len(hierarchy.labels(level)) for level in range(hierarchy.height + 1)]
    per_level = ", ".join(f"{count:,}" for count in counts)
    return f"{counts[0]:,} values, height {hierarchy.height}, labels per level {per_level}"
