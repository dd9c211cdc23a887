"""Sums are the same on every Python."""

from kanon_tui.core.numeric import sum_in_order


def test_a_sum_is_rounded_after_each_number_as_it_always_was() -> None:
    assert sum_in_order([1e100, 1.0, -1e100]) == 0.0  # sum gives 1.0 since Python 3.12
    assert sum_in_order([0.1] * 10) == 0.9999999999999999
    assert sum_in_order([]) == 0.0
