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
from kanon_tui.core.analysis.why.requirements import GroupFigures, lacks_text, missed_by
from kanon_tui.core.numeric import Flags
from kanon_tui.core.run.result import Result
from kanon_tui.core.task.task import Task
from kanon_tui.core.text import count_of

__all__ = ["why_suppressed"]


def why_suppressed(result: Result, record: int, question: str) -> Why:
    """Too few share its MAGVals, or those who do lack something, or the algorithm let it go."""
    task = result.task
    alike = _sharing(task, record)
    group = np.flatnonzero(alike.all(axis=1))
    count, missed = len(group), missed_by(task.requirements, group)
    facts = [f"{int(result.release.suppressed.sum()):,} of {task.n:,} records are suppressed."]
    lacks = lacks_text(one.requirement for one in missed)
    if count < task.k:
        alone = (
            "no other record shares" if count == 1 else f"only {count_of(count, 'record')} share"
        )
        because = f"{alone} its MAGVals, and k is {task.k:,}"
        if missed:
            facts.append(f"Such a class would also be one with {lacks}.")
    elif missed:
        because = (
            f"even all together the {count_of(count, 'record')} that share its MAGVals would be a "
            f"class with {lacks}"
        )
    else:
        return Why(question, f"{result.algorithm.name} found no class for it", tuple(facts))
    changes = (*_group_changes(task, count, missed), *_left_out(task, alike))
    return Why(question, because, tuple(facts), changes)


def _group_changes(task: Task, count: int, missed: tuple[GroupFigures, ...]) -> Iterator[Change]:
    """What would let the group as it is be published."""
    if 1 < count < task.k and not missed:
        told = f"k = {count:,} instead of {task.k:,}: its group would be large enough"
        yield Change("k", count, "", told)
    if count >= task.k and len(missed) == 1:
        yield missed[0].change("its group could be published")


def _left_out(task: Task, alike: Flags) -> Iterator[Change]:
    """Attributes whose MAGVals keep those apart who would be enough together."""
    for x, attribute in enumerate(task.quasi):
        others = np.flatnonzero(np.delete(alike, x, axis=1).all(axis=1))
        if len(task.quasi) == 1 or len(others) < task.k or missed_by(task.requirements, others):
            continue
        sharing = count_of(len(others), "record")
        told = f"leaving out {attribute.name}: {sharing} would share its MAGVals"
        if task.requirements:
            told += " and keep what is required"
        yield Change("attribute", attribute.hierarchy.height, attribute.name, told)


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
