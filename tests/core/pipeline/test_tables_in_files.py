"""What is read again from files tells no value where somebody prints it: in a log, a traceback."""

from __future__ import annotations

import pytest

from kanon_tui.core.analysis.attack.linking import linking_attack
from kanon_tui.core.analysis.published_cells import PublishedTable
from kanon_tui.core.pipeline.pages import lookup_of
from kanon_tui.core.pipeline.sampled_table import draw_tables, read_tables
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import read_table
from kanon_tui.core.table.writing import Target
from tests.core.pipeline.compared import streamed
from tests.core.pipeline.test_stream import people, project

VALUES = ("Rome", "Milan", "Paris", "flu", "HIV", "p17")


@pytest.mark.parametrize("algorithm", ["mondrian", "global"])
def test_nothing_prints_values(tmp_path, algorithm):
    people(100).write_csv(tmp_path / "in.csv")
    asked = project(tmp_path / "in.csv", algorithm={"name": algorithm})
    result = streamed(asked, Target(tmp_path / "out.csv"))
    task, rows = read_tables(result)
    some, release = draw_tables(task, rows)
    known = read_table(tmp_path / "in.csv", ReadOptions(header=True))
    attack = linking_attack(PublishedTable(asked, task, rows), known, ["age", "city"])
    found = attack.release.look_up(3)
    looked_up = lookup_of(result)
    for thing in (
        result, result.task.table, result.release, result.release.cells, task, task.table, rows,
        some, some.table, release, attack, found, looked_up,
    ):  # fmt: skip
        assert not [value for value in VALUES if value in repr(thing)], type(thing)
