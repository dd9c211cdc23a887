"""Open a bundled sample project in the application; without NAME, the start screen lists them."""

import argparse

from kanon_tui.commands.arguments import argument, flag
from kanon_tui.commands.output import say
from kanon_tui.core.errors import InputError

HELP = "open a bundled sample project, or present its run to a class"

ARGUMENTS = (
    argument("name", "NAME", "the name of a sample", nargs="?"),
    flag("--present", "run it step by step, large, for a class to read"),
    flag("--list", "print the samples and what each teaches, and end"),
    flag("--no-mouse", "leave the mouse to the terminal, to select text"),
)


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
