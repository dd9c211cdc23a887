"""How long k-member clustering takes, against the paper's scan and against its slow twin.

The scan is Byun's figure 5 as it stands, compiled: every decision looks at every distinct row that
is left. The kernel must find the same clusters.

python -m benchmarks.k_member --sizes 10000 50000 200000 --scan 10000 20000
"""

from __future__ import annotations

import argparse
import subprocess
import sys

import numpy as np
from numba import njit

from benchmarks.timing import (
    added_megabytes,
    adult_task,
    census_task,
    exponent,
    print_table,
    run_seconds,
    seconds,
)
from kanon_tui.core.algorithms.k_member import KMember
from kanon_tui.core.algorithms.twins.k_member import grown_clusters as twin
from kanon_tui.core.clustering.features import Features
from kanon_tui.core.task.task import Task

TIE = 1e-9


@njit(cache=True)
def scan(places, labels, weights, records, starts, k, start):
    """Clusters of all records but the last ones left over (-1), by trying every distinct row."""
    rows, numbers = places.shape
    result = np.full(len(records), -1, dtype=np.int32)
    begin = starts[:-1].copy()
    left = np.arange(rows)
    alive = rows
    remaining = len(records)
    cluster = 0
    last = start
    low = np.empty(numbers)
    high = np.empty(numbers)
    label = np.empty(labels.shape[1], dtype=np.int32)
    scores = np.empty(rows)
    while remaining >= k:
        for size in range(k):
            for a in range(alive):
                i = left[a]
                score = 0.0
                for y in range(len(label)):
                    if size == 0:
                        score -= weights[y] * (labels[i, y] != labels[last, y])
                    elif label[y] >= 0 and labels[i, y] != label[y]:
                        score += weights[y]
                for x in range(numbers):
                    if size == 0:
                        score -= abs(places[i, x] - places[last, x])
                    else:
                        score += max(places[i, x] - high[x], low[x] - places[i, x], 0.0)
                scores[a] = score
            smallest = scores[:alive].min() + TIE / (size + 1)
            best = -1
            for a in range(alive):
                earlier = best < 0 or records[begin[left[a]]] < records[begin[left[best]]]
                if scores[a] < smallest and earlier:
                    best = a
            last = left[best]
            result[records[begin[last]]] = cluster
            for x in range(numbers):
                low[x] = min(low[x], places[last, x]) if size else places[last, x]
                high[x] = max(high[x], places[last, x]) if size else places[last, x]
            for y in range(len(label)):
                if size == 0:
                    label[y] = labels[last, y]
                elif label[y] != labels[last, y]:
                    label[y] = -1
            begin[last] += 1
            if begin[last] == starts[last + 1]:
                alive -= 1
                left[best] = left[alive]
        remaining -= k
        cluster += 1
    return result


def scan_task(task: Task) -> np.ndarray:
    features = Features.from_task(task)
    distinct = features.distinct
    start = distinct.number[int(np.random.default_rng(task.seed).integers(task.n))]
    columns = (features.places, features.labels, features.label_weights)
    return scan(*columns, distinct.records, distinct.starts, task.k, start)


def compare(name: str, task: Task) -> tuple[object, ...]:
    run, used, _ = run_seconds(task, KMember())
    scanned: list[np.ndarray] = []
    slow = seconds(lambda: scanned.append(scan_task(task)))
    assert run.grouping is not None
    same = np.array_equal(run.grouping.labels[scanned[0] >= 0], scanned[0][scanned[0] >= 0])
    return name, task.n, len(Features.from_task(task).distinct), used, slow, slow / used, same


def one(records: int, k: int) -> None:
    """In a process of its own, for its memory: seconds, longest step, megabytes the run added."""
    run_seconds(census_task(100, k), KMember())
    task = census_task(records, k)
    _, used, longest = run_seconds(task, KMember())
    print(used, longest, added_megabytes(task, KMember()))


def main() -> None:
    sizes = [10_000, 20_000, 50_000, 100_000, 200_000]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=sizes)
    parser.add_argument("--scan", type=int, nargs="+", default=[10_000, 20_000])
    parser.add_argument("--twin", type=int, nargs="+", default=[50, 100, 200])
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    k = options.k
    if options.one:
        one(options.one, k)
        return

    rows: list[tuple[object, ...]] = []
    for size in options.sizes:
        command = [sys.executable, "-m", "benchmarks.k_member", "--one", str(size), "--k", str(k)]
        answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        rows.append((size, *map(float, answer.split())))
    heads: tuple[str, ...] = ("records", "seconds", "longest step", "megabytes")
    print_table(f"k-member, census, 8 quasi-identifiers, k = {k}", heads, rows)
    grown = [exponent(options.sizes, [float(str(row[x])) for row in rows]) for x in (1, 3)]
    print(f"time grows like n^{grown[0]:.2f}, memory like n^{grown[1]:.2f}")

    tiny = census_task(100, k)
    run_seconds(tiny, KMember())
    scan_task(tiny)
    rows = [compare("adult", adult_task(k))]
    rows += [compare("census", census_task(size, k)) for size in options.scan]
    heads = ("table", "records", "distinct", "kernel", "scan", "ratio", "same clusters")
    print_table("against the paper's scan, compiled", heads, rows)
    grown = [exponent(options.scan, [float(str(row[x])) for row in rows[1:]]) for x in (3, 4)]
    print(f"there the kernel grows like n^{grown[0]:.2f}, the scan like n^{grown[1]:.2f}")

    rows = []
    for size in options.twin:
        task = census_task(size, k)
        used = run_seconds(task, KMember())[1]
        rng = np.random.default_rng(task.seed)
        slow = seconds(lambda task=task, rng=rng: twin(task, range(task.n), rng))
        rows.append((size, used, slow, slow / used))
    print_table("against the twin of the tests", ("records", "kernel", "twin", "ratio"), rows)


if __name__ == "__main__":
    main()
