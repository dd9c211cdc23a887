"""What a table beyond memory says once it is counted, and what becomes of guesses on its sample."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from kanon_tui.core.analysis.minimal_uniques import minimal_uniques, risk
from kanon_tui.core.editing.counting import count, counting_of
from kanon_tui.core.editing.session import Session, open_session
from kanon_tui.core.editing.state_folder import RecoveryStore
from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.prepare import prepare
from kanon_tui.core.pipeline.sampled_table import CountingStoppedError
from kanon_tui.core.table.column import Kind, Role
from kanon_tui.core.table.source import read_table
from tests.beyond_memory import RECORDS, let_nothing_fit, write_people


@pytest.fixture(autouse=True)
def nothing_fits(monkeypatch):
    let_nothing_fit(monkeypatch)


def opened(folder: Path, name: str) -> Session:
    return open_session(write_people(folder / name))


def take_counts(session: Session) -> tuple[str, ...]:
    counting = counting_of(session)
    assert counting is not None
    found = count(session, counting)
    session.take_counts(found.table, found.completed)
    return found.messages


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_counting_tells_of_the_whole_and_corrects_guesses_that_nobody_has_touched(tmp_path, name):
    session = opened(tmp_path, name)
    assert session.attribute("age").kind is Kind.NUMERIC
    assert session.extent.startswith("a sample of ")
    session.change_attributes(["sex"], "sex: sensitive", role=Role.SENSITIVE)

    news = take_counts(session)

    assert [line for line in news if line.startswith("age is categorical")] == list(news)
    assert session.attribute("age").kind is Kind.CATEGORICAL
    assert session.attribute("sex").role is Role.SENSITIVE  # what a person set stays
    assert session.undo() == "sex: sensitive"
    assert not session.dirty  # what the whole says is no edit
    table = session.table
    whole = read_table(tmp_path / name)
    assert session.source is None
    assert table.frame.cast(pl.String).equals(whole.frame)
    for column in ("age", "sex"):
        found, wanted = (t.occurrences(column).sort("value") for t in (table, whole))
        assert found.cast({"records": pl.Int64}).equals(wanted.cast({"records": pl.Int64}))
    assert table.missing_cells()["sex"] == RECORDS // 50
    assert session.task().n == RECORDS
    assert session.extent == "3,000 records"


def test_what_a_person_set_is_kept_and_told_of_where_it_does_not_fit(tmp_path):
    session = opened(tmp_path, "a.csv")
    session.edit(session.project.confirmed(["age"]), "accepted")
    news = take_counts(session)
    assert news == (
        "age: 'old' is not a number (in row 2,347); set format, set kind: categorical, or add it "
        "to the missing tokens",
    )
    assert session.attribute("age").kind is Kind.NUMERIC


def test_an_identifier_with_very_many_values_is_read_when_it_gets_another_role(
    tmp_path, monkeypatch
):
    monkeypatch.setattr("kanon_tui.core.table.coded_columns._MOST_SPARED", 1000)
    session = opened(tmp_path, "a.csv")
    take_counts(session)
    assert counting_of(session) is None
    assert session.table.given_up == {"email"}
    assert session.table.frame["email"].cast(pl.String).unique().to_list() == ["…"]
    with pytest.raises(InputError, match="email: it has too many values to keep"):
        session.table.column("email", Kind.CATEGORICAL)
    session.change_attributes(["email"], "email: other", role=Role.OTHER)
    with pytest.raises(InputError, match="still being counted"):
        session.check_counted()
    take_counts(session)
    assert session.table.occurrences("email").height == RECORDS
    session.check_counted()


def test_values_that_do_not_fit_into_memory_are_refused(tmp_path, monkeypatch):
    session = opened(tmp_path, "a.csv")
    session.change_attributes(["email"], "email: other", role=Role.OTHER)
    monkeypatch.setattr("kanon_tui.core.processes.memory_limit._TEXT_COPIES", 10**9 // 40_000)
    session.edit(replace(session.project, run=replace(session.project.run, memory=10**6)), "memory")
    counting = counting_of(session)
    assert counting is not None
    with pytest.raises(InputError, match=r"values of 'email' take .*; leave the column out"):
        counting.run()


def test_counting_that_nobody_waits_for_ends(tmp_path):
    session = opened(tmp_path, "a.csv")
    counting = counting_of(session)
    assert counting is not None
    assert "records counted" in counting.progress
    counting.stop()
    with pytest.raises(CountingStoppedError):
        counting.run()


@pytest.mark.parametrize("policy", ["value", "drop"])
def test_rows_that_share_their_quasi_identifiers_are_counted_over_all_records(tmp_path, policy):
    (tmp_path / "p.yaml").write_text(
        f"data: {{path: a.csv, missing: {{policy: {policy}}}}}\n"
        "attributes: {age: {role: quasi, kind: categorical}, sex: {role: quasi}}\n"
    )
    write_people(tmp_path / "a.csv")
    session = open_session(tmp_path / "p.yaml")
    with pytest.raises(InputError, match="still being counted"):
        session.quasi_rows()
    take_counts(session)
    task = session.quasi_rows()
    whole = prepare(session.project, read_table(tmp_path / "a.csv"))
    assert task.n == whole.n
    assert risk(task.quasi, task.n, 20) == risk(whole.quasi, whole.n, 20)
    found = minimal_uniques([attribute.column for attribute in task.quasi], 2)
    wanted = minimal_uniques([attribute.column for attribute in whole.quasi], 2)
    assert found.combinations == wanted.combinations
    assert (found.records, found.singled_out) == (wanted.records, wanted.singled_out)
    assert found.contributions == wanted.contributions


def test_k_is_compared_with_all_records_and_nothing_is_asked_of_a_sample(tmp_path):
    session = opened(tmp_path, "a.csv")
    session.change_attributes(["email"], "email: other", role=Role.OTHER)
    with pytest.raises(InputError, match="still being counted"):
        session.unanswered()

    def with_k(k: int) -> None:
        project = session.project
        session.edit(replace(project, privacy=replace(project.privacy, k=k)), f"k = {k}")

    with_k(RECORDS)
    with pytest.raises(InputError, match=r"more than the \d+ records of the sample .* all 3,0\d\d"):
        session.task()
    take_counts(session)
    assert [each.unique for each in session.unanswered()] == [RECORDS]
    assert session.quasi_rows().k == RECORDS
    with_k(RECORDS + 1)
    with pytest.raises(InputError, match="k is 3001 but the table has only 3,000 records"):
        session.task()


def test_a_session_beyond_memory_is_saved_reread_and_taken_up_like_any_other(tmp_path):
    session = opened(tmp_path, "a.csv")
    store = RecoveryStore(tmp_path / "state")
    session.change_attributes(["sex"], "sex: sensitive", role=Role.SENSITIVE)
    store.keep(session)
    store.close()
    unsaved = RecoveryStore(tmp_path / "state").unsaved_work(tmp_path / "a.csv")
    assert unsaved is not None
    again = unsaved.session()
    assert again.source is not None
    assert again.attribute("sex").role is Role.SENSITIVE
    options = replace(again.project.data.read_options, missing_tokens=("", "m"))
    other = again.reread(replace(again.project.data, read_options=options))
    assert other.source is not None
    assert other.table.missing_cells()["sex"] > 0
    assert other.save(tmp_path / "p.yaml").exists()
    assert open_session(tmp_path / "p.yaml").attribute("sex").role is Role.SENSITIVE
