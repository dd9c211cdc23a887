"""Anonymise a project without the screen.

The release is verified before anything is written. Without --out and --report nothing is written
and a summary is printed. Exit code 1 when no release was found.
"""

from __future__ import annotations

import argparse
import os
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_tui.commands.common import assignment, whole_number
from kanon_tui.core.errors import InputError

if TYPE_CHECKING:
    from kanon_tui.core.project.project import Project
    from kanon_tui.core.run.result import Result

__all__ = ["HELP", "arguments", "execute"]

HELP = "anonymise a project without the screen"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("project", metavar="PROJECT", type=Path, help="a project file (.yaml)")
    add("--algorithm", metavar="NAME", help="instead of the project's; see 'kanon-tui algorithms'")
    add("--k", metavar="N", type=whole_number(1), help="instead of the project's k")
    add("--seed", metavar="N", type=whole_number(0), help="instead of the project's seed")
    add(
        "--set", metavar="PARAM=VALUE", type=assignment, action="append", default=[],
        help="a parameter of the algorithm; may be repeated",
    )  # fmt: skip
    add("--out", metavar="FILE", type=Path, help="the release: .csv, .tsv or .parquet")
    add("--report", metavar="FILE", type=Path, help="the report: .json, .md or .html")
    add("--force", action="store_true", help="replace existing files")


def execute(args: argparse.Namespace) -> int:
    """Run, verify, write, and print a summary."""
    from kanon_tui.commands.progress import watched
    from kanon_tui.core.project.project import Project
    from kanon_tui.core.run.result import conclude, start

    project = _overridden(Project.load(args.project), args)
    _check_targets(args, project)
    run = start(project)
    watched(run)
    result = conclude(run, project)
    _write(result, args)
    _summarise(result, args)
    return 0


def _overridden(project: Project, args: argparse.Namespace) -> Project:
    """The project with what the command line says instead."""
    from dataclasses import replace

    from kanon_tui.core.algorithms import find_algorithm
    from kanon_tui.core.fields.declaration import parameters_of, parse_text
    from kanon_tui.core.project.project import AlgorithmChoice

    choice = project.algorithm
    if args.algorithm is not None and args.algorithm != choice.name:
        choice = AlgorithmChoice(args.algorithm)  # the old parameters belong to the old algorithm
    algorithm = find_algorithm(choice.name, "--algorithm" if args.algorithm else "algorithm.name")
    declared = {parameter.name: parameter for parameter in parameters_of(algorithm)}
    params = dict(choice.params)
    for name, text in args.set:
        # An unknown name is refused with the others, when the algorithm is made.
        params[name] = parse_text(declared[name], text, "--set") if name in declared else text
    project = replace(project, algorithm=replace(choice, params=params))
    if args.k is not None:
        project = replace(project, privacy=replace(project.privacy, k=args.k))
    if args.seed is not None:
        project = replace(project, seed=args.seed)
    return project


def _check_targets(args: argparse.Namespace, project: Project) -> None:
    """Refuse files that cannot be written before any work is done for them."""
    from kanon_tui.core.data.writing import TABLE_ENDINGS, check_target
    from kanon_tui.core.run.result import REPORT_ENDINGS

    inputs = {os.path.realpath(path) for path in (project.data_path, args.project)}
    for path, endings in ((args.out, TABLE_ENDINGS), (args.report, REPORT_ENDINGS)):
        if path is not None:
            if os.path.realpath(path) in inputs:
                raise InputError(f"{path} is what is read, it cannot be written too; name another")
            check_target(path, endings, args.force)


def _write(result: Result, args: argparse.Namespace) -> None:
    """Both files or neither."""
    from kanon_tui.core.data.writing import put_table, written_aside
    from kanon_tui.core.report.report import report_text

    with ExitStack() as files:
        if args.out is not None:
            put_table(
                result.table, files.enter_context(written_aside(args.out, args.force)), args.out
            )
        if args.report is not None:
            text = report_text(result, args.report)
            files.enter_context(written_aside(args.report, args.force)).write(text.encode())


def _summarise(result: Result, args: argparse.Namespace) -> None:
    measures = result.measures
    print(
        f"{args.project.name}: {result.algorithm.title}, k = {result.task.k:,}, verified: "
        f"the smallest of {measures.classes:,} classes has {measures.smallest_class:,} records"
    )
    print(
        f"  {result.task.n:,} records, {measures.suppressed_records:,} suppressed, "
        f"{result.task.dropped_missing:,} dropped for missing values"
    )
    print(
        f"  NCP {measures.ncp:.4f}   RV {measures.rv:.4f}   "
        f"highest risk {measures.privacy.risk_max:.4f}   {result.seconds:.2f} s"
    )
    for each in measures.privacy.required:
        print(f"  every class has {each.requirement}: the worst has {each.figure:.4g}")
    for note in result.notes:
        print(f"  note: {note}")
    written = [str(path) for path in (args.out, args.report) if path is not None]
    print(f"  wrote {' and '.join(written)}" if written else "  nothing was written (see --out)")
