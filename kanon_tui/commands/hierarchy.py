"""Build, check and convert generalisation hierarchies."""

import argparse
from pathlib import Path

from kanon_tui.commands.output import show
from kanon_tui.core.hierarchy.level_table import Hierarchy
from kanon_tui.core.hierarchy.specification import (
    HIERARCHY_ENDINGS,
    build_hierarchy,
    read_hierarchy_file,
    spec_from_assignments,
    write_hierarchy_file,
)
from kanon_tui.core.pipeline.prepare import as_project, read_column
from kanon_tui.core.table.writing import check_target


def execute(args: argparse.Namespace) -> None:
    """Run the part of the command that was asked for: build, validate or convert."""
    {"build": _build, "validate": _validate, "convert": _convert}[args.part](args)


def _build(args: argparse.Namespace) -> None:
    """Build a hierarchy from the values of a column, check that it covers them, and write it."""
    project = as_project(args.data)
    check_target(args.out, HIERARCHY_ENDINGS, args.force, project.inputs)
    spec = spec_from_assignments(args.builder, args.set, "hierarchy build")
    column = read_column(project, args.attribute, args.kind)
    hierarchy = build_hierarchy(spec, column, Path())
    hierarchy.bind(column)
    write_hierarchy_file(hierarchy, args.out, args.attribute, args.force)
    show(f"wrote {args.out}: {_summary(hierarchy)}")


def _validate(args: argparse.Namespace) -> None:
    """Check a hierarchy file, and whether it covers the values of a column if one is named."""
    attribute = args.attribute or args.file.stem
    column = read_column(args.data, attribute) if args.data is not None else None
    hierarchy = read_hierarchy_file(args.file, attribute, column.values if column else ())
    covers = ""
    if column is not None:
        hierarchy.bind(column)
        covers = f"; it covers every value of {column.name}"
    show(f"{args.file.name} is valid: {_summary(hierarchy)}{covers}")


def _convert(args: argparse.Namespace) -> None:
    """Read a hierarchy file in one format and write it in another."""
    project = None if args.data is None else as_project(args.data)
    inputs = (args.source, *(project.inputs if project is not None else ()))
    check_target(args.out, HIERARCHY_ENDINGS, args.force, inputs)
    attribute = args.attribute or args.source.stem
    values = read_column(project, attribute).values if project is not None else ()
    hierarchy = read_hierarchy_file(args.source, attribute, values)
    write_hierarchy_file(hierarchy, args.out, attribute, args.force)
    show(f"wrote {args.out}: {_summary(hierarchy)}")


def _summary(hierarchy: Hierarchy) -> str:
    """Return the size of a hierarchy: `100 values, height 2, labels per level 100, 20, 1`."""
    counts = [len(hierarchy.labels(level)) for level in range(hierarchy.height + 1)]
    per_level = ", ".join(f"{count:,}" for count in counts)
    return f"{counts[0]:,} values, height {hierarchy.height}, labels per level {per_level}"
