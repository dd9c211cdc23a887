"""Cells that a spreadsheet would compute: counted, escaped without making two cells one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from kanon_tui.core.pipeline.run import anonymize
from kanon_tui.core.privacy.settings import Privacy
from kanon_tui.core.project.project import AlgorithmChoice, AttributeSpec, DataSource, Project
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.formulas import count_formulas, escape_formulas
from kanon_tui.core.task.output import Output

CELLS = ["=1+1", "'=1+1", "+SUM(A1)", "-cmd|x", "@x", "\tx", "\rx", "''@x"]
HARMLESS = ["-5", "+7", "-1e5", "-1.234,5", "-.5", "a=b", "", " =x", "'quoted'", "[-5..-3]"]


def test_formulas_are_escaped_and_numbers_are_not() -> None:
    frame = pl.DataFrame({"=name": CELLS, "other": HARMLESS[: len(CELLS)]})
    assert count_formulas(frame) == 1 + len([cell for cell in CELLS if cell[0] != "'"])
    escaped = escape_formulas(frame)
    assert escaped.columns == ["'=name", "other"]
    assert escaped["'=name"].to_list() == ["'" + cell for cell in CELLS]
    assert escaped["other"].to_list() == HARMLESS[: len(CELLS)]
    assert count_formulas(escaped) == 0
    assert count_formulas(pl.DataFrame({"x": HARMLESS})) == 0


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet"])
def test_what_is_written_is_escaped_and_still_verified(ending: str, tmp_path: Path) -> None:
    frame = pl.DataFrame({"=job": ["=a", "=a", "'=a", "'=a"], "ill": ["@x", "-5", "y", "z"]})
    project = Project(
        data=DataSource("t.csv"),
        attributes={
            "=job": AttributeSpec(role=Role.QUASI, kind=Kind.CATEGORICAL),
            "ill": AttributeSpec(role=Role.SENSITIVE, kind=Kind.CATEGORICAL),
        },
        privacy=Privacy(k=2),
        algorithm=AlgorithmChoice("mondrian"),
    )
    result = anonymize(replace(project, output=Output(formulas="escape")), frame)
    file = tmp_path / f"r{ending}"
    result.write(file)
    if ending == ".parquet":
        written = pl.read_parquet(file)
    else:
        tab = "\t" if ending == ".tsv" else ","
        written = pl.read_csv(file, infer_schema=False, separator=tab)
    assert written.columns == ["'=job", "ill"]
    assert sorted(written["'=job"]) == ["''=a", "''=a", "'=a", "'=a"], "two classes as before"
    assert sorted(written["ill"]) == ["'@x", "-5", "y", "z"]
    assert anonymize(project, frame).written.columns == ["=job", "ill"]
