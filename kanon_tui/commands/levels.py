"""Show every attribute's levels: labels, smallest group, whether it passes k alone, RV and NCP."""

from __future__ import annotations

import argparse

from kanon_tui.commands.common import a_file, add_json, figure, print_json, print_table

__all__ = ["HELP", "arguments", "execute"]

HELP = "show what every level of every hierarchy is worth"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("project", metavar="PROJECT", type=a_file, help="a project file (.yaml)")
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Measure the levels of each quasi-identifier alone."""
    from dataclasses import asdict

    from kanon_tui.core.metrics.levels import level_measures
    from kanon_tui.core.project.project import Project
    from kanon_tui.core.run.prepare import prepare

    task = prepare(Project.load(args.project))
    found = {
        attribute.name: level_measures(attribute, task.k, task.allowed_suppressed)
        for attribute in task.quasi
    }
    if args.json:
        attributes = {name: [asdict(level) for level in levels] for name, levels in found.items()}
        print_json({"attributes": attributes})
        return 0
    rows = [
        [
            name if level.level == 0 else "",
            *(figure(number) for number in (level.level, level.labels, level.smallest)),
            "yes" if level.passes else "no",
            figure(level.rv),
            figure(level.ncp),
        ]
        for name, levels in found.items()
        for level in levels
    ]
    print_table(("attribute", "level", "labels", "smallest", "passes", "RV", "NCP"), rows)
    return 0
