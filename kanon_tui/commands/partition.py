"""Grow a decision tree for an attribute on the original and on a release, side by side."""

import argparse
from itertools import zip_longest
from shutil import get_terminal_size
from typing import Any

from kanon_tui.commands.inputs import analysed
from kanon_tui.commands.output import print_json, print_sections, show
from kanon_tui.core.analysis.trees.partition import Node, PartitionTree
from kanon_tui.core.text import visible


def execute(args: argparse.Namespace) -> None:
    """Grow both trees and print them."""
    options = ("target", "attributes", "leaves", "smallest", "rows", "overlap")
    found = analysed("trees", args, **{name: getattr(args, name) for name in options})
    if args.json:
        trees = {"original": _as_json(found.original), "release": _as_json(found.release)}
        attributes = {"attributes": found.attributes, "telling": found.determining}
        print_json({"target": found.target, **trees, "kept": found.kept, **attributes})
        return
    print_sections(found.section())
    show("")
    _print_trees(_tree_lines(found.original.root), _tree_lines(found.release.root))


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
            show(f"{one:{left}}   {other}".rstrip())
    else:
        show(*original, "", *release)
