"""Prove a release from the original data, the project and the release alone.

Nothing is taken from the run that made it. It is checked that the release has the columns of the
project and no other, that every row stands for a record of the data, and that all the privacy that
the project asks for is there. Exit code 1 where something does not hold.
"""

import argparse

from kanon_tui.commands.arguments import JSON, file_argument
from kanon_tui.commands.output import print_json, say

HELP = "prove a release from the data, the project and the release alone"

ARGUMENTS = (
    file_argument("release", "what was published", "RELEASE"),
    file_argument("--project", "the project (.yaml) that made the release", required=True),
    file_argument("--data", "the original data, instead of the file that the project names"),
    JSON,
)


def execute(args: argparse.Namespace) -> int:
    """Check the release and print what holds."""
    from dataclasses import asdict

    from kanon_tui.core.analysis.proof import verify_written

    proof = verify_written(args.release, args.project, args.data)
    if args.json:
        print_json({"release": args.release.name, **asdict(proof), "holds": proof.holds})
    else:
        for check in proof.checks:
            found = f": {check.found}" if check.found else ""
            say(f"{'✓' if check.holds else '✗'} {check.what}{found}")
        verdict = "is proven" if proof.holds else "is NOT proven"
        say(
            f"{args.release.name}: {proof.records:,} records in {proof.classes:,} classes, the "
            f"smallest has {proof.k:,}; it {verdict}"
        )
    return 0 if proof.holds else 1
