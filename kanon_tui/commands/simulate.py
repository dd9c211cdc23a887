"""Estimate how likely a table of some shape is k-anonymous as it stands."""

import argparse
from dataclasses import asdict

from kanon_tui.commands.output import print_json, show
from kanon_tui.core.analysis.registry import find_analysis


def execute(args: argparse.Namespace) -> int:
    """Draw the tables and print the rate."""
    names = ("attributes", "k", "records", "values", "repeats", "seed")
    found = find_analysis("feasibility").load()(**{name: getattr(args, name) for name in names})
    if args.json:
        print_json(asdict(found))
        return 0
    low, high = found.interval
    show(
        f"attributes: {found.attributes:,} with {found.values:,} values each   "
        f"records: {found.records:,}   k = {found.k:,}"
    )
    show(
        f"k-anonymous: {round(found.success_rate * found.repeats):,} of {found.repeats:,} random "
        f"tables, {found.success_rate:.1%} (95 % interval {low:.1%} to {high:.1%})"
    )
    return 0
