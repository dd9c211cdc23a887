"""The gauge against plain counting on random tables."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from kanon_tui.core.analysis.minimal_uniques import alone_identifies, risk
from tests.helpers import make_task

rows = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from("xyz"), st.integers(0, 9)), min_size=4, max_size=30
)


def counted(records: list[tuple[object, ...]], k: int) -> tuple[int, int]:
    sizes = Counter(records)
    return sum(c == 1 for c in sizes.values()), sum(c for c in sizes.values() if c < k)


@given(rows, st.integers(1, 4))
def test_unique_below_k_and_without_each(records, k) -> None:
    names = ("a", "b", "c")
    task = make_task({n: [r[x] for r in records] for x, n in enumerate(names)}, k)
    made = risk(task.quasi, task.n, k)
    assert (made.unique, made.below_k) == counted(records, k)
    for one in made.without:
        x = names.index(one.name)
        rest = [r[:x] + r[x + 1 :] for r in records]
        assert (one.unique, one.below_k) == counted(rest, k)
    assert [c.below_k for c in made.without] == sorted(c.below_k for c in made.without)
    for level, unique in made.unique_at_levels.items():
        x = names.index(made.without[0].name)
        hierarchy = task.quasi[x].hierarchy
        labels = hierarchy.maps[level][task.quasi[x].column.codes].tolist()
        changed = [(*r[:x], label, *r[x + 1 :]) for r, label in zip(records, labels, strict=True)]
        assert unique == counted(changed, k)[0]


def test_alone_identifies_is_the_share_of_values_nobody_else_has() -> None:
    task = make_task({"a": ["x", "x", "y", "z"]}, 1)
    assert alone_identifies(task.quasi[0].column) == 0.5
