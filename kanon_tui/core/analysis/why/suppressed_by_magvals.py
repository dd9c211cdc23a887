"""Why a clustering that keeps MAGVals suppressed a record.

Records share a class only where their MAGVals agree, so that the group of those who share a
record's MAGVals is all it can get. The record goes where the group is below k, or where its class
misses what is required beyond k and so does the group as a whole. A change that makes the group
large and diverse enough publishes all of it: there is then always a class to merge with.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kanon_tui.core.analysis.why.reasons import Change, Why
from kanon_tui.core.analysis.why.suppressed_group import SuppressedGroup, is_enough
from kanon_tui.core.numeric import Flags
from kanon_tui.core.pipeline.result import Result
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import count_of

__all__ = ["why_suppressed"]


def why_suppressed(result: Result, record: int) -> Why:
    """Too few share its MAGVals, or those who do lack something, or the algorithm let it go."""
    alike = _sharing(result.task, record)
    group = SuppressedGroup(result, np.flatnonzero(alike.all(axis=1)), "group")
    if group.small:
        because = group.too_few("shares", "share", "its MAGVals")
    elif group.missed:
        because = (
            f"even all together the {count_of(group.size, 'record')} that share its MAGVals would "
            f"be a class with {group.lacks}"
        )
    else:
        return group.why(f"{result.algorithm.name} found no class for it")
    return group.why(because, *_left_out(result, alike))


def _left_out(result: Result, alike: Flags) -> Iterator[Change]:
    """Attributes whose MAGVals keep those apart who would be enough together."""
    task = result.task
    for x, attribute in enumerate(task.quasi):
        others = np.flatnonzero(np.delete(alike, x, axis=1).all(axis=1))
        if len(task.quasi) == 1 or not is_enough(result, others):
            continue
        sharing = count_of(len(others), "record")
        sentence = f"leaving out {attribute.name}: {sharing} would share its MAGVals"
        if task.requirements:
            sentence += " and keep what is required"
        yield Change("attribute", attribute.hierarchy.height, attribute.name, sentence)


def _sharing(task: Task, record: int) -> Flags:
    """Records × attributes: whether the MAGVal is this record's."""
    alike = np.ones((task.n, len(task.quasi)), dtype=bool)
    for x, attribute in enumerate(task.quasi):
        hierarchy, codes = attribute.hierarchy, attribute.column.codes
        level = int(hierarchy.mark_levels[codes[record]])
        labels = hierarchy.maps[level]
        same = (labels == labels[codes[record]]) & (hierarchy.mark_levels == level)
        alike[:, x] = same[codes]
    return alike
