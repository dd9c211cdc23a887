"""How long `sbc` and `sd` take, how that grows, and against their slow twins.

python -m benchmarks.similarity --sizes 10000 50000 200000
"""

from __future__ import annotations

import argparse

from benchmarks.timing import (
    added_megabytes,
    adult_task,
    census_task,
    exponent,
    print_table,
    run_seconds,
    seconds,
)
from kanon_tui.core.algorithms.sbc import SBC
from kanon_tui.core.algorithms.sd import SD
from kanon_tui.core.algorithms.twins.similarity import cluster as twin
from kanon_tui.core.task.task import Algorithm


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 20_000, 50_000])
    parser.add_argument("--twin", type=int, nargs="+", default=[100, 200])
    parser.add_argument("--k", type=int, default=10)
    options = parser.parse_args()
    algorithms: list[tuple[str, Algorithm, bool]] = [("sbc", SBC(), False), ("sd", SD(), True)]
    for name, algorithm, spatial in algorithms:
        run_seconds(census_task(100, options.k), algorithm)  # compiled from here on
        rows: list[tuple[object, ...]] = []
        for size in options.sizes:
            task = census_task(size, options.k)
            _, used, longest = run_seconds(task, algorithm)
            rows.append((size, used, longest, added_megabytes(task, algorithm)))
        heads: tuple[str, ...] = ("records", "seconds", "longest step", "megabytes")
        print_table(f"{name}, census, 8 quasi-identifiers, k = {options.k}", heads, rows)
        grown = exponent(options.sizes, [float(str(row[1])) for row in rows])
        print(f"time grows like n^{grown:.2f}")
        _, used, _ = run_seconds(adult_task(options.k), algorithm)
        print(f"adult, 30,162 records: {used:.2f} s")
        rows = []
        for size in options.twin:
            task = census_task(size, options.k)
            used = run_seconds(task, algorithm)[1]
            slow = seconds(lambda task=task, spatial=spatial: twin(task, spatial))
            rows.append((size, used, slow, slow / used))
        print_table("against the twin of the tests", ("records", "kernel", "twin", "ratio"), rows)


if __name__ == "__main__":
    main()
