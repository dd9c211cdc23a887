"""Open a bundled sample project in the application; without NAME, the start screen lists them."""

from __future__ import annotations

import argparse

from kanon_tui.commands.common import say
from kanon_tui.core.errors import InputError

__all__ = ["HELP", "arguments", "execute"]

HELP = "open a bundled sample project, or present its run to a class"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("name", metavar="NAME", nargs="?", help="the name of a sample")
    add("--present", action="store_true", help="run it step by step, large, for a class to read")
    add("--list", action="store_true", help="print the samples and what each teaches, and end")
    add("--no-mouse", action="store_true", help="leave the mouse to the terminal, to select text")


def execute(args: argparse.Namespace) -> int:
    """Open the application, in the way the command line gives."""
    from kanon_tui.core.project.samples import find_sample, list_samples

    if args.list:
        for sample in list_samples():
            say(f"{sample.name}: {sample.description}")
            say(f"    {sample.teaches}")
        return 0
    if args.present and args.name is None:
        raise InputError("demo: --present needs a NAME; 'kanon-tui demo --list' names the samples")
    file = find_sample(args.name).project if args.name is not None else None
    more = {"present": True} if args.present else {}
    code: int = args.open_application(file, mouse=not args.no_mouse, **more)
    return code
