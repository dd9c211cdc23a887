"""Morton's evaluation on Adult: figures 15 to 20, tables 13 and 14 (searches), 15 to 17.

    python -m benchmarks.morton_buckets --k 3 5 10
    python -m benchmarks.morton_buckets --rows clusters --overlap nodes --leaves 2
    python -m benchmarks.morton_buckets --claims

Capital gain, age, education and salary are all anonymised, and a tree of four leaves predicts the
published salary. Printed are the leaves with and without the records that straddle a split.
Searches take the levels of the sample, as those of the thesis are not printed.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from benchmarks.timing import print_table
from kanon_tui.core.analysis.published_cells import PublishedTable
from kanon_tui.core.analysis.trees.partition import OVERLAPS, ROWS, Partitioning, partition
from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.pipeline.run import Result, conclude, start
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AlgorithmChoice, AttributeSpec, Project
from kanon_tui.core.project.samples import find_sample
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.table import as_table

__all__ = ["buckets"]

ALGORITHMS = ("global", "local", "udc", "udc-suppress", "bottom-up", "euclidean", "mondrian")
ANONYMISED = ("capital-gain", "age", "education-num")


def release_of(algorithm: str, k: int) -> tuple[Project, Result]:
    """The release of one algorithm; `udc:cluster` is `udc` with that objective."""
    algorithm, _, objective = algorithm.partition(":")
    sample = Project.load(find_sample("adult").project)
    specs = {name: AttributeSpec(role=Role.IDENTIFIER) for name in sample.attributes}
    for name in ANONYMISED:
        found = sample.attributes[name]
        specs[name] = AttributeSpec(
            Role.QUASI, Kind.NUMERIC, hierarchy=found.hierarchy, rules=found.rules
        )
    specs["salary"] = AttributeSpec(Role.QUASI, Kind.CATEGORICAL)
    project = replace(
        sample,
        attributes=specs,
        privacy=Privacy(k=k, max_suppression=0.05 if algorithm == "udc-suppress" else 0.0),
        algorithm=AlgorithmChoice(algorithm, {"objective": objective} if objective else {}),
    )
    return project, conclude(start(project), project)


def buckets(algorithm: str, k: int, leaves: int = 4, **options: Any) -> Partitioning:
    """Both trees of one release."""
    project, made = release_of(algorithm, k)
    release = as_table(made.table, made.task.table.missing_tokens)
    return partition(
        PublishedTable(project, made.task, release), "salary", leaves=leaves, **options
    )


def claims(ks: list[int]) -> None:
    """Print what the thesis claims of UDC beside the others: clusters, rules and research value."""
    rows = []
    for name in ("udc:release", "udc:cluster", "bottom-up", "euclidean"):
        for k in ks:
            _, made = release_of(name, k)
            kept = [rule.kept for each in made.measures.attributes.values() for rule in each.rules]
            rules = " ".join(f"{share:.3f}" for share in kept)
            rows.append([name, k, made.grouping.search["clusters"], made.measures.rv, rules])
    head = ["algorithm", "k", "clusters", "RV", "share of records that keep each rule"]
    print_table("claims about utility-driven clustering", head, rows)


def main() -> None:
    """Print the leaves of every algorithm at every k."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--k", type=int, nargs="+", default=[3, 5, 10])
    parser.add_argument("--algorithms", nargs="+", default=ALGORITHMS)
    parser.add_argument("--leaves", type=int, default=4)
    parser.add_argument("--rows", choices=ROWS, default="records")
    parser.add_argument("--overlap", choices=OVERLAPS, default="straddling")
    parser.add_argument("--claims", action="store_true", help="clusters and rules kept, no trees")
    args = parser.parse_args()
    if args.claims:
        claims(args.k)
        return
    rows = []
    for algorithm in args.algorithms:
        for k in args.k:
            try:
                found = buckets(algorithm, k, args.leaves, rows=args.rows, overlap=args.overlap)
            except NotReachedError:
                rows.append([algorithm, str(k), "", "no release found", "", "", "", "", "", ""])
                continue
            tree = found.release
            for leaf in tree.root.leaves():
                free = "" if leaf.free_share is None else f"{leaf.free_share:.1%}"
                rows.append([algorithm, str(k), f"{tree.mixed:,}", leaf.path, leaf.majority,
                             f"{leaf.records:,}", f"{leaf.share:.1%}",
                             f"{leaf.free_records:,}", f"{leaf.free_people:,}", free])  # fmt: skip
    head = ["algorithm", "k", "mixed", "leaf", "salary", "rows", "share", "without overlap",
            "people", ""]  # fmt: skip
    print_table("leaves of trees for the published salary", head, rows)


if __name__ == "__main__":
    main()
