"""Tell a run in numbered sentences or as a handout with pictures, or print an algorithm's page."""

import argparse
from pathlib import Path

from kanon_tui.commands.output import show
from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.errors import InputError, suggestion
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.project.project import Project, with_overrides
from kanon_tui.core.project.samples import list_samples
from kanon_tui.core.table.writing import check_target, write_private
from kanon_tui.core.teaching.handout import explain, handout_html, handout_markdown, make_handout
from kanon_tui.core.teaching.manual import manual_page, sample_project

ENDINGS = (".html", ".md")


def execute(args: argparse.Namespace) -> None:
    """Print the page of an algorithm; or run, and print each decision or write the handout."""
    if args.last is not None and args.last < args.first:
        raise InputError(f"explain: --to {args.last:,} comes before --from {args.first:,}")
    if args.what in ALGORITHMS and not Path(args.what).is_file() and not _asks_for_a_run(args):
        show(*manual_page(ALGORITHMS[args.what], args.most).lines())
        return
    project, bundled = _find(args.what)
    project = with_overrides(project, algorithm=args.algorithm, k=args.k, seed=args.seed)
    if args.out is not None:
        _write(args, project, bundled)
        return
    for line in explain(project, prepare(project), args.most, args.first, args.last):
        show(line)


def _asks_for_a_run(args: argparse.Namespace) -> bool:
    """Return whether options say what to run, which of its decisions, or where to write them."""
    options = (args.algorithm, args.k, args.seed, args.last, args.out)
    return args.first > 1 or any(option is not None for option in options)


def _find(what: str) -> tuple[Project, bool]:
    """Return the project that `what` names, and whether it is a bundled sample."""
    path = Path(what)
    if path.suffix.lower() in (".yaml", ".yml") or path.is_file():
        return Project.load(path), False
    samples = {sample.name: sample for sample in list_samples()}
    if what in samples:
        return Project.load(samples[what].project), True
    if what not in ALGORITHMS:
        hint = suggestion(what, [*samples, *ALGORITHMS])
        raise InputError(f"explain: '{what}' is no project file, sample or algorithm; {hint}")
    project = sample_project(ALGORITHMS[what])
    if project is None:
        hint = f"name a project or a sample and add --algorithm {what}"
        raise InputError(f"explain: the algorithm {what} has no sample of its own; {hint}")
    return project, True


def _write(args: argparse.Namespace, project: Project, bundled: bool) -> None:
    check_target(args.out, ENDINGS, args.force, project.inputs)
    handout = make_handout(project, prepare(project), args.first, args.last, records=bundled)
    make = handout_html if args.out.suffix.lower() == ".html" else handout_markdown
    write_private(args.out, make(handout), args.force)
    show(f"{args.out.name}: {len(handout.steps):,} steps")
