"""Open a bundled sample project in the application; without NAME, the start screen lists them."""

import argparse

from kanon_tui.commands.output import show
from kanon_tui.core.errors import InputError
from kanon_tui.core.project.samples import find_sample, list_samples


def execute(args: argparse.Namespace) -> int:
    """Open the application, in the way the command line gives."""
    if args.list:
        for sample in list_samples():
            show(f"{sample.name}: {sample.description}")
            show(f"    {sample.teaches}")
        return 0
    if args.present and args.name is None:
        raise InputError("demo: --present needs a NAME; 'kanon-tui demo --list' names the samples")
    file = find_sample(args.name).project if args.name is not None else None
    more = {"present": True} if args.present else {}
    code: int = args.open_application(file, mouse=not args.no_mouse, **more)
    return code
