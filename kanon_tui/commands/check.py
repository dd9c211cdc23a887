"""Measure a table that is already anonymised, whoever made it."""

import argparse

from kanon_tui.commands.output import figure, print_json, print_table, show
from kanon_tui.commands.pipes import received
from kanon_tui.core.api.functions import check
from kanon_tui.core.metrics.privacy import Disclosure
from kanon_tui.core.privacy.models import MODELS


def execute(args: argparse.Namespace) -> int:
    """Measure the table and print its figures."""
    with received(str(args.file), args.format) as file:
        found = check(file, args.quasi, args.sensitive, args.k, args.person, args.subset_size)
    if args.json:
        print_json(found)
    else:
        titles = {
            "records": "records",
            **({"people": "people"} if args.person else {}),
            "classes": "classes",
            "k": f"{'people' if args.person else 'records'} in the smallest class",
            **({"subset_k": f"the same of any {args.subset_size}"} if args.subset_size else {}),
            "risk_max": "highest risk of finding a person",
            "risk_mean": "mean risk of finding a person",
            **{name: model.check_title or model.title for name, model in MODELS.items()},
        }
        known = [name for name in titles if found[name] is not None]
        rows = [[titles[name], figure(found[name])] for name in known]
        print_table(("measure", "figure"), rows)
        for name, disclosed in found.get("disclosed", {}).items():
            for sentence in Disclosure(**disclosed).sentences(name):
                show(f"k does not cover: {sentence}")
        for caution in found["cautions"]:
            show(f"{caution['severity']}: {caution['sentence']}")
        for warning in found.get("warnings", ()):
            show(f"warning: {warning} (--person NAME counts people)")
        show(f"k = {args.k:,} is {'reached' if found['reached'] else 'NOT reached'}")
    return 0 if found["reached"] else 1
