"""Show which combinations of attributes give people away."""

import argparse
from dataclasses import asdict
from typing import Any

from kanon_tui.commands.output import figure, print_json, print_sections, print_table, show
from kanon_tui.core.analysis.attack.weak_spots import Exposure, remedies, weak_spot_sections
from kanon_tui.core.analysis.minimal_uniques import (
    Combination,
    MinimalUniques,
    minimal_uniques,
    overlooked,
    task_columns,
)
from kanon_tui.core.errors import check_known
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import anonymize
from kanon_tui.core.project.project import Project
from kanon_tui.core.table.column import Kind
from kanon_tui.core.table.writing import check_target, write_private
from kanon_tui.core.text import first_few

_SHOWN = 15


def execute(args: argparse.Namespace) -> None:
    """Count every set of attributes, and print those that single out most people."""
    project = Project.load(args.project)
    if args.scores is not None:
        check_target(args.scores, (".csv",), args.force, project.inputs)
    if args.remedies:
        _try_remedies(project, args.json)
        return
    task = prepare(project)
    columns, others = task_columns(task)
    if args.attributes:
        for name in args.attributes:
            check_known(name, task.table.frame.columns, f"--attributes: no column '{name}'")
        columns = [task.table.column(name, Kind.CATEGORICAL) for name in args.attributes]
    found = minimal_uniques(columns, args.most, task.person)
    missed = overlooked(others, task.person)
    if args.scores is not None:
        rows = [f"{row},{score:g}" for row, score in enumerate(found.scores, start=1)]
        write_private(args.scores, "\n".join(["record,score", *rows, ""]), args.force)
    if args.json:
        print_json(_mapping(found, missed, task.k))
        return
    _print(found, missed, task.k)
    if args.scores is not None:
        show(f"wrote {args.scores}")


def _try_remedies(project: Project, json: bool) -> None:
    """Run the project and print whom k does not protect, and what helps."""
    result = anonymize(project)
    found = remedies(result)
    if json:
        own = asdict(Exposure.from_result(result))
        print_json({"exposed": own, "remedies": [asdict(each) for each in found]})
    else:
        print_sections(*weak_spot_sections(result, found))


def _mapping(found: MinimalUniques, missed: list[Combination], k: int) -> dict[str, Any]:
    return {
        "records": found.records,
        "most": found.most,
        "singled_out": found.singled_out,
        "contributions": dict(found.contributions),
        "combinations": [asdict(combination) for combination in found.combinations],
        "dangerous": [list(each.attributes) for each in found.dangerous(k)],
        "overlooked": [asdict(each) for each in missed],
        "scores": {
            "highest": float(found.scores.max(initial=0.0)),
            "mean": float(found.scores.mean()) if len(found.scores) else 0.0,
        },
    }


def _print(found: MinimalUniques, missed: list[Combination], k: int) -> None:
    show(
        f"{found.singled_out:,} of {found.records:,} records are singled out by sets of up to "
        f"{found.most} of {len(found.attributes)} attributes"
    )
    ranked = sorted(found.contributions.items(), key=lambda item: -item[1])
    print_table(
        ("attribute", "part in the scores"), [[name, f"{share:.1%}"] for name, share in ranked]
    )
    worst = found.worst
    if worst:
        show("", "sets that single out people whom no smaller set does, small ones first")
        print_table(("set", "k", "singled out", "unique"), _rows(worst[:_SHOWN]))
        if len(worst) > _SHOWN:
            show(f"and {len(worst) - _SHOWN:,} more sets; --json has all")
    dangerous = ["+".join(each.attributes) for each in found.dangerous(k)]
    show("", f"the smallest sets below k = {k}: {first_few(dangerous, _SHOWN) or 'none'}")
    for each in missed:
        show(
            f"published as they are, and unique for {each.unique:,} records: "
            f"{' with '.join(each.attributes)}; give what an outsider may know the role quasi"
        )


def _rows(combinations: list[Combination]) -> list[list[str]]:
    return [
        [
            " + ".join(combination.attributes),
            *map(figure, (combination.smallest, combination.newly_unique, combination.unique)),
        ]
        for combination in combinations
    ]
