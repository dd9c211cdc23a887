"""Tell a run in numbered plain sentences, decision by decision, or as a handout with pictures.

WHAT is a project file, a bundled sample, or an algorithm, which is told on the sample that shows it
best. Meant for small tables. Exit code 1 when no release was found.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_tui.commands.common import a_file, file_name, say, whole_number
from kanon_tui.core.errors import InputError, suggestion

if TYPE_CHECKING:
    from kanon_tui.core.project.project import Project

__all__ = ["HELP", "arguments", "execute"]

HELP = "tell a run in numbered plain sentences, or write it as a handout"
ENDINGS = (".html", ".md")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("what", metavar="WHAT", type=file_name, help="a project (.yaml), a sample or an algorithm")
    add("--algorithm", metavar="NAME", help="instead of the project's; see 'kanon-tui algorithms'")
    add("--k", metavar="N", type=whole_number(1), help="instead of the project's k")
    add("--seed", metavar="N", type=whole_number(0), help="instead of the project's seed")
    add("--from", metavar="N", type=whole_number(1), default=1, dest="first", help="first step")
    add("--to", metavar="N", type=whole_number(1), dest="last", help="last step")
    add(
        "--most", metavar="N", type=whole_number(1), default=200,
        help="decisions to tell at most, 200 where not given",
    )  # fmt: skip
    add("--out", metavar="FILE", type=a_file, help="write a handout with pictures: .html or .md")
    add("--force", action="store_true", help="replace a file that exists")


def execute(args: argparse.Namespace) -> int:
    """Run decision by decision and print as it goes, or write the handout."""
    from dataclasses import replace

    from kanon_tui.core.pipeline.prepare import prepare
    from kanon_tui.core.project.overrides import with_overrides
    from kanon_tui.core.teaching.explain import explain

    if args.last is not None and args.last < args.first:
        raise InputError(f"explain: --to {args.last:,} comes before --from {args.first:,}")
    project, bundled = _find(args.what)
    project = with_overrides(project, algorithm=args.algorithm, k=args.k)
    if args.seed is not None:
        project = replace(project, seed=args.seed)
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
