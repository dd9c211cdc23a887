"""Build, check and convert generalisation hierarchies.

The format goes by the ending: .csv (ARX's form: one row per value, separated by semicolons),
.yaml (a level table as in projects), .xml (a configuration of the UTD toolbox).
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanon_tui.commands.common import assignment
from kanon_tui.core.errors import InputError, suggestion

if TYPE_CHECKING:
    from kanon_tui.core.data.column import Column
    from kanon_tui.core.hierarchy.level_table import Hierarchy

__all__ = ["HELP", "arguments", "execute"]

HELP = "build, check and convert hierarchies"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    kinds = parser.add_subparsers(metavar="build|validate|convert", required=True)

    build = kinds.add_parser("build", help="from the values of a column", allow_abbrev=False)
    build.add_argument("data", metavar="DATA", type=Path, help="a data file or a project")
    build.add_argument("--attribute", metavar="NAME", required=True, help="the column")
    build.add_argument("--builder", metavar="NAME", required=True, help="intervals, mask, date, …")
    build.add_argument(
        "--set", metavar="KEY=VALUE", type=assignment, action="append", default=[],
        help="a key of the builder, such as widths=5,10; may be repeated",
    )  # fmt: skip
    build.add_argument("--kind", choices=("numeric", "date", "categorical"), help="of the column")
    build.add_argument("--out", metavar="FILE", type=Path, required=True, help="the new file")
    build.add_argument("--force", action="store_true", help="replace an existing file")
    build.set_defaults(execute=_build, parser=build)

    validate = kinds.add_parser("validate", help="check a hierarchy file", allow_abbrev=False)
    validate.add_argument("file", metavar="FILE", type=Path)
    validate.add_argument("--data", metavar="DATA", type=Path, help="whose values it must cover")
    validate.add_argument("--attribute", metavar="NAME", help="the column (and the one in .xml)")
    validate.set_defaults(execute=_validate, parser=validate)

    convert = kinds.add_parser("convert", help="from one format to another", allow_abbrev=False)
    convert.add_argument("source", metavar="IN", type=Path)
    convert.add_argument("out", metavar="OUT", type=Path)
    convert.add_argument("--data", metavar="DATA", type=Path, help="the values, for .xml of ranges")
    convert.add_argument(
        "--attribute", metavar="NAME", help="its name in .xml; default: of the file"
    )
    convert.add_argument("--force", action="store_true", help="replace an existing file")
    convert.set_defaults(execute=_convert, parser=convert)


def execute(args: argparse.Namespace) -> int:
    """Replaced by the function of build, validate or convert."""
    raise AssertionError("argparse asks for one of the three")


def _build(args: argparse.Namespace) -> int:
    from kanon_tui.core.data.writing import check_target
    from kanon_tui.core.fields.located import LocatedValue
    from kanon_tui.core.hierarchy.build import build_hierarchy
    from kanon_tui.core.hierarchy.files.any_format import HIERARCHY_ENDINGS, write_hierarchy_file
    from kanon_tui.core.hierarchy.specification import read_hierarchy

    check_target(args.out, HIERARCHY_ENDINGS, args.force)
    given: dict[str, Any] = {"builder": args.builder}
    for key, text in args.set:
        given[key] = _typed(key, text, args.builder)
    spec = read_hierarchy(LocatedValue("hierarchy build", "", given))
    column = _column(args.data, args.attribute, args.kind)
    hierarchy = build_hierarchy(spec, column, Path())
    hierarchy.bind(column)
    write_hierarchy_file(hierarchy, args.out, args.attribute, args.force)
    print(f"wrote {args.out}: {_described(hierarchy)}")
    return 0


def _validate(args: argparse.Namespace) -> int:
    from kanon_tui.core.hierarchy.files.any_format import read_hierarchy_file

    attribute = args.attribute or args.file.stem
    column = _column(args.data, attribute) if args.data is not None else None
    hierarchy = read_hierarchy_file(args.file, attribute, column.values if column else ())
    if column is not None:
        hierarchy.bind(column)
    covers = f"; it covers every value of {column.name}" if column is not None else ""
    print(f"{args.file.name} is valid: {_described(hierarchy)}{covers}")
    return 0


def _convert(args: argparse.Namespace) -> int:
    from kanon_tui.core.data.writing import check_target
    from kanon_tui.core.hierarchy.files.any_format import (
        HIERARCHY_ENDINGS,
        read_hierarchy_file,
        write_hierarchy_file,
    )

    check_target(args.out, HIERARCHY_ENDINGS, args.force)
    attribute = args.attribute or args.source.stem
    values = _column(args.data, attribute).values if args.data is not None else ()
    hierarchy = read_hierarchy_file(args.source, attribute, values)
    write_hierarchy_file(hierarchy, args.out, attribute, args.force)
    print(f"wrote {args.out}: {_described(hierarchy)}")
    return 0


def _column(data: Path, name: str, kind: str | None = None) -> Column:
    """A column of a data file, or of a project's with what the project says of it."""
    from kanon_tui.core.data.schema import Kind
    from kanon_tui.core.data.table import read_table
    from kanon_tui.core.run.result import as_project

    project = as_project(data)
    table = read_table(project.data_path, project.data.read_options)
    spec = project.completed(table).attributes.get(name)
    if spec is None:
        raise InputError(
            f"{data.name}: there is no column '{name}'; {suggestion(name, table.names)}"
        )
    wanted = Kind(kind) if kind is not None else spec.kind
    assert wanted is not None, "a completed project knows every kind"
    return table.column(name, wanted, spec.format)


def _typed(key: str, text: str, builder: str) -> Any:
    """`5` is a word, `5,10` a list; `[[18, 65], [65]]` and `{…}` are YAML."""
    from kanon_tui.core.fields.yaml_text import Plain, parse

    if text.lstrip().startswith(("[", "{")):
        return parse(text, f"--set {key}")
    words = [Plain(word.strip()) for word in text.split(",")]
    is_list = len(words) > 1 or key in ("widths", "bins") or (key, builder) == ("levels", "date")
    return words if is_list else Plain(text)


def _described(hierarchy: Hierarchy) -> str:
    counts = [len(hierarchy.labels(level)) for level in range(hierarchy.height + 1)]
    return f"{counts[0]:,} values, height {hierarchy.height}, labels per level " + ", ".join(
        f"{count:,}" for count in counts
    )
