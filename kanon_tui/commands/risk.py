"""How likely people are found: three models of risk, uniques, k-map and δ-presence.

FILE is a table, whose quasi-identifiers --quasi names, or a project (.yaml): then its data as they
are, or a release of it. The population is known by its size, by survey weights or by a table.
Exit code 1 where --k-map is not reached.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from kanon_tui.commands.arguments import COUNT, JSON, argument, file_argument, names, share
from kanon_tui.commands.output import print_json, print_section, say
from kanon_tui.core.errors import InputError

if TYPE_CHECKING:
    from kanon_tui.core.analysis.population_risk import PopulationRisk

HELP = "how likely people are found in a table"


ARGUMENTS = (
    file_argument("file", "a table, or a project (.yaml)"),
    argument("--quasi", "a,b,c", "the quasi-identifiers of a table", names),
    argument("--person", "NAME", "whose each row is: people are counted, not rows"),
    file_argument("--release", "a release of the project, not its data"),
    argument("--population", "N", "people of the population", COUNT),
    argument("--weights", "NAME", "a column of survey weights"),
    file_argument("--population-table", "the people of the population"),
    argument("--k-map", "K", "people that every row must fit", COUNT),
    argument("--threshold", "SHARE", "a risk that is too high", share, default=0.2),
    JSON,
)


def execute(args: argparse.Namespace) -> int:
    """Count, estimate and print."""
    found = _assess(args)
    reached = found.presence is None or found.presence.k_map >= (args.k_map or 0)
    if args.k_map is not None and found.presence is None:
        raise InputError("--k-map counts people of a population table; name it: --population-table")
    if args.json:
        print_json(found.mapping())
    else:
        from kanon_tui.core.analysis.population_risk import risk_sections

        for section in risk_sections(found)[:1]:
            print_section(section)
        if args.k_map is not None:
            say(f"{args.k_map:,}-map is {'reached' if reached else 'NOT reached'}")
    return 0 if reached else 1


def _assess(args: argparse.Namespace) -> PopulationRisk:
    from kanon_tui.core.api.functions import risk

    names = ("quasi", "release", "person", "population", "weights", "population_table", "threshold")
    return risk(args.file, **{name: getattr(args, name) for name in names})
