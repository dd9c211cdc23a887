"""Compare what analyses find in the original and in a release."""

import argparse
from dataclasses import asdict
from typing import Any

from kanon_tui.commands.inputs import analysed
from kanon_tui.commands.output import print_json, print_sections, show
from kanon_tui.core.analysis.utility.utility import Utility, utility_sections


def execute(args: argparse.Namespace) -> None:
    """Measure the utility of the release and print it."""
    found: Utility = analysed("utility", args, target=args.target)
    if args.json:
        print_json(_as_json(found))
        return
    show(f"records: {found.original_records:,} in the original, {found.release_records:,} released")
    print_sections(*utility_sections(found))


def _as_json(found: Utility) -> dict[str, Any]:
    return {
        "records": {"original": found.original_records, "release": found.release_records},
        "marginals": [asdict(each) for each in found.marginals],
        "pairs": [asdict(each) for each in found.pairs],
        "means": [{**asdict(each), "overlap": each.overlap} for each in found.means],
        "queries": None if found.queries is None else asdict(found.queries),
        "target": found.target,
        "models": [{**asdict(each), "kept": each.kept} for each in found.learnt],
    }
