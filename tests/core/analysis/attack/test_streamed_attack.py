"""Whoever holds other tables learns from a release in its files what it tells in memory."""

from __future__ import annotations

import polars as pl
import pytest

from kanon_tui.core.analysis.attack import two_releases as module
from kanon_tui.core.analysis.attack.linking import linking_attack
from kanon_tui.core.analysis.attack.two_releases import two_releases
from kanon_tui.core.analysis.published_cells import PublishedTable
from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.sampled_table import read_tables
from kanon_tui.core.processes.memory_limit import AT_LEAST, MemoryLimit
from kanon_tui.core.table import counted_table
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import read_table
from kanon_tui.core.table.writing import Target
from tests.core.pipeline.compared import in_memory, streamed
from tests.core.pipeline.test_stream import people, project

CASES = [
    ({"name": "mondrian"}, {}, "value"),
    ({"name": "global"}, {"suppressed": "star", "formulas": "escape"}, "value"),
    ({"name": "mondrian"}, {"order": "shuffled"}, "drop"),
]


def both(folder, algorithm, output, missing):
    people(150).write_csv(folder / "in.csv")
    data = {"path": str(folder / "in.csv"), "missing": {"policy": missing}}
    asked = project(folder / "in.csv", algorithm=algorithm, output=output, data=data)
    return asked, in_memory(asked, folder / "m.csv"), streamed(asked, Target(folder / "s.csv"))


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_people_are_looked_up_in_files_as_in_memory(tmp_path, case):
    asked, whole, files = both(tmp_path, *case)
    people(60, seed=3).write_csv(tmp_path / "known.csv")
    known = read_table(tmp_path / "known.csv", ReadOptions(header=True))
    for on in (["age", "city"], ["city", "note"]):
        expected, found = (
            linking_attack(PublishedTable(asked, *read_tables(result)), known, on)
            for result in (whole, files)
        )
        assert found.notes == expected.notes
        for one, other in ((expected.original, found.original), (expected.release, found.release)):
            assert other.matches.tolist() == one.matches.tolist()
            for name, flags in one.disclosed_values.items():
                assert other.disclosed_values[name].tolist() == flags.tolist()
            for person in (0, 7, 21):
                looked_up, again = one.look_up(person), other.look_up(person)
                assert sorted(again.values["ill"]) == sorted(looked_up.values["ill"])
                assert len(again.records) == len(looked_up.records)
                if one is expected.original or whole.task.output.order != "shuffled":
                    assert again.records.tolist() == looked_up.records.tolist()
                names = list(files.columns)
                rows = one._table.rows_at(looked_up.records, names).cast(pl.String)
                assert sorted(other._table.rows_at(again.records, names).rows()) == sorted(
                    rows.rows()
                )


@pytest.mark.parametrize("case", CASES)
def test_two_releases_together_are_counted_as_in_memory(tmp_path, monkeypatch, case):
    asked, whole, files = both(tmp_path, *case)
    other = {"name": "global" if case[0]["name"] == "mondrian" else "mondrian"}
    in_memory(project(tmp_path / "in.csv", algorithm=other), tmp_path / "earlier.csv")
    earlier = read_table(tmp_path / "earlier.csv", ReadOptions(header=True))
    expected, found = (
        two_releases(PublishedTable.from_result(result, asked), earlier, "earlier.csv")
        for result in (whole, files)
    )
    assert expected.people
    for name in ("people", "unique", "below_k", "below_k_at_worst", "fewest", "not_in_both"):
        assert getattr(found, name) == getattr(expected, name), name
    monkeypatch.setattr(module, "_MOST_WORK", 100)
    with pytest.raises(InputError, match="would take hours"):
        two_releases(PublishedTable.from_result(files, asked), earlier, "earlier.csv")


def test_rows_that_do_not_fit_are_refused(tmp_path, monkeypatch):
    asked, _, files = both(tmp_path, *CASES[0])
    monkeypatch.setattr(counted_table, "_FEW_ROWS", 3)
    tight = MemoryLimit(AT_LEAST)
    object.__setattr__(files.task.table, "memory", tight)
    known = read_table(tmp_path / "in.csv", ReadOptions(header=True))
    with pytest.raises(InputError, match=r"looking at \d+ distinct rows takes .* are left of 600"):
        linking_attack(PublishedTable(asked, *read_tables(files)), known, ["age", "city"])
