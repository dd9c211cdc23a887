"""What is measured of a release in its files is what is measured of it in memory."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from kanon_tui.core.analysis.utility import utility
from kanon_tui.core.analysis.utility.utility import streamed_utility, utility_of
from kanon_tui.core.engine import read_again, release_pages
from kanon_tui.core.engine.target import Target
from kanon_tui.core.errors import InputError
from tests.core.engine.compared import in_memory, streamed
from tests.core.engine.test_stream import people, project


def rounded(found):
    """All figures; records may be summed in another order."""
    return json.loads(json.dumps(asdict(found)), parse_float=lambda text: round(float(text), 9))


@pytest.mark.parametrize(
    ("algorithm", "output", "missing"),
    [
        ("mondrian", {}, "value"),
        ("global", {"suppressed": "star", "formulas": "escape"}, "value"),
        ("mondrian", {"order": "input"}, "drop"),
    ],
)
def test_every_figure_is_the_one_of_memory(tmp_path, monkeypatch, algorithm, output, missing):
    people(400).write_csv(tmp_path / "in.csv")
    data = {"path": str(tmp_path / "in.csv"), "missing": {"policy": missing}}
    sections = {"algorithm": {"name": algorithm}, "output": output, "data": data}
    asked = project(tmp_path / "in.csv", **sections)
    whole = in_memory(asked, tmp_path / "m.csv")
    files = streamed(asked, Target(tmp_path / "s.csv"))
    monkeypatch.setattr(release_pages.ReleasePages.__init__, "__defaults__", (1, lambda: False))
    for target in (None, "ill"):
        expected, found = utility_of(whole, target), utility_of(files, target)
        assert rounded(found) == rounded(expected)
    assert expected.means
    assert expected.queries.queries > 50
    assert expected.learnt
    monkeypatch.setattr(read_again, "MOST_DRAWN", 60)  # models then learn from a sample
    monkeypatch.setattr(utility, "MOST_RECORDS", 60)
    found = utility_of(files, "ill")
    assert found.learnt_of == 60
    assert found.learnt != expected.learnt
    (tmp_path / "in.csv").write_text("something else")
    with pytest.raises(InputError, match="not what was read any more"):
        utility_of(files)


def test_nobody_waits_for_what_was_stopped(tmp_path):
    people(60).write_csv(tmp_path / "in.csv")
    files = streamed(project(tmp_path / "in.csv"), Target(tmp_path / "s.csv"))
    for passes in (1, 9):  # in the data, and in the files
        left = iter([False] * passes)
        with pytest.raises(InputError, match="stopped"):
            streamed_utility(files, files.project, stop=lambda left=left: next(left, True))
