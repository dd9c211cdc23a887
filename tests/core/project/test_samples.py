"""The bundled samples."""

from __future__ import annotations

from kanon_tui.core.algorithms import ALGORITHMS
from kanon_tui.core.project.samples import list_samples, sample_of_algorithm


def test_every_sample_is_there() -> None:
    samples = list_samples()
    assert len({sample.name for sample in samples}) == len(samples) > 0
    for sample in samples:
        assert sample.project.is_file()
        assert sample.title
        assert sample.description
        assert sample.teaches


def test_every_algorithm_has_a_sample_that_shows_it() -> None:
    ours = [n for n, each in ALGORITHMS.items() if each.__module__.startswith("kanon_tui")]
    for name in ours:
        assert sample_of_algorithm(name) is not None
    assert sample_of_algorithm("census") is None
