"""Attack a release: what could an outsider learn from it?"""

import argparse

from kanon_tui.commands.output import print_findings, show
from kanon_tui.core.analysis.analysis import Progress
from kanon_tui.core.analysis.attack.suite import offered
from kanon_tui.core.analysis.questions.attacks import AttacksQuestion
from kanon_tui.core.analysis.questions.linking import LinkingQuestion
from kanon_tui.core.analysis.subject import Subject
from kanon_tui.core.errors import InputError
from kanon_tui.core.project.project import Project, with_overrides


def execute(args: argparse.Namespace) -> None:
    """Link both tables and print how many people they give away, or try attacks of the suite."""
    if args.kind is None and (args.external is None or args.on is None):
        raise InputError(
            "attack: name what an outsider has (--external FILE --on a,b), or a --kind of attack"
        )
    project = Project.load(args.project)
    project = with_overrides(project, algorithm=args.algorithm, k=args.k, seed=args.seed)
    subject = Subject(project, published=args.release)
    if args.kind is None:
        linking = LinkingQuestion(args.external, args.on)
        print_findings(linking.run(subject, Progress()), as_json=args.json)
        return
    attacks = AttacksQuestion(
        kind=args.kind,
        control=args.control,
        earlier=args.earlier,
        on=args.on,
        counter_measures=getattr(args, "with"),
    )
    print_findings(attacks.run(subject, Progress()), as_json=args.json)
    if not (args.json or attacks.counter_measures):
        advice = ", ".join(offered(subject.task, project))
        show("", f"To see what helps: --with {advice}")
