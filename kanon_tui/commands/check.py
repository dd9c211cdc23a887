"""Measure a table that is already anonymised, whoever made it.

Exit code 1 when its smallest class has fewer than k records, or people where --person says whose
each row is.
"""

import argparse

from kanon_tui.commands.arguments import COUNT, JSON, argument, file_argument, names
from kanon_tui.commands.output import figure, print_json, print_table, say

HELP = "measure a table that is already anonymised"

ARGUMENTS = (
    file_argument("file", "csv, tsv or parquet"),
    argument("--quasi", "a,b,c", "the quasi-identifiers", names, required=True),
    argument("--k", "N", "the smallest class allowed", COUNT, required=True),
    argument("--subset-size", "M", "ask k of any M quasi-identifiers, not of all", COUNT),
    argument("--sensitive", "NAME", "a sensitive attribute to measure"),
    argument("--person", "NAME", "whose each row is: people are counted, not rows"),
    JSON,
)


def execute(args: argparse.Namespace) -> int:
    """Count and print."""
    from kanon_tui.core.api.functions import check
    from kanon_tui.core.metrics.privacy import Disclosure
    from kanon_tui.core.privacy.k_anonymity import KAnonymity
    from kanon_tui.core.privacy.models import MODELS
    from kanon_tui.core.privacy.requirements import PeopleCount

    found = check(args.file, args.quasi, args.sensitive, args.k, args.person, args.subset_size)
    if args.json:
        print_json(found)
    else:
        titles = {
            "records": "records",
            **({"people": "people"} if args.person else {}),
            "classes": "classes",
            KAnonymity.name: PeopleCount.check_title if args.person else KAnonymity.check_title,
            **({"subset_k": f"the same of any {args.subset_size}"} if args.subset_size else {}),
            "risk_max": "highest risk of finding a person",
            "risk_mean": "mean risk of finding a person",
            **{name: model.check_title or model.title for name, model in MODELS.items()},
        }
        rows = [
            [title, figure(found[name])]
            for name, title in titles.items()
            if found[name] is not None
        ]
        print_table(("measure", "figure"), rows)
        for name, disclosed in found.get("disclosed", {}).items():
            for sentence in Disclosure(**disclosed).sentences(name):
                say(f"k does not cover: {sentence}")
        for warning in found.get("warnings", ()):
            say(f"warning: {warning} (--person NAME counts people)")
        say(f"k = {args.k:,} is {'reached' if found['reached'] else 'NOT reached'}")
    return 0 if found["reached"] else 1
