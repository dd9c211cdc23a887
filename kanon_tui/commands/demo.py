"""Open a bundled sample project in the application; without NAME, the start screen lists them."""

from __future__ import annotations

import argparse

from kanon_tui.commands.common import launch_application

__all__ = ["HELP", "arguments", "execute"]

HELP = "open a bundled sample project"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("name", metavar="NAME", nargs="?", help="the name of a sample")


def execute(args: argparse.Namespace) -> int:
    """Open the application."""
    if args.name is None:
        return launch_application(None)
    from kanon_tui.core.project.samples import find_sample

    return launch_application(find_sample(args.name).project)
