"""Say that nothing has to be compiled any more."""

import argparse

from kanon_tui.commands.output import show


def execute(args: argparse.Namespace) -> None:
    """Say that there is nothing to do."""
    show("nothing to do: Kanon is compiled when it is installed; leave this command out")
