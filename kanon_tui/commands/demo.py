"""Open a bundled sample project in the application; without NAME, the start screen lists them."""

from __future__ import annotations

import argparse

__all__ = ["HELP", "arguments", "execute"]

HELP = "open a bundled sample project"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("name", metavar="NAME", nargs="?", help="the name of a sample")
    parser.add_argument(
        "--no-mouse", action="store_true", help="leave the mouse to the terminal, to select text"
    )


def execute(args: argparse.Namespace) -> int:
    """Open the application, in the way the command line gives."""
    from kanon_tui.core.project.samples import find_sample

    file = find_sample(args.name).project if args.name is not None else None
    code: int = args.open_application(file, mouse=not args.no_mouse)
    return code
