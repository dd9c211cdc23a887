"""The attack suite on Adult: success rates in people, beside a tenth that was held out.

    python -m benchmarks.attacks --k 2 5 10 --algorithms global mondrian k-member top-down udc sbc
    python -m benchmarks.attacks --k 5 --with publish=rounded publish=hierarchy l=2 ties=random
    python -m benchmarks.attacks --k 5 --algorithms mondrian --records 10000 100000
    python -m benchmarks.attacks --k 5 --algorithms mondrian --write FOLDER

Nine tenths of the records are anonymised with the settings of sample `adult`, salary being
sensitive. --with attacks a release with each counter-measure too. --records draws so many records
with replacement. --write puts original, release (numbers as the middle of their range) and control
into a folder, for other tools.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.timing import print_table
from kanon_tui.core.analysis.attack.attacked import AttackResult
from kanon_tui.core.analysis.attack.suite import attack_again, run_attacks, seen_by_attackers
from kanon_tui.core.errors import KanonError
from kanon_tui.core.pipeline.run import Result, anonymize
from kanon_tui.core.project.project import AlgorithmChoice, Project
from kanon_tui.core.project.samples import find_sample
from kanon_tui.core.table.column import Role


def project_for(algorithm: str, k: int) -> Project:
    """The sample with salary sensitive, one algorithm and one k."""
    sample = Project.load(find_sample("adult").project)
    specs = dict(sample.attributes)
    specs["salary"] = replace(specs["salary"], role=Role.SENSITIVE)
    made = replace(sample, attributes=specs, algorithm=AlgorithmChoice(algorithm))
    return made.with_(k=k)


def cells(found: list[AttackResult]) -> list[str]:
    """A cell per attack: the rate, and in brackets that of the control."""
    shown = []
    for each in found:
        control = "" if each.control_rate is None else f" ({each.control_rate:.1%})"
        shown.append(f"{each.rate:.1%}{control}")
    return shown


def tried(
    made: Project, frame: pl.DataFrame, held: pl.DataFrame, counters: list[str]
) -> Iterator[list[str]]:
    """A row for the release as it is, and one for each counter-measure."""
    result = anonymize(made, frame)
    attacked = seen_by_attackers(result, held)
    start = time.process_time()
    found = run_attacks(attacked)
    seconds = time.process_time() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield ["as it is", *cells(found), f"{result.measures.ncp:.3f}", f"{seconds:.1f} s",
           f"{memory / 1024:.0f} MB"]  # fmt: skip
    for changes in counters:
        try:
            again = attack_again(attacked, changes)
        except KanonError as error:
            yield [changes, str(error)[:60], *[""] * 9]
            continue
        yield [changes, *cells(list(again.attacks)), f"{again.ncp:.3f}", "", ""]


def write(result: Result, frame: pl.DataFrame, held: pl.DataFrame, folder: Path) -> None:
    """Original, release and control as CSV; a range is its middle, another set of values a text."""
    numbers = (
        pl.col("age")
        .cast(pl.String)
        .str.extract_all(r"\d+")
        .list.eval(pl.element().cast(pl.Float64))
    )
    folder.mkdir(parents=True, exist_ok=True)
    result.table.with_columns(numbers.list.mean().alias("age")).write_csv(folder / "release.csv")
    names = result.table.columns
    frame.select(names).write_csv(folder / "original.csv")
    held.select(names).write_csv(folder / "control.csv")


def main() -> None:
    """Print a line per algorithm, k and counter-measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--k", type=int, nargs="+", default=[2, 5, 10])
    names = ["global", "mondrian", "k-member", "top-down", "udc", "sbc"]
    parser.add_argument("--algorithms", nargs="+", default=names)
    parser.add_argument("--with", nargs="+", default=[], dest="counters")
    parser.add_argument("--records", type=int, nargs="+", default=[0])
    parser.add_argument("--write", type=Path)
    args = parser.parse_args()
    rows = []
    for algorithm in args.algorithms:
        for k in args.k:
            for records in args.records:
                made = project_for(algorithm, k)
                frame = made.read_data().frame
                chance = np.random.default_rng(0)
                if records:
                    frame = frame[chance.integers(0, frame.height, records)]
                held = pl.Series(chance.random(frame.height) < 0.1)
                kept = frame.filter(~held)
                aside = frame.filter(held)
                if args.write:
                    write(anonymize(made, kept), kept, aside, args.write)
                    continue
                for row in tried(made, kept, aside, args.counters):
                    rows.append([algorithm, str(k), *row])
                    print(rows[-1], flush=True)
    head = ["algorithm", "k", "with", "singling out", "downcoding", "linkability", "inference",
            "model", "refinement", "minimality", "NCP", "time", "peak"]  # fmt: skip
    print_table("success rates in people (people who were not in the data)", head, rows)


if __name__ == "__main__":
    main()
