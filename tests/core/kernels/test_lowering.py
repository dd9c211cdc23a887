"""Kernels borrow what they are handed: answers and counts are as if they did not."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys

from kanon_tui.core.kernels import inner_kernel, kernel, machine_code
from kanon_tui.core.numeric import Floats, Int64s


class Ends(NamedTuple):
    """Two arrays."""

    low: Floats
    high: Floats


class Group(NamedTuple):
    """A tuple in a tuple, an array and a number."""

    ends: Ends
    rows: Int64s
    size: int


@inner_kernel
def _widen(ends: Ends, by: float) -> float:
    for i in range(len(ends.low)):
        ends.low[i] -= by
        ends.high[i] += by
    return float(ends.high[0] - ends.low[0])


@inner_kernel
def _later(group: Group, shift: int) -> Group:
    rows = group.rows + shift
    return Group(group.ends, rows, group.size + 1)


@inner_kernel
def _whole_sum(group: Group) -> float:
    ends, total = group.ends, 0.0
    for i in range(group.size):
        low, high = ends.low, group.ends.high
        total += low[i % len(low)] + high[i % len(ends.high)] + group.rows[i]
    return total


@kernel
def _play(group: Group, other: Group, times: int) -> tuple[float, Int64s, Floats]:
    first, rows, total = group, group.rows, 0.0
    for turn in range(times):
        group, other = other, group
        made = Group(Ends(group.ends.low.copy(), other.ends.high), other.rows, other.size)
        total += _widen(made.ends, 0.5) + _whole_sum(made)
        if turn % 2:
            group = _later(group, turn)
            rows = group.rows[1:]
        total += _whole_sum(group)
    return total + _widen(first.ends, 1.0), rows, first.ends.high


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing compiled elsewhere is used."""
    monkeypatch.setattr(machine_code, "places", lambda: (tmp_path,))


def _group(shift: int) -> Group:
    ends = Ends(np.arange(3.0) + shift, np.arange(3.0) * 2 + shift)
    return Group(ends, np.arange(8, dtype=np.int64) + shift, 4)


def _handed_over(function: Any) -> list[int]:
    """How many values a function that kernels call gets, for every combination of types."""
    counts = []
    for compiled in function.called_inside.overloads.values():
        [code] = [
            each
            for each in compiled.library._final_module.functions
            if each.name == compiled.fndesc.llvm_func_name
        ]
        counts.append(len(list(code.arguments)) - 2)  # where the result and an error go
    return counts


def test_answers_are_those_of_python() -> None:
    compiled, told = (_group(0), _group(5)), (_group(0), _group(5))
    answer, expected = _play(*compiled, 5), _play.py_func(*told, 5)  # type: ignore[attr-defined]
    assert answer[0] == expected[0]
    for one, other in zip(answer[1:], expected[1:], strict=True):
        assert one.tolist() == other.tolist()
    for mine, other in zip(compiled, told, strict=True):
        assert mine.ends.low.tolist() == other.ends.low.tolist()
        assert mine.ends.high.tolist() == other.ends.high.tolist()
    assert np.shares_memory(answer[2], compiled[0].ends.high)
    assert (_handed_over(_widen), _handed_over(_whole_sum)) == ([2], [1])  # tuples by their place


def test_all_that_was_taken_is_given_back() -> None:
    groups = _group(0), _group(5)
    _play(*groups, 5)
    held = [sys.getrefcount(each) for each in (groups[0].ends.low, groups[1].rows)]
    _nrt_python.memsys_enable_stats()
    try:
        before = rtsys.get_allocation_stats()
        answer = _play(*groups, 5)
        del answer
        after = rtsys.get_allocation_stats()
    finally:
        _nrt_python.memsys_disable_stats()
    assert held == [sys.getrefcount(each) for each in (groups[0].ends.low, groups[1].rows)]
    assert after.alloc - before.alloc == after.free - before.free > 0
    assert after.mi_alloc - before.mi_alloc == after.mi_free - before.mi_free > 0
