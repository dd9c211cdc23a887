"""`top-down growth=class`: trees of large groups against looking at every row, same clusters.

python -m benchmarks.top_down --sizes 5000 10000 20000 30162 --k 5 10
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from unittest.mock import patch

from benchmarks.quality import PEERS, only
from benchmarks.timing import SAMPLES, exponent, print_table, run_seconds
from kanon_tui.core.algorithms.top_down import TopDown
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.project.project import Project
from kanon_tui.core.table.source import read_table

HEADS = ("k", "records", "every row", "trees", "ratio", "same clusters")
NO_TREES = patch("kanon_tui.core.clustering.splitting._LARGE", 2**62)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[5000, 10000, 20000, 30162])
    parser.add_argument("--k", type=int, nargs="+", default=[5, 10])
    options = parser.parse_args()
    project = only(Project.load(SAMPLES / "adult" / "project.yaml"), PEERS)
    whole = read_table(project.data_path)
    algorithm = TopDown(growth="class")
    rows = []
    slopes = []
    for k in options.k:
        asked = replace(project, privacy=replace(project.privacy, k=k))
        slow = []
        fast = []
        for size in options.sizes:
            task = prepare(asked, replace(whole, frame=whole.frame.head(size)))
            if not rows:
                Run(task, algorithm).finish()  # compiles
            with NO_TREES:
                before, seconds, _ = run_seconds(task, algorithm)
            slow.append(seconds)
            after, seconds, _ = run_seconds(task, algorithm)
            fast.append(seconds)
            same = (before.grouping.labels == after.grouping.labels).all()
            rows.append((k, task.n, slow[-1], fast[-1], slow[-1] / fast[-1], bool(same)))
        if len(options.sizes) > 1:
            slopes.append((k, exponent(options.sizes, slow), exponent(options.sizes, fast)))
    print_table("adult, the eight usual attributes, no hierarchies: seconds", HEADS, rows)
    print_table("time grows like n to the power of", ("k", "every row", "trees"), slopes)


if __name__ == "__main__":
    main()
