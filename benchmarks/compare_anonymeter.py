"""Anonymeter on a release of `benchmarks.attacks --write FOLDER`, for comparison.

    python -m benchmarks.attacks --k 5 --algorithms mondrian --write FOLDER
    python benchmarks/compare_anonymeter.py FOLDER      # in an environment that has anonymeter

It reads single values only: a range is its middle there, and a set or a label is one more category.
Rates are those of 500 attacks each, on people of the data and on those who were held out.
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd


def main(folder: str) -> None:
    """Print attack, control and baseline rates of every evaluator."""
    from anonymeter.evaluators import (
        InferenceEvaluator,
        LinkabilityEvaluator,
        SinglingOutEvaluator,
    )

    np.random.seed(0)  # the generator that it draws from
    names = ("original", "release", "control")
    frames = [pd.read_csv(f"{folder}/{name}.csv").astype({"age": float}) for name in names]
    tables = dict(zip(("ori", "syn", "control"), frames, strict=True))
    known = [name for name in frames[0].columns if name != "salary"]
    parties = (known[:4], [*known[4:], "salary"])
    multivariate = SinglingOutEvaluator(**tables, n_attacks=500, n_cols=4)
    runs = {
        "singling out": multivariate.evaluate(mode="multivariate"),
        "linkability": LinkabilityEvaluator(
            **tables, n_attacks=500, aux_cols=parties, n_neighbors=5
        ).evaluate(n_jobs=1),
        "inference": InferenceEvaluator(
            **tables, n_attacks=500, aux_cols=known, secret="salary"
        ).evaluate(n_jobs=1),
    }
    for name, run in runs.items():
        found = run.results()
        rates = (found.attack_rate, found.control_rate, found.baseline_rate)
        print(name, *(f"{rate.value:.1%} ± {rate.error:.1%}" for rate in rates), sep="  ")


if __name__ == "__main__":
    main(sys.argv[1])
