"""Check a release against an earlier one of the same people: do the two single somebody out?

Everybody must keep k candidates when both are joined. Only counts are printed, nothing about any
person. Exit code 1 where somebody has fewer.
"""

import argparse

from kanon_tui.commands.arguments import JSON, MADE_BY, analysed, file_argument
from kanon_tui.commands.output import print_json, print_section, warn

HELP = "check a release against an earlier release of the same people"

ARGUMENTS = (
    MADE_BY,
    file_argument("--release", "what is to be published", required=True),
    file_argument("--earlier", "what was published before", required=True),
    JSON,
)


def execute(args: argparse.Namespace) -> int:
    """Join both releases and print how many people they give away together."""
    from kanon_tui.core.errors import NotReachedError

    found = analysed("rerelease", args, "earlier")
    if args.json:
        counts = ("people", "not_in_both", "k", "fewest", "unique", "below_k", "below_k_at_worst")
        print_json({name: getattr(found, name) for name in (*counts, "counted")})
    else:
        print_section(found.section())
    try:
        found.refuse(args.earlier.name)
    except NotReachedError as error:
        warn(str(error).removesuffix("; nothing was written"))
        return 1
    return 0
