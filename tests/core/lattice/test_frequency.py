"""The frequency engine against counting record by record."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from kanon_tui.core.algorithms.twins.full_domain import (
    all_strings,
    class_sizes,
    heights,
    small_records,
)
from kanon_tui.core.lattice.frequency import CodedTuples, Frequency, RollUps
from kanon_tui.core.project.project import AttributeSpec
from kanon_tui.core.table.column import Kind
from kanon_tui.core.task.task import Task
from tests.core.algorithms.searchable_tables import searchable_task
from tests.helpers import make_task


def engine(task: Task, lowest: tuple[int, ...] | None = None, **options: int) -> Frequency:
    lowest = lowest or (0,) * len(task.quasi)
    coded, _ = CodedTuples.from_attributes(task.quasi, lowest)
    return Frequency(coded, task.k, task.allowed_suppressed, **options)


def wide_task(attributes: int, values: int, n: int) -> Task:
    """Many attributes with a two-level tree above their values."""
    rng = np.random.default_rng(0)
    tree = {f"v{i}": [f"h{i // 2}", f"q{i // 4}"] for i in range(values)}
    columns = {
        f"a{x}": [f"v{i}" for i in rng.integers(0, values, n) * rng.integers(0, 2, n)]
        for x in range(attributes)
    }
    spec = AttributeSpec(kind=Kind.CATEGORICAL, hierarchy={"levels": tree})
    return make_task(columns, 2, dict.fromkeys(columns, spec))


@pytest.mark.parametrize("seed", range(100))
def test_outcome_is_what_counting_records_gives(seed: int) -> None:
    """In random order, so that strings are rolled up from finer ones tested before."""
    task = searchable_task(seed)
    tests = engine(task)
    strings = list(all_strings(task))
    random.Random(seed).shuffle(strings)
    for string in strings[:60]:
        to_the_end = sum(string) % 2 == 0
        outcome = tests.test(string, to_the_end)
        sizes = class_sizes(task, string)
        small = small_records(task, string)
        assert outcome.passes == (small <= min(task.allowed_suppressed, task.n - 1))
        if outcome.smallest is None:
            assert not to_the_end
            assert outcome.classes <= len(sizes)
            assert not outcome.passes
        else:
            assert (outcome.classes, outcome.smallest) == (len(sizes), min(sizes))
            assert outcome.small == small


@pytest.mark.parametrize("seed", range(40))
def test_class_of_one_tuple_at_every_string(seed: int) -> None:
    task = searchable_task(seed)
    coded, tuple_of = CodedTuples.from_attributes(task.quasi, (0,) * len(task.quasi))
    tests = Frequency(coded, task.k, 0)
    record = seed % task.n
    levels = np.array(heights(task)) + 1
    sizes = tests.class_everywhere(int(tuple_of[record]), np.zeros_like(levels), levels)
    columns = [a.column.codes.tolist() for a in task.quasi]
    for string, size in zip(all_strings(task), sizes.tolist(), strict=True):
        rows = [
            tuple(
                a.hierarchy.paths[codes[i]][level]
                for a, codes, level in zip(task.quasi, columns, string, strict=True)
            )
            for i in range(task.n)
        ]
        assert size == rows.count(rows[record])


@pytest.mark.parametrize("lowest", [(0,) * 30, (1,) * 30, (0, 1, 2) * 10])
def test_keys_past_63_bits_are_told_apart(lowest: tuple[int, ...]) -> None:
    """30 attributes of 16 values: 120 bits in the tuples and in the keys."""
    task = wide_task(30, 16, 300)
    tests = engine(task, lowest)
    rng = np.random.default_rng(1)
    for _ in range(25):
        string = tuple(int(rng.integers(low, 4)) for low in lowest)
        outcome = tests.test(string, to_the_end=True)
        sizes = class_sizes(task, string)
        assert (outcome.classes, outcome.smallest) == (len(sizes), min(sizes))


def test_tuples_that_share_a_key_are_told_apart_by_their_labels() -> None:
    """15 attributes of 16 labels and one of 2 take 61 bits of a key, which wraps at 64.

    So two labels of the last attribute that are 8 apart make the same key.
    """
    columns = {f"a{x}": [f"v{i:02}" for i in range(16)] + ["v00"] * 64 for x in range(15)}
    columns["two"] = ["v00", "v01"] * 8 + ["v00"] * 64
    columns["last"] = [f"v{i:02}" for i in (*range(16), *(i * i % 16 for i in range(64)))]
    task = make_task(columns, 2)
    outcome = engine(task).test((0,) * 17, to_the_end=True)
    sizes = class_sizes(task, (0,) * 17)
    assert (outcome.classes, outcome.smallest) == (len(sizes), min(sizes))


def test_counting_that_stops_early_takes_no_more_slots_than_it_needs() -> None:
    """The fewer there are, the more of them a processor has at hand."""
    task = wide_task(12, 16, 9000)
    tests = Frequency(CodedTuples.from_attributes(task.quasi, (0,) * 12)[0], 3000, 0)
    tests._counter.slots.sizes[:] = -7
    outcome = tests.test((0,) * 12)
    assert outcome.classes == 4
    assert outcome.fails_below
    assert 0 < np.count_nonzero(tests._counter.slots.sizes != -7) <= 4096
    assert tests.test((0,) * 12, to_the_end=True).classes == len(class_sizes(task, (0,) * 12))


def test_rolled_up_classes_have_their_tuples_side_by_side() -> None:
    task = wide_task(3, 8, 200)
    tests = engine(task)
    assert tests.base.tuples is tests.coded.tuples
    merged, _ = tests.classes([1, 1, 0])
    assert (merged.tuples == tests.coded.tuples[merged.members]).all()
    assert len(merged.tuples) == len(class_sizes(task, (1, 1, 0)))


def test_many_tuples_and_a_very_wide_attribute() -> None:
    """Tables of several attributes at a time, with attributes at the root in between."""
    rng = np.random.default_rng(5)
    n = 6000
    columns: dict[str, list[object]] = {
        "id": [f"i{i}" for i in rng.integers(0, 5000, n)],
        **{f"c{x}": [f"v{i}" for i in rng.integers(0, 2 + x, n)] for x in range(6)},
    }
    task = make_task(columns, 2)
    tests = engine(task)
    rows = np.column_stack([a.column.codes for a in task.quasi])
    for _ in range(40):
        string = rng.integers(0, 2, len(task.quasi))
        shown = np.where(string, 0, rows)
        sizes = np.unique(shown, axis=0, return_counts=True)[1]
        outcome = tests.test(string, to_the_end=True)
        assert (outcome.classes, outcome.smallest) == (len(sizes), sizes.min())
        assert outcome.small == sizes[sizes < 2].sum()


def test_a_cache_that_is_always_full_changes_nothing() -> None:
    task = wide_task(6, 8, 400)
    small = engine(task, roll_ups=RollUps(len(task.quasi), 2000))
    large = engine(task)
    rng = np.random.default_rng(2)
    for _ in range(200):
        string = rng.integers(0, 4, 6)
        assert small.test(string, True) == large.test(string, True)
    assert large.work < small.work


def test_rolling_up_looks_at_fewer_tuples() -> None:
    task = wide_task(5, 8, 500)
    tests = engine(task)
    assert not tests.test((1, 1, 1, 2, 2)).passes
    before = tests.work
    outcome = tests.test((1, 2, 2, 2, 2), to_the_end=True)
    assert tests.work - before < len(tests.coded.counts)
    assert outcome.classes == len(class_sizes(task, (1, 2, 2, 2, 2)))


def test_counting_stops_where_too_many_classes_cannot_pass() -> None:
    task = make_task({"a": list(range(100))}, k=10)
    outcome = engine(task).test((0,))
    assert (outcome.passes, outcome.classes, outcome.smallest) == (False, 11, None)


@pytest.mark.parametrize("seed", range(40))
def test_labels_number_the_classes_in_order_and_mark_what_is_suppressed(seed: int) -> None:
    task = searchable_task(seed)
    coded, tuple_of = CodedTuples.from_attributes(task.quasi, (0,) * len(task.quasi))
    tests = Frequency(coded, task.k, 0)
    for string in list(all_strings(task))[::7]:
        labels = tests.labels(string, tuple_of).tolist()
        rows = [
            tuple(
                a.hierarchy.paths[a.column.codes[i]][level]
                for a, level in zip(task.quasi, string, strict=True)
            )
            for i in range(task.n)
        ]
        sizes = Counter(rows)
        numbers: dict[tuple[str, ...], int] = {}
        expected = [
            numbers.setdefault(row, len(numbers)) if sizes[row] >= task.k else -1 for row in rows
        ]
        assert labels == expected


def test_a_release_of_no_records_does_not_pass() -> None:
    task = make_task({"a": [1, 2, 3, 4]}, k=2, max_suppression=1.0)
    tests = engine(task)
    assert not tests.test((0,)).passes
    assert tests.test(heights(task)).passes
