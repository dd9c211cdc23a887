"""Estimate how likely a table of some shape is k-anonymous as it stands.

Random tables are drawn, every attribute with the same number of equally frequent values; the
success rate is the share of them in which no class has fewer than k records.
"""

import argparse

from kanon_tui.commands.arguments import COUNT, JSON, argument, whole_number
from kanon_tui.commands.output import print_json, say

HELP = "estimate whether k can be reached at all"

ARGUMENTS = (
    argument("--attributes", "M", "number of attributes", COUNT, required=True),
    argument("--k", "K", "the smallest class allowed", COUNT, required=True),
    argument("--records", "N", "number of records", COUNT, required=True),
    argument("--values", "V", "values per attribute (2)", COUNT, default=2),
    argument("--repeats", "R", "tables that are drawn (200)", COUNT, default=200),
    argument("--seed", "S", "of the random numbers (0)", whole_number(0), default=0),
    JSON,
)


def execute(args: argparse.Namespace) -> int:
    """Draw the tables and print the rate."""
    from dataclasses import asdict

    from kanon_tui.core.analysis.registry import find_analysis

    names = ("attributes", "k", "records", "values", "repeats", "seed")
    found = find_analysis("feasibility").load()(**{name: getattr(args, name) for name in names})
    if args.json:
        print_json(asdict(found))
        return 0
    low, high = found.interval
    say(
        f"attributes: {found.attributes:,} with {found.values:,} values each   "
        f"records: {found.records:,}   k = {found.k:,}"
    )
    say(
        f"k-anonymous: {round(found.success_rate * found.repeats):,} of {found.repeats:,} random "
        f"tables, {found.success_rate:.1%} (95 % interval {low:.1%} to {high:.1%})"
    )
    return 0
