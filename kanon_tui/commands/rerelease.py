"""Check a release against an earlier one of the same people: do the two single somebody out?"""

import argparse

from kanon_tui.commands.inputs import analysed
from kanon_tui.commands.output import print_json, print_sections
from kanon_tui.core.errors import NotReachedError


def execute(args: argparse.Namespace) -> None:
    """Join both releases and print how many people they give away together."""
    found = analysed("rerelease", args, "earlier")
    if args.json:
        counts = ("people", "not_in_both", "k", "fewest", "unique", "below_k", "below_k_at_worst")
        print_json({name: getattr(found, name) for name in (*counts, "counted")})
    else:
        print_sections(found.section())
    try:
        found.refuse(args.earlier.name)
    except NotReachedError as error:
        raise NotReachedError(str(error).removesuffix("; nothing was written")) from None
