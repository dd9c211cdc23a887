"""Compare algorithms and values of k on one table."""

import argparse

from kanon_tui.commands.output import figure, print_json, print_table, show
from kanon_tui.commands.progress import finish_sweep
from kanon_tui.core.analysis.sweep.output import SWEEP_ENDINGS, sweep_text
from kanon_tui.core.analysis.sweep.sweep import (
    DEFAULT_KS,
    Sweep,
    SweepPoint,
    points_by,
    sweep,
    with_attributes,
    with_strings,
)
from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.pipeline.engine_choice import workers_of
from kanon_tui.core.project.project import Project
from kanon_tui.core.table.writing import Target, check_target, write_text

_COLUMNS = ("algorithm", "k", "NCP", "RV", "IL", "classes", "suppressed", "seconds")


def execute(args: argparse.Namespace) -> None:
    """Run every algorithm at every k, then print and write the figures."""
    project = Project.load(args.project)
    if args.out is not None:
        check_target(args.out, SWEEP_ENDINGS, args.force, project.inputs)
    which = args.algorithms, args.k or DEFAULT_KS
    points: list[SweepPoint] = []
    for subset in args.attributes or ():
        subset_sweep = sweep(with_attributes(project, subset), *which)
        points += with_strings(_finish(subset_sweep, args), subset_sweep, subset)
    if not args.attributes:
        points = _finish(sweep(project, *which), args)
    if args.out is not None:
        write_text(args.out, sweep_text(points, args.out), args.force)
    if args.json:
        print_json([point.figures for point in points])
    else:
        _print_points(points)
        if args.out is not None:
            show(f"wrote {args.out}")
    if all(point.error for point in points):
        raise NotReachedError(
            f"{args.project.name}: none of the {len(points)} points has a release"
        )


def _finish(asked: Sweep, args: argparse.Namespace) -> list[SweepPoint]:
    """Return the points of a sweep, run here or on the cluster of its project."""
    if asked.project.run.engine == "dask":
        target = None if args.out is None else Target(args.out)
        with workers_of(asked.project, target, args.trust, args.insecure) as workers:
            return list(points_by(workers, asked))

    return finish_sweep(asked)


def _print_points(points: list[SweepPoint]) -> None:
    for point in {point.subset["attributes"]: point for point in points if point.subset}.values():
        template = (
            "{attributes}: {strings:,} strings, {after_pre_pruning:,} after pre-pruning at k = "
            "{k:,}; RV {rv_roots:.4g} (roots) to {rv_most_specific:.4g}"
        )
        show(template.format(k=point.k, **point.subset))
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
            show(f"{point.algorithm}, k = {point.k:,}: {point.error}")
