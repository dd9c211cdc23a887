"""List the algorithms: names, families, what they do, parameters with defaults."""

import argparse
from textwrap import wrap

from kanon_tui.commands.output import print_json, show, warn
from kanon_tui.core.algorithms import ALGORITHMS, catalogue
from kanon_tui.core.fields.declaration import fields_of


def execute(args: argparse.Namespace) -> None:
    """Print every algorithm with its parameters, as text or JSON."""
    if args.json:
        print_json(catalogue())
        return
    for algorithm in ALGORITHMS.values():
        show(f"{algorithm.name}  ({algorithm.family.value})")
        lines = [f"{algorithm.title}. {algorithm.summary}.", algorithm.paper]
        for declared in fields_of(algorithm):
            default = "none" if declared.default is None else str(declared.default).lower()
            lines.append(f"--set {declared.name}={default}  {declared.help} ({declared.allowed})")
        for line in lines:
            show(*wrap(line, width=96, initial_indent="    ", subsequent_indent="      "))
        show("")
    for sentence in ALGORITHMS.broken.values():
        warn(sentence)
