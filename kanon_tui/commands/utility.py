"""Compare what analyses find in the original and in a release.

Published ranges, labels and sets are spread over the values of the original that they cover.
Distances are total variation (0 the same, 1 nothing in common), associations Cramer's V. With
--target, models for that attribute are cross-validated on each table's own cells.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from kanon_tui.commands.arguments import (
    JSON,
    MADE_BY,
    RELEASE,
    argument,
    prepared,
    read_published,
)
from kanon_tui.commands.output import figure, print_json, print_table, say

if TYPE_CHECKING:
    from kanon_tui.core.analysis.utility.utility import Utility

__all__ = ["ARGUMENTS", "HELP", "execute"]

HELP = "compare what analyses find in the original and in a release"
PAIRS_SHOWN = 10

ARGUMENTS = (
    MADE_BY,
    RELEASE,
    argument("--target", "NAME", "what models predict; means are told of a number, too"),
    JSON,
)


def execute(args: argparse.Namespace) -> int:
    """Measure and print."""
    from kanon_tui.core.analysis.registry import find_analysis

    project, task = prepared(args)
    release = read_published(args.release, task)
    found = find_analysis("utility").load()(project, task, release, args.target, args.release.name)
    if args.json:
        print_json(_as_json(found))
    else:
        _print(found)
    return 0


def _as_json(found: Utility) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "records": {"original": found.original_records, "release": found.release_records},
        "marginals": [asdict(each) for each in found.marginals],
        "pairs": [asdict(each) for each in found.pairs],
        "means": [{**asdict(each), "overlap": each.overlap} for each in found.means],
        "queries": None if found.queries is None else asdict(found.queries),
        "target": found.target,
        "models": [{**asdict(each), "kept": each.kept} for each in found.learnt],
    }


def _print(found: Utility) -> None:
    say(f"records: {found.original_records:,} in the original, {found.release_records:,} released")
    say("", "distance between distributions")
    rows = [[each.attribute, figure(each.distance)] for each in found.marginals]
    print_table(("attribute", "distance"), rows)
    if found.pairs:
        say("", f"pairs of attributes, the {min(PAIRS_SHOWN, len(found.pairs))} that changed most")
        print_table(("pair", "distance", "association", "released"), _pair_rows(found))
    if found.queries is not None:
        asked = found.queries
        say(
            "",
            f"{asked.queries:,} random COUNT queries: relative error {asked.median:.1%} in the "
            f"median, {asked.mean:.1%} in the mean, {asked.ninetieth:.1%} at the 90th percentile",
        )
    if found.means:
        say("", "means by group, with 95 % confidence intervals")
        print_table(("mean", "original", "released", "overlap", "medians"), _mean_rows(found))
    if found.learnt:
        say("", f"models that predict {found.target}: accuracy (AUC)")
        print_table(("model", "original", "released", "kept"), _model_rows(found))


def _pair_rows(found: Utility) -> list[list[str]]:
    return [
        [
            f"{each.first}, {each.second}",
            figure(each.distance),
            figure(each.original_association),
            figure(each.release_association),
        ]
        for each in found.pairs[:PAIRS_SHOWN]
    ]


def _mean_rows(found: Utility) -> list[list[str]]:
    from kanon_tui.core.text import significant

    rows = []
    for each in found.means:
        both = (each.original, each.release)
        means = [
            f"{significant(one.mean)} [{significant(one.low)}, {significant(one.high)}]"
            for one in both
        ]
        medians = " → ".join(significant(one.median) for one in both)
        name = f"{each.measure}, {each.by} {each.group}"
        rows.append([name, *means, f"{each.overlap:.2f}", medians])
    return rows


def _model_rows(found: Utility) -> list[list[str]]:
    first = found.learnt[0]
    rows = [["guessing", f"{first.original.baseline:.1%}", f"{first.release.baseline:.1%}", ""]]
    for each in found.learnt:
        both = [f"{one.accuracy:.1%} ({figure(one.auc)})" for one in (each.original, each.release)]
        rows.append([each.model, *both, "-" if each.kept is None else f"{each.kept:.1%}"])
    return rows
