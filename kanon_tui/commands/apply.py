"""Publish new records as an earlier release published its own."""

import argparse
from dataclasses import asdict
from typing import Any

from kanon_tui.commands.output import print_json, show
from kanon_tui.core.analysis.applying.apply import Applied, summary
from kanon_tui.core.api.functions import apply
from kanon_tui.core.table.formats import TABLE_ENDINGS
from kanon_tui.core.table.writing import check_target


def execute(args: argparse.Namespace) -> None:
    """Read, recode, verify, write, and print what became of the records."""
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
        for line in summary(applied, args.file.name, args.mapping.name):
            show(line)
        show(f"  wrote {args.out}" if args.out is not None else "  nothing was written (see --out)")


def _figures(applied: Applied) -> dict[str, Any]:
    measures = applied.result.measures
    union = applied.union
    return {
        "records": applied.records,
        "published": applied.published,
        "uncovered_records": applied.uncovered_records,
        "uncovered": dict(applied.uncovered),
        "below_k": applied.small_records,
        "stray_rows": applied.stray_rows,
        "classes": measures.classes,
        "k": measures.smallest_class,
        "union": None if union is None else asdict(union),
    }
