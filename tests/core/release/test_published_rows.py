"""Rows of a release as numbers: the same texts, the same order, the same files as cell by cell."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys

import polars as pl
import pytest

from kanon_tui import Project, anonymize
from kanon_tui.core.release.recode import text_ranks
from kanon_tui.core.table.column import Kind
from kanon_tui.core.table.csv_format import CsvFormat
from kanon_tui.core.table.formulas import count_formulas
from kanon_tui.core.table.table import as_table, packed
from tests.paths import SAMPLES

PEOPLE = """\
job,age,note,sex,ill
clerk,31,"a ""b"", c",f,flu
clerk,35,,f,NA
cook,?,=1+1,m,?
cook,NA,-5,f,
Ärztin,52,"two
lines",f,flu
Ärztin,58,x,m,flu
clerk,33,x,f,flu
cook,44,"a ""b"", c",m,hiv
"""
PROJECT = """\
version: 1
data: {path: people.csv}
attributes:
  job: {role: quasi, kind: categorical}
  age: {role: quasi, kind: numeric}
  note: {role: other, kind: categorical}
  sex: {role: quasi, kind: categorical}
  ill: {role: sensitive, kind: categorical}
privacy: {k: 2, max_suppression: 0.5}
"""
RUN = """\
import sys
from kanon_tui import anonymize
for algorithm in ("mondrian", "global"):
    from kanon_tui.core.project.project import with_overrides
    from kanon_tui import Project
    project = with_overrides(Project.load(sys.argv[1]), algorithm=algorithm)
    anonymize(project).write(sys.argv[2] + algorithm + ".csv", force=True)
"""


@pytest.fixture
def project(tmp_path) -> Project:
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "project.yaml").write_text(PROJECT)
    return Project.load(tmp_path / "project.yaml")


def written(table: pl.DataFrame, format: CsvFormat) -> bytes:
    file = io.BytesIO()
    format.put(table, file, "release.csv")
    return file.getvalue()


def test_the_table_is_that_of_its_texts(project) -> None:
    """Columns between quasi-identifiers, quotes, empty cells and several missing tokens."""
    result = anonymize(project)
    coded = result.release.coded
    table = result.table
    assert set(table.dtypes) == {pl.String}
    assert coded.rows() == table.rows()
    assert table.rows() == sorted(table.rows())
    own = pl.read_csv(io.StringIO(PEOPLE), infer_schema=False).fill_null("")
    assert sorted(table["ill"]) == sorted(own["ill"].gather(result.release.order))
    assert sorted(table["note"]) == sorted(own["note"].gather(result.release.order))
    assert count_formulas(coded) == count_formulas(table) == 1


@pytest.mark.parametrize(
    "format",
    [
        CsvFormat(),
        CsvFormat(encoding="utf-8-sig", line_end="\r\n"),
        CsvFormat(encoding="latin-1", delimiter=";", quote="'"),
        CsvFormat(quoting="texts"),
        CsvFormat(quoting="always"),
    ],
    ids=str,
)
def test_numbers_are_written_as_texts_are(project, format) -> None:
    result = anonymize(project)
    assert written(result.release.coded, format) == written(result.table, format)
    alone = result.release.coded.select("note")
    assert written(alone, format) == written(alone.cast(pl.String), format)


def test_a_packed_table_has_the_texts_it_had(project) -> None:
    """A column with two missing tokens stays as it is: its codes do not tell them apart."""
    table = project.read_data()
    before = {name: table.texts(name).to_list() for name in table.names}
    for name, kind in (("job", Kind.CATEGORICAL), ("age", Kind.NUMERIC), ("ill", Kind.CATEGORICAL)):
        table.column(name, kind)
    small = packed(table)
    assert small.frame["job"].dtype != pl.String
    assert {name: small.texts(name).to_list() for name in small.names} == before
    assert small.column("age", Kind.NUMERIC) is table.column("age", Kind.NUMERIC)
    assert small.missing_cells() == table.missing_cells()
    assert small.occurrences("job").sort("value").equals(table.occurrences("job").sort("value"))
    for name in small.names:
        cells = small.coded_texts(name)
        assert cells.texts.gather(cells.codes).to_list() == before[name]
    assert as_table(small.frame).frame.equals(table.frame)


def test_texts_are_ranked_as_they_are_sorted() -> None:
    texts = ["b", "", "B", "ä", "a", "10", "9", "\U0001f600", "\uffee"]
    assert text_ranks(texts).tolist() == [sorted(texts).index(text) for text in texts]


@pytest.mark.slow
def test_bytes_do_not_depend_on_the_number_of_cores(tmp_path) -> None:
    path = SAMPLES / "census" / "project.yaml"
    found = []
    for cores in ("1", "2", "3"):
        threads = {"POLARS_MAX_THREADS": cores, "NUMBA_NUM_THREADS": "1"}
        command = [sys.executable, "-c", RUN, str(path), str(tmp_path / cores)]
        subprocess.run(command, check=True, env={**os.environ, **threads})
        files = sorted(tmp_path.glob(f"{cores}*.csv"))
        found.append([hashlib.sha256(file.read_bytes()).hexdigest() for file in files])
    assert len(found[0]) == 2
    assert found[0] == found[1] == found[2]
