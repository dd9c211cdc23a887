"""Every algorithm gives the same classes on every machine, bit for bit.

`answers.json` has the digests of labels and counters that an earlier implementation of the inner
loops gave, in another language: 600 records each of four shapes of `benchmarks.growth`. Those of
refined classes are of the C kernels, which a twin checks on smaller tables.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.growth import shapes
from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.task.task import Task

ANSWERS: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent / "answers.json").read_text()
)


@cache
def task_of(shape: str) -> Task:
    return shapes(None)[shape](600)


@pytest.mark.slow
@pytest.mark.parametrize("case", ANSWERS)
def test_labels_and_counters_are_the_known_ones(case: str) -> None:
    name, shape, options = case.split(" ", 2)
    run = Run(task_of(shape), ALGORITHMS[name](**json.loads(options)))
    grouping = run.finish()
    assert grouping is not None
    labels = hashlib.sha256(np.ascontiguousarray(grouping.labels, dtype=np.int32).tobytes())
    labels.update(repr(grouping.levels).encode())
    if grouping.suppressed_cells is not None:
        labels.update(np.packbits(grouping.suppressed_cells).tobytes())
    counters = {
        key: value.hex() if isinstance(value, float) else int(value)
        for key, value in (run.last.counters if run.last else {}).items()
        if isinstance(value, (int, float, np.integer))
    }
    assert {"labels": labels.hexdigest()[:24], "counters": counters} == ANSWERS[case]
