"""Say that nothing has to be compiled any more.

Kanon's inner loops are compiled when it is installed. The command stays for scripts that call it
and goes with version 0.4.
"""

import argparse

from kanon_tui.commands.arguments import flag
from kanon_tui.commands.output import say

HELP = "no longer needed: everything is compiled when Kanon is installed"

ARGUMENTS = (flag("--all-users", "no longer needed"),)


def execute(args: argparse.Namespace) -> int:
    """Say that there is nothing to do."""
    say("nothing to do: Kanon is compiled when it is installed; leave this command out")
    return 0
