"""Anonymise a project without the screen.

The release is verified before anything is written. Without --out and --report nothing is written
and a summary is printed. Exit code 1 when no release was found.

With --earlier nothing is written where both releases together leave somebody fewer than k
candidates. Without --scheduler, --engine dask starts a cluster on this machine.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_tui.commands.arguments import (
    CONSENT,
    FORCE,
    OVERRIDES,
    PROJECT,
    argument,
    assignments,
    choice,
    file_argument,
    flag,
    read_published,
    release_place,
)
from kanon_tui.commands.output import say, tell
from kanon_tui.core.addresses import without_secrets
from kanon_tui.core.table.file_kinds import TABLE_ENDINGS
from kanon_tui.core.text import joined

if TYPE_CHECKING:
    from kanon_tui.core.pipeline.result import Result
    from kanon_tui.core.pipeline.run import Run
    from kanon_tui.core.project.project import Project
    from kanon_tui.core.report.finished_run import FinishedRun
    from kanon_tui.core.report.sections import Section
    from kanon_tui.core.table.target import Target

__all__ = ["ARGUMENTS", "HELP", "execute"]

HELP = "anonymise a project without the screen"
_ENGINES = ("auto", "memory", "stream", "dask")

ARGUMENTS = (
    PROJECT,
    *OVERRIDES,
    assignments("--set", "PARAM=VALUE", "a parameter of the algorithm; may be repeated"),
    argument("--levels", "NAME=N,...", "publish these levels if they pass (others: the root)"),
    argument(
        "--out",
        "FILE",
        f"the release: {', '.join(TABLE_ENDINGS)}, a folder, or a table of a database "
        "(sqlite:///FILE#TABLE, postgresql+psycopg://HOST/DATABASE#TABLE)",
        release_place,
    ),
    file_argument("--mapping", "the mapping as .json, for 'kanon-tui apply' and new records"),
    file_argument("--report", "the report: .json, .md or .html"),
    file_argument("--earlier", "an earlier release of the same people, to be counted together"),
    flag("--repair", "with --earlier: generalise further instead of refusing"),
    FORCE,
    flag("--timings", "print to stderr how long reading, searching and the other phases took"),
    argument("--memory", "SIZE", "the most memory to take, like 4GB; streams where needed"),
    choice("--engine", _ENGINES, "where the work happens; auto: in memory where that fits"),
    argument("--scheduler", "ADDRESS", "of a Dask cluster, like tls://host:8786"),
    flag("--accept-guesses", "run although roles of columns are only guessed"),
    *CONSENT,
)


def execute(args: argparse.Namespace) -> int:
    """Run, verify, write, and print a summary."""
    from kanon_tui.commands.progress import finish_run
    from kanon_tui.core.errors import InputError
    from kanon_tui.core.pipeline.engine_choice import choose_engine
    from kanon_tui.core.pipeline.result import conclude, start
    from kanon_tui.core.pipeline.trial import hidden_columns
    from kanon_tui.core.project.overrides import with_overrides
    from kanon_tui.core.project.project import Project
    from kanon_tui.core.table.target import Target

    project = with_overrides(
        Project.load(args.project),
        algorithm=args.algorithm,
        parameters=args.set,
        k=args.k,
        seed=args.seed,
        levels=args.levels,
        run={name: getattr(args, name) for name in ("memory", "engine", "scheduler")},
    )
    target = None if args.out is None else Target.parse(args.out)
    _check_targets(args, target, project)
    if args.repair and args.earlier is None:
        raise InputError("--repair: there is nothing to repair without --earlier FILE; name one")
    if choose_engine(project, folder=target is not None and target.folder) != "memory":
        return _stream(args, project, target)
    run = start(project)
    _check_guesses(args, run, project)
    earlier = None if args.earlier is None else read_published(args.earlier, run.task)
    finish_run(run)
    result = conclude(run, project)
    if earlier is not None:
        from kanon_tui.core.analysis.attack.rerelease_repair import check_together, repaired

        if args.repair:
            result = repaired(run, project, earlier, args.earlier.name)
        together = check_together(result, project, earlier, args.earlier.name)
        together.refuse(args.earlier.name, tried=args.repair)
    texts = {}
    if args.mapping is not None:
        from kanon_tui.core.analysis.applying.mapping_file import mapping_text

        texts[args.mapping] = mapping_text(result)
    out = None if target is None else target.address or target.path
    utility = _utility(result, args.report)
    result.write_files(out, args.report, args.force, texts, utility)
    _print_summary(result, args)
    if hidden_columns(result):
        from kanon_tui.core.analysis.recommend import keeps_more

        say(f"  note: {keeps_more(result, try_others=sys.stdout.isatty())}")
    return _print_end(result, args)


def _stream(args: argparse.Namespace, project: Project, target: Target | None) -> int:
    """Run over pieces of the data, here or on a cluster."""
    from kanon_tui.commands.progress import following
    from kanon_tui.core.errors import InputError
    from kanon_tui.core.pipeline.stream import run_stream, workers_of

    if args.earlier is not None:
        raise InputError(
            "--earlier compares tables in memory; leave it out, use --engine memory, or compare "
            "the written release with kanon-tui rerelease"
        )
    if args.mapping is not None:
        raise InputError(
            "--mapping is made of a release in memory; leave it out, or use --engine memory"
        )
    if args.engine is None and project.run.engine == "auto":
        say(f"{args.project.name}: the data is read in pieces")
    trust = args.trust or args.scheduler is not None
    with workers_of(project, target, trust, args.insecure) as workers, following() as progress:

        def finish(run: Run) -> None:
            _check_guesses(args, run, project)
            run.finish()

        result = run_stream(project, workers, target, args.report, args.force, progress, finish)
    _print_summary(result, args)
    return _print_end(result, args)


def _check_guesses(args: argparse.Namespace, run: Run, project: Project) -> None:
    """Print what becomes of every column and refuse, where roles are only guessed."""
    from kanon_tui.core.project.guesses import plan_lines, planned_columns, refuse_guesses

    plans = planned_columns(project, run.task.roles)
    if not args.accept_guesses and any(plan.guessed for plan in plans):
        say("what becomes of every column:", *plan_lines(plans))
        refuse_guesses(project, plans)


def _utility(result: Result, report: Path | None) -> list[Section]:
    """Return the sections of a readable report that compare the release with its original."""
    if report is None or report.suffix.lower() == ".json":
        return []
    from kanon_tui.core.analysis.utility.utility import utility_of, utility_sections

    return utility_sections(utility_of(result))


def _check_targets(args: argparse.Namespace, target: Target | None, project: Project) -> None:
    """Refuse files that cannot be written before any work is done for them."""
    from kanon_tui.core.report.formats import REPORT_ENDINGS
    from kanon_tui.core.table.writing import check_target

    if target is not None:
        target.check(args.force, project.inputs)
    for path, endings in ((args.report, REPORT_ENDINGS), (args.mapping, (".json",))):
        if path is not None:
            check_target(path, endings, args.force, project.inputs)


def _names(names: tuple[str, ...]) -> str:
    """Return all names unless there are very many; the report has every one."""
    from kanon_tui.core.text import first_few

    return first_few(names, 50) if names else "none"


def _print_summary(result: FinishedRun, args: argparse.Namespace) -> None:
    measures, task = result.measures, result.task
    smallest = f"{measures.smallest_class:,} records"
    people = lost = ""
    if task.repeated is not None:
        smallest += f" of {measures.privacy.k:,} people"
        people, lost = f" of {task.people:,} people", f" (of {measures.suppressed_people:,} people)"
    say(
        f"{args.project.name}: {result.algorithm.title}, k = {result.task.k:,}, verified: "
        f"the smallest of {measures.classes:,} classes has {smallest}"
    )
    say(
        f"  {task.n:,} records{people}, {measures.suppressed_records:,} suppressed{lost}, "
        f"{result.task.dropped_missing:,} dropped for missing values"
    )
    say(
        f"  NCP {measures.ncp:.4f}   RV {measures.rv:.4f}   "
        f"highest risk {measures.privacy.risk_max:.4f}   {result.seconds:.2f} s"
    )
    for each in measures.privacy.required:
        say(f"  every class has {each.requirement.model}: the worst has {each.figure:.4g}")
    if result.risk_reached is not None:
        say(f"  the release has {task.privacy.risk}: it is {result.risk_reached:.4g}")
    for name, disclosure in measures.privacy.disclosures.items():
        for sentence in disclosure.sentences(name):
            say(f"  k does not cover: {sentence}; require l or alpha of it to prevent that")
    say(f"  published as they are: {_names(result.published_as_they_are)}")
    say(f"  left out: {_names(result.left_out)}")
    unasked = result.generalised_unasked
    if unasked:
        who = _names(unasked)
        say(f"  not named in the project but generalised, as others may know them: {who}")
    formulas = result.formulas
    if formulas:
        escaped = result.task.output.formulas == "escape"
        how = "escaped" if escaped else "kept; output: {formulas: escape} makes them harmless"
        say(f"  cells that a spreadsheet would take for formulas: {formulas:,}, {how}")
    for singled_out in result.task.singling_out:
        say(f"  warning: {singled_out}")
    for note in result.notes:
        say(f"  {'warning' if note in result.warnings else 'note'}: {note}")


def _print_end(result: FinishedRun, args: argparse.Namespace) -> int:
    """Print the written files and, with --timings, the seconds of every phase; return 0."""
    places = [str(path) for path in (args.out, args.mapping, args.report) if path is not None]
    written = list(map(without_secrets, places))
    say(f"  wrote {joined(written)}" if written else "  nothing was written (see --out)")
    if args.timings:
        from kanon_tui.core.report.finished_run import PHASES

        seconds = {name: result.phases.get(name, 0.0) for name in PHASES}
        seconds["together"] = sum(seconds.values())
        tell(*(f"  {name:<8} {value:9.3f} s" for name, value in seconds.items()))
    return 0
