"""Compare what analyses find in the original and in a release.

Published ranges, labels and sets are spread over the values of the original that they cover.
Distances are total variation (0 the same, 1 nothing in common), associations Cramer's V. With
--target, models for that attribute are cross-validated on each table's own cells.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from kanon_tui.commands.arguments import JSON, MADE_BY, RELEASE, analysed, argument
from kanon_tui.commands.output import print_json, print_section, say

if TYPE_CHECKING:
    from kanon_tui.core.analysis.utility.utility import Utility

HELP = "compare what analyses find in the original and in a release"

ARGUMENTS = (
    MADE_BY,
    RELEASE,
    argument("--target", "NAME", "what models predict; means are told of a number, too"),
    JSON,
)


def execute(args: argparse.Namespace) -> int:
    """Measure and print."""
    from kanon_tui.core.analysis.utility.utility import utility_sections

    found: Utility = analysed("utility", args, target=args.target)
    if args.json:
        print_json(_as_json(found))
        return 0
    say(f"records: {found.original_records:,} in the original, {found.release_records:,} released")
    for section in utility_sections(found):
        print_section(section)
    return 0


def _as_json(found: Utility) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "records": {"original": found.original_records, "release": found.release_records},
        "marginals": [asdict(each) for each in found.marginals],
        "pairs": [asdict(each) for each in found.pairs],
        "means": [{**asdict(each), "overlap": each.overlap} for each in found.means],
        "queries": None if found.queries is None else asdict(found.queries),
        "target": found.target,
        "models": [{**asdict(each), "kept": each.kept} for each in found.learnt],
    }
