"""Build, check and convert generalisation hierarchies.

The format goes by the ending: .csv (ARX's form: one row per value, separated by semicolons),
.yaml (a level table as in projects), .xml (a configuration of the UTD toolbox).
"""

from __future__ import annotations

import argparse

from kanon_tui.commands.hierarchy import build, convert, validate

__all__ = ["HELP", "arguments", "execute"]

HELP = "build, check and convert hierarchies"

_PARTS = {"build": build, "validate": validate, "convert": convert}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the three parts, each with its own arguments."""
    parts = parser.add_subparsers(metavar="|".join(_PARTS), required=True)
    for name, module in _PARTS.items():
        part = parts.add_parser(name, help=module.HELP, allow_abbrev=False)
        part.set_defaults(execute=module.execute, parser=part)
        module.arguments(part)


def execute(args: argparse.Namespace) -> int:
    """Replaced by the function of build, validate or convert."""
    raise AssertionError("argparse asks for one of the three")
