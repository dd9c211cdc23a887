"""Records that a project chooses: conditions, counted rows, skipped lines, renamed columns."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import polars as pl
import pytest

from kanon_tui.core.errors import InputError
from kanon_tui.core.pipeline.sampled_table import sample_table
from kanon_tui.core.table.read_options import ReadOptions
from kanon_tui.core.table.source import open_source, preview_table, read_table
from kanon_tui.core.table.typed_columns import ColumnNamesError
from tests.beyond_memory import small_pieces

FRAME = pl.DataFrame(
    {
        "year": [2018, 2020, 2021, None, 2020],
        "city": ["Rome", "rome", "Milan", "Rome", "Paris"],
        "day": [date(2020, 1, 1 + x) for x in range(5)],
        "n": [1, 2, 0, 3, 2],
    }
)


@pytest.fixture(params=["csv", "parquet"], scope="module")
def people(request, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("people") / f"people.{request.param}"
    (FRAME.write_csv if request.param == "csv" else FRAME.write_parquet)(path)
    return path


def in_pieces(path: Path, options: ReadOptions) -> pl.DataFrame:
    with small_pieces(20, 2):
        source = open_source(path, options)
    frames = [frame for piece in source.pieces for frame in source.read(piece)]
    assert not source.records  # unknown before the pieces are read
    assert all(frame.columns == list(source.names) for frame in frames)
    return pl.concat(frames)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("where", "days"),
    [
        ({"year": ">= 2020"}, [2, 3, 5]),
        ({"year": "<2020"}, [1]),
        ({"city": "rome"}, [1, 2, 4]),
        ({"city": "=ROME"}, [1, 2, 4]),
        ({"city": "!r"}, [3]),
        ({"city": "!=Rome"}, [3, 5]),
        ({"day": "> 2020-01-03"}, [4, 5]),
        ({"day": "<= 02.01.2020"}, [1, 2]),
        ({"year": ">= 2020", "city": "i"}, [3, 5]),
        ({"year": "="}, [4]),
    ],
)
def test_conditions_keep_the_same_records_in_memory_and_in_pieces(people, where, days) -> None:
    options = ReadOptions(where=where)
    table = read_table(people, options)
    assert [int(day[-2:]) for day in table.frame["day"]] == days
    assert in_pieces(people, options).equals(table.frame)
    assert preview_table(people, options).frame.equals(table.frame)
    sample = sample_table(people, options)
    assert sample.frame.equals(table.frame)
    assert sample.height == len(days)


def test_a_row_stands_for_as_many_records_as_its_count_says(people) -> None:
    options = ReadOptions(where={"year": ">=2020"}, counts="n")
    table = read_table(people, options)
    assert table.names == ["year", "city", "day"]
    assert table.frame["city"].to_list() == ["rome", "rome", "Paris", "Paris"]
    assert in_pieces(people, options).equals(table.frame)
    if people.suffix == ".csv":
        assert [table.row_of(record) for record in range(4)] == [3, 3, 6, 6]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (ReadOptions(where={"yaer": "1"}), r"data\.where: the data has no column 'yaer'; did you"),
        (ReadOptions(counts="m"), r"data\.counts: the data has no column 'm'"),
        (
            ReadOptions(counts="city"),
            r"data\.counts: a value in city, record 1, is no number of records",
        ),
        (ReadOptions(where={"city": "> 5"}), r"where: city: 4 values cannot be compared with"),
        (ReadOptions(where={"city": "> B"}), r"where: city: 'B' is neither a number nor a date"),
        (ReadOptions(where={"city": "=Oslo"}), r"has no records that data\.where"),
        (ReadOptions(rename={"citty": "x"}), r"data\.rename: the data has no column 'citty'"),
        (ReadOptions(rename={"city": "year"}), r"two columns would be called 'year'"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(people, options, message) -> None:
    with pytest.raises(InputError, match=message):
        read_table(people, options)


def test_renamed_columns_have_their_new_names_everywhere(people) -> None:
    options = ReadOptions(rename={"city": "year", "year": "y"}, where={"year": "=rome"}, counts="n")
    table = read_table(people, options)
    assert table.names == ["y", "year", "day"]
    assert set(table.frame["year"]) == {"Rome", "rome"}
    assert in_pieces(people, options).equals(table.frame)
    assert sample_table(people, options).frame.equals(table.frame)


def test_repeated_and_empty_names_are_offered_new_ones(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("Diagnose;Diagnose;Alter;Diagnose_2;\nA;B;3;C;D\n")
    with pytest.raises(
        ColumnNamesError, match="columns 1 and 2 are both called 'Diagnose'"
    ) as told:
        read_table(path)
    assert told.value.rename == {"Diagnose_3": "Diagnose_3", "column_5": "column_5"}
    table = read_table(path, ReadOptions(rename=told.value.rename))
    assert table.names == ["Diagnose", "Diagnose_3", "Alter", "Diagnose_2", "column_5"]
    table = read_table(path, ReadOptions(rename={**told.value.rename, "Diagnose_3": "side"}))
    assert table.names[1] == "side"


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("note", ["Summe;;9", 'Quelle: "Amt', 'a note;"with quotes"'])
def test_lines_at_both_ends_are_skipped(tmp_path: Path, line_end: str, note: str) -> None:
    path = tmp_path / "export.csv"
    rows = [f"{x};w;{x % 3}" for x in range(20)]
    path.write_bytes(
        line_end.join(["Auswertung 2024", "", "Alter;Sex;x", *rows, "", note, ""]).encode()
    )
    options = ReadOptions(skip_first=2, skip_last=1)
    table = read_table(path, options)
    assert table.names == ["Alter", "Sex", "x"]
    assert table.frame.rows() == [tuple(row.split(";")) for row in rows]
    assert table.row_of(0) == 4
    with small_pieces(20):
        source = open_source(path, options)
    assert len(source.pieces) > 1 or note.count('"') == 1
    pieces = [frame for piece in source.pieces for frame in source.read(piece)]
    assert pl.concat(pieces).equals(table.frame)
    assert sample_table(path, options).frame.equals(table.frame)


def test_parts_are_skipped_and_chosen_alike(tmp_path: Path) -> None:
    for number in range(3):
        text = f"part {number}\na,b\n{number},x\n{number},y\ntotal,\n"
        (tmp_path / f"{number}.csv").write_text(text)
    options = ReadOptions(skip_first=1, skip_last=1, rename={"a": "A"}, where={"b": "x"})
    table = read_table(tmp_path, options)
    assert table.frame.rows() == [("0", "x"), ("1", "x"), ("2", "x")]
    assert in_pieces(tmp_path, options).equals(table.frame)
