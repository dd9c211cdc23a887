"""How long Mondrian takes on generated census tables, and against its slow twin.

python -m benchmarks.mondrian --sizes 10000 100000 1000000
"""

from __future__ import annotations

import argparse

from benchmarks.timing import census_task, exponent, print_table, run_seconds, seconds
from kanon_tui.core.algorithms.mondrian import Mondrian
from kanon_tui.core.algorithms.twins.mondrian import mondrian


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--twin", type=int, nargs="+", default=[250, 500, 1_000])
    parser.add_argument("--k", type=int, default=10)
    options = parser.parse_args()
    run_seconds(census_task(100, options.k), Mondrian())  # compiled or loaded

    rows = []
    times = []
    for size in options.sizes:
        task = census_task(size, options.k)
        for relaxed in (False, True):
            run, used, longest = run_seconds(task, Mondrian(relaxed=relaxed))
            assert run.grouping is not None
            clusters = run.grouping.search["clusters"]
            rows.append((size, "relaxed" if relaxed else "strict", clusters, used, longest))
            if not relaxed:
                times.append(used)
    heads = ("records", "cuts", "classes", "seconds", "longest step")
    print_table(f"mondrian, census, 8 quasi-identifiers, k = {options.k}", heads, rows)
    print(f"strict time grows like n^{exponent(options.sizes, times):.2f}")

    rows = []
    fast = []
    slow = []
    for size in options.twin:
        task = census_task(size, options.k)
        fast.append(run_seconds(task, Mondrian())[1])
        slow.append(seconds(lambda task=task: mondrian(task)))
        rows.append((size, fast[-1], slow[-1], slow[-1] / fast[-1]))
    print_table("against the twin of the tests", ("records", "kernel", "twin", "ratio"), rows)


if __name__ == "__main__":
    main()
