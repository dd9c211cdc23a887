"""The bundled samples."""

from __future__ import annotations

from kanon_tui.core.project.samples import list_samples


def test_every_sample_is_there() -> None:
    samples = list_samples()
    assert len({sample.name for sample in samples}) == len(samples) > 0
    for sample in samples:
        assert sample.project.is_file()
        assert sample.title
        assert sample.description
