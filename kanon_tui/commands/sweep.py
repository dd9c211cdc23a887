"""Compare algorithms and values of k on one table.

Every point is a whole run whose release is verified and measured. Points run side by side on all
cores; full-domain searches share what they have counted. A point without a release says why. Exit
code 1 when no point has one.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from kanon_tui.commands.arguments import (
    CONSENT,
    FORCE,
    JSON,
    PROJECT,
    argument,
    file_argument,
    names,
)
from kanon_tui.commands.output import figure, print_json, print_table, say
from kanon_tui.core.errors import InputError, NotReachedError

if TYPE_CHECKING:
    from kanon_tui.core.analysis.sweep.sweep import Sweep, SweepPoint

HELP = "compare algorithms and values of k"

_COLUMNS = ("algorithm", "k", "NCP", "RV", "IL", "classes", "suppressed", "seconds")


def _k_values(text: str) -> tuple[int, ...]:
    from kanon_tui.core.analysis.sweep.sweep import k_values

    try:
        return k_values(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


ARGUMENTS = (
    PROJECT,
    argument("--k", "K,K,...", "values of k, 2,3,5,10,25,50,100 where not given", _k_values),
    argument("--algorithms", "A,B,...", "names, the project's own where not given", names),
    argument(
        "--attributes",
        "A,B,...",
        "quasi-identifiers to use, the others are left out; repeat it for several subsets",
        names,
        action="append",
    ),
    file_argument("--out", "the table or its plots: .csv, .json or .svg"),
    FORCE,
    *CONSENT,
    JSON,
)


def execute(args: argparse.Namespace) -> int:
    """Run all points, then print and write them."""
    from kanon_tui.core.analysis.sweep.output import SWEEP_ENDINGS, sweep_text
    from kanon_tui.core.analysis.sweep.sweep import DEFAULT_KS, sweep, with_attributes, with_strings
    from kanon_tui.core.project.project import Project
    from kanon_tui.core.table.writing import check_target, write_text

    project = Project.load(args.project)
    if args.out is not None:
        check_target(args.out, SWEEP_ENDINGS, args.force, project.inputs)
    which = args.algorithms, args.k or DEFAULT_KS
    points: list[SweepPoint] = []
    for subset in args.attributes or ():
        asked = sweep(with_attributes(project, subset), *which)
        points += with_strings(_finish(asked, args), asked, subset)
    if not args.attributes:
        points = _finish(sweep(project, *which), args)
    if args.out is not None:
        write_text(args.out, sweep_text(points, args.out), args.force)
    if args.json:
        print_json([point.figures for point in points])
    else:
        _print_points(points)
        if args.out is not None:
            say(f"wrote {args.out}")
    if all(point.error for point in points):
        raise NotReachedError(
            f"{args.project.name}: none of the {len(points)} points has a release"
        )
    return 0


def _finish(asked: Sweep, args: argparse.Namespace) -> list[SweepPoint]:
    """Return the points of a sweep, run here or on the cluster of its project."""
    if asked.project.run.engine == "dask":
        from kanon_tui.core.analysis.sweep.sweep import points_by
        from kanon_tui.core.pipeline.stream import workers_of
        from kanon_tui.core.table.target import Target

        target = None if args.out is None else Target(args.out)
        with workers_of(asked.project, target, args.trust, args.insecure) as workers:
            return list(points_by(workers, asked))
    from kanon_tui.commands.progress import finish_sweep

    return finish_sweep(asked)


def _print_points(points: list[SweepPoint]) -> None:
    for point in {point.subset["attributes"]: point for point in points if point.subset}.values():
        template = (
            "{attributes}: {strings:,} strings, {after_pre_pruning:,} after pre-pruning at k = "
            "{k:,}; RV {rv_roots:.4g} (roots) to {rv_most_specific:.4g}"
        )
        say(template.format(k=point.k, **point.subset))
    rows = [
        [
            *([point.subset["attributes"]] if point.subset else []),
            point.algorithm,
            f"{point.k:,}",
            figure(point.ncp),
            figure(point.rv),
            "-" if point.il is None else f"{point.il:,.1f}",
            figure(point.classes),
            figure(point.suppressed_records),
            "-" if point.seconds is None else f"{point.seconds:.2f}",
        ]
        for point in points
    ]
    print_table(("attributes",) * bool(points[0].subset) + _COLUMNS, rows)
    for point in points:
        if point.error is not None:
            say(f"{point.algorithm}, k = {point.k:,}: {point.error}")
