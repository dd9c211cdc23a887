"""How long a run was said to take, against what it took.

    python -m benchmarks.estimates --sizes 10000 100000 --algorithms sbc top-down
    python -m benchmarks.estimates --refine --algorithms mondrian k-member

Before a run samples of the table are tried for about two seconds (`run.trial`); the screen says
what these come to. Here the run follows: seconds of the search, and of what the release takes to be
printed, proved and measured, everything compiled, on the shapes of `benchmarks.growth`. A ratio
above one says that too much was expected. Tables that a trial runs whole are left out: they are not
guessed at.
"""

from __future__ import annotations

import argparse
import time
from contextlib import suppress
from pathlib import Path

from benchmarks.growth import SIZES, WARM_UP, shapes
from benchmarks.timing import print_table
from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.errors import KanonError
from kanon_tui.core.fields.declaration import with_parameters
from kanon_tui.core.pipeline.run import Run, conclude
from kanon_tui.core.pipeline.trial import clock_of, try_out
from kanon_tui.core.task.task import Algorithm, Task

SHAPES = ("census", "numbers", "sets", "adult")


def made(name: str, refine: bool) -> Algorithm:
    """An algorithm as it comes, refined where that was asked for and it can be."""
    algorithm = ALGORITHMS[name]
    can = refine and "refine" in algorithm.__dataclass_fields__
    return with_parameters(algorithm, {"refine": True} if can else {}, name)


def seconds_of(task: Task, algorithm: Algorithm) -> float:
    """What the search takes, by the clock of the trial, and its release."""
    clock = clock_of(algorithm)
    run = Run(task, algorithm)
    began = clock()
    with suppress(KanonError):  # that nothing passes takes its time as well
        for _ in run:
            clock()  # it is to be read at every step
    searched = clock() - began
    began = time.perf_counter()
    if run.grouping is not None:
        conclude(run)
    return searched + time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--algorithms", nargs="+", default=list(ALGORITHMS))
    parser.add_argument("--shapes", nargs="+", default=list(SHAPES))
    parser.add_argument("--adult", type=Path, help="folder of adult.csv")
    parser.add_argument("--refine", action="store_true", help="refine what can be refined")
    options = parser.parse_args()
    makers = shapes(options.adult)
    rows: list[tuple[object, ...]] = []
    for shape in options.shapes:
        for size in options.sizes:
            tiny = makers[shape](WARM_UP)
            task = makers[shape](size)
            for name in options.algorithms:
                algorithm = made(name, options.refine)
                seconds_of(tiny, algorithm)  # compiles
                began = time.perf_counter()
                trial = try_out(task, algorithm)
                tried = time.perf_counter() - began
                if trial.is_of_whole_table or trial.seconds is None:
                    said = "run whole" if trial.is_of_whole_table else "no estimate"
                    print(f"{shape}, {size:,} records, {name}: {said}", flush=True)
                    continue
                real = seconds_of(task, algorithm)
                largest = trial.samples[-1].records
                rows.append(
                    (shape, size, name, largest, tried, trial.seconds, real, trial.seconds / real)
                )
                print(f"{shape}, {size:,} records, {name}: {rows[-1][-1]:.2f}", flush=True)
    heads = ("shape", "records", "algorithm", "largest sample", "tried", "said", "real", "ratio")
    print_table("estimates, in seconds", heads, rows)


if __name__ == "__main__":
    main()
