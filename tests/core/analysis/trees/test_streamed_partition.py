"""Trees of a release in its files are those of memory, as long as all records are drawn."""

from __future__ import annotations

import pytest

from kanon_tui.core.analysis.published_cells import PublishedTable
from kanon_tui.core.analysis.trees.partition import partition
from kanon_tui.core.pipeline import sampled_table
from kanon_tui.core.table.table import as_table
from kanon_tui.core.table.writing import Target
from tests.core.pipeline.compared import in_memory, streamed
from tests.core.pipeline.test_stream import people, project


@pytest.mark.slow
@pytest.mark.parametrize("output", [{}, {"formulas": "escape", "suppressed": "star"}])
def test_trees_are_those_of_memory_or_of_a_sample_that_says_so(tmp_path, monkeypatch, output):
    people(300).write_csv(tmp_path / "in.csv")
    data = {"path": str(tmp_path / "in.csv"), "missing": {"policy": "drop"}}
    asked = project(tmp_path / "in.csv", output=output, data=data)
    whole = in_memory(asked, tmp_path / "m.csv")
    files = streamed(asked, Target.parse(f"{tmp_path}/parts"))
    release = as_table(whole.table, whole.task.table.missing_tokens)
    for target in ("ill", "wage", "age"):
        expected = partition(PublishedTable(asked, whole.task, release), target)
        assert partition(PublishedTable.from_result(files, asked), target) == expected
    monkeypatch.setattr(sampled_table, "MOST_DRAWN", 40)
    found = partition(PublishedTable.from_result(files, asked), "ill")
    assert found.drawn_from == (whole.task.n, whole.table.height)
    assert found.original.root.records == found.release.root.records == 40
