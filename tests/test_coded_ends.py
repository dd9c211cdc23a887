"""Every algorithm with coded ends: the classes of a file recoded by hand, printed as open ends."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.metrics.measure import measure
from kanon_tui.core.pipeline.run import Result, Run, conclude
from kanon_tui.core.privacy.verify import smallest_class
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.release.recode import recode
from kanon_tui.core.table.column import Kind
from kanon_tui.core.task.task import FULL_SPEED, RunContext, Task
from tests.helpers import make_task

NAMES = list(ALGORITHMS)
TOP = 80
BOTTOM = 18
DAY = "1985-01-01"
AGES = {"builder": "intervals", "widths": [5, 10, 20, 40]}
DAYS = {"builder": "date", "levels": ["year", "5 years", "decade"]}


def records(n: int = 300, seed: int = 1) -> dict[str, list[str]]:
    rng = np.random.default_rng(seed)
    return {
        "age": [str(a) if rng.random() > 0.05 else "?" for a in rng.integers(10, 98, n)],
        "born": [f"19{50 + y}-0{1 + y % 9}-1{y % 9}" for y in rng.integers(0, 40, n)],
        "colour": rng.choice(["red", "green"], n).tolist(),
    }


def coded_by_hand() -> dict[str, list[str]]:
    columns = records()
    ages = [a if a == "?" else str(min(max(int(a), BOTTOM), TOP)) for a in columns["age"]]
    return {**columns, "age": ages, "born": [min(day, DAY) for day in columns["born"]]}


def task(columns: dict[str, list[str]], coded: bool, **settings: object) -> Task:
    ends = sorted(records()["born"])
    age = AttributeSpec(kind=Kind.NUMERIC, domain=(10, 97), hierarchy=AGES)
    born = AttributeSpec(kind=Kind.DATE, domain=(ends[0], ends[-1]), hierarchy=DAYS)
    if coded:
        age = replace(age, top=TOP, bottom=BOTTOM)
        born = replace(born, top=DAY)
    return make_task(columns, 3, {"age": age, "born": born}, **settings)  # type: ignore[arg-type]


def published(name: str, made: Task) -> Result:
    return conclude(Run(made, ALGORITHMS[name](), RunContext(FULL_SPEED)))


def tells_of_hidden_ages(cell: str) -> bool:
    """Whether a cell tells more of somebody beyond a bound than the bound."""
    cell = cell.removesuffix("*")  # some cells of the class are hidden
    ends = [int(number) for number in re.findall(r"[0-9]+", cell)]
    if not ends:
        return False
    if cell.startswith((">", "<")):
        return not BOTTOM < ends[0] <= TOP and cell != f"<={BOTTOM}"
    return min(ends) <= BOTTOM or max(ends) >= TOP


@pytest.mark.parametrize("name", NAMES)
def test_no_cell_tells_of_what_a_bound_hides_and_classes_reach_k(name: str) -> None:
    made = task(records(), coded=True)
    result = published(name, made)
    assert smallest_class(result.table, ["age", "born", "colour"]) >= 3
    told = [cell for cell in result.table["age"].unique() if tells_of_hidden_ages(cell)]
    assert told == []
    assert not [cell for cell in result.table["born"] if cell.startswith(("1986", "1987", "1988"))]


# `stepwise` sorts strings by NCP, in which a bound counts for what it hides.
@pytest.mark.parametrize("name", sorted(set(NAMES) - {"stepwise"}))
def test_classes_are_those_of_a_file_recoded_by_hand(name: str) -> None:
    ours = published(name, task(records(), coded=True))
    twin = published(name, task(coded_by_hand(), coded=False))
    assert ours.grouping.levels == twin.grouping.levels
    for one, other in ((ours, twin), (twin, ours)):
        classes: dict[int, set[int]] = {}
        for a, b in zip(one.release.classes, other.release.classes, strict=True):
            classes.setdefault(int(a), set()).add(int(b))
        assert all(len(found) == 1 for found in classes.values())


@pytest.mark.parametrize("name", NAMES)
def test_the_same_classes_never_look_better_coded(name: str) -> None:
    result = published(name, task(records(), coded=True))
    plain = measure(recode(task(records(), coded=False), result.grouping))
    coded = result.measures
    assert coded.ncp >= plain.ncp - 1e-12
    assert coded.rv <= plain.rv + 1e-12
    assert coded.il >= plain.il - 1e-9
    assert coded.iloss >= plain.iloss - 1e-12
    assert coded.md >= plain.md


@pytest.mark.parametrize("name", ["mondrian", "k-member", "udc"])
def test_ranges_that_must_not_overlap_may_be_open_at_an_end(name: str) -> None:
    result = published(name, task(records(), coded=True, overlap=False))
    assert [cell for cell in result.table["age"].unique() if tells_of_hidden_ages(cell)] == []
