"""Small random tables for full-domain searches, all of whose strings can be tried."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache
from math import prod

from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.table.column import Role
from kanon_tui.core.task.task import Task
from tests.core.algorithms.random_tables import random_task


@cache
def searchable_task(seed: int) -> Task:
    """A small random task: some with suppression, some with research values that rise or tie."""
    rng = random.Random(seed)
    task = random_task(seed, most=24)
    attributes = list(task.quasi)
    roles = dict(task.roles)
    while prod(a.hierarchy.height + 1 for a in attributes) > 400:
        roles[attributes.pop().name] = Role.OTHER
    style = rng.choice(["computed", "typed", "tied", "nearly tied"])
    for x, attribute in enumerate(attributes):
        choices: list[float | None] = {
            "computed": [None],
            "typed": [None, 0.0, 0.1, 0.25, 0.7, 1.0],
            "tied": [0.0, 0.1, 0.2, 0.3],
            "nearly tied": [0.1, 0.1 + 4e-10, 0.1 - 4e-10, 0.2, 0.2 + 1e-12],
        }[style]
        typed = tuple(rng.choice(choices) for _ in range(attribute.hierarchy.height + 1))
        attributes[x] = replace(attribute, typed_research_values=typed)
    share = rng.choice([0.0, 0.0, 0.1, 0.25, 0.5])
    privacy = Privacy(k=task.k, max_suppression=share)
    return replace(task, quasi=tuple(attributes), roles=roles, privacy=privacy)
