"""Pairs of a group and a value, counted; groups with the same values are found."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kanon_tui.core.table import column
from kanon_tui.core.table.column import GroupValues

rows = st.lists(st.tuples(st.integers(-1, 5), st.integers(0, 90), st.integers(1, 2**40)))


@given(rows, st.sampled_from([0, 63]))
def test_copies_are_summed_however_they_are_sorted(entries, bits):
    group, code, copies = (np.array([e[i] for e in entries], dtype=np.int64) for i in range(3))
    before = column._BITS
    column._BITS = bits
    try:
        found = GroupValues.from_records(group, code, 6, copies)
        halved = found.relabelled(np.arange(91) // 2)
    finally:
        column._BITS = before
    expected: Counter = Counter()
    for g, c, records in entries:
        if g >= 0:
            expected[g, c] += records
    pairs = sorted(expected)
    assert list(zip(found.group.tolist(), found.code.tolist(), strict=True)) == pairs
    assert found.records.tolist() == [expected[pair] for pair in pairs]
    assert halved.records.sum() == found.records.sum()
    assert (halved.distinct <= found.distinct).all()


@given(rows, st.booleans())
def test_the_same_sets_share_a_number(entries, spoilt):
    group, code = (np.array([e[i] for e in entries], dtype=np.int64) for i in range(2))
    found = GroupValues.from_records(group, code, 6)
    before = column._MIX
    if spoilt:
        column._MIX = np.uint64(0)  # all sums are equal: numbers must still tell sets apart
    try:
        same, examples = found.same_sets
    finally:
        column._MIX = before
    sets = [
        frozenset(found.code[a:b].tolist())
        for a, b in zip(found.starts[:-1], found.starts[1:], strict=True)
    ]
    assert [sets[examples[number]] for number in same.tolist()] == sets
    if not spoilt:
        assert len(examples) == len(set(sets))


@given(rows)
def test_ends_of_groups_are_those_of_their_values(entries):
    group, code = (np.array([e[i] for e in entries], dtype=np.int64) for i in range(2))
    found = GroupValues.from_records(group, code, 6)
    low, high = found.ends(found.code)
    assert [low.tolist(), high.tolist()] == [ends.tolist() for ends in found.ends(+found.code)]
    for g in range(6):
        own = code[group == g].tolist() or [-1]
        assert (low[g], high[g]) == (min(own), max(own))


def test_what_is_left_without_a_value_is_found_once():
    found = GroupValues.from_records(np.array([0, 0, 1, 2]), np.array([3, 1, 3, 0]), 3)
    assert found.without(2) is None
    there, present = found.without(3)
    assert there.tolist() == [0, 2]
    assert (present.group.tolist(), present.code.tolist()) == ([0, 1], [1, 0])
    assert found.without(3)[1] is present
