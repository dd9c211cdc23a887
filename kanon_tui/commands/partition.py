"""Grow a decision tree for an attribute on the original and on a release, side by side.

Accuracy and AUC are cross-validated on each table's own cells. `kept` is the release's accuracy
divided by the original's; the baseline is the accuracy of always guessing the commonest value.
Where published cells reach to the other side of a split, every group is counted without them, too.
Without --attributes the trees may ask about all that is published, except what tells the target by
itself without being generalised.

With --rows clusters the release has one row per cluster. With --overlap nodes a cell overlaps when
it shares a value with any cell of the other side of a split, and ranges are asked for where they
begin: Morton's reading.
"""

from __future__ import annotations

import argparse
from itertools import zip_longest
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from kanon_tui.commands.arguments import (
    COUNT,
    JSON,
    MADE_BY,
    RELEASE,
    analysed,
    argument,
    choice,
    names,
    whole_number,
)
from kanon_tui.commands.output import print_json, print_section, say
from kanon_tui.core.text import visible

if TYPE_CHECKING:
    from kanon_tui.core.analysis.trees.partition import Node, PartitionTree

HELP = "compare decision trees on the original and on a release"

ARGUMENTS = (
    MADE_BY,
    RELEASE,
    argument("--target", "NAME", "the attribute to predict", required=True),
    argument("--attributes", "a,b", "what the trees may ask about (see above)", names),
    argument("--leaves", "N", "the most leaves (8)", whole_number(2), default=8),
    argument("--smallest", "N", "the fewest records of a leaf (one in a hundred)", COUNT),
    choice("--rows", ("records", "clusters"), "what a row of the release is (records)", "records"),
    choice(
        "--overlap", ("straddling", "nodes"), "what overlaps at a split (straddling)", "straddling"
    ),
    JSON,
)


def execute(args: argparse.Namespace) -> int:
    """Grow both trees and print them."""
    options = ("target", "attributes", "leaves", "smallest", "rows", "overlap")
    found = analysed("trees", args, **{name: getattr(args, name) for name in options})
    if args.json:
        trees = {"original": _as_json(found.original), "release": _as_json(found.release)}
        asked = {"attributes": found.attributes, "telling": found.telling}
        print_json({"target": found.target, **trees, "kept": found.kept, **asked})
        return 0
    print_section(found.section())
    say("")
    _print_trees(_tree_lines(found.original.root), _tree_lines(found.release.root))
    return 0


def _as_json(tree: PartitionTree) -> dict[str, Any]:
    leaves = [
        {
            "records": leaf.records,
            "share": leaf.share,
            "path": leaf.path,
            "value": leaf.majority,
            "people": leaf.people,
            "overlap_free": {
                "records": leaf.free_records,
                "share": leaf.free_share,
                "people": leaf.free_people,
            },
        }
        for leaf in tree.root.leaves()
    ]
    splits = [
        {
            "path": node.path,
            "split": node.children[0].condition,
            "records": node.records,
            "straddling": node.straddling,
        }
        for node in tree.root.splits()
    ]
    figures = {"accuracy": tree.accuracy, "auc": tree.auc, "baseline": tree.baseline}
    return {**figures, "mixed_target": tree.mixed, "leaves": leaves, "splits": splits}


def _tree_lines(node: Node, indent: str = "") -> list[str]:
    """Return a tree as text: a line per node, its children indented."""
    condition = f"{node.condition}: " if node.condition else ""
    line = f"{indent}{condition}{node.records:,} records, {node.share:.1%} {node.majority}"
    if node.overlapping:
        share = "" if node.free_share is None else f", {node.free_share:.1%}"
        line += f"; without overlap {node.free_records:,}{share}"
    if node.people != node.records:
        line += f"; {node.people:,} people, {node.free_people:,} without overlap"
    if node.straddling:
        line += f"; {node.straddling:,} straddle the split"
    lines = [line]
    for child in node.children:
        lines += _tree_lines(child, indent + "  ")
    return lines


def _print_trees(original: list[str], release: list[str]) -> None:
    """Print both trees side by side where the terminal is wide enough, else one after the other."""
    original = ["original", *map(visible, original)]
    release = ["release", *map(visible, release)]
    left, right = (max(map(len, lines)) for lines in (original, release))
    if left + 3 + right <= get_terminal_size().columns:
        for one, other in zip_longest(original, release, fillvalue=""):
            say(f"{one:{left}}   {other}".rstrip())
    else:
        say(*original, "", *release)
