"""Some records of a task as a task of their own, to be clustered apart from the others."""

from __future__ import annotations

from dataclasses import replace

from kanon_tui.core.numeric import Int64s
from kanon_tui.core.task.task import QuasiIdentifier, Task

__all__ = ["part_of"]


def part_of(task: Task, records: Int64s, seed: int) -> Task:
    """The task of these records.

    Values, domains, hierarchies, rules and weights stay those of the whole, so that a range loses
    as much here as there. What is required beyond k is left to whoever puts the parts together.
    """

    def taken(attribute: QuasiIdentifier) -> QuasiIdentifier:
        column = attribute.column
        return replace(attribute, column=replace(column, codes=column.codes[records]))

    return replace(
        task,
        table=replace(task.table, frame=task.table.frame[records]),
        quasi=tuple(map(taken, task.quasi)),
        sensitive=(),
        personal_k=None,
        person=None,
        privacy=replace(task.privacy, k=task.k, requirements=(), personal_k=None, risk=None),
        seed=seed,
    )
