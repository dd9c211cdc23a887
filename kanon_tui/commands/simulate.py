"""Estimate how likely a table of some shape is k-anonymous as it stands."""

import argparse

from kanon_tui.commands.output import print_json, show
from kanon_tui.core.analysis.feasibility import feasibility


def execute(args: argparse.Namespace) -> None:
    """Draw random tables and print the share of them that is k-anonymous."""
    names = ("attributes", "values", "k", "records", "repeats", "seed")
    settings = {name: getattr(args, name) for name in names}
    found = feasibility(**settings)
    if args.json:
        print_json({**settings, "success_rate": found.success_rate})
        return
    low, high = found.interval
    show(
        f"attributes: {args.attributes:,} with {args.values:,} values each   "
        f"records: {args.records:,}   k = {args.k:,}"
    )
    show(
        f"k-anonymous: {round(found.success_rate * found.repeats):,} of {found.repeats:,} random "
        f"tables, {found.success_rate:.1%} (95 % interval {low:.1%} to {high:.1%})"
    )
