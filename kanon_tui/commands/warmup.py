"""Say that nothing has to be compiled any more.

Kanon's inner loops are compiled when it is installed. The command stays for scripts that call it
and goes with version 0.4.
"""

from __future__ import annotations

import argparse

from kanon_tui.commands.common import say

__all__ = ["HELP", "arguments", "execute"]

HELP = "no longer needed: everything is compiled when Kanon is installed"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--all-users", action="store_true", help="no longer needed")


def execute(args: argparse.Namespace) -> int:
    """Say that there is nothing to do."""
    say("nothing to do: Kanon is compiled when it is installed; leave this command out")
    return 0
