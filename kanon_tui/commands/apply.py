"""Publish new records as an earlier release published its own.

MAPPING is what 'run --mapping FILE.json' or the application exported: levels and hierarchies of a
full-domain run, or the classes of a clustering. Records with values that it does not cover and
records in classes below k are left out, or nothing is written, as chosen. The new release reaches k
by itself; with --earlier the two are counted together, too. Exit code 1 when it is refused.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from kanon_tui.commands.arguments import FORCE, JSON, choice, file_argument
from kanon_tui.commands.output import print_json, say
from kanon_tui.core.table.file_kinds import TABLE_ENDINGS

if TYPE_CHECKING:
    from kanon_tui.core.analysis.applying.apply import Applied

HELP = "publish new records as an earlier release was published"
_HOW = ("suppress", "refuse")

ARGUMENTS = (
    file_argument("mapping", "the exported mapping (.json)", "MAPPING"),
    file_argument("file", "the new records"),
    file_argument("--out", f"the new release: {', '.join(TABLE_ENDINGS)}"),
    choice("--uncovered", _HOW, "records with values that it does not cover (suppress)", _HOW[0]),
    choice("--below-k", _HOW, "records in classes that miss what is required (suppress)", _HOW[0]),
    file_argument("--earlier", "the earlier release; both together must reach k as well"),
    FORCE,
    JSON,
)


def execute(args: argparse.Namespace) -> int:
    """Read, recode, verify, write, and print what became of the records."""
    from kanon_tui.core.api.functions import apply
    from kanon_tui.core.table.writing import check_target

    inputs = [path for path in (args.mapping, args.file, args.earlier) if path is not None]
    if args.out is not None:
        check_target(args.out, TABLE_ENDINGS, args.force, inputs)
    choices = {"uncovered": args.uncovered, "below_k": args.below_k}
    applied = apply(args.mapping, args.file, earlier=args.earlier, **choices)
    if args.out is not None:
        applied.result.write(args.out, args.force)
    if args.json:
        print_json(_figures(applied))
    else:
        _print_summary(applied, args)
    return 0


def _figures(applied: Applied) -> dict[str, Any]:
    measures, union = applied.result.measures, applied.union
    names = ("records", "classes", "k", "new_classes", "in_one_release")
    return {
        "records": applied.records,
        "published": applied.published,
        "uncovered_records": applied.uncovered_records,
        "uncovered": dict(applied.uncovered),
        "below_k": applied.small_records,
        "classes": measures.classes,
        "k": measures.smallest_class,
        "union": None if union is None else {name: getattr(union, name) for name in names},
    }


def _print_summary(applied: Applied, args: argparse.Namespace) -> None:
    from kanon_tui.core.analysis.applying.apply import summary

    for line in summary(applied, args.file.name, args.mapping.name):
        say(line)
    say(f"  wrote {args.out}" if args.out is not None else "  nothing was written (see --out)")
