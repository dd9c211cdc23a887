"""Random mixed tables with weights and data constraint rules, for the merging algorithms."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.table.column import Kind
from kanon_tui.core.task.rules import Apart, Boundary, Rule, RuleTable
from kanon_tui.core.task.task import Task
from tests.core.algorithms.random_tables import COLUMNS
from tests.helpers import make_task


@cache
def ruled_task(seed: int, most: int = 30) -> Task:
    """A task with one to four of the columns, rules on some, weights on some, repeated rows."""
    rng = random.Random(seed)
    names = rng.sample(sorted(COLUMNS), rng.randrange(1, 5))
    n = rng.randrange(1, most + 1)
    pool = [
        [COLUMNS[name][0](rng) for name in names] for _ in range(rng.choice([n, n, n // 3 + 1]))
    ]
    rows = [rng.choice(pool) for _ in range(n)]
    columns = {name: [row[x] for row in rows] for x, name in enumerate(names)}
    specs = {}
    for name in names:
        spec = COLUMNS[name][1]
        if rng.random() < 0.5:
            spec = replace(spec, rules=random_rules(rng, columns[name], spec))
        if len(specs) and rng.random() < 0.2:  # the first one keeps what is left
            spec = replace(spec, weight=rng.choice([0.0, 0.1, 0.3]) / len(names))
        specs[name] = spec
    k = min(n, rng.choice([1, 2, 2, 3, 3, 5, n]))
    return make_task(columns, k=k, specs=specs, seed=seed)


def random_rules(rng: random.Random, values: list[object], spec: AttributeSpec) -> RuleTable:
    rules: list[Rule] = []
    present = sorted({str(value) for value in values})
    for _ in range(rng.randrange(1, 4)):
        importance = float(rng.choice([1, 5, 20]))
        if spec.kind is Kind.NUMERIC:
            low = rng.randrange(0, 30) / rng.choice([1, 10])
            rules.append(Boundary(str(low), str(low + rng.choice([0.1, 1])), importance))
        elif len(present) > 1:
            first, second = rng.sample(present, 2)
            rules.append(Apart((first,), (second,), importance))
    return RuleTable(float(rng.choice([0, 0, 10])), tuple(rules))
