"""Tell a run in numbered plain sentences, decision by decision, or as a handout with pictures.

WHAT is a project file, a bundled sample, or an algorithm, which is told on the sample that shows it
best. Meant for small tables. Exit code 1 when no release was found.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_tui.commands.arguments import COUNT, FORCE, OVERRIDES, argument, file_argument, file_name
from kanon_tui.commands.output import say
from kanon_tui.core.errors import InputError, suggestion

if TYPE_CHECKING:
    from kanon_tui.core.project.project import Project

HELP = "tell a run in numbered plain sentences, or write it as a handout"
ENDINGS = (".html", ".md")

ARGUMENTS = (
    argument("what", "WHAT", "a project (.yaml), a sample or an algorithm", file_name),
    *OVERRIDES,
    argument("--from", "N", "first step", COUNT, default=1, dest="first"),
    argument("--to", "N", "last step", COUNT, dest="last"),
    argument("--most", "N", "decisions to tell at most (200)", COUNT, default=200),
    file_argument("--out", "write a handout with pictures: .html or .md"),
    FORCE,
)


def execute(args: argparse.Namespace) -> int:
    """Run decision by decision and print as it goes, or write the handout."""
    from kanon_tui.core.pipeline.prepare import prepare
    from kanon_tui.core.project.overrides import with_overrides
    from kanon_tui.core.teaching.explain import explain

    if args.last is not None and args.last < args.first:
        raise InputError(f"explain: --to {args.last:,} comes before --from {args.first:,}")
    project, bundled = _find(args.what)
    project = with_overrides(project, algorithm=args.algorithm, k=args.k, seed=args.seed)
    if args.out is not None:
        _write(args, project, bundled)
        return 0
    for line in explain(project, prepare(project), args.most, args.first, args.last):
        say(line)
    return 0


def _find(what: str) -> tuple[Project, bool]:
    """Return the project that `what` names, and whether it is a bundled sample."""
    from kanon_tui.core.algorithms import ALGORITHMS
    from kanon_tui.core.project.overrides import with_overrides
    from kanon_tui.core.project.project import Project
    from kanon_tui.core.project.samples import list_samples, sample_of_algorithm

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
    from kanon_tui.core.pipeline.prepare import prepare
    from kanon_tui.core.table.writing import check_target, write_text
    from kanon_tui.core.teaching.handout import handout_html, handout_markdown, make_handout

    check_target(args.out, ENDINGS, args.force, project.inputs)
    handout = make_handout(project, prepare(project), args.first, args.last, records=bundled)
    make = handout_html if args.out.suffix.lower() == ".html" else handout_markdown
    write_text(args.out, make(handout), args.force)
    say(f"{args.out.name}: {len(handout.steps):,} steps")
