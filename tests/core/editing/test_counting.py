"""What a table beyond memory says once it is counted, and what becomes of guesses on its sample."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from kanon_tui.core.data.schema import Kind, Role
from kanon_tui.core.data.table import read_table
from kanon_tui.core.editing.counting import count, counting_of
from kanon_tui.core.editing.session import Session, open_session
from kanon_tui.core.engine import choice, csv_sample, csv_survey, sampled_table
from kanon_tui.core.engine.sampled_table import SampledTable
from kanon_tui.core.engine.table_counting import CountingStoppedError

RECORDS = 3000
ODD = 2345
"""A record that no sample holds: its age is no number."""


@pytest.fixture(autouse=True)
def nothing_fits(monkeypatch):
    """As if 300 records were a lot: nothing fits into memory, and pieces are small."""
    monkeypatch.setattr(choice, "_BASE", 10**15)
    monkeypatch.setattr(csv_survey, "_HEAD", 2000)
    monkeypatch.setattr(csv_sample, "LEAST_BYTES", 300)
    monkeypatch.setattr("kanon_tui.core.engine.source.PIECE_BYTES", 4000)
    monkeypatch.setattr("kanon_tui.core.engine.source.PIECE_ROWS", 100)
    monkeypatch.setattr(sampled_table.sample_table, "__defaults__", (300,))


def people() -> pl.DataFrame:
    numbers = range(RECORDS)
    return pl.DataFrame(
        {
            "age": ["old" if x == ODD else str(x % 90) for x in numbers],
            "sex": ["?" if x % 50 == 1 else "fm"[x % 2] for x in numbers],
            "email": [f"p{x}@example.org" for x in numbers],
        }
    )


def opened(folder: Path, name: str) -> Session:
    write = people().write_csv if name.endswith("csv") else people().write_parquet
    write(folder / name)
    return open_session(folder / name)


def take_counts(session: Session) -> tuple[str, ...]:
    counting = counting_of(session)
    assert counting is not None
    found = count(session, counting)
    session.take_counts(found.table, found.completed)
    return found.news


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_counting_tells_of_the_whole_and_corrects_guesses_that_nobody_has_touched(tmp_path, name):
    session = opened(tmp_path, name)
    assert session.attribute("age").kind is Kind.NUMERIC
    assert session.extent.startswith("a sample of ")
    before = session.table.frame
    session.change_attributes(["sex"], "sex: sensitive", role=Role.SENSITIVE)

    news = take_counts(session)

    assert [line for line in news if line.startswith("age is categorical")] == list(news)
    assert session.attribute("age").kind is Kind.CATEGORICAL
    assert session.attribute("sex").role is Role.SENSITIVE  # what a person set stays
    assert session.undo() == "sex: sensitive"
    assert not session.dirty  # what the whole says is no edit
    table, whole = session.table, read_table(tmp_path / name)
    assert isinstance(table, SampledTable)
    assert table.frame is before
    assert (table.height, table.exact) == (RECORDS, True)
    for column in ("age", "sex"):
        found, wanted = (t.occurrences(column).sort("value") for t in (table, whole))
        assert found.cast({"records": pl.Int64}).equals(wanted.cast({"records": pl.Int64}))
        own, all_of_it = (t.column(column, Kind.CATEGORICAL) for t in (table, whole))
        assert own.values == all_of_it.values
        assert own.counts.tolist() == all_of_it.counts.tolist()
        assert [own.values[code] for code in own.codes[:9]] == table.frame[column][:9].replace(
            "?", own.values[-1] if own.missing is not None else "?"
        ).to_list()
    assert table.missing_cells()["sex"] == RECORDS // 50
    assert table.not_looked_at == {"email"}
    assert session.quasi_identifier("age").column.records == RECORDS
    assert session.task().n == session.records.height  # what works on records works on the sample


def test_what_a_person_set_is_kept_and_told_of_where_it_does_not_fit(tmp_path):
    session = opened(tmp_path, "a.csv")
    session.edit(session.project.confirmed(["age"]), "accepted")
    news = take_counts(session)
    assert news == (
        "age: 'old' is not a number (in 1 record); set format, set kind: categorical, or add it to "
        "the missing tokens",
    )
    assert session.attribute("age").kind is Kind.NUMERIC


def test_a_column_that_is_no_identifier_any_more_is_counted_later(tmp_path):
    session = opened(tmp_path, "a.csv")
    take_counts(session)
    assert counting_of(session) is None
    session.change_attributes(["email"], "email: other", role=Role.OTHER)
    counting = counting_of(session)
    assert counting is not None
    assert counting.names == ("email",)
    take_counts(session)
    assert session.table.occurrences("email").height == RECORDS
    assert session.table.occurrences("sex").height == 3


def test_a_column_with_too_many_values_is_left_to_the_sample(tmp_path, monkeypatch):
    session = opened(tmp_path, "a.csv")
    session.change_attributes(["email"], "email: other", role=Role.OTHER)
    monkeypatch.setattr("kanon_tui.core.engine.memory._TEXT_COPIES", 10**9 // 40_000)
    monkeypatch.setattr("kanon_tui.core.editing.counting._ROOM", 10**9)
    session.edit(replace(session.project, run=replace(session.project.run, memory=10**6)), "memory")
    news = take_counts(session)
    assert news[-1].startswith("email has more values than there is room to count")
    assert counting_of(session) is None
    assert session.table.occurrences("email").height == session.records.height
    assert session.table.occurrences("sex").height == 3


def test_counting_that_nobody_waits_for_ends(tmp_path):
    session = opened(tmp_path, "a.csv")
    counting = counting_of(session)
    assert counting is not None
    assert "records counted" in counting.progress
    counting.stop()
    with pytest.raises(CountingStoppedError):
        counting.run()
