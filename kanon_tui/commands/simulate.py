"""Estimate how likely a table of some shape is k-anonymous as it stands.

Random tables are drawn, every attribute with the same number of equally frequent values; the
success rate is the share of them in which no class has fewer than k records.
"""

from __future__ import annotations

import argparse

from kanon_tui.commands.common import add_json, print_json, say, whole_number

__all__ = ["HELP", "arguments", "execute"]

HELP = "estimate whether k can be reached at all"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add, count = parser.add_argument, whole_number(1)
    add("--attributes", metavar="M", type=count, required=True, help="number of attributes")
    add("--k", metavar="K", type=count, required=True, help="the smallest class allowed")
    add("--records", metavar="N", type=count, required=True, help="number of records")
    add("--values", metavar="V", type=count, default=2, help="values per attribute (2)")
    add("--repeats", metavar="R", type=count, default=200, help="tables that are drawn (200)")
    add("--seed", metavar="S", type=whole_number(0), default=0, help="of the random numbers (0)")
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Draw the tables and print the rate."""
    from dataclasses import asdict

    from kanon_tui.core.analysis.feasibility import feasibility

    names = ("attributes", "k", "records", "values", "repeats", "seed")
    found = feasibility(**{name: getattr(args, name) for name in names})
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
