"""Anonymise a table or a project without the screen."""

import argparse
import os
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

from kanon_tui.commands.output import log, print_json, show
from kanon_tui.commands.pipes import (
    STANDARD,
    check_output_is_open,
    is_pipe,
    output_name,
    received,
    send,
)
from kanon_tui.commands.progress import finish_run, following, progressing
from kanon_tui.core.addresses import is_remote_file, without_secrets
from kanon_tui.core.api.tables import make_project
from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.engine_choice import choose_engine, workers_of
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import Result, Run, chosen_algorithm, conclude, start
from kanon_tui.core.processes.workers import Workers
from kanon_tui.core.project.guesses import (
    OpenGuessesError,
    plan_lines,
    planned_columns,
    settle_guesses,
)
from kanon_tui.core.project.project import Project, with_overrides
from kanon_tui.core.report.finished_run import PHASES, FinishedRun
from kanon_tui.core.report.formats import DOCUMENT_ENDINGS, REPORT_ENDINGS, is_dossier
from kanon_tui.core.report.sections import Section
from kanon_tui.core.report.story import public_mapping
from kanon_tui.core.table.atomic_files import work_folder
from kanon_tui.core.table.writing import Target, check_target
from kanon_tui.core.task.task import RunContext
from kanon_tui.core.text import count_of, first_few, joined

EVERY_DECISION = 1_000
"""The largest table, in records, of which `--events` writes every single decision."""
_OF_DATA_FILE = ("quasi", "sensitive", "identifier", "accept_guesses")
"""Options that make a project of a data file."""


def execute(args: argparse.Namespace) -> None:
    """Run, verify, write, and print a summary."""
    if (args.hold_out is None) != (args.control is None):
        raise InputError("--hold-out SHARE and --control FILE go together; name both")
    if args.attacks and (args.report is None or args.public):
        raise InputError("--attacks needs an internal --report FILE; name one, without --public")
    if args.repair and args.earlier is None:
        raise InputError("--repair: there is nothing to repair without --earlier FILE; name one")
    if args.partition_by and not (args.out and Target.parse(args.out).folder):
        raise InputError("--partition-by a,b needs a folder; write --out release/")
    args.out = None if args.out is None else output_name(args.out)
    if args.preset is not None and args.levels is not None:
        raise InputError("--preset and --levels both decide how to search; leave one out")
    if args.json and args.out == "-":
        raise InputError("--json and --out - would both print; name a file for one of them")
    sent_to = _pipe_of_release(args)
    with received(args.project, args.format) as source, _folder_of(sent_to) as folder:
        if is_remote_file(args.project):  # whose parameters can be secret
            args.project = source.name
        project = make_project(source, **{name: getattr(args, name) for name in _OF_DATA_FILE})
        if args.preset is not None:
            from kanon_tui.core.project.paper_presets import with_preset

            project = with_preset(project, args.preset, args.algorithm)
        project = with_overrides(
            project,
            parameters=args.set,
            **{name: getattr(args, name) for name in ("algorithm", "k", "seed", "levels")},
            run={name: getattr(args, name) for name in ("memory", "engine", "scheduler")},
        )
        if args.trust:
            project = replace(project, environment=dict(os.environ))
        written_here = folder / _name_here(sent_to)
        out = str(written_here) if sent_to else args.out
        target = None if out is None else Target.parse(out)
        _check_targets(args, target, project)
        if args.dry_run:
            show(*_planned(project, args))
            return
        result = _run(args, project, target)
        if sent_to:
            send(written_here, sent_to)
        if args.json:
            print_json(public_mapping(result) if args.public else result.report)
        elif not args.quiet:
            (log if args.out == "-" else show)(*_summary(result, project, args))
    if args.timings:
        log(*_timings(result))


def _pipe_of_release(args: argparse.Namespace) -> str:
    """Return the pipe that the release goes into, `-` for standard output; empty for none."""
    if args.out is not None and is_remote_file(args.out):
        from kanon_tui.commands.remote import check_remote_target, remote_ending

        check_remote_target(args.out, args.force)
        if remote_ending(args.out) == ".parquet" and (args.report or args.annex):
            raise InputError(
                "a report has the hash of the release, and Parquet that is sent elsewhere has "
                "other bytes; send .csv, or write the release into a file"
            )
        return str(args.out)
    if args.out is None or not is_pipe(args.out):
        return ""
    if args.out == STANDARD:
        check_output_is_open()
    return str(args.out)


def _name_here(sent_to: str) -> str:
    """Return the name of the file in which a release lies before it is sent."""
    if not is_remote_file(sent_to):
        return "release.csv"
    from kanon_tui.commands.remote import remote_ending

    return f"release{remote_ending(sent_to)}"


def _folder_of(sent_to: str) -> AbstractContextManager[Path]:
    """Return a folder for a release that goes into a pipe."""
    return work_folder(None) if sent_to else nullcontext(Path())


def _public(args: argparse.Namespace) -> bool | None:
    return True if args.public else False if args.internal else None


def _run(args: argparse.Namespace, project: Project, target: Target | None) -> Result:
    """Run a project on its records and write its files."""
    engine = choose_engine(project)  # refuses one that cannot run this
    if engine == "map" and project.run.engine == "auto":
        log(f"{project.title}: the data is coded into a file, so that it takes less memory")
    trust = args.trust or args.scheduler is not None
    with workers_of(project, target, trust, args.insecure) as workers, workers.stopped_by_errors():
        return _run_on(workers, args, project, target)


def _run_on(
    workers: Workers, args: argparse.Namespace, project: Project, target: Target | None
) -> Result:
    """Run a project; workers read its data, and may help to search."""
    table = None
    control = None
    if args.hold_out is not None:
        from kanon_tui.core.analysis.attack.suite import held_out

        table, control = held_out(project, args.hold_out)
    context = RunContext(helpers=workers.helpers)
    with _plan_of_guesses(args), following(args.progress) as progress:
        accept = args.accept_guesses
        run = start(project, table, None, context, accept, workers, progress)
    if args.accept_guesses:
        from kanon_tui.core.analysis.first_choice import with_first_choice

        run = with_first_choice(run)
    project = run.project or project
    earlier = None
    if args.earlier is not None:
        from kanon_tui.commands.inputs import read_published

        earlier = read_published(args.earlier, run.task)
    texts: dict[Path, bytes] = {}
    if args.events is None:
        finish_run(run, args.progress)
    else:
        texts[args.events] = _events(run, args.progress)
    result = conclude(run, project)
    if earlier is not None:
        from kanon_tui.core.analysis.attack.two_releases import repaired, two_releases
        from kanon_tui.core.analysis.published_cells import PublishedTable

        if args.repair:
            result = repaired(result, project, earlier, args.earlier.name)
        published = PublishedTable.from_result(result, project)
        together = two_releases(published, earlier, args.earlier.name)
        together.refuse(args.earlier.name, tried=args.repair)
    if args.strict:
        result.refuse_severe_cautions()
    if args.mapping is not None:
        from kanon_tui.core.analysis.applying.mapping_file import mapping_text

        texts[args.mapping] = mapping_text(result).encode()
    out = None if target is None else target.address or target.path
    if control is not None and args.control is not None:
        texts[args.control] = control.write_csv().encode()
    if args.annex is not None:
        texts[args.annex] = result.annex(args.annex)
    public = False if args.attacks else _public(args)
    found: list[Section] = []
    if args.attacks or is_dossier(args.report, public):
        from kanon_tui.core.analysis.evidence import evidence

        found = evidence(result, control, args.attacks)
    writing: AbstractContextManager[None] = nullcontext()
    if args.partition_by and target is not None:
        from kanon_tui.core.table.writing import partitioned

        writing = partitioned(result.written, target, args.partition_by, args.force)
        out = None
    elif target is not None and target.folder:
        writing = result.parts(target, args.force)
        out = None
    with writing:
        private = [args.control, args.annex, args.events]
        result.write_files(out, args.report, args.force, texts, found, public, private)
    return result


def _events(run: Run, plain: bool) -> bytes:
    """Run to the end and return its events as lines of JSON."""
    from kanon_tui.core.lessons.event_lines import event_line

    if run.task.n <= EVERY_DECISION:
        run.context.decisions_per_step = 1
    steps = enumerate(progressing(run, plain), start=1)
    return "".join(f"{event_line(number, step, run.task)}\n" for number, step in steps).encode()


def _planned(project: Project, args: argparse.Namespace) -> Iterator[str]:
    """Yield lines on what a run would do: columns, hierarchies, size, time and files."""
    from kanon_tui.core.pipeline.sampled_table import SampledTable, read_or_sample
    from kanon_tui.core.pipeline.trial import preflight, try_out

    table = read_or_sample(project)
    records = table.height if isinstance(table, SampledTable) else None
    if args.accept_guesses:
        project = settle_guesses(project, table, accept=True).project
    task = prepare(project, table.sample if isinstance(table, SampledTable) else table)
    algorithm = chosen_algorithm(project)
    trial = try_out(task, algorithm) if records is None else None
    found = preflight(project, task, type(algorithm), trial, records)
    if found.problem:
        raise InputError(found.problem)
    yield f"{project.title}: {algorithm.title}, k = {task.k:,}; a dry run, nothing is written"
    yield from plan_lines(planned_columns(project, task.roles))
    for attribute in task.quasi:
        origin = "as given" if attribute.hierarchy_given else "made for its values"
        yield f"  hierarchy of {attribute.name}: {attribute.hierarchy.height} levels, {origin}"
    yield from (f"  {fact}" for fact in found.facts)
    yield from (f"  warning: {warning}" for warning in found.warnings)
    yield f"  would write {_files(args) or 'nothing (see --out)'}"


@contextmanager
def _plan_of_guesses(args: argparse.Namespace) -> Iterator[None]:
    """Print what becomes of every column where the block refuses roles that are only guessed."""
    try:
        yield
    except OpenGuessesError as error:
        printer = log if args.json or args.out == "-" else show
        printer("what becomes of every column:", *plan_lines(error.plans))
        raise


def _check_targets(args: argparse.Namespace, target: Target | None, project: Project) -> None:
    """Refuse files that cannot be written before any work is done for them."""
    if target is not None:
        target.check(args.force, project.inputs)
    texts = (
        (args.mapping, (".json",)),
        (args.control, (".csv",)),
        (args.annex, DOCUMENT_ENDINGS),
        (args.events, (".jsonl", ".ndjson")),
    )
    for path, endings in ((args.report, REPORT_ENDINGS), *texts):
        if path is not None:
            check_target(path, endings, args.force, project.inputs)


def _names(names: tuple[str, ...]) -> str:
    """Return all names unless there are very many; the report has every one."""
    return first_few(names, 50) if names else "none"


def _summary(result: Result, project: Project, args: argparse.Namespace) -> Iterator[str]:
    """Yield the lines of the summary."""
    measures = result.measures
    task = result.task
    smallest = f"{measures.smallest_class:,} records"
    people = lost = ""
    if task.repeated is not None:
        smallest += f" of {measures.privacy.k:,} people"
        people = f" of {task.people:,} people"
        lost = f" (of {measures.suppressed_people:,} people)"
    yield (
        f"{Path(args.project).name}: {result.algorithm.title}, k = {result.task.k:,}, verified: "
        f"the smallest of {count_of(measures.classes, 'class', 'classes')} has {smallest}"
    )
    for caution in result.cautions:
        yield f"  {caution.severity}: {caution.sentence}"
    yield (
        f"  {task.n:,} records{people}, {measures.suppressed_records:,} suppressed{lost}, "
        f"{result.task.dropped_missing:,} dropped for missing values"
    )
    skipped = project.data.read_options
    if skipped.skip_first or skipped.skip_last:
        yield f"  lines that are no records: first {skipped.skip_first}, last {skipped.skip_last}"
    yield (
        f"  NCP {measures.ncp:.4f}   RV {measures.rv:.4f}   "
        f"highest risk {measures.privacy.risk_max:.4f}   search {result.seconds:.2f} s"
    )
    from kanon_tui.core.report.kept_and_lost import release_shares, table_lines

    for line in table_lines(release_shares(result), bars=sys.stdout.isatty()):
        yield f"    {line}"
    for each in measures.privacy.required:
        yield f"  every class has {each.requirement.model}: the worst has {each.figure:.4g}"
    if result.risk_reached is not None:
        yield f"  the release has {task.privacy.risk}: it is {result.risk_reached:.4g}"
    for name, disclosure in measures.privacy.disclosures.items():
        for sentence in disclosure.sentences(name):
            yield f"  k does not cover: {sentence}; require l or alpha of it to prevent that"
    beyond = measures.privacy.violating_values
    if beyond:
        values = ", ".join(f"{name}: {count_of(cells, 'value')}" for name, cells in beyond.items())
        records = count_of(measures.privacy.violations, "record")
        yield f"  generalised beyond the limits: {records} ({values})"
    yield f"  published as they are: {_names(task.published_as_they_are)}"
    yield f"  left out: {_names(task.left_out)}"
    unasked = result.generalised_unasked
    if unasked:
        who = _names(unasked)
        yield f"  not named in the project but generalised, as others may know them: {who}"
    formulas = result.formulas
    if formulas:
        escaped = result.task.output.formulas == "escape"
        how = "escaped" if escaped else "kept; output: {formulas: escape} makes them harmless"
        yield f"  cells that a spreadsheet would take for formulas: {formulas:,}, {how}"
    for singled_out in result.task.singling_out:
        yield f"  warning: {singled_out}"
    observed = tuple(
        attribute.name for attribute in task.quasi if attribute.publishes_observed_ends
    )
    if observed and task.overlap and result.grouping.levels is None:
        yield f"  note: ranges of {_names(observed)} end at values of people; see publish: rounded"
    said_above = {caution.sentence for caution in result.cautions}
    for note in result.notes:
        if note in said_above:
            continue
        yield f"  {'warning' if note in result.warnings else 'note'}: {note}"
    other = _other_algorithm(result)
    if other:
        yield f"  note: {other}"
    files = _files(args)
    yield f"  wrote {files}" if files else "  nothing was written (see --out)"


def _other_algorithm(result: Result) -> str:
    """Return what another algorithm would have lost; empty where that is not worth saying."""
    from kanon_tui.core.analysis.first_choice import alternative_clause, alternative_to
    from kanon_tui.core.analysis.recommend import keeps_more

    unnamed = result.project is not None and result.project.algorithm.guessed
    if not unnamed:
        return keeps_more(result, try_others=sys.stdout.isatty())
    other = alternative_to(result)
    if other is None:
        return ""
    clause = alternative_clause(result, other)
    return f"nobody named an algorithm: {clause}; --algorithm {other.algorithm} runs it"


def _files(args: argparse.Namespace) -> str:
    """Return the files and tables that are written, without secrets; empty for none."""
    paths = (args.out, args.mapping, args.control, args.annex, args.report)
    places = [str(path) for path in paths if path is not None]
    return joined(list(map(without_secrets, places)))


def _timings(result: FinishedRun) -> Iterator[str]:
    """Yield the wall time of every phase and of all, and the processor time of the command."""
    seconds = {name: result.phases.get(name, 0.0) for name in PHASES}
    seconds["together"] = sum(seconds.values())
    yield from (f"  {name:<8} {value:9.3f} s wall" for name, value in seconds.items())
    yield f"  {'all':<8} {time.process_time():9.3f} s processor"
