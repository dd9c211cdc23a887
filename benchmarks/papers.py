"""The series behind the figures of the papers, and every figure that a run gives.

    python -m benchmarks.papers --renew           all; renews benchmarks/papers.json, docs/papers.md
    python -m benchmarks.papers --only sbc-4-2    some entries, to the terminal

What is measured is declared in kanon_tui/core/analysis/papers/entries. A state that is not what was
measured is named at the end. Seconds are those of the machine; everything else is the same on every
machine.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from kanon_tui.core.analysis.feasibility import feasibility
from kanon_tui.core.analysis.papers.entry import Entry
from kanon_tui.core.analysis.papers.registry import find_entries, list_entries
from kanon_tui.core.analysis.papers.repeating import (
    Releases,
    compare,
    study,
    verdict_on,
    within_chance,
)

SERIES = Path(__file__).with_name("papers.json")
STEEP = "morton-figure-23"


def measured_claims(entries: Iterable[Entry]) -> dict[str, Any]:
    """Return the curves of every claim; releases of one project are made once."""
    projects: dict[str, Releases] = {}
    measured: dict[str, Any] = {}
    for entry in entries:
        claim = entry.claim
        if claim is None:
            continue
        if claim.project not in projects:
            projects[claim.project] = Releases(study(claim.project))
        verdict = verdict_on(claim, projects[claim.project])
        series = {
            name: [float(f"{figure:.4g}") if figure < 1 else round(figure, 2) for figure in figures]
            for name, figures in verdict.series.items()
        }
        points = list(verdict.points)
        measured[entry.id] = {
            "holds": verdict.holds, "axis": verdict.axis, "points": points, "series": series,
        }  # fmt: skip
        print(entry.id, measured[entry.id], flush=True)
    return measured


def wrong_states(entries: Iterable[Entry], measured: dict[str, Any]) -> Iterator[str]:
    """Yield a line for every entry whose state is not what was measured."""
    for entry in entries:
        if entry.id in measured and measured[entry.id]["holds"] != (entry.state == "holds"):
            yield f"{entry.id}: {entry.state} is declared, which is not what was measured"
        comparisons = list(compare(entry))
        recorded = [figure for figures in entry.figures for figure in figures.ours]
        recorded += [entry.simulation.ours] if entry.simulation is not None else []
        for comparison, ours in zip(comparisons, recorded, strict=True):
            if comparison.ours != ours:
                measured_figure = f"{comparison.ours} is measured, {ours} is declared"
                yield f"{entry.id}: {comparison.what}: {measured_figure}"
        if entry.simulation is not None and not within_chance(entry.simulation):
            yield f"{entry.id}: the printed rate is beyond chance"


def steep() -> str:
    """Return the records at which 39 of 40 simulated tables pass, by attributes (figure 23)."""
    needed: dict[int, int] = {}
    for attributes in (3, 5, 7, 9, 12, 15):
        records = 16
        while feasibility(attributes, 5, records, repeats=40, seed=0).success_rate < 0.975:
            records = records * 5 // 4
        needed[attributes] = records
    assert all(few < more for few, more in pairwise(needed.values()))
    return ", ".join(f"{attributes}: {records:,}" for attributes, records in needed.items())


def main() -> None:
    """Measure all entries or some."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.papers", description=__doc__)
    parser.add_argument("--renew", action="store_true", help="renew papers.json and docs/papers.md")
    parser.add_argument(
        "--only", metavar="NAME", help="the entries of a name, as 'kanon-tui papers' takes it"
    )
    args = parser.parse_args()
    entries = list_entries() if args.only is None else find_entries(args.only)
    measured = measured_claims(entries)
    if any(entry.id == STEEP for entry in entries):
        print(STEEP, steep())
    if args.renew and args.only is None:
        lines = (f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in measured.items())
        SERIES.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        from docs.make_papers import PAGE, page

        PAGE.write_text(page(), encoding="utf-8")
    for line in wrong_states(entries, measured):
        print(line)


if __name__ == "__main__":
    main()
