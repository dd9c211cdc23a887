"""Write the recoding of a release as SQL that a database or Spark applies to its rows itself."""

import argparse
import sys

from kanon_tui.commands.output import show
from kanon_tui.core.api.functions import export_mapping
from kanon_tui.core.table.writing import check_target, write_text


def execute(args: argparse.Namespace) -> None:
    """Write or print the query."""
    query = export_mapping(args.mapping, args.format, args.table, args.publish)
    if args.out is not None:
        check_target(args.out, (".sql",), args.force, [args.mapping])
        write_text(args.out, query, args.force)
    elif sys.stdout.isatty():
        show(*query.splitlines())
    else:
        sys.stdout.buffer.write(query.encode())
