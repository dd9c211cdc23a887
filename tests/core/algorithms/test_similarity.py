"""`sbc` and `sd`: worked distances by table and page, and their twins on random tables."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from kanon_tui.core.algorithms.sbc import SBC
from kanon_tui.core.algorithms.sd import SD
from kanon_tui.core.metrics import measure
from kanon_tui.core.project import AttributeSpec, Project
from kanon_tui.core.recode import recode
from kanon_tui.core.run import Algorithm, Pace, Run
from kanon_tui.core.samples import find_sample
from kanon_tui.core.schema import Kind
from kanon_tui.core.task import Task, prepare
from kanon_tui.core.verify import smallest_class
from tests.core.algorithms.random_tables import random_task
from tests.core.algorithms.twins_similarity import cluster, in_order, similarities, tables
from tests.helpers import make_task


def labels(task: Task, algorithm: Algorithm, decisions: int = Pace.FULL_SPEED) -> np.ndarray:
    task.pace.decisions = decisions
    found = Run(task, algorithm).finish()
    assert found is not None
    return found.labels


def groups(found: np.ndarray) -> list[list[int]]:
    return [np.flatnonzero(found == c).tolist() for c in range(found.max() + 1)]


def shown(task: Task, name: str, spatial: bool) -> tuple[dict[str, Fraction], dict[str, float]]:
    """Similarities and distances of the values of an attribute from those of the first record."""
    x = next(i for i, a in enumerate(task.quasi) if a.name == name)
    values = task.quasi[x].column.values
    lower = [
        i for i, a in enumerate(task.quasi) if not a.ordered and len(a.column.values) < len(values)
    ]
    left = in_order(task)
    share = similarities(task, left, left[0], x, lower)
    table = tables(task, left, left[0], spatial)[x]
    return ({values[v]: s for v, s in share.items()}, {values[v]: d for v, d in table.items()})


def test_sbc_table_3_1_similarities_and_distances() -> None:
    """t1 = Male, Japan, k = 3: P = 4/9, 4/9, 1/9 (p. 64); d(US) = 1/2, d(Iran) = 1 (p. 66)."""
    task = prepare(Project.load(find_sample("similarity").project))
    share, distance = shown(task, "nationality", spatial=False)
    assert share == {"Japan": Fraction(4, 9), "US": Fraction(4, 9), "Iran": Fraction(1, 9)}
    assert distance == {"Japan": 0.0, "US": 0.5, "Iran": 1.0}


def test_sd_table_3_similarities_and_distances() -> None:
    """S = 5/11, 5/11, 1/11; distances shrink from the least similar value on."""
    task = prepare(Project.load(find_sample("spatial-distance").project))
    share, distance = shown(task, "nationality", spatial=True)
    assert share == {"Japan": Fraction(5, 11), "Korea": Fraction(5, 11), "China": Fraction(1, 11)}
    assert distance == {"Japan": 0.0, "China": 0.5, "Korea": 0.25}


@pytest.mark.parametrize("sample", ["similarity", "spatial-distance"])
def test_the_first_sentence_tells_the_same_distances(sample: str) -> None:
    task = prepare(Project.load(find_sample(sample).project))
    task.pace.decisions = 1
    sentence = next(Run(task, SBC() if sample == "similarity" else SD())).sentence
    expected = "US 4/9 at 0.5, Iran 1/9 at 1" if sample == "similarity" else "Korea 5/11 at 0.25"
    assert expected in sentence


@pytest.mark.parametrize("left_over", ["join-last", "nearest", "suppress"])
def test_sbc_equals_its_twin(left_over: str) -> None:
    for seed in range(70):
        task = random_task(seed)
        expected = cluster(task, spatial=False, left_over=left_over)
        found = groups(labels(task, SBC(left_over=left_over)))
        assert found == [sorted(one) for one in expected], f"seed {seed}"


def test_sd_equals_its_twin() -> None:
    for seed in range(120):
        task = random_task(seed)
        found = groups(labels(task, SD()))
        assert found == [sorted(one) for one in cluster(task, spatial=True)], f"seed {seed}"


@pytest.mark.parametrize("algorithm", [SBC(), SBC(left_over="nearest"), SD()])
def test_many_values_do_not_overflow_and_every_pace_gives_the_same(algorithm: Algorithm) -> None:
    rng = np.random.default_rng(4)
    columns = {
        "age": rng.integers(0, 60, 700).tolist(),
        "zip": [f"z{z}" for z in rng.integers(0, 400, 700)],
        "sex": rng.choice(["F", "M"], 700).tolist(),
    }
    task = make_task(columns, 5)
    whole = labels(task, algorithm)
    assert (labels(task, algorithm, decisions=1) == whole).all()
    assert smallest_class(recode(task, Run(task, algorithm).finish()).frame, list(columns)) >= 5


def test_suppressed_records_are_the_last_ones_and_fewer_than_k() -> None:
    task = make_task({"a": list(range(11))}, 4)
    found = labels(task, SBC(left_over="suppress"))
    assert (np.flatnonzero(found < 0)).tolist() == [8, 9, 10]


@pytest.mark.parametrize(("k", "classes"), [(50, 100), (100, 50)])
def test_sbc_on_the_first_5000_adults(k: int, classes: int) -> None:
    """The thesis's set-up (figure 4-2): age, sex, native-country; NCP stays far under 0.2."""
    whole = prepare(Project.load(find_sample("adult").project)).table.frame.head(5000)
    task = make_task(
        {name: whole[name].to_list() for name in ("age", "sex", "native-country")},
        k,
        {"age": AttributeSpec(kind=Kind.NUMERIC)},
    )
    grouping = Run(task, SBC()).finish()
    assert grouping is not None
    assert grouping.search["clusters"] == classes
    assert measure(recode(task, grouping)).ncp < 0.1
