"""Extreme tables through every algorithm: what kernels see at the edges of their inputs.

`make test-sanitized` runs this on a build with sanitizers, where reading or writing outside an
array, an overflow or a shift too far ends the process. Shapes: 0, 1 or few records, all records
equal, all different, numbers of any size, infinities and missing cells, 10^5 labels, many columns.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.errors import KanonError
from kanon_tui.core.pipeline.run import Run
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.table.column import Kind
from kanon_tui.core.task.task import FULL_SPEED, RunContext
from tests.helpers import make_task

NUMBERS = ("equal", "different", "extremes", "decimals", "missing")
KINDS = (*NUMBERS, "few", "labels")
SIZES = (0, 1, 2, 3, 7, 40, 300)
MANY_LABELS = 100_000
EXTREMES = (
    "",
    "0",
    "-0.0",
    "1e308",
    "-1e308",
    "1e-308",
    "9223372036854775807",
    "0.1",
    "inf",
    "nan",
)


def try_once(random: Random, folder: Path) -> str:
    size = random.choice(SIZES)
    name = random.choice(sorted(ALGORITHMS))
    if random.random() < 0.01:
        name = random.choice(["mondrian", "k-member", "sbc", "udc"])
        size = MANY_LABELS
    kinds = [random.choice(KINDS) for _ in range(random.choice([1, 1, 2, 3, 5, 9]))]
    columns = {f"x{i}": some_column(random, kind, size) for i, kind in enumerate(kinds)}
    specs = {
        f"x{i}": AttributeSpec(kind=Kind.NUMERIC)
        for i, kind in enumerate(kinds)
        if kind in NUMBERS and random.random() < 0.8
    }
    algorithm = ALGORITHMS[name]
    refined = {"refine": True} if hasattr(algorithm, "refine") and random.random() < 0.3 else {}
    try:
        task = make_task(columns, random.choice([1, 2, 3, 10, size // 2 + 1]), specs)
        suppression = random.choice([0.0, 0.1, 1.0])
        task = replace(task, privacy=replace(task.privacy, max_suppression=suppression))
        pace = random.choice([1, 7, FULL_SPEED])
        grouping = Run(task, algorithm(**refined), RunContext(pace)).finish()
    except KanonError:
        return "refused"
    return "no answer" if grouping is None else "answered"


def some_column(random: Random, kind: str, size: int) -> list[str]:
    """Return cells of one extreme kind."""
    match kind:
        case "equal":
            return ["7"] * size
        case "different":
            return [str(number) for number in random.sample(range(10 * size + 1), size)]
        case "few":
            return [random.choice("abc") for _ in range(size)]
        case "labels":
            return [f"v{random.randrange(max(size, 1))}" for _ in range(size)]
        case "extremes":
            return [random.choice(EXTREMES) for _ in range(size)]
        case "decimals":
            return [f"{random.expovariate(1e-4):.2f}" for _ in range(size)]
        case _:
            return [random.choice(["", "", str(random.randrange(50))]) for _ in range(size)]
