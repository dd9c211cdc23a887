"""One thread and two: seconds on the clock and processor seconds of what works in threads.

    python -m benchmarks.threads [--renew]

Refining (`top-down refine=true`, generated census of 20,000 records, k = 10) counts the cores that
the process may use, so it is given one and two of them; `sweep` (census sample, four clusterings,
three k) is given workers.
Runs alternate, and of three the one that is shortest on the clock is told. Linux only.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable

from benchmarks.growth import census
from benchmarks.pages import markdown_table, renew
from benchmarks.timing import SAMPLES, print_table
from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.analysis.sweep.sweep import sweep
from kanon_tui.core.fields.declaration import with_parameters
from kanon_tui.core.pipeline.run import Run

HEADS = ("work", "clock s, 1", "CPU s, 1", "clock s, 2", "CPU s, 2", "clock, 1 to 2")
SWEPT = ("k-member", "bottom-up", "top-down", "udc")
REPEATS = 3


def works() -> dict[str, Callable[[int], object]]:
    """What is measured, by name; each is called with a number of threads."""
    people = census(20_000, 1790)
    refined = with_parameters(ALGORITHMS["top-down"], {"refine": True}, "top-down")
    project = SAMPLES / "census" / "project.yaml"
    return {
        "refining": lambda _: Run(people, refined).finish(),
        "sweep": lambda workers: list(sweep(project, SWEPT, [5, 10, 25], workers=workers)),
    }


def measured(work: Callable[[int], object], threads: int) -> tuple[float, float]:
    """Seconds on the clock and of the processor, with as many cores as threads."""
    every = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(every)[:threads])
    try:
        clock = time.perf_counter()
        cpu = time.process_time()
        work(threads)
        return time.perf_counter() - clock, time.process_time() - cpu
    finally:
        os.sched_setaffinity(0, every)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--renew", action="store_true", help="put the table into the page")
    options = parser.parse_args()
    rows = []
    for name, work in works().items():
        pairs = [(measured(work, 1), measured(work, 2)) for _ in range(REPEATS)]
        one, two = (min(runs) for runs in zip(*pairs, strict=True))
        rows.append((name, *one, *two, one[0] / two[0]))
    print_table("one thread and two", HEADS, rows)
    if options.renew:
        renew("threads", markdown_table(HEADS, rows))


if __name__ == "__main__":
    main()
