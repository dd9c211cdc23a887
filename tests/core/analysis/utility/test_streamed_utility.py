"""What is measured of a release in its files is what is measured of it in memory."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import partial

import pytest

from kanon_tui.core.analysis.published_cells import PublishedTable
from kanon_tui.core.analysis.utility import utility
from kanon_tui.core.analysis.utility.utility import measure_utility, utility_of
from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline import pages, sampled_table
from kanon_tui.core.table.writing import Target
from tests.core.pipeline.compared import in_memory, streamed
from tests.core.pipeline.test_stream import people, project


def rounded(found):
    """All figures; records may be summed in another order."""
    return json.loads(json.dumps(asdict(found)), parse_float=lambda text: round(float(text), 9))


def both_ways(folder, algorithm="mondrian", output=None, missing="value"):
    """The release of one project in memory and in its files, which are read in a few pieces."""
    people(400).write_csv(folder / "in.csv")
    data = {"path": str(folder / "in.csv"), "missing": {"policy": missing}}
    sections = {"algorithm": {"name": algorithm}, "output": output or {}, "data": data}
    asked = project(folder / "in.csv", **sections)
    whole = in_memory(asked, folder / "m.csv")
    return whole, streamed(asked, Target(folder / "s.csv"), pieces=(4000, 120), rows=120)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("algorithm", "output", "missing"),
    [
        ("mondrian", {}, "value"),
        ("global", {"suppressed": "star", "formulas": "escape"}, "value"),
        ("mondrian", {"order": "input"}, "drop"),
    ],
)
def test_every_figure_is_the_one_of_memory(tmp_path, monkeypatch, algorithm, output, missing):
    whole, files = both_ways(tmp_path, algorithm, output, missing)
    monkeypatch.setattr(pages.ReleasePages.__init__, "__defaults__", (90, lambda: False))
    expected = utility_of(whole)
    assert rounded(utility_of(files)) == rounded(expected)
    assert expected.means
    assert expected.queries.queries > 50
    (tmp_path / "in.csv").write_text("something else")
    with pytest.raises(InputError, match="has changed since it was read"):
        utility_of(files)


@pytest.mark.slow
def test_models_learn_what_they_learn_in_memory(tmp_path, monkeypatch):
    whole, files = both_ways(tmp_path)
    expected = utility_of(whole, "ill")
    assert expected.learnt
    assert rounded(utility_of(files, "ill")) == rounded(expected)
    monkeypatch.setattr(sampled_table, "MOST_DRAWN", 60)  # models then learn from a sample
    monkeypatch.setattr(utility, "MOST_RECORDS", 60)
    found = utility_of(files, "ill")
    assert found.learnt != expected.learnt


def test_nobody_waits_for_what_was_stopped(tmp_path):
    people(60).write_csv(tmp_path / "in.csv")
    files = streamed(project(tmp_path / "in.csv"), Target(tmp_path / "s.csv"))
    for passes in (1, 9):  # in the data, and in the files
        stop = partial(next, iter([False] * passes), True)
        with pytest.raises(InputError, match="stopped"):
            measure_utility(PublishedTable.from_result(files, files.project, stop))
