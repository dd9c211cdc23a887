"""Try to find the people of an external table in the original and in a release.

A published range, set, label or mask matches what it covers. Only counts are printed, nothing about
any person.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from kanon_tui.commands.arguments import (
    JSON,
    MADE_BY,
    RELEASE,
    argument,
    file_argument,
    names,
    prepared,
    read_published,
)
from kanon_tui.commands.output import figure, print_json, print_table, say

if TYPE_CHECKING:
    from kanon_tui.core.analysis.attack.linking import Linked

__all__ = ["ARGUMENTS", "HELP", "execute"]

HELP = "link an external table to the original and to a release"

ARGUMENTS = (
    MADE_BY,
    RELEASE,
    file_argument("--external", "what an outsider has", required=True),
    argument("--on", "a,b", "the attributes both have", names, required=True),
    JSON,
)


def execute(args: argparse.Namespace) -> int:
    """Link both tables and print how many people they give away."""
    from kanon_tui.core.analysis.registry import find_analysis

    project, task = prepared(args)
    found = find_analysis("attack").load()(
        project,
        task,
        read_published(args.release, task),
        read_published(args.external, task),
        args.on,
        release_name=args.release.name,
        external_name=args.external.name,
    )
    if args.json:
        sides = {"original": _counts(found.original), "release": _counts(found.release)}
        print_json({"people": found.people, **sides})
        return 0
    of = " person" if task.repeated is not None else ""
    rows = [
        [meaning, figure(original), figure(published)]
        for meaning, original, published in (
            ("have a record that fits", found.original.found, found.release.found),
            (f"have exactly one{of}: found", found.original.unique, found.release.unique),
            (f"have fewer than k = {task.k:,}", found.original.below_k, found.release.below_k),
            ("a sensitive value is certain", found.original.disclosed, found.release.disclosed),
        )
    ]
    print_table((f"of {found.people:,} people", "original", "release"), rows)
    for note in found.notes:
        say(f"note: {note}")
    if not task.sensitive:
        say("note: the project names no sensitive attribute, so no value can be disclosed")
    return 0


def _counts(linked: Linked) -> dict[str, int]:
    return {"unique": linked.unique, "below_k": linked.below_k, "disclosed": linked.disclosed}
