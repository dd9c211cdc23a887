"""The plot draws what there is, and fits."""

from __future__ import annotations

import pytest

from kanon_tui.core.report.chart import Line
from kanon_tui.widgets.plot import draw


def test_a_gap_is_not_drawn_over() -> None:
    whole = draw([Line("a", (1.0, 1.0, 1.0))], ["2", "3", "5"], 40, 6).characters
    gap = draw([Line("a", (1.0, None, 1.0))], ["2", "3", "5"], 40, 6).characters
    assert sum(row.count("●") for row in gap) == 2
    drawn = [sum("⠀" < c <= "⣿" for row in rows for c in row) for rows in (whole, gap)]
    assert drawn[0] > drawn[1] == 0


@pytest.mark.parametrize("size", [(16, 4), (20, 6), (200, 60)])
@pytest.mark.parametrize("values", [(None, None), (0.0, 0.0), (1e-12, 1e12), (7.0, None)])
def test_the_plot_fits_whatever_the_values(size, values) -> None:
    canvas = draw([Line("a", values)], ["2", "1000000"], *size)
    assert [len(row) for row in canvas.characters] == [size[0]] * size[1]
