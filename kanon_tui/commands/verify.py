"""Prove a release from the original data, the project and the release alone."""

import argparse
from dataclasses import asdict

from kanon_tui.commands.output import print_json, show
from kanon_tui.core.analysis.proof import verify_written
from kanon_tui.core.text import count_of


def execute(args: argparse.Namespace) -> int:
    """Check the release and print every check with its outcome."""
    proof = verify_written(args.release, args.project, args.data)
    if args.json:
        print_json({"release": args.release.name, **asdict(proof), "holds": proof.holds})
    else:
        marks = ["✓" if each.holds else "✗" if each.decided else "?" for each in proof.checks]
        for mark, check in zip(marks, proof.checks, strict=True):
            show(f"{mark} {check.what}{f': {check.found}' if check.found else ''}")
        unproven = "is NOT proven" if "✗" in marks else "can be neither proven nor refuted"
        verdict = "is proven" if proof.holds else unproven
        show(
            f"{args.release.name}: {proof.records:,} records in {proof.classes:,} classes, the "
            f"smallest has {proof.k:,}; it {verdict}"
        )
        if proof.absent:
            absent = count_of(proof.absent, "record")
            show(
                f"not proven is that it is complete: {absent} of the data beyond its rows, "
                "suppressed by the run or removed since"
            )
    return 0 if proof.holds else 1
