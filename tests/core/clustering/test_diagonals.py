"""Signed sums of numbers: the largest difference is the distance."""

from __future__ import annotations

import numpy as np
import pytest

from kanon_tui.core.clustering.features import by_agreement, diagonals, division_weights


@pytest.mark.parametrize(("numbers", "columns"), [(0, 0), (1, 1), (2, 2), (5, 16), (7, 18)])
def test_the_largest_differences_of_sums_add_up_to_the_distance(numbers: int, columns: int) -> None:
    places = np.random.default_rng(numbers).random((40, numbers))
    sums, begins, _ = diagonals(places)
    assert sums.shape == (40, columns)
    groups = zip(begins[:-1] - numbers, begins[1:] - numbers, strict=True)
    far = [np.abs(sums[1:, b:e] - sums[0, b:e]).max(axis=1) for b, e in groups]
    assert sum(far, np.zeros(39)) == pytest.approx(np.abs(places[1:] - places[0]).sum(axis=1))


def test_a_missing_number_stands_at_the_end_that_most_rows_are_further_from() -> None:
    places = np.array([[0.1, 0.9, np.nan], [np.nan, 1.0, np.nan], [0.3, np.nan, np.nan]])
    places = np.vstack([places, [0.1, 0.2, np.nan]])
    sums, _, stand_in = diagonals(places)
    assert stand_in.tolist() == [0.3, 0.2, 0.0]
    assert sums[:, 0].tolist() == pytest.approx([1.0, 1.3, 0.5, 0.3])


def test_rows_are_divided_first_by_categories_in_which_they_often_agree() -> None:
    zips = np.arange(200) % 100
    sexes = np.arange(200) % 2
    labels = np.column_stack([zips, sexes, np.zeros(200)]).astype(np.int32)
    division = division_weights(labels, np.ones(3))
    assert division.tolist() == pytest.approx([2 / 99, 2.0, 0.0])


def test_in_every_branch_rows_are_divided_by_what_they_share_and_rare_labels_stay_together() -> (
    None
):
    codes = np.repeat([7, 3, 9, 8, 1, 2], [1, 50, 1, 40, 1, 1])
    order, weights = by_agreement(codes[:, None].astype(np.int32), np.array([0.5]))
    assert weights.tolist() == [[0.0, 2.0]]
    assert np.unique(order[codes == 3]).tolist() == [0]
    assert np.unique(order[codes == 8]).tolist() == [1]
    assert sorted(np.unique(order).tolist()) == [0, 1, 2, 3, 4, 5]
