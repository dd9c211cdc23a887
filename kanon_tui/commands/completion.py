"""Print what a shell needs to complete commands, options, algorithms, samples and file names."""

import argparse
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from kanon_tui.commands.readers import a_file, file_name, release_place
from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.optional import require
from kanon_tui.core.project.samples import list_samples


def execute(args: argparse.Namespace) -> None:
    """Let shtab translate the parser of the command line."""
    shtab = require("shtab", "completing commands in a shell")
    parser: argparse.ArgumentParser = args.whole_parser
    samples = [sample.name for sample in list_samples()]
    for command, action in _actions(parser):
        # The parser reads nothing after this, so its actions may be changed.
        if action.type in (a_file, file_name, release_place):
            action.complete = shtab.FILE
        elif action.dest == "algorithm":
            action.choices = list(ALGORITHMS)
        elif command == "demo" and action.dest == "name":
            action.choices = samples
    text = shtab.complete(parser, shell=args.shell)
    # The first word may be a file to open: bash offers files where it knows no other word.
    sys.stdout.write(text.replace("complete -o bashdefault", "complete -o bashdefault -o default"))
    sys.stdout.write("\n")


def _actions(parser: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every action with the name of the command it belongs to."""
    for action in parser.actions:
        if isinstance(action.choices, Mapping):
            for word, command in action.choices.items():
                yield from _actions(command, word)
        else:
            yield name, action
