"""Tell a run in numbered plain sentences, decision by decision, or as a handout with pictures."""

import argparse
from pathlib import Path

from kanon_tui.commands.output import show
from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.errors import InputError, suggestion
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.project.project import Project, with_overrides
from kanon_tui.core.project.samples import list_samples, sample_of_algorithm
from kanon_tui.core.table.writing import check_target, write_private
from kanon_tui.core.teaching.handout import explain, handout_html, handout_markdown, make_handout

ENDINGS = (".html", ".md")


def execute(args: argparse.Namespace) -> None:
    """Run decision by decision and print as it goes, or write the handout."""
    if args.last is not None and args.last < args.first:
        raise InputError(f"explain: --to {args.last:,} comes before --from {args.first:,}")
    project, bundled = _find(args.what)
    project = with_overrides(project, algorithm=args.algorithm, k=args.k, seed=args.seed)
    if args.out is not None:
        _write(args, project, bundled)
        return
    for line in explain(project, prepare(project), args.most, args.first, args.last):
        show(line)


def _find(what: str) -> tuple[Project, bool]:
    """Return the project that `what` names, and whether it is a bundled sample."""
    path = Path(what)
    if path.suffix.lower() in (".yaml", ".yml") or path.exists():
        return Project.load(path), False
    samples = {sample.name: sample for sample in list_samples()}
    shown = sample_of_algorithm(what)
    if what not in samples and shown is not None:
        return with_overrides(Project.load(shown.project), algorithm=what, k=None), True
    if what not in samples:
        hint = suggestion(what, [*samples, *ALGORITHMS])
        raise InputError(f"explain: '{what}' is no project file, sample or algorithm; {hint}")
    return Project.load(samples[what].project), True


def _write(args: argparse.Namespace, project: Project, bundled: bool) -> None:
    check_target(args.out, ENDINGS, args.force, project.inputs)
    handout = make_handout(project, prepare(project), args.first, args.last, records=bundled)
    make = handout_html if args.out.suffix.lower() == ".html" else handout_markdown
    write_private(args.out, make(handout), args.force)
    show(f"{args.out.name}: {len(handout.steps):,} steps")
