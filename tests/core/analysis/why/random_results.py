"""Results on random tables, to be explained."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kanon_tui.core.errors import NotReachedError
from kanon_tui.core.pipeline.run import Result
from tests.core.algorithms.random_tables import random_task
from tests.core.analysis.why.twins import run


def results(name: str, seeds: Sequence[int], suppression: float = 0.0) -> Iterator[Result]:
    """Results on random tables; where nothing is found there is nothing to explain."""
    for seed in seeds:
        task = random_task(seed)
        task = replace(task, privacy=replace(task.privacy, max_suppression=suppression))
        try:
            yield run(task, name)
        except NotReachedError:
            continue
