"""Attack a release: what could an outsider learn from it?

With --external and --on, people of an outsider's table are looked up in the original and in the
release; a published range, set, label or mask matches what it covers. With --kind, the attacks of
the suite are tried on the people of the data; --control names people who were not in the data, on
whom the same attack shows what holds for everybody. Counts and published cells are printed, nothing
about any person.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from kanon_tui.commands.arguments import (
    JSON,
    MADE_BY,
    RELEASE,
    argument,
    choice,
    file_argument,
    names,
    prepared,
    read_published,
)
from kanon_tui.commands.output import print_json, print_section
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
    file_argument("--earlier", "composition: an earlier release of the same people"),
    JSON,
)


def execute(args: argparse.Namespace) -> int:
    """Link both tables and print how many people they give away."""
    from kanon_tui.core.analysis.registry import find_analysis

    if args.kind is not None:
        return _suite(args)
    if args.external is None or args.on is None:
        raise InputError(
            "attack: name what an outsider has (--external FILE --on a,b), or a --kind of attack"
        )
    project, task = prepared(args)
    found = find_analysis("attack").load()(
        project,
        task,
        read_published(args.release, task),
        read_published(args.external, task),
        args.on,
        release_name=args.release.name,
        external_name=args.external.name,
    )
    if args.json:
        sides = {"original": _counts(found.original), "release": _counts(found.release)}
        print_json({"people": found.people, **sides})
        return 0
    print_section(found.section())
    return 0


def _suite(args: argparse.Namespace) -> int:
    """Try attacks of the suite and print their figures and sentences."""
    from kanon_tui.core.analysis.attack.attacked import AttackedRelease
    from kanon_tui.core.analysis.attack.suite import attack_sections, find_kinds, run_attacks

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
    results = run_attacks(attacked, find_kinds(args.kind))
    if args.json:
        print_json({"people": task.people, "attacks": [each.mapping() for each in results]})
        return 0
    for section in attack_sections(results):
        print_section(section)
    return 0


def _counts(linked: Linked) -> dict[str, int]:
    return {"unique": linked.unique, "below_k": linked.below_k, "disclosed": linked.disclosed}
