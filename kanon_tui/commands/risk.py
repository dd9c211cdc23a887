"""Measure how likely people are found: three models of risk, uniques, k-map and δ-presence."""

import argparse

from kanon_tui.commands.output import print_json, print_sections, show
from kanon_tui.core.analysis.population_risk import PopulationRisk, risk_sections
from kanon_tui.core.api.functions import risk
from kanon_tui.core.errors import InputError


def execute(args: argparse.Namespace) -> int:
    """Assess the risk of the table and print its figures."""
    found = _assess(args)
    reached = found.presence is None or found.presence.k_map >= (args.k_map or 0)
    if args.k_map is not None and found.presence is None:
        raise InputError("--k-map counts people of a population table; name it: --population-table")
    if args.json:
        print_json(found.mapping())
    else:
        print_sections(risk_sections(found)[0])
        if args.k_map is not None:
            show(f"{args.k_map:,}-map is {'reached' if reached else 'NOT reached'}")
    return 0 if reached else 1


def _assess(args: argparse.Namespace) -> PopulationRisk:
    names = ("quasi", "release", "person", "population", "weights", "population_table", "threshold")
    return risk(args.file, **{name: getattr(args, name) for name in names})
