"""Show every attribute's levels: labels, smallest group, whether it passes k alone, RV and NCP."""

import argparse
from dataclasses import asdict

from kanon_tui.commands.output import figure, print_json, print_table
from kanon_tui.core.api.functions import levels as measured_levels


def execute(args: argparse.Namespace) -> None:
    """Measure and print the levels of each quasi-identifier alone."""
    found = measured_levels(args.project)
    if args.json:
        attributes = {name: [asdict(level) for level in levels] for name, levels in found.items()}
        print_json({"attributes": attributes})
        return
    rows = [
        [
            name if level.level == 0 else "",
            *map(figure, (level.level, level.labels, level.smallest)),
            "yes" if level.passes else "no",
            *map(figure, (level.rv, level.ncp)),
        ]
        for name, levels in found.items()
        for level in levels
    ]
    print_table(("attribute", "level", "labels", "smallest", "passes", "RV", "NCP"), rows)
