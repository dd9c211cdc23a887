"""Write the recoding of a release as SQL that a database or Spark applies to its rows itself.

MAPPING is what 'run --mapping FILE.json' or the application exported. The query publishes the rows
of a table as the release was published; what the release does not cover and what falls into a class
below k is left out. A mapping that asks for more than k is refused: SQL could not prove it.
"""

import argparse
import sys

from kanon_tui.commands.arguments import FORCE, argument, choice, file_argument, names
from kanon_tui.commands.output import say

HELP = "write the recoding of a release as SQL for a database or Spark"
ARGUMENTS = (
    file_argument("mapping", "the exported mapping (.json)", "MAPPING"),
    choice("--format", ("sql", "spark"), "PostgreSQL and DuckDB (sql), or Spark SQL", "sql"),
    argument("--table", "NAME", "the table with the rows (records)", default="records"),
    argument("--publish", "a,b", "further columns to publish as they are", names),
    file_argument("--out", "the query as a file (.sql); printed without it"),
    FORCE,
)


def execute(args: argparse.Namespace) -> int:
    """Write or print the query."""
    from kanon_tui.core.api.functions import export_mapping
    from kanon_tui.core.table.writing import check_target, write_text

    query = export_mapping(args.mapping, args.format, args.table, args.publish)
    if args.out is not None:
        check_target(args.out, (".sql",), args.force, [args.mapping])
        write_text(args.out, query, args.force)
    elif sys.stdout.isatty():
        say(*query.splitlines())
    else:
        sys.stdout.buffer.write(query.encode())
    return 0
