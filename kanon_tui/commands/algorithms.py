"""List the algorithms: names, families, what they do, parameters with defaults."""

import argparse

from kanon_tui.commands.arguments import JSON
from kanon_tui.commands.output import print_json, say, warn

HELP = "list the algorithms and their parameters"

ARGUMENTS = (JSON,)


def execute(args: argparse.Namespace) -> int:
    """Print the catalogue."""
    from textwrap import wrap

    from kanon_tui.core.algorithms import ALGORITHMS, catalogue
    from kanon_tui.core.fields.declaration import fields_of

    if args.json:
        print_json(catalogue())
        return 0
    for algorithm in ALGORITHMS.values():
        say(f"{algorithm.name}  ({algorithm.family.value})")
        lines = [f"{algorithm.title}. {algorithm.summary}.", algorithm.paper]
        for declared in fields_of(algorithm):
            default = "none" if declared.default is None else str(declared.default).lower()
            lines.append(f"--set {declared.name}={default}  {declared.help} ({declared.allowed})")
        for line in lines:
            say(*wrap(line, width=96, initial_indent="    ", subsequent_indent="      "))
        say("")
    for sentence in ALGORITHMS.broken.values():
        warn(sentence)
    return 0
