"""Measure a table that is already anonymised, whoever made it.

Exit code 1 when its smallest class has fewer than k records, or people where --person says whose
each row is.
"""

from __future__ import annotations

import argparse

from kanon_tui.commands.common import (
    a_file,
    add_json,
    figure,
    names,
    print_json,
    print_table,
    say,
    whole_number,
)

__all__ = ["HELP", "arguments", "execute"]

HELP = "measure a table that is already anonymised"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add = parser.add_argument
    add("file", metavar="FILE", type=a_file, help="csv, tsv or parquet")
    add("--quasi", metavar="a,b,c", type=names, required=True, help="the quasi-identifiers")
    add("--k", metavar="N", type=whole_number(1), required=True, help="the smallest class allowed")
    add("--sensitive", metavar="NAME", help="a sensitive attribute to measure")
    add("--person", metavar="NAME", help="whose each row is: people are counted, not rows")
    add_json(parser)


def execute(args: argparse.Namespace) -> int:
    """Count and print."""
    from kanon_tui.core.metrics.privacy import Disclosure
    from kanon_tui.core.metrics.published_table import check_published
    from kanon_tui.core.privacy.k_anonymity import KAnonymity
    from kanon_tui.core.privacy.models import MODELS
    from kanon_tui.core.privacy.requirements import PeopleCount
    from kanon_tui.core.table.table import read_table

    table = read_table(args.file)
    found = check_published(table.frame, args.quasi, args.sensitive, args.k, args.person)
    if args.json:
        print_json(found)
    else:
        titles = {
            "records": "records",
            **({"people": "people"} if args.person else {}),
            "classes": "classes",
            KAnonymity.name: PeopleCount.check_title if args.person else KAnonymity.check_title,
            "risk_max": "highest risk of finding a person",
            "risk_mean": "mean risk of finding a person",
            **{name: model.check_title for name, model in MODELS.items()},
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
