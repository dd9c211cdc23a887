"""Tell a run in numbered plain sentences, decision by decision.

Meant for small tables, such as the bundled samples. Exit code 1 when no release was found.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from kanon_tui.commands.common import say, whole_number

__all__ = ["HELP", "arguments", "execute"]

HELP = "tell a run in numbered plain sentences"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("project", metavar="PROJECT", type=Path, help="a project file (.yaml)")
    add("--algorithm", metavar="NAME", help="instead of the project's; see 'kanon-tui algorithms'")
    add("--k", metavar="N", type=whole_number(1), help="instead of the project's k")
    add(
        "--most", metavar="N", type=whole_number(1), default=200,
        help="decisions to tell at most, 200 where not given",
    )  # fmt: skip


def execute(args: argparse.Namespace) -> int:
    """Run decision by decision and print as it goes."""
    from kanon_tui.core.analysis.explain import explain
    from kanon_tui.core.project.overrides import with_overrides
    from kanon_tui.core.project.project import Project
    from kanon_tui.core.run.prepare import prepare

    project = with_overrides(Project.load(args.project), algorithm=args.algorithm, k=args.k)
    for line in explain(project, prepare(project), args.most):
        say(line)
    return 0
