"""What watching a clustering looks like, at both sizes: a step of a paper's table."""

from __future__ import annotations

import pytest

from kanon_tui.core.project.samples import find_sample
from tests.screens.test_snapshots import SIZES, app, at_step

WATCHED = {
    "top-down": ("race-rules", 3),
    "k-member": ("patients", 3),
    "gcka": ("locations", 4),
    "bottom-up": ("race-rules", 6),
    "euclidean": ("race-rules", 6),
    "udc": ("race-rules", 8),
    "udc-suppress": ("race-rules", 4),
    "sbc": ("similarity", 3),
    "sd": ("spatial-distance", 4),
}
"""The sample and the step at which each algorithm is looked at."""


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("algorithm", WATCHED)
def test_watching(snap_compare, algorithm: str, size: str) -> None:
    sample, number = WATCHED[algorithm]
    made = app(file=find_sample(sample).project)
    assert snap_compare(made, terminal_size=SIZES[size], run_before=at_step(algorithm, number))
