"""Attack a release: what could an outsider learn from it?"""

import argparse
from dataclasses import asdict

from kanon_tui.commands.inputs import analysed, prepared, read_published
from kanon_tui.commands.output import print_json, print_sections, show
from kanon_tui.core.analysis.attack import suite
from kanon_tui.core.analysis.attack.attacked import AttackedRelease
from kanon_tui.core.analysis.attack.linking import Linked
from kanon_tui.core.analysis.attack.suite import AttackedAgain, offered, side_by_side
from kanon_tui.core.errors import InputError


def execute(args: argparse.Namespace) -> None:
    """Link both tables and print how many people they give away."""
    if args.kind is not None:
        _suite(args)
        return
    if args.external is None or args.on is None:
        raise InputError(
            "attack: name what an outsider has (--external FILE --on a,b), or a --kind of attack"
        )
    found = analysed("attack", args, "external", on=args.on)
    if args.json:
        sides = {"original": _counts(found.original), "release": _counts(found.release)}
        print_json({"people": found.people, **sides})
    else:
        print_sections(found.section())


def _suite(args: argparse.Namespace) -> None:
    """Try attacks of the suite and print their figures and sentences."""
    project, task = prepared(args)
    release = read_published(args.release, task)
    control, earlier = (
        None if path is None else read_published(path, task)
        for path in (args.control, args.earlier)
    )
    options = {"on": args.on} if args.on else {}
    made = (project, task, release, args.release.name)
    attacked = AttackedRelease(*made, control=control, earlier=earlier, options=options)
    kinds = suite.find_kinds(args.kind)
    results = suite.run_attacks(attacked, kinds)
    runs = [AttackedAgain("", results, None)]
    runs += [suite.attack_again(attacked, changes, kinds) for changes in getattr(args, "with")]
    if args.json:
        figures = {"people": task.people, "attacks": [each.mapping() for each in results]}
        again = [{**asdict(run), "attacks": [x.mapping() for x in run.attacks]} for run in runs[1:]]
        print_json({**figures, **({"with": again} if again else {})})
        return
    print_sections(*suite.attack_sections(results))
    if len(runs) > 1:
        print_sections(side_by_side(runs))
    else:
        show("", f"To see what helps: --with {', '.join(offered(task, project))}")


def _counts(linked: Linked) -> dict[str, int]:
    return {"unique": linked.unique, "below_k": linked.below_k, "disclosed": linked.disclosed}
