"""Random mixed tables in which ties, duplicates and gaps are the rule, not the exception."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.task.task import Task
from tests.helpers import make_task

PLACES = {
    "Rome": ["Italy", "Europe", "World"],
    "Milan": ["Italy", "Europe", "World"],
    "Paris": ["France", "Europe", "World"],
    "Tokyo": ["Japan", "Asia", "World"],
    "Osaka": ["Japan", "Asia", "World"],
    "Delhi": ["India", "Asia", "World"],
    "Agra": ["India", "Asia", "World"],
}
YEARS = {str(year): [f"{year // 5 * 5}-", f"{year // 10 * 10}s"] for year in range(1990, 2010)}

Column = tuple[Callable[[random.Random], Any], AttributeSpec]

NUMERIC = Kind.NUMERIC
DATE = Kind.DATE
CATEGORICAL = Kind.CATEGORICAL
COLUMNS: dict[str, Column] = {
    "age": (lambda r: r.randrange(20, 28), AttributeSpec(kind=NUMERIC)),
    "score": (
        lambda r: r.choice(["0.1", "0.2", "0.30", "0.3", "0.7"]),
        AttributeSpec(kind=NUMERIC),
    ),
    "wide": (lambda r: r.randrange(1000), AttributeSpec(kind=NUMERIC, domain=(-50, 2000))),
    "some": (lambda r: r.choice([1, 2, 3, 5, "?"]), AttributeSpec(kind=NUMERIC)),
    "gone": (lambda r: r.choice([7, "?"]), AttributeSpec(kind=NUMERIC)),
    "only": (lambda r: 4, AttributeSpec(kind=NUMERIC)),
    "born": (
        lambda r: f"2001-0{r.randrange(1, 4)}-{r.randrange(10, 16)}",
        AttributeSpec(kind=DATE),
    ),
    "year": (
        lambda r: r.randrange(1990, 2010),
        AttributeSpec(kind=NUMERIC, hierarchy={"levels": YEARS}),
    ),
    "sex": (lambda r: r.choice("FM"), AttributeSpec(kind=CATEGORICAL)),
    "job": (lambda r: r.choice(["cook", "guard", "nurse", "?"]), AttributeSpec(kind=CATEGORICAL)),
    "same": (lambda r: "x", AttributeSpec(kind=CATEGORICAL)),
    "many": (lambda r: f"m{r.randrange(200)}", AttributeSpec(kind=CATEGORICAL)),
    "city": (
        lambda r: r.choice([*PLACES, "?"]),
        AttributeSpec(kind=CATEGORICAL, hierarchy={"levels": PLACES}),
    ),
    "town": (
        lambda r: r.choice(list(PLACES)),
        AttributeSpec(kind=CATEGORICAL, hierarchy={"levels": PLACES}),
    ),
}


@cache
def random_task(seed: int, most: int = 40, **marks: tuple[str, ...]) -> Task:
    """A task with one to five of the columns above, some of its rows repeated, and a label.

    `marks` gives columns MAGVals; those columns are always in the table.
    """
    rng = random.Random(seed)
    names = sorted({*marks, *rng.sample(sorted(COLUMNS), rng.randrange(1, 6))})
    rng.shuffle(names)
    n = rng.randrange(1, most + 1)
    pool = [
        [COLUMNS[name][0](rng) for name in names] for _ in range(rng.choice([n, n, n // 3 + 1]))
    ]
    rows = [rng.choice(pool) for _ in range(n)]
    specs = {name: replace(COLUMNS[name][1], magvals=marks.get(name, ())) for name in names}
    columns = {name: [row[x] for row in rows] for x, name in enumerate(names)}
    columns["label"] = [rng.choice("abc") for _ in rows]
    specs["label"] = AttributeSpec(role=Role.SENSITIVE, kind=CATEGORICAL)
    k = rng.choice([1, 2, 2, 3, 3, 5, n])
    return make_task(columns, k=min(k, n), specs=specs, seed=seed)
