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
    from kanon_tui.core.analysis.sweep.sweep import SweepPoint

__all__ = ["ARGUMENTS", "HELP", "execute"]

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
    file_argument("--out", "the table or its plots: .csv, .json or .svg"),
    FORCE,
    *CONSENT,
    JSON,
)


def execute(args: argparse.Namespace) -> int:
    """Run all points, then print and write them."""
    from kanon_tui.commands.progress import finish_sweep
    from kanon_tui.core.analysis.sweep.output import SWEEP_ENDINGS, sweep_text
    from kanon_tui.core.analysis.sweep.sweep import DEFAULT_KS, sweep
    from kanon_tui.core.project.project import Project
    from kanon_tui.core.table.writing import check_target, write_text

    project = Project.load(args.project)
    if args.out is not None:
        check_target(args.out, SWEEP_ENDINGS, args.force, project.inputs)
    asked = sweep(project, args.algorithms, args.k or DEFAULT_KS)
    if project.run.engine == "dask":
        from kanon_tui.core.analysis.sweep.sweep import points_by
        from kanon_tui.core.pipeline.stream import workers_of
        from kanon_tui.core.table.target import Target

        target = None if args.out is None else Target(args.out)
        with workers_of(project, target, args.trust, args.insecure) as workers:
            points = list(points_by(workers, asked))
    else:
        points = finish_sweep(asked)
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


def _print_points(points: list[SweepPoint]) -> None:
    rows = [
        [
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
    print_table(_COLUMNS, rows)
    for point in points:
        if point.error is not None:
            say(f"{point.algorithm}, k = {point.k:,}: {point.error}")
