"""Attack a release: what could an outsider learn from it?

With --external and --on, people of an outsider's table are looked up in the original and in the
release; a published range, set, label or mask matches what it covers. With --kind, the attacks of
the suite are tried on the people of the data; --control names people who were not in the data, on
whom the same attack shows what holds for everybody. --with makes a release of the same data with a
counter-measure and shows the attacks on both side by side. A release of 'run --algorithm NAME'
is attacked with the same options. Counts and published cells are printed, nothing about any person.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING

from kanon_tui.commands.arguments import (
    JSON,
    MADE_BY,
    OVERRIDES,
    RELEASE,
    analysed,
    argument,
    choice,
    file_argument,
    names,
    prepared,
    read_published,
)
from kanon_tui.commands.output import print_json, print_section, say
from kanon_tui.core.errors import InputError

if TYPE_CHECKING:
    from kanon_tui.core.analysis.attack.linking import Linked

HELP = "try attacks on a release"
KINDS = (
    "singling-out", "downcoding", "linkability", "composition", "inference", "refinement",
    "minimality", "all",
)  # fmt: skip

ARGUMENTS = (
    MADE_BY,
    RELEASE,
    file_argument("--external", "the linking attack: what an outsider has"),
    argument("--on", "a,b", "the attributes both have, or the first of two parties knows", names),
    choice("--kind", KINDS, "an attack of the suite, or all of them"),
    file_argument("--control", "people who were not in the data"),
    argument(
        "--with",
        "PARAM=VALUE",
        "release again with a counter-measure, and attack that too; l=2, "
        "publish=rounded (repeatable; several joined by a comma)",
        action="append",
        default=[],
    ),
    file_argument("--earlier", "composition: an earlier release of the same people"),
    *OVERRIDES,
    JSON,
)


def execute(args: argparse.Namespace) -> int:
    """Link both tables and print how many people they give away."""
    if args.kind is not None:
        return _suite(args)
    if args.external is None or args.on is None:
        raise InputError(
            "attack: name what an outsider has (--external FILE --on a,b), or a --kind of attack"
        )
    found = analysed("attack", args, "external", on=args.on)
    if args.json:
        sides = {"original": _counts(found.original), "release": _counts(found.release)}
        print_json({"people": found.people, **sides})
        return 0
    print_section(found.section())
    return 0


def _suite(args: argparse.Namespace) -> int:
    """Try attacks of the suite and print their figures and sentences."""
    from kanon_tui.core.analysis.attack import suite
    from kanon_tui.core.analysis.attack.attacked import AttackedRelease
    from kanon_tui.core.analysis.attack.suite import AttackedAgain, offered, side_by_side

    project, task = prepared(args)
    release = read_published(args.release, task)
    control, earlier = (
        None if path is None else read_published(path, task)
        for path in (args.control, args.earlier)
    )
    options = {"on": args.on} if args.on else {}
    attacked = AttackedRelease(
        project, task, release, control, earlier, options, name=args.release.name
    )
    kinds = suite.find_kinds(args.kind)
    results = suite.run_attacks(attacked, kinds)
    runs = [AttackedAgain("", results, None)]
    runs += [suite.attack_again(attacked, changes, kinds) for changes in getattr(args, "with")]
    if args.json:
        figures = {"people": task.people, "attacks": [each.mapping() for each in results]}
        again = [{**asdict(run), "attacks": [x.mapping() for x in run.attacks]} for run in runs[1:]]
        print_json({**figures, **({"with": again} if again else {})})
        return 0
    for section in suite.attack_sections(results):
        print_section(section)
    if len(runs) > 1:
        print_section(side_by_side(runs))
    else:
        say("", f"To see what helps: --with {', '.join(offered(task, project))}")
    return 0


def _counts(linked: Linked) -> dict[str, int]:
    return {"unique": linked.unique, "below_k": linked.below_k, "disclosed": linked.disclosed}
