"""What is told of a row of files is what the records in memory say."""

from __future__ import annotations

import pytest

from kanon_tui.core.analysis.why.in_files import (
    ClassesByCells,
    class_before,
    why_attribute,
    why_row,
)
from kanon_tui.core.pipeline.pages import ReleasePages
from kanon_tui.core.table.writing import Target
from tests.core.pipeline.compared import in_memory, streamed
from tests.core.pipeline.test_stream import people, project


@pytest.mark.parametrize("algorithm", ["mondrian", "global"])
def test_every_class_had_what_its_records_had(tmp_path, algorithm):
    people(150).write_csv(tmp_path / "in.csv")
    asked = project(
        tmp_path / "in.csv", algorithm={"name": algorithm}, output={"formulas": "escape"}
    )
    files = streamed(asked, Target(tmp_path / "s.csv"))
    whole = in_memory(asked, tmp_path / "m.csv")
    assert (tmp_path / "m.csv").read_bytes() == (tmp_path / "s.csv").read_bytes()
    original, classes = whole.task.table.frame, ClassesByCells(files)
    pages = ReleasePages(files, 7)
    for row in range(0, pages.height, 11):
        cells = dict(zip(pages.names, pages.read(row, row + 1).row(0), strict=True))
        here, size = classes.find(cells)
        quasi = {name: cells[name] for name in classes.names}
        numbers, others = pages.rows_with(quasi, row, size, ["ill"])
        assert row in numbers
        assert len(numbers) == others.height == size
        assert pages.rows_with(quasi, 0, size)[0].tolist() == numbers.tolist()  # from far away
        records = original.filter(whole.release.classes == here)
        assert sorted(records["ill"]) == sorted(others["ill"])
        told = class_before(files, here, others)
        assert told.question == f"What did the {size} records of class {here + 1} have?"
        if not any(files.task.counted_levels):
            for value, count in records["city"].value_counts().iter_rows():
                (fact,) = (each for each in told.facts if each.startswith("city "))
                assert f"{value} ×{count}" in fact
        why = why_row(files, classes, cells, 1)
        assert f"{size} records print these quasi-identifiers" in why.facts[0]
        if algorithm == "global":
            level = files.grouping.levels[1]
            assert f"level {level}" in why.facts[1]
    assert "became" in why_attribute(files, 0).facts[1]


def test_a_starred_row_is_of_no_class(tmp_path):
    people(150).write_csv(tmp_path / "in.csv")
    asked = project(
        tmp_path / "in.csv",
        algorithm={"name": "global"},
        output={"suppressed": "star"},
        privacy={"k": 3, "max_suppression": 0.3},
    )
    files = streamed(asked, Target(tmp_path / "s.parquet"))
    starred = dict.fromkeys(files.columns, "*")
    assert files.release.suppressed_records
    assert "of no class" in why_row(files, ClassesByCells(files), starred, 0).facts[0]
