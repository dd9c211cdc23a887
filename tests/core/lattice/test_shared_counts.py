"""Counts that searches for different k share change how much is counted, never what is found."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_tui.core.lattice.frequency import CodedTuples, Frequency, Outcome, SharedCounts
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.task.task import Task
from tests.helpers import make_task

HEIGHTS = (3, 2, 1)


def table(n: int = 300, seed: int = 0) -> Task:
    rng = np.random.default_rng(seed)
    columns = {
        "age": rng.integers(0, 80, n).tolist(),
        "zip": [f"{z:03d}" for z in rng.integers(100, 140, n)],
        "sex": rng.choice(["F", "M"], n).tolist(),
    }
    specs = {
        "age": AttributeSpec(hierarchy={"builder": "intervals", "widths": [10, 40]}),
        "zip": AttributeSpec(
            hierarchy={"levels": {z: [z[:2]] for z in sorted(set(columns["zip"]))}}
        ),
    }
    task = make_task(columns, 2, specs)
    assert tuple(a.hierarchy.height for a in task.quasi) == HEIGHTS
    return task


TASK = table()
STRINGS = st.tuples(*(st.integers(0, height) for height in HEIGHTS))


def alone(k: int, allowed: int, string: tuple[int, ...]) -> Outcome:
    coded, _ = CodedTuples.from_attributes(TASK.quasi, (0, 0, 0))
    return Frequency(coded, k, allowed).test(string)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 60), st.integers(0, 40), STRINGS), max_size=25))
def test_tests_for_other_ks_leave_every_outcome_as_it_is(asked) -> None:
    shared = SharedCounts(TASK.quasi)
    for k, allowed, string in asked:
        coded, _, roll_ups = shared.at((0, 0, 0))
        assert Frequency(coded, k, allowed, roll_ups).test(string) == alone(k, allowed, string)


def test_tuples_are_made_once_and_classes_are_rolled_up_from_those_of_another_k() -> None:
    shared = SharedCounts(TASK.quasi)
    coded, tuple_of, roll_ups = shared.at([0, 0, 0])
    assert shared.at((0, 0, 0)) == (coded, tuple_of, roll_ups)
    assert shared.at((1, 0, 0))[0] is not coded
    one, other = (Frequency(coded, k, 0, roll_ups) for k in (40, 5))
    assert not one.test((1, 1, 1), to_the_end=True).passes
    other.test((1, 2, 1))
    assert 0 < other.work < one.work


def test_many_threads_at_once_agree_with_one() -> None:
    shared = SharedCounts(TASK.quasi)
    strings = list(np.ndindex(4, 3, 2)) * 3

    def outcomes(k: int) -> list[Outcome]:
        coded, _, roll_ups = shared.at((0, 0, 0))
        engine = Frequency(coded, k, 0, roll_ups)
        return [engine.test(string) for string in strings]

    ks = [2, 3, 5, 10, 25, 50] * 3
    with ThreadPoolExecutor(6) as threads:
        found = list(threads.map(outcomes, ks))
    for k, some in zip(ks, found, strict=True):
        assert some == [alone(k, 0, string) for string in strings]
